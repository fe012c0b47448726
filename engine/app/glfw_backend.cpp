// SPDX-License-Identifier: MIT
// The window on a display, through GLFW.
#include "engine/app/window_backend.h"

#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/native_gl_context.h"
#include "engine/core/process.h"
#include "gl/sync.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <fmt/core.h>

#include <array>
#include <optional>
#include <utility>

namespace lathe {
namespace {

static_assert(int(Key::minus) == GLFW_KEY_MINUS && int(Key::z) == GLFW_KEY_Z);
static_assert(int(Key::del) == GLFW_KEY_DELETE && int(Key::up) == GLFW_KEY_UP);
static_assert(int(Key::end) == GLFW_KEY_END && int(Key::f12) == GLFW_KEY_F12);
static_assert(int(Key::keypad_equal) == GLFW_KEY_KP_EQUAL && int(Key::menu) == GLFW_KEY_MENU);
static_assert(kKeyCount == GLFW_KEY_LAST + 1);
static_assert(kShift == GLFW_MOD_SHIFT && kControl == GLFW_MOD_CONTROL && kAlt == GLFW_MOD_ALT &&
              kSuper == GLFW_MOD_SUPER);

std::string last_glfw_error() {
    const char* words = nullptr;
    glfwGetError(&words);
    return words ? words : "no reason given";
}

const char* variable(const char* name) {
    const char* value = environment(name);
    return value ? value : "(not set)";
}

/// GLFW stays initialised for the process's life: windows come and go.
void start_glfw() {
    static bool started = false;
    if (started) return;
    if (!glfwInit())
        throw Error{fmt::format("no window can be opened: {} (DISPLAY={}, WAYLAND_DISPLAY={}). Run "
                                "with --headless, or with a virtual display: xvfb-run -a <command>",
                                last_glfw_error(), variable("DISPLAY"),
                                variable("WAYLAND_DISPLAY"))};
    started = true;
}

GLFWwindow* make_window(const WindowConfig& config, GLFWwindow* shares) {
    start_glfw();
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, environment("LATHE_GL_DEBUG") != nullptr);
    glfwWindowHint(GLFW_VISIBLE, config.visible);
    // Everything is drawn into the screen's own framebuffer; the window only receives a copy.
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHint(GLFW_ALPHA_BITS, 0);
    GLFWwindow* window =
        glfwCreateWindow(config.width, config.height, config.title.c_str(), nullptr, shares);
    if (!window)
        throw Error{fmt::format("no window with OpenGL 4.5 can be opened: {}. Update the graphics "
                                "driver, try LIBGL_ALWAYS_SOFTWARE=1 (sudo apt-get install "
                                "libgl1-mesa-dri libglx-mesa0), or run with --headless",
                                last_glfw_error())};
    return window;
}

class GlfwContext final : public gl::Context {
public:
    explicit GlfwContext(GLFWwindow* window) : window_{window} {
        try {
            make_current();
            adopt(glfwGetProcAddress);
        } catch (...) {
            release_current();
            throw;
        }
    }
    ~GlfwContext() override {
        if (process_is_exiting()) return;
        retire();
        if (current() == this) release_current();
    }

private:
    void bind() override {
        leave_other_system();
        glfwMakeContextCurrent(window_);
    }
    void unbind() noexcept override { glfwMakeContextCurrent(nullptr); }
    GLFWwindow* window_;
};

class GlfwBackend : public WindowBackend {
public:
    explicit GlfwBackend(const WindowConfig& config, GLFWwindow* shares = nullptr)
        : window_{make_window(config, shares)} {
        try {
            context_.emplace(window_);
        } catch (...) {
            glfwDestroyWindow(window_);
            throw;
        }
        glfwSwapInterval(config.vsync ? 1 : 0);
        glfwSetWindowUserPointer(window_, this);
        install_callbacks();
    }
    ~GlfwBackend() override {
        context_.reset();
        if (process_is_exiting()) return;
        glfwDestroyWindow(window_);
        for (GLFWcursor* cursor : cursors_)
            if (cursor) glfwDestroyCursor(cursor);
    }

    gl::Context& context() override { return *context_; }
    std::string description() const override { return "GLFW window"; }
    void* native() const override { return window_; }

    glm::ivec2 size() const override {
        glm::ivec2 now;
        glfwGetFramebufferSize(window_, &now.x, &now.y);
        if (now.x > 0 && now.y > 0) size_ = now;
        return size_;
    }
    float pixel_ratio() const override {
        int units = 0, ignored = 0;
        glfwGetWindowSize(window_, &units, &ignored);
        return units > 0 ? float(size().x) / float(units) : 1.0f;
    }
    void resize(glm::ivec2 size) override { glfwSetWindowSize(window_, size.x, size.y); }

