// SPDX-License-Identifier: MIT
// What a window shows while a kernel keeps its frame waiting: the last frame, darkened, with the
// reason. It has an ImGui of its own, since the panels' one is in
// the midst of a frame.
#pragma once

#include "gl/framebuffer.h"

#include <string>

struct ImGuiContext;

namespace lathe {

class Window;

class WaitHint {
public:
    /// Keeps a copy of the window's screen(). The window must outlive the hint, which leaves GL's
    /// and ImGui's current contexts as they were.
    explicit WaitHint(Window& window);
    WaitHint(const WaitHint&) = delete;
    WaitHint& operator=(const WaitHint&) = delete;
    ~WaitHint();

    /// Draws the kept frame and the text, and shows the window.
    void show(const std::string& text);

private:
    class Current;
    Window& window_;
    gl::Framebuffer kept_;
    ImGuiContext* context_ = nullptr;
};

} // namespace lathe
