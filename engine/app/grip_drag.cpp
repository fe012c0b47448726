// SPDX-License-Identifier: MIT
#include "engine/app/grip_drag.h"

#include "engine/app/input.h"

namespace lathe {

bool GripDrag::follow(View& view, const InputState& input, const Viewport& place,
                      const AskDevice& ask) {
    const auto in_view = [&](glm::vec2 pixel) {
        return (pixel - place.origin) / place.size * view.pixels();
    };
    const bool begins = !held_ && view.has_grips() && input.pressed(MouseButton::left) &&
                        input.modifiers() == 0 && !input.mouse_captured &&
                        place.contains(input.drag_start());
    if (begins) {
        const glm::vec2 pixel = in_view(input.drag_start());
        std::optional<Picked> picked;
        ask([&] { picked = view.pick(pixel); });
        const auto line = view.sight_line(pixel), middle = view.sight_line(view.pixels() * 0.5f);
        if (picked && line && middle && view.wants_grip(picked->item)) {
            const glm::dvec3 &there = picked->position, at = picked->element.value_or(there);
            held_ = {{picked->item, picked->index, at, at, at},
                     there,
                     middle->direction,
                     at - on_plane(*line, there, middle->direction),
                     -nearest_on_axes(*line, at)};
        }
    }
    if (held_) {
        if (const auto line = view.sight_line(in_view(input.mouse()))) {
            Grip& grip = held_->grip;
            grip.target = on_plane(*line, held_->taken_at, held_->towards) + held_->beside;
            grip.along =
                grip.position + nearest_on_axes(*line, grip.position) + held_->beside_on_axes;
        }
        if (!input.is_down(MouseButton::left)) held_.reset();
    }
    const bool was_held = view.has_grip();
    view.set_grip(held_ ? std::optional{held_->grip} : std::nullopt);
    return held_ || was_held;
}

} // namespace lathe
