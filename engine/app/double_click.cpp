// SPDX-License-Identifier: MIT
#include "engine/app/double_click.h"

#include "engine/app/input.h"

#include <glm/geometric.hpp>

namespace lathe {

bool DoubleClick::follow(const InputState& input, std::chrono::steady_clock::time_point now) {
    using namespace std::chrono_literals;
    if (!input.pressed(MouseButton::left)) return false;
    const glm::vec2 place = input.drag_start();
    const bool is_second = first_ && now - first_->time <= 350ms &&
                           glm::distance(place, first_->place) <= 4 && input.modifiers() == 0;
    if (is_second) first_.reset();
    else if (input.modifiers() == 0) first_ = Press{now, place};
    return is_second;
}

} // namespace lathe
