// SPDX-License-Identifier: MIT
// What a window does differently with a display and without; private to engine/app.
#pragma once

#include "engine/app/window.h"

#include <glm/vec2.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace lathe {

class WindowBackend {
public:
    WindowBackend() = default;
    WindowBackend(const WindowBackend&) = delete;
    WindowBackend& operator=(const WindowBackend&) = delete;
    virtual ~WindowBackend() = default;

    virtual gl::Context& context() = 0;
    /// A frame's GL work begins, and ends: in a guest's context with its owner's state kept.
    virtual void enter() {}
    virtual void leave() noexcept {}
    virtual std::string description() const = 0;
    virtual void* native() const = 0;
    /// Framebuffer pixels; a minimised window keeps its last size.
    virtual glm::ivec2 size() const = 0;
    virtual float pixel_ratio() const = 0;
    virtual void resize(glm::ivec2 size) = 0;
    /// Appends what the user did since the last call.
    virtual void poll(std::vector<InputEvent>& events) = 0;
    /// Until there is something to poll, or the picture is damaged: then true.
    virtual bool wait(double seconds) {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        return false;
    }
    virtual void present(const gl::Framebuffer& screen) = 0;
    /// Of a further window, which has this one's context; null where it is not seen.
    virtual std::unique_ptr<WindowBackend> beside(const WindowConfig&) { return nullptr; }
    virtual bool should_close() const = 0;
    virtual void close() = 0;
    virtual void keep_open() = 0;
    virtual void hide() {}
    virtual void set_title(const std::string& title) = 0;
    virtual void set_cursor(CursorShape) {}
    virtual std::string clipboard() const = 0;
    virtual void set_clipboard(const std::string& text) = 0;
};

/// What a backend without a window of its own answers.
class WindowlessBackend : public WindowBackend {
public:
    void* native() const override { return nullptr; }
    float pixel_ratio() const override { return 1; }
    void poll(std::vector<InputEvent>&) override {}
    bool should_close() const override { return closed_; }
    void close() override { closed_ = true; }
    void keep_open() override { closed_ = false; }
    void set_title(const std::string&) override {}
    std::string clipboard() const override { return clipboard_; }
    void set_clipboard(const std::string& text) override { clipboard_ = text; }

private:
    bool closed_ = false;
    std::string clipboard_;
};

std::unique_ptr<WindowBackend> make_glfw_backend(const WindowConfig& config);
std::unique_ptr<WindowBackend> make_headless_backend(const WindowConfig& config);
std::unique_ptr<WindowBackend> make_guest_backend();
std::unique_ptr<WindowBackend> make_remote_backend(const WindowConfig& config);
/// Of a further window, which has the context of the first.
std::unique_ptr<WindowBackend> make_glfw_backend(const WindowConfig& config, void* first,
                                                 gl::Context& context);
std::unique_ptr<WindowBackend> make_headless_backend(const WindowConfig& config,
                                                     gl::Context& context);

} // namespace lathe
