// SPDX-License-Identifier: MIT
#include "engine/app/camera_drag.h"

#include "engine/app/input.h"

#include <glm/vec3.hpp>

#include <algorithm>

namespace lathe {
namespace {

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
    if (input.any_button_pressed() && !dragging)
        return !input.mouse_captured && viewport.contains(input.drag_start());
    return dragging && any_was_down(input);
}

void turn(OrbitCamera& camera, glm::vec2 pixels, const Viewport& viewport, Steering by) {
    if (by == Steering::trackball) camera.turn_freely(pixels, viewport);
    else if (by == Steering::fly) camera.look_around(pixels, viewport);
    else camera.turn(pixels, viewport);
}

/// To the right, above and ahead.
glm::vec3 way_of_keys(const InputState& input) {
    if (input.keyboard_captured || input.modifiers()) return {0, 0, 0};
    const auto between = [&](Key back, Key forth) {
        return float(input.is_down(forth)) - float(input.is_down(back));
    };
    return {between(Key::a, Key::d), between(Key::q, Key::e), between(Key::s, Key::w)};
}

} // namespace

bool is_flying(const InputState& input) { return way_of_keys(input) != glm::vec3{0, 0, 0}; }

bool CameraDrag::move(OrbitCamera& camera, const InputState& input, const Viewport& viewport,
                      const Steered& steered) {
    const bool dragging = follow_drag(dragging_, input, viewport);
    dragging_ = dragging && input.any_button_down();
    bool moved = false;
    if (dragging && input.drag_delta() != glm::vec2{}) {
        const bool turning = was_down(input, MouseButton::left) && !(input.modifiers() & kShift);
        if (turning) turn(camera, input.drag_delta(), viewport, steered.by);
        else camera.pan(input.drag_delta(), viewport);
        moved = true;
    }
    if (input.wheel().y != 0 && !input.mouse_captured && viewport.contains(input.mouse())) {
        const glm::dvec3 eye = camera.eye();
        camera.zoom(input.wheel().y);
        if (steered.by == Steering::fly) camera.target += eye - camera.eye();
        moved = true;
    }
    if (steered.by == Steering::fly && is_flying(input) && viewport.contains(input.mouse())) {
        camera.fly(float(std::clamp(steered.seconds, 0.0, 0.1)) * way_of_keys(input));
        moved = true;
    }
    return moved;
}

bool CameraDrag::move(PanZoomCamera& camera, const InputState& input, const Viewport& viewport) {
    const bool dragging =
        follow_drag(dragging_, input, viewport) && !was_down(input, MouseButton::right);
    dragging_ = dragging && input.any_button_down();
    bool moved = false;
    if (dragging && input.drag_delta() != glm::vec2{}) {
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
