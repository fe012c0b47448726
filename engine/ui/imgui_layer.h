// SPDX-License-Identifier: MIT
// Dear ImGui on a Window: feeds it the window's input events (injected ones alike), renders into a
// framebuffer through GL, keeps the layout in a file. The same with and without a display.
#pragma once

#include "engine/app/input.h"

#include <filesystem>
#include <functional>
#include <string>

struct ImGuiContext;
struct ImPlotContext;

namespace lathe {

class Window;
namespace gl {
class Framebuffer;
}

class ImGuiLayer {
public:
    /// Coordinates are the window's framebuffer pixels. `layout_file` is read now and written when
    /// the layout changes; empty: not kept. The window must outlive the layer.
    ImGuiLayer(Window& window, const std::filesystem::path& layout_file);
    ImGuiLayer(const ImGuiLayer&) = delete;
    ImGuiLayer& operator=(const ImGuiLayer&) = delete;
    ~ImGuiLayer();

    /// Sees key events before ImGui does and keeps those it returns true for.
    std::function<bool(const KeyEvent&)> shortcuts;

    /// Feeds this frame's events and starts a frame of ImGui.
    void begin_frame(double delta_seconds);
    /// Builds the draw lists and draws them over what `target` holds.
    void end_frame(gl::Framebuffer& target);
    bool in_frame() const { return in_frame_; }

    bool wants_mouse() const;
    /// A text field has the keyboard.
    bool wants_text() const;
    /// Pixels per unit of the theme: the display's density times LATHE_UI_SCALE.
    float scale() const { return scale_; }
    /// No layout was read: panels shall be arranged.
    bool layout_is_new() const { return layout_is_new_; }
    /// CPU time of the last frame's draw lists and GL commands.
    double milliseconds() const { return milliseconds_; }

private:
    void show_cursor();
    void make_current() const;

    Window& window_;
    ImGuiContext* context_ = nullptr;
    ImPlotContext* plot_context_ = nullptr;
    std::string layout_file_;
    std::string clipboard_;
    float scale_ = 1;
    bool layout_is_new_ = true;
    bool in_frame_ = false;
    double milliseconds_ = 0;
    void* cursors_[9]{};
    int cursor_ = -1;
};

} // namespace lathe
