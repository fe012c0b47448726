// SPDX-License-Identifier: MIT
#include "engine/app/camera_drag.h"

#include "engine/app/input.h"

namespace lathe {
namespace {

bool any_pressed(const InputState& input) {
    return input.pressed(MouseButton::left) || input.pressed(MouseButton::right) ||
           input.pressed(MouseButton::middle);
}

/// Down in this frame, though perhaps no more.
bool was_down(const InputState& input, MouseButton button) {
    return input.is_down(button) || input.released(button);
}

bool any_was_down(const InputState& input) {
    return was_down(input, MouseButton::left) || was_down(input, MouseButton::right) ||
           was_down(input, MouseButton::middle);
}

/// A drag belongs to the viewport it began in and lasts until the buttons are up.
bool follow_drag(bool dragging, const InputState& input, const Viewport& viewport) {
    if (any_pressed(input) && !dragging)
        return !input.mouse_captured && viewport.contains(input.drag_start());
    return dragging && any_was_down(input);
}

} // namespace

bool CameraDrag::move(OrbitCamera& camera, const InputState& input, const Viewport& viewport) {
    dragging_ = follow_drag(dragging_, input, viewport);
    bool moved = false;
    if (dragging_ && input.drag_delta() != glm::vec2{}) {
        const bool turning = was_down(input, MouseButton::left) && !(input.modifiers() & kShift);
        if (turning) camera.turn(input.drag_delta(), viewport);
        else camera.pan(input.drag_delta(), viewport);
        moved = true;
    }
    if (input.wheel().y != 0 && !input.mouse_captured && viewport.contains(input.mouse())) {
        camera.zoom(input.wheel().y);
        moved = true;
    }
    return moved;
}

bool CameraDrag::move(PanZoomCamera& camera, const InputState& input, const Viewport& viewport) {
    dragging_ = follow_drag(dragging_, input, viewport) && !was_down(input, MouseButton::right);
    bool moved = false;
    if (dragging_ && input.drag_delta() != glm::vec2{}) {
        camera.pan(input.drag_delta(), viewport);
        moved = true;
    }
    if (input.wheel().y != 0 && !input.mouse_captured && viewport.contains(input.mouse())) {
        camera.zoom(input.wheel().y, input.mouse(), viewport);
        moved = true;
    }
    return moved;
}

} // namespace lathe
