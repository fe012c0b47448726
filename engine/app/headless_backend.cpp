// SPDX-License-Identifier: MIT
// The window where there is no display: a context, a size, and events that tests inject.
#include "engine/app/window_backend.h"

#include "gl/headless_context.h"
#include "gl/sync.h"

#include <fmt/core.h>

#include <optional>

namespace lathe {
namespace {

class HeadlessBackend final : public WindowlessBackend {
public:
    explicit HeadlessBackend(const WindowConfig& config) : size_{config.width, config.height} {}

    gl::Context& context() override { return context_; }
    std::string description() const override {
        return fmt::format("headless, {}", context_.platform());
    }
    glm::ivec2 size() const override { return size_; }
    void resize(glm::ivec2 size) override { size_ = size; }

    /// No display holds the loop back, so it waits for the frame before this one: frames in
    /// flight stay at two, as with a window.
    void present(const gl::Framebuffer&) override {
        gl::Fence done;
        gl::flush();
        if (before_) before_->wait();
        before_ = std::move(done);
    }

private:
    gl::HeadlessContext context_;
    glm::ivec2 size_;
    std::optional<gl::Fence> before_;
};

/// A size and events: the first window waits for GL.
class HeadlessSideBackend final : public WindowlessBackend {
public:
    HeadlessSideBackend(const WindowConfig& config, gl::Context& context)
        : context_{context}, size_{config.width, config.height} {}

    gl::Context& context() override { return context_; }
    std::string description() const override { return "headless, beside another"; }
    glm::ivec2 size() const override { return size_; }
    void resize(glm::ivec2 size) override { size_ = size; }
    void present(const gl::Framebuffer&) override {}

private:
    gl::Context& context_;
    glm::ivec2 size_;
};

} // namespace

std::unique_ptr<WindowBackend> make_headless_backend(const WindowConfig& config,
                                                     gl::Context& context) {
    return std::make_unique<HeadlessSideBackend>(config, context);
}

std::unique_ptr<WindowBackend> make_headless_backend(const WindowConfig& config) {
    return std::make_unique<HeadlessBackend>(config);
}

} // namespace lathe
