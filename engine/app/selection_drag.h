// SPDX-License-Identifier: MIT
// The mouse draws a rectangle, to select what lies there.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/camera.h"

#include <glm/vec2.hpp>

namespace lathe {

class InputState;

/// A drag of the left button with shift and control, that begins in a viewport where no panel has
/// the mouse, and lasts until the button is up.
class LATHE_API SelectionDrag {
public:
    enum class State { none, drawing, done };

    /// Takes a frame's mouse.
    State follow(const InputState& input, const Viewport& viewport);
    bool is_drawing() const { return is_drawing_; }
    /// Opposite corners, in pixels as those of the input.
    glm::vec2 begin() const { return begin_; }
    glm::vec2 end() const { return end_; }

private:
    bool is_drawing_ = false;
    glm::vec2 begin_{0, 0}, end_{0, 0};
};

} // namespace lathe
