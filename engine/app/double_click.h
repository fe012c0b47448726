// SPDX-License-Identifier: MIT
// Two presses of the left button, one soon after the other at the same place.
#pragma once

#include "engine/core/api.h"

#include <glm/vec2.hpp>

#include <chrono>
#include <optional>

namespace lathe {

class InputState;

class LATHE_API DoubleClick {
public:
    /// Takes a frame's mouse. True where its press is the second one, within 0.35 s and 4 pixels,
    /// without shift, control and the like. A third begins anew.
    bool follow(const InputState& input, std::chrono::steady_clock::time_point now);

private:
    struct Press {
        std::chrono::steady_clock::time_point time;
        glm::vec2 place;
    };
    std::optional<Press> first_;
};

} // namespace lathe
