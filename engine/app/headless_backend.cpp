// SPDX-License-Identifier: MIT
// The window where there is no display: a context, a size, and events that tests inject.
#include "engine/app/window_backend.h"

#include "gl/headless_context.h"
#include "gl/sync.h"

#include <fmt/core.h>

#include <optional>

namespace lathe {
namespace {

class HeadlessBackend final : public WindowBackend {
public:
    explicit HeadlessBackend(const WindowConfig& config) : size_{config.width, config.height} {}

    gl::Context& context() override { return context_; }
    std::string description() const override {
        return fmt::format("headless, {}", context_.platform());
    }
    void* native() const override { return nullptr; }
    glm::ivec2 size() const override { return size_; }
    float pixel_ratio() const override { return 1; }
    void resize(glm::ivec2 size) override { size_ = size; }
    void poll(std::vector<InputEvent>&) override {}

    /// No display holds the loop back, so it waits for the frame before this one: frames in
    /// flight stay at two, as with a window.
    void present(const gl::Framebuffer&) override {
        gl::Fence done;
        gl::flush();
        if (before_) before_->wait();
        before_ = std::move(done);
    }

    bool should_close() const override { return closed_; }
    void close() override { closed_ = true; }
    void set_title(const std::string&) override {}
    std::string clipboard() const override { return clipboard_; }
    void set_clipboard(const std::string& text) override { clipboard_ = text; }

private:
    gl::HeadlessContext context_;
    glm::ivec2 size_;
    std::optional<gl::Fence> before_;
    bool closed_ = false;
    std::string clipboard_;
};

} // namespace

std::unique_ptr<WindowBackend> make_headless_backend(const WindowConfig& config) {
    return std::make_unique<HeadlessBackend>(config);
}

} // namespace lathe