    void poll(std::vector<InputEvent>& events) override {
        glfwPollEvents();
        events.insert(events.end(), std::make_move_iterator(events_.begin()),
                      std::make_move_iterator(events_.end()));
        events_.clear();
    }
    bool wait(double seconds) override {
        glfwWaitEventsTimeout(seconds);
        const glm::ivec2 before = size_;
        return std::exchange(damaged_, false) || !events_.empty() || size() != before;
    }
    void present(const gl::Framebuffer& screen) override {
        const glm::ivec2 to = size();
        screen.blit_to(0, 0, 0, to.x, to.y);
        glfwSwapBuffers(window_);
    }

    bool should_close() const override { return glfwWindowShouldClose(window_); }
    void close() override { glfwSetWindowShouldClose(window_, GLFW_TRUE); }
    void keep_open() override { glfwSetWindowShouldClose(window_, GLFW_FALSE); }
    void hide() override { glfwHideWindow(window_); }
    void set_title(const std::string& title) override {
        glfwSetWindowTitle(window_, title.c_str());
    }
    void set_cursor(CursorShape shape) override {
        constexpr std::array kShapes{GLFW_ARROW_CURSOR, GLFW_IBEAM_CURSOR, GLFW_VRESIZE_CURSOR,
                                     GLFW_HRESIZE_CURSOR, GLFW_HAND_CURSOR};
        GLFWcursor*& cursor = cursors_.at(std::size_t(shape));
        if (!cursor) cursor = glfwCreateStandardCursor(kShapes.at(std::size_t(shape)));
        glfwSetCursor(window_, cursor);
    }
    std::string clipboard() const override {
        const char* text = glfwGetClipboardString(window_);
        return text ? text : "";
    }
    void set_clipboard(const std::string& text) override {
        glfwSetClipboardString(window_, text.c_str());
    }

protected:
    void swap() { glfwSwapBuffers(window_); }

private:
    static GlfwBackend& of(GLFWwindow* w) {
        return *static_cast<GlfwBackend*>(glfwGetWindowUserPointer(w));
    }
    void install_callbacks();

    GLFWwindow* window_;
    std::optional<GlfwContext> context_;
    mutable glm::ivec2 size_{1, 1};
    std::vector<InputEvent> events_;
    bool damaged_ = false; ///< another window stood before it
    std::array<GLFWcursor*, 5> cursors_{};
};

/// A window beside the first. Its own context only copies what that of the first has drawn, since
/// framebuffers and vertex arrays are not shared.
class GlfwSideBackend final : public GlfwBackend {
public:
    GlfwSideBackend(const WindowConfig& config, GLFWwindow* first, gl::Context& drawing)
        : GlfwBackend{config, first}, drawing_{drawing} {}

    gl::Context& context() override { return drawing_; }
    void present(const gl::Framebuffer& screen) override {
        const gl::Fence drawn;
        gl::flush();
        {
            const gl::RestoreContext after{GlfwBackend::context()};
            drawn.order();
            const glm::ivec2 to = size();
            gl::show_in_window(screen.color(), to.x, to.y);
            copied_ = gl::Fence{};
            swap();
        }
        copied_->order();
    }

private:
    gl::Context& drawing_;
    std::optional<gl::Fence> copied_; ///< the picture may be drawn anew
};

void GlfwBackend::install_callbacks() {
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int, int action, int modifiers) {
        of(w).events_.push_back(KeyEvent{Key(key), action != GLFW_RELEASE, action == GLFW_REPEAT,
                                         unsigned(modifiers) & 15u});
    });
    glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { of(w).damaged_ = true; });
    glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned character) {
        of(w).events_.push_back(TextEvent{char32_t(character)});
    });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int modifiers) {
        if (button > GLFW_MOUSE_BUTTON_MIDDLE) return;
        of(w).events_.push_back(
            ButtonEvent{MouseButton(button), action == GLFW_PRESS, unsigned(modifiers) & 15u});
    });
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) {
        of(w).events_.push_back(MoveEvent{glm::vec2{x, y} * of(w).pixel_ratio()});
    });
    glfwSetScrollCallback(window_, [](GLFWwindow* w, double x, double y) {
        of(w).events_.push_back(WheelEvent{glm::vec2{x, y}});
    });
    glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int focused) {
        of(w).events_.push_back(FocusEvent{focused != 0});
    });
    glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
        of(w).events_.push_back(DropEvent{{paths, paths + count}});
    });
}

/// GLFW makes a new window's context current, and X11 ends the process if EGL's is.
void leave_context() {
    if (gl::Context* before = gl::Context::current()) before->release_current();
    NativeGlContext::current().release();
}

} // namespace

std::unique_ptr<WindowBackend> make_glfw_backend(const WindowConfig& config) {
    gl::RestoreContext if_it_fails;
    leave_context();
    auto backend = std::make_unique<GlfwBackend>(config);
    if_it_fails.dismiss();
    return backend;
}

std::unique_ptr<WindowBackend> make_glfw_backend(const WindowConfig& config, void* first,
                                                 gl::Context& context) {
    const gl::RestoreContext after;
    leave_context();
    return std::make_unique<GlfwSideBackend>(config, static_cast<GLFWwindow*>(first), context);
}

} // namespace lathe
