// SPDX-License-Identifier: MIT
// Dear ImGui on a Window: feeds it the window's input events (injected ones alike), renders into a
// framebuffer through GL, keeps the layout in a file. The same with and without a display.
#pragma once

#include "engine/ui/imgui_input.h"
#include "engine/ui/ui_state.h"

#include <filesystem>
#include <functional>
#include <set>
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
    /// Coordinates are the window's framebuffer pixels. The window must outlive the layer.
    explicit ImGuiLayer(Window& window, Look look = Look::dark);
    ImGuiLayer(const ImGuiLayer&) = delete;
    ImGuiLayer& operator=(const ImGuiLayer&) = delete;
    ~ImGuiLayer();

    /// Sees key events before ImGui does and keeps those it returns true for.
    std::function<bool(const KeyEvent&)> shortcuts;

    /// ImGui's functions speak to this layer from now; begin_frame does it, too. Where another
    /// layer's frame is open they go back to that when this one's ends, or when this layer dies.
    void make_current() const;

    /// Between frames: reads the layout in `file`, which is written from now when it changes (and
    /// the file used before is written a last time). Empty: not kept. False where none was read.
    bool use_layout(const std::filesystem::path& file);

    /// Feeds this frame's events and starts a frame of ImGui.
    void begin_frame(double delta_seconds);
    /// Builds the draw lists and draws them over what `target` holds.
    void end_frame(gl::Framebuffer& target);
    /// Within a frame: calls `draw`. Where it throws, what it left open is closed, which counts as
    /// no misuse, and the exception passes on.
    void guard(const std::function<void()>& draw);
    bool in_frame() const { return in_frame_; }
    /// Within a frame: it takes no widgets of the program, whose calls do nothing; or it does
    /// again.
    void rest(bool is_resting);

    /// From the next frame on.
    void set_look(Look look) { wanted_look_ = look; }
    Look look() const { return wanted_look_; }

    /// A text field has the keyboard.
    bool wants_text() const;
    /// Pixels per unit of the theme: the display's density times LATHE_UI_SCALE.
    float scale() const { return scale_; }
    /// CPU time of the last frame's draw lists and GL commands.
    double milliseconds() const { return milliseconds_; }

    /// How often this process misused Dear ImGui (an End() too many, an id twice), over all layers:
    /// 0 in a sound program. Each message is logged once.
    static int errors();

private:
    void give_back() const noexcept;
    void save_layout();
    void watch_errors();
    void show_cursor();

    Window& window_;
    ImGuiInput input_;
    ImGuiContext* context_ = nullptr;
    ImPlotContext* plot_context_ = nullptr;
    std::string layout_file_;
    std::string layout_failure_; ///< of the last attempt to save it
    std::string clipboard_;
    float scale_ = 1;
    Look wanted_look_;
    UiState state_; ///< the context's user data
    bool in_frame_ = false;
    double milliseconds_ = 0;
    int cursor_ = -1;
    std::set<std::string> errors_; ///< those that the log has
};

} // namespace lathe
