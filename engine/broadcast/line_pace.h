// SPDX-License-Identifier: MIT
// How fine and how many frames the line to one viewer carries, from when it says that they stand on
// its screen.
#pragma once

#include "engine/core/api.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace lathe {

class LATHE_API LinePace {
public:
    using Clock = std::chrono::steady_clock;
    /// 0 is the finest picture. A line begins with the one after it.
    static constexpr int kLevels = 5;

    int level() const { return level_; }
    /// Another frame may be sent now: the line is not full.
    bool is_ready() const { return under_way_.size() < most_under_way(); }
    std::size_t under_way() const { return under_way_.size(); }
    /// Frames that fit the line at once: two, and more where the answer takes long.
    std::size_t most_under_way() const;
    /// From sending a frame to its word that it is shown, the mean of the last ones; 0 at first.
    double milliseconds() const { return delay_ms_; }

    /// A still is the finest picture of what rests: it may take long, and how long says nothing of
    /// pictures that move.
    void sent(std::uint32_t frame, Clock::time_point now, bool is_still = false);
    /// This frame and those before it are shown.
    void shown(std::uint32_t frame, Clock::time_point now);
    /// The time for nothing but the way there and back, measured by a ping.
    void answered(std::chrono::duration<double> round_trip);

private:
    void judge(Clock::time_point now);

    struct Sent {
        std::uint32_t frame;
        Clock::time_point at;
        bool is_still, is_behind_still;
    };
    std::deque<Sent> under_way_;
    std::optional<double> round_trip_ms_; ///< the least of the last ones
    double delay_ms_ = 0;
    int level_ = 1;
    Clock::time_point changed_{};
    std::optional<Clock::time_point> free_since_, bettered_;
    Clock::duration before_better_ = std::chrono::seconds{2};
};

} // namespace lathe
