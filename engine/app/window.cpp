// SPDX-License-Identifier: MIT
#include "engine/app/window.h"

#include "engine/app/window_backend.h"
#include "engine/core/environment.h"
#include "engine/core/error.h"

#include <fmt/core.h>

#include <utility>

namespace lathe {
namespace {

constexpr int kLargestSide = 16384; // what GL 4.5 guarantees for a picture

void require_possible(int width, int height) {
    if (width < 1 || height < 1 || width > kLargestSide || height > kLargestSide)
        throw Error{fmt::format("window size {} x {} is impossible: sides are 1 to {} pixels, as "
                                "in --size 1280x720",
                                width, height, kLargestSide)};
}

} // namespace

bool display_is_available() { return environment("DISPLAY") || environment("WAYLAND_DISPLAY"); }

struct Window::State {
    std::unique_ptr<WindowBackend> backend;
    bool headless = false, is_remote = false;
    gl::Framebuffer screen;
    InputState input;
    std::vector<InputEvent> injected;

    void take_events() {
        std::vector<InputEvent> events;
        backend->poll(events);
        for (InputEvent& e : injected) events.push_back(std::move(e));
        injected.clear();
        for (InputEvent& e : events) take(std::move(e));
        if (follow_size()) input.handle(ResizeEvent{screen.width(), screen.height()});
    }
    /// What is injected to act on the window itself is no event yet.
    void take(InputEvent event) {
        if (const auto* size = std::get_if<ResizeEvent>(&event))
            backend->resize({size->width, size->height});
        else if (std::holds_alternative<CloseEvent>(event)) backend->close();
        else input.handle(std::move(event));
    }
    /// True: it has another size.
    bool follow_size() {
        const glm::ivec2 size = backend->size();
        if (screen && size.x == screen.width() && size.y == screen.height()) return false;
        screen = gl::Framebuffer{size.x, size.y};
        screen.clear({0, 0, 0, 1});
        return true;
    }
};

Window::Window(std::unique_ptr<State> state) : state_{std::move(state)} {}
Window::Window(Window&&) noexcept = default;
Window& Window::operator=(Window&&) noexcept = default;
Window::~Window() = default;

Window Window::open(const WindowConfig& config) {
    if (config.context == GlContext::current) return open_in_current_context();
    require_possible(config.width, config.height);
    auto state = std::make_unique<State>();
    state->headless = !config.display && config.headless.value_or(!display_is_available());
    state->is_remote = config.display != nullptr;
    state->backend = state->is_remote  ? make_remote_backend(config)
                     : state->headless ? make_headless_backend(config)
                                       : make_glfw_backend(config);
    state->follow_size();
    return Window{std::move(state)};
}

Window Window::open_beside(Window& first, WindowConfig config) {
    const bool is_seen = first.native() != nullptr;
    if (!first.headless() && !first.state_->is_remote && !is_seen)
        throw Error{"an App in another program's context opens no windows"};
    require_possible(config.width, config.height);
    config.vsync = false; // the first one waits
    auto state = std::make_unique<State>();
    if (first.state_->is_remote) state->backend = first.state_->backend->beside(config);
    state->is_remote = state->backend != nullptr;
    state->headless = !is_seen && !state->is_remote;
    if (!state->backend)
        state->backend = is_seen ? make_glfw_backend(config, first.native(), first.context())
                                 : make_headless_backend(config, first.context());
    first.context().make_current();
    state->follow_size();
    return Window{std::move(state)};
}

Window Window::open_in_current_context() {
    auto state = std::make_unique<State>();
    state->backend = make_guest_backend();
    state->backend->enter();
    state->follow_size();
    state->backend->leave();
    return Window{std::move(state)};
}

void Window::enter() {
    context().make_current();
    state_->backend->enter();
}
void Window::leave() noexcept { state_->backend->leave(); }

bool Window::headless() const { return state_->headless; }
gl::Context& Window::context() { return state_->backend->context(); }
const gl::Info& Window::gl_info() const { return state_->backend->context().info(); }
std::string Window::description() const { return state_->backend->description(); }
gl::Framebuffer& Window::screen() { return state_->screen; }
int Window::width() const { return state_->screen.width(); }
int Window::height() const { return state_->screen.height(); }
float Window::pixel_ratio() const { return state_->backend->pixel_ratio(); }
InputState& Window::input() { return state_->input; }
const InputState& Window::input() const { return state_->input; }

void Window::poll_events() {
    state_->input.begin_frame();
    state_->take_events();
}

void Window::poll_extra_events() {
    state_->input.begin_extra_frame();
    state_->take_events();
}

bool Window::wait_for_events(double seconds) {
    return state_->backend->wait(seconds) || !state_->injected.empty() || should_close();
}

bool Window::take_press_ahead(Key key) {
    std::vector<InputEvent>& waiting = state_->injected;
    state_->backend->poll(waiting);
    return std::erase_if(waiting, [key](const InputEvent& e) {
               const auto* pressed = std::get_if<KeyEvent>(&e);
               return pressed && pressed->down && pressed->key == key;
           }) > 0;
}

void Window::inject(InputEvent event) {
    if (const auto* size = std::get_if<ResizeEvent>(&event))
        require_possible(size->width, size->height);
    state_->injected.push_back(std::move(event));
}

void Window::present() { state_->backend->present(state_->screen); }
bool Window::should_close() const { return state_->backend->should_close(); }
void Window::close() { state_->backend->close(); }
void Window::keep_open() { state_->backend->keep_open(); }
void Window::set_cursor(CursorShape shape) { state_->backend->set_cursor(shape); }
void Window::hide() { state_->backend->hide(); }
void Window::set_title(const std::string& title) { state_->backend->set_title(title); }
std::string Window::clipboard() const { return state_->backend->clipboard(); }
void Window::set_clipboard(const std::string& text) { state_->backend->set_clipboard(text); }
void* Window::native() const { return state_->backend->native(); }

void Window::resize(int width, int height) {
    require_possible(width, height);
    state_->backend->resize({width, height});
}

} // namespace lathe
