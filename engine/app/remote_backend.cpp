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

/// A window's pictures on their way to its display.
struct Feed {
    std::shared_ptr<RemoteDisplay> display{};
    FrameRing ring{};

    void read(const gl::Framebuffer& screen) {
        if (display->wants_frame()) ring.read(screen);
    }
    /// True where nothing is under way any more.
    bool hand_over() {
        if (auto frame = ring.take()) display->show(std::move(*frame));
        return ring.under_way() == 0;
    }
};

/// A further window: the first one waits, and hands over its pictures, too.
class RemoteSideBackend final : public WindowlessBackend {
public:
    RemoteSideBackend(std::shared_ptr<Feed> feed, const WindowConfig& config, gl::Context& context)
        : feed_{std::move(feed)}, context_{context}, size_{config.width, config.height} {
        display().open(size_);
        display().set_title(config.title);
    }
    ~RemoteSideBackend() override { display().close(); }

    gl::Context& context() override { return context_; }
    std::string description() const override { return display().description(); }
    glm::ivec2 size() const override { return size_; }
    float pixel_ratio() const override { return display().pixel_ratio(); }
    void resize(glm::ivec2 size) override {
        size_ = size;
        display().resized(size);
    }
    void poll(std::vector<InputEvent>& events) override { display().take_events(events); }
    bool wait(double) override {
        feed_->hand_over();
        return display().wait(0);
    }
    void present(const gl::Framebuffer& screen) override {
        feed_->hand_over();
        feed_->read(screen);
    }
    void hide() override { display().close(); }
    void set_title(const std::string& title) override { display().set_title(title); }
    void set_cursor(CursorShape shape) override { display().set_cursor(shape); }
    std::string clipboard() const override { return display().clipboard(); }
    void set_clipboard(const std::string& text) override { display().set_clipboard(text); }

private:
    RemoteDisplay& display() const { return *feed_->display; }

    std::shared_ptr<Feed> feed_;
    gl::Context& context_;
    glm::ivec2 size_;
};

class RemoteBackend final : public WindowlessBackend {
public:
    explicit RemoteBackend(const WindowConfig& config)
        : display_{config.display}, size_{config.width, config.height},
          waits_for_pace_{config.vsync}, feed_{config.display} {
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
        feed_.read(screen);
        gl::flush();
        if (feed_.ring.under_way() > 1)
            feed_.ring.wait_for_oldest(); // frames in flight stay at two
        const auto now = Clock::now();
        due_ = std::max(due_ + kPeriod, now); // a late frame starts a new rhythm
        hand_over_until(waits_for_pace_ ? due_ : now, false);
        if (waits_for_pace_) std::this_thread::sleep_until(due_);
    }
    std::unique_ptr<WindowBackend> beside(const WindowConfig& config) override {
        auto display = display_->beside();
        if (!display) return nullptr;
        auto feed = std::make_shared<Feed>(std::move(display));
        sides_.push_back(feed);
        return std::make_unique<RemoteSideBackend>(std::move(feed), config, context_);
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
            bool is_empty = feed_.hand_over();
            std::erase_if(sides_, [](const auto& side) { return side.expired(); });
            for (const auto& side : sides_)
                if (const auto feed = side.lock()) is_empty &= feed->hand_over();
            if (is_empty || Clock::now() + kLook > end) return;
            std::this_thread::sleep_for(kLook);
        }
    }

    std::shared_ptr<RemoteDisplay> display_;
    gl::HeadlessContext context_;
    glm::ivec2 size_;
    bool waits_for_pace_;
    Feed feed_;
    std::vector<std::weak_ptr<Feed>> sides_;
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
