// SPDX-License-Identifier: MIT
// Frames in another program's window: its context, its framebuffer, its viewport.
#include "engine/app/window_backend.h"

#include "gl/guest_context.h"
#include "gl/saved_state.h"

#include <algorithm>
#include <optional>

namespace lathe {
namespace {

class GuestBackend final : public WindowlessBackend {
public:
    gl::Context& context() override { return context_; }
    std::string description() const override { return "another program's context"; }

    void enter() override {
        if (saved_) return;
        context_.begin_frame();
        saved_.emplace();
        const int* const viewport = saved_->viewport();
        origin_ = {viewport[0], viewport[1]};
        size_ = {std::max(viewport[2], 1), std::max(viewport[3], 1)};
        gl::set_expected_state();
    }
    void leave() noexcept override {
        saved_.reset();
        context_.end_frame();
    }

    glm::ivec2 size() const override { return size_; }
    void resize(glm::ivec2) override {} // its owner does
    void present(const gl::Framebuffer& screen) override {
        if (saved_)
            screen.blit_to(saved_->draw_framebuffer(), origin_.x, origin_.y, size_.x, size_.y);
    }

private:
    gl::GuestContext context_;
    std::optional<gl::SavedState> saved_; ///< in a frame
    glm::ivec2 origin_{0, 0}, size_{1, 1};
};

} // namespace

std::unique_ptr<WindowBackend> make_guest_backend() { return std::make_unique<GuestBackend>(); }

} // namespace lathe
