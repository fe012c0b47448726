// SPDX-License-Identifier: MIT
// Our input events as Dear ImGui's.
#pragma once

#include "engine/app/input.h"

#include <deque>

namespace lathe {

/// Hands events to the current ImGui context, in order. A frame of ImGui sees one state of the
/// modifiers: after a press, an event that changes them waits for the next frame. Thus Ctrl+Z is
/// Ctrl+Z where a slow frame finds that all of its keys went down and up. Keys that no text comes
/// with wait, too, since the editor takes one in two frames: End and Enter are both taken. A button
/// waits for the frame after that of the mouse's way, and the way after a button for the next: a
/// tab takes no press in the first frame in which it is under the mouse, which is where a finger or
/// a quick hand presses, and a slider follows the mouse only while its button is down.
class ImGuiInput {
public:
    void add(const InputEvent& event) { waiting_.push_back(event); }
    /// Once a frame, before ImGui's starts.
    void feed();

private:
    void feed(const InputEvent& event);

    std::deque<InputEvent> waiting_;
    unsigned modifiers_ = 0;  ///< as fed
    bool is_pressed_ = false; ///< in the last frame something went down
};

} // namespace lathe
