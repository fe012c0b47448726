// SPDX-License-Identifier: MIT
#include "engine/app/frame_loop.h"

#include "engine/app/window.h"
#include "engine/core/error.h"
#include "engine/core/statistics.h"
#include "engine/core/zone.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <thread>

namespace lathe {
namespace {

using std::chrono::steady_clock;

/// Ctrl-C, `kill`, a closed terminal.
constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP};
constexpr steady_clock::duration kOneRequest = std::chrono::seconds{1};

volatile std::sig_atomic_t interrupts = 0;
/// When SIGTERM came first.
std::atomic<steady_clock::rep> terminated{};
static_assert(std::atomic<steady_clock::rep>::is_always_lock_free); // what a handler may touch

/// The first signal asks the loop to end; a second Ctrl-C ends the process as ever, and so does a
/// later SIGTERM. `timeout` sends two at once. A closed terminal's come from the kernel and from
/// the shell, at any time.
void on_ending_signal(int signal) {
    const steady_clock::rep now = steady_clock::now().time_since_epoch().count();
    steady_clock::rep first = 0;
    if (signal == SIGINT) {
        std::signal(signal, SIG_DFL);
    } else if (signal == SIGTERM && !terminated.compare_exchange_strong(first, now) &&
               now - first > kOneRequest.count()) {
        std::signal(signal, SIG_DFL);
        std::raise(signal); // takes place when this function has returned
    }
    interrupts = interrupts + 1;
}

struct sigaction action_of(int signal) {
    struct sigaction now{};
    sigaction(signal, nullptr, &now);
    return now;
}

double milliseconds(std::chrono::steady_clock::duration d) {
    return std::chrono::duration<double, std::milli>(d).count();
}

} // namespace

void FrameStats::push(const FrameSample& sample) { ring_[count_++ % kCapacity] = sample; }

std::size_t FrameStats::size() const {
    return std::size_t(std::min<std::uint64_t>(count_, kCapacity));
}

std::vector<FrameSample> FrameStats::samples() const {
    std::vector<FrameSample> all;
    all.reserve(size());
    for (std::uint64_t i = count_ - size(); i < count_; ++i) all.push_back(ring_[i % kCapacity]);
    return all;
}

FrameSample FrameStats::last() const {
    return count_ ? ring_[(count_ - 1) % kCapacity] : FrameSample{};
}

double FrameStats::mean(double FrameSample::* member) const {
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) sum += ring_[i].*member;
    return count_ ? sum / double(size()) : 0;
}

FrameStats::Summary FrameStats::summary(double FrameSample::* member) const {
    if (count_ == 0) return {};
    std::array<double, kCapacity> values;
    for (std::size_t i = 0; i < size(); ++i) values[i] = ring_[i].*member;
    // Panels ask in each frame: no more is put in order than the ranks need.
    const auto begin = values.begin(), end = begin + std::ptrdiff_t(size());
    const auto at = [&](double share) {
        return begin + std::ptrdiff_t(nearest_rank(size(), share));
    };
    std::nth_element(begin, at(0.50), end);
    std::nth_element(std::min(at(0.50) + 1, at(0.95)), at(0.95), end);
    return {mean(member), *at(0.50), *at(0.95), *std::max_element(at(0.95), end)};
}

double FrameStats::frames_per_second() const {
    const double frame_ms = mean(&FrameSample::frame_ms);
    return frame_ms > 0 ? 1000 / frame_ms : 0;
}

std::size_t FrameStats::late() const {
    const double most = 2 * summary(&FrameSample::frame_ms).p50;
    const auto kept = std::span{ring_}.first(size());
    return std::size_t(
        std::ranges::count_if(kept, [&](const FrameSample& s) { return s.frame_ms > most; }));
}

void FrameStats::clear() { count_ = 0; }

FrameLoop::FrameLoop(Window& window, FrameLoopConfig c) : config{c}, window_{window} {
    if (!config.handle_interrupt) return;
    const auto interrupt = action_of(SIGINT).sa_handler;
    if (interrupt != SIG_DFL && interrupt != SIG_IGN) return; // Python has its own way for all
    interrupts = 0;
    terminated = 0;
    for (const int signal : kEnding) {
        if (action_of(signal).sa_handler != SIG_DFL) continue;
        struct sigaction ours{};
        ours.sa_handler = on_ending_signal;
        sigemptyset(&ours.sa_mask);
        ours.sa_flags = SA_RESTART;
        sigaction(signal, &ours, nullptr);
        owns_signals_ = true;
    }
}

FrameLoop::~FrameLoop() {
    if (!owns_signals_) return;
    for (const int signal : kEnding)
        if (action_of(signal).sa_handler == on_ending_signal) std::signal(signal, SIG_DFL);
}

bool FrameLoop::interrupted() const { return owns_signals_ && interrupts > 0; }

bool FrameLoop::begin() {
    if (in_frame_) throw Error{"FrameLoop::begin() was called twice without end()"};
    const Clock::time_point now = Clock::now();
    if (started_ && sample_pending_) {
        sample_.frame_ms = milliseconds(now - begin_);
        stats_.push(sample_);
        sample_pending_ = false;
    }
    if (stopped_ || interrupted() || frame_ >= config.max_frames) return false;
    window_.enter();
    {
        const Zone zone{"poll events"};
        window_.poll_events();
    }
    if (window_.should_close()) {
        window_.leave();
        return false;
    }
    delta_seconds_ = started_ ? milliseconds(now - begin_) / 1000 : 0;
    if (!started_) first_ = next_ = now;
    started_ = in_frame_ = true;
    begin_ = now;
    sample_ = {};
    return true;
}

void FrameLoop::skip_pause() {
    sample_pending_ = false;
    begin_ = Clock::now();
}

void FrameLoop::end() {
    if (!in_frame_) throw Error{"FrameLoop::end() was called without begin()"};
    sample_.work_ms = milliseconds(Clock::now() - begin_);
    {
        const Zone zone{"present"};
        window_.present();
    }
    window_.leave();
    in_frame_ = false;
    sample_pending_ = true;
    ++frame_;
    if (config.frame_limit_hz <= 0) return;
    const auto period = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(1 / config.frame_limit_hz));
    // A late frame starts a new rhythm instead of a burst that catches up.
    next_ = std::max(next_ + period, begin_);
    const Zone zone{"frame limit"};
    std::this_thread::sleep_until(next_);
}

void FrameLoop::run(const std::function<void()>& frame) {
    while (begin()) {
        frame();
        end();
    }
}

double FrameLoop::seconds() const {
    return started_ ? milliseconds(Clock::now() - first_) / 1000 : 0;
}

} // namespace lathe
