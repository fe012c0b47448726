// SPDX-License-Identifier: MIT
// The place frames go: a window with a display, or a headless GL context without one. Both have
// the same screen(), an offscreen picture, so both have the same pixels.
#pragma once

#include "engine/app/input.h"
#include "engine/core/api.h"
#include "gl/context.h"
#include "gl/framebuffer.h"

#include <memory>
#include <optional>
#include <string>

namespace lathe {

class RemoteDisplay;

/// What the mouse looks like.
enum class CursorShape { arrow, text, resize_vertically, resize_horizontally, hand };

enum class GlContext {
    own,     ///< of a window, or headless
    current, ///< that which another program made current: frames go to its framebuffer
};

struct WindowConfig {
    std::string title = "Lathe";
    int width = 1280; ///< framebuffer pixels where headless, screen units of a window
    int height = 720;
    std::optional<bool> headless =
        std::nullopt; ///< unset: headless where no display is named by the environment
    bool vsync = true;
    bool visible = true;
    /// `current`: size, title and headless do not count. A frame is as large as the viewport, and
    /// is shown there; GL state is put back behind it.
    GlContext context = GlContext::own;
    /// Frames go there, and events come from there (engine/app/remote_display.h): a window that
    /// needs no display of this machine. `headless` does not count then, nor does `visible`.
    std::shared_ptr<RemoteDisplay> display{};
};

/// True where DISPLAY or WAYLAND_DISPLAY is set.
LATHE_API bool display_is_available();

class LATHE_API Window {
public:
    /// Opens and makes its context current. Throws lathe::Error with one message that names the
    /// cause (no display, no EGL, no GL 4.5, impossible size) and what mends it.
    static Window open(const WindowConfig& config = {});
    /// A further one with the context of the first, which outlives it: screen() and present() want
    /// that one current. Headless if the first is; does not wait for the display. Throws
    /// lathe::Error as open() does, and where the first is a guest in another program's context.
    /// A remote display shows the first window only.
    static Window open_beside(Window& first, WindowConfig config);
    Window(Window&&) noexcept;
    Window& operator=(Window&&) noexcept;
    ~Window();

    bool headless() const;
    gl::Context& context();
    const gl::Info& gl_info() const;
    /// "GLFW window" or "headless, EGL surfaceless", for status texts.
    std::string description() const;

    /// The picture shown: framebuffer pixels. It follows the window's size at poll_events().
    gl::Framebuffer& screen();
    int width() const;
    int height() const;
    /// Framebuffer pixels per screen unit (2 on a high-density display); 1 headless.
    float pixel_ratio() const;

    /// GL work begins and ends: between them the state of GL is ours. Others' is kept meanwhile.
    void enter();
    void leave() noexcept;

    /// Takes events, fills input(), follows a new size.
    void poll_events();
    /// The same for a frame that only panels have (InputState::begin_extra_frame).
    void poll_extra_events();
    InputState& input();
    const InputState& input() const;
    /// Waits for so many seconds at most: true where there is input, or the window has to be drawn
    /// again. Headless it only waits.
    bool wait_for_events(double seconds);
    /// For a wait within a frame: takes events without handing them on, and removes presses of
    /// `key`. True where there was one. All others arrive at the next poll_events().
    bool take_press_ahead(Key key);
    /// Queues an event as if the user had made it; it arrives at the next poll_events().
    /// Throws lathe::Error for an impossible size.
    void inject(InputEvent event);

    /// Shows screen(): copies it to the window and swaps; headless it only flushes GL.
    void present();

    bool should_close() const;
    void close();
    void keep_open(); ///< whoever wanted to close it
    void hide();
    void set_title(const std::string& title);
    /// Nothing where there is no mouse to be seen.
    void set_cursor(CursorShape shape);
    /// Resizes as a user would; seen after the next poll_events().
    /// Throws lathe::Error for an impossible size.
    void resize(int width, int height);

    std::string clipboard() const;
    void set_clipboard(const std::string& text);

    /// The GLFWwindow*, or null headless.
    void* native() const;

private:
    struct State;
    static Window open_in_current_context();
    explicit Window(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace lathe
