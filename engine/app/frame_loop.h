// SPDX-License-Identifier: MIT
// One frame after another: `while (loop.begin()) { … loop.end(); }`. The caller owns the loop or
// hands it over with run(); times of the last 240 frames are kept.
#pragma once

#include "engine/core/api.h"
#include "gl/query.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace lathe {

class Window;

struct FrameSample {
    double frame_ms = 0; ///< from this frame's begin to the next one's
    double work_ms = 0;  ///< from begin() to end(): without waiting for the display or the limit
    double sim_ms = 0;   ///< as told by add_sim_ms()
    double draw_ms = 0;  ///< as told by add_draw_ms()
};

class LATHE_API FrameStats {
public:
    static constexpr std::size_t kCapacity = 240;
    struct Summary {
        double mean = 0, p50 = 0, p95 = 0, max = 0;
    };

    void push(const FrameSample& sample);
    /// Frames pushed since the start.
    std::uint64_t count() const { return count_; }
    /// Samples kept: min(count, 240).
    std::size_t size() const;
    /// Oldest first.
    std::vector<FrameSample> samples() const;
    FrameSample last() const;
    /// Over the samples kept, e.g. summary(&FrameSample::frame_ms); zeros where there are none.
    Summary summary(double FrameSample::* member) const;
    double mean(double FrameSample::* member) const;
    double frames_per_second() const;
    /// Of the samples kept: frames of more than twice the median's time.
    std::size_t late() const;
    void clear();

private:
    std::array<FrameSample, kCapacity> ring_{};
    std::uint64_t count_ = 0;
};

struct LATHE_API FrameLoopConfig {
    std::uint64_t max_frames = std::numeric_limits<std::uint64_t>::max();
    double frame_limit_hz = 0; ///< 0: no limit but the display's
    /// Ctrl-C, SIGTERM and a closed terminal end the loop, where nobody else handles SIGINT.
    bool handle_interrupt = true;
};

class LATHE_API FrameLoop {
public:
    /// The window must outlive the loop.
    explicit FrameLoop(Window& window, FrameLoopConfig config = {});
    FrameLoop(const FrameLoop&) = delete;
    FrameLoop& operator=(const FrameLoop&) = delete;
    ~FrameLoop();

    /// Starts a frame: events and sizes. False once the window was closed, stop() was
    /// called, max_frames are done or a signal ends it; then no frame has begun.
    bool begin();
    /// Shows the window's screen() and keeps the frame limit.
    void end();
    /// The loop, owned here.
    void run(const std::function<void()>& frame);
    void stop() { stopped_ = true; }
    /// True where Ctrl-C, SIGTERM or SIGHUP ended it.
    bool interrupted() const;

    /// Frames ended.
    std::uint64_t frame() const { return frame_; }
    /// Seconds since the first begin().
    double seconds() const;
    /// Seconds from the last begin() to this one; 0 in the first frame.
    double delta_seconds() const { return delta_seconds_; }
    /// Between frames: what passed since the last one does not count as one's time.
    void skip_pause();

    void add_sim_ms(double ms) { sample_.sim_ms += ms; }
    void add_draw_ms(double ms) { sample_.draw_ms += ms; }

    FrameStats& stats() { return stats_; }
    const FrameStats& stats() const { return stats_; }
    FrameLoopConfig config; ///< may be changed between frames

private:
    using Clock = std::chrono::steady_clock;
    Window& window_;
    FrameStats stats_;
    FrameSample sample_;
    Clock::time_point first_{}, begin_{}, next_{};
    std::uint64_t frame_ = 0;
    double delta_seconds_ = 0;
    bool started_ = false;
    bool in_frame_ = false;
    bool sample_pending_ = false;
    bool stopped_ = false;
    bool owns_signals_ = false;
};

} // namespace lathe
