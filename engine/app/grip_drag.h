// SPDX-License-Identifier: MIT
// The mouse takes hold of an element that a program wants to be taken, and moves it.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/camera.h"
#include "engine/scene/grip.h"
#include "engine/scene/view.h"

#include <glm/vec2.hpp>

#include <functional>
#include <optional>

namespace lathe {

class InputState;

/// A drag of the left button without modifiers that begins on such an element, where no panel has
/// the mouse, and lasts until the button is up.
class GripDrag {
public:
    using AskDevice = std::function<void(const std::function<void()>&)>;

    /// Takes a frame's mouse, and tells the view. True where the mouse holds something, and moves
    /// no camera.
    bool follow(View& view, const InputState& input, const Viewport& place, const AskDevice& ask);
    bool is_holding() const { return held_.has_value(); }

private:
    struct Held {
        Grip grip;
        glm::dvec3 taken_at;       ///< the place under the mouse
        glm::dvec3 towards;        ///< the direction in which the view looks
        glm::dvec3 beside;         ///< from there to the element
        glm::dvec3 beside_on_axes; ///< the same on the lines along the axes
    };
    std::optional<Held> held_;
};

} // namespace lathe
