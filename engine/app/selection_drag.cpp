// SPDX-License-Identifier: MIT
#include "engine/app/selection_drag.h"

#include "engine/app/input.h"

namespace lathe {

SelectionDrag::State SelectionDrag::follow(const InputState& input, const Viewport& viewport) {
    constexpr unsigned kBoth = kShift | kControl;
    const bool begins = !is_drawing_ && input.pressed(MouseButton::left) &&
                        (input.modifiers() & kBoth) == kBoth && !input.mouse_captured &&
                        viewport.contains(input.drag_start());
    if (begins) {
        is_drawing_ = true;
        begin_ = end_ = input.drag_start();
    }
    if (!is_drawing_) return State::none;
    end_ += input.drag_delta();
    is_drawing_ = input.is_down(MouseButton::left);
    return is_drawing_ ? State::drawing : State::done;
}

} // namespace lathe
