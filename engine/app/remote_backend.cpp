// SPDX-License-Identifier: MIT
// The window whose display is elsewhere: a context without a display, and a pace of its own.
#include "engine/app/frame_ring.h"
#include "engine/app/remote_display.h"
#include "engine/app/window_backend.h"
#include "engine/core/zone.h"
#include "gl/headless_context.h"
#include "gl/sync.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace lathe {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kPeriod = std::chrono::duration_cast<Clock::duration>(1s) / 60;
constexpr auto kLook = 500us; ///< from one look at a picture that is under way to the next

class RemoteBackend final : public WindowlessBackend {
public:
    explicit RemoteBackend(const WindowConfig& config)
        : display_{config.display}, size_{config.width, config.height},
          waits_for_pace_{config.vsync} {
        display_->open(size_);
        display_->set_title(config.title);
    }
    ~RemoteBackend() override { display_->close(); }

    gl::Context& context() override { return context_; }
    std::string description() const override { return display_->description(); }
    glm::ivec2 size() const override { return size_; }
    float pixel_ratio() const override { return display_->pixel_ratio(); }
    void resize(glm::ivec2 size) override {
        size_ = size;
        display_->resized(size);
    }
    void poll(std::vector<InputEvent>& events) override { display_->take_events(events); }
    bool wait(double seconds) override {
        const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double>(seconds));
        hand_over_until(end, true);
        const std::chrono::duration<double> left = end - Clock::now();
        return display_->wait(std::max(left.count(), 0.0));
    }
    void present(const gl::Framebuffer& screen) override {
        if (display_->wants_frame()) ring_.read(screen);
        gl::flush();
        if (ring_.under_way() > 1) ring_.wait_for_oldest(); // frames in flight stay at two
        const auto now = Clock::now();
        due_ = std::max(due_ + kPeriod, now); // a late frame starts a new rhythm
        hand_over_until(waits_for_pace_ ? due_ : now, false);
        if (waits_for_pace_) std::this_thread::sleep_until(due_);
    }
    void set_title(const std::string& title) override { display_->set_title(title); }
    void set_cursor(CursorShape shape) override { display_->set_cursor(shape); }
    std::string clipboard() const override { return display_->clipboard(); }
    void set_clipboard(const std::string& text) override { display_->set_clipboard(text); }

private:
    /// Pictures that arrive until then. One look is made in any case.
    void hand_over_until(Clock::time_point end, bool is_resting) {
        const Zone zone{is_resting ? "rest" : "pace"};
        for (;;) {
            if (auto frame = ring_.take()) display_->show(std::move(*frame));
            if (ring_.under_way() == 0 || Clock::now() + kLook > end) return;
            std::this_thread::sleep_for(kLook);
        }
    }

    std::shared_ptr<RemoteDisplay> display_;
    gl::HeadlessContext context_;
    glm::ivec2 size_;
    bool waits_for_pace_;
    FrameRing ring_;
    Clock::time_point due_{};
};

} // namespace

std::unique_ptr<WindowBackend> make_remote_backend(const WindowConfig& config) {
    gl::RestoreContext if_it_fails;
    auto backend = std::make_unique<RemoteBackend>(config);
    if_it_fails.dismiss();
    return backend;
}

} // namespace lathe
