// SPDX-License-Identifier: MIT
#include "engine/broadcast/line_pace.h"

#include <algorithm>
#include <cmath>

namespace lathe {

namespace {

using namespace std::chrono_literals;

constexpr double kBusy = 60, kFree = 25; ///< ms beyond the round trip, of a frame
constexpr auto kBeforeWorse = 400ms;     ///< since the last change
constexpr auto kBeforeBetter = 2s;       ///< of a free line; longer where better was too much
constexpr auto kTooMuch = 4s;            ///< a line that is busy so soon after it became better
constexpr auto kMostBeforeBetter = 32s;
constexpr double kFramePeriod = 1000.0 / 60;
constexpr double kMostUnderWay = 8;
constexpr double kNewest = 0.3; ///< weight of the newest delay in the mean

} // namespace

std::size_t LinePace::most_under_way() const {
    return std::size_t(
        std::clamp(1 + std::ceil(round_trip_ms_.value_or(0) / kFramePeriod), 2.0, kMostUnderWay));
}

void LinePace::sent(std::uint32_t frame, Clock::time_point now, bool is_still) {
    const bool is_behind =
        std::ranges::any_of(under_way_, [](const Sent& each) { return each.is_still; });
    under_way_.push_back({frame, now, is_still, is_behind});
}

void LinePace::shown(std::uint32_t frame, Clock::time_point now) {
    bool counts = false;
    while (!under_way_.empty() && std::int32_t(under_way_.front().frame - frame) <= 0) {
        const Sent& first = under_way_.front();
        if (!first.is_still && !first.is_behind_still) {
            const std::chrono::duration<double, std::milli> delay = now - first.at;
            delay_ms_ += (delay.count() - delay_ms_) * (delay_ms_ == 0 ? 1 : kNewest);
            counts = true;
        }
        under_way_.pop_front();
    }
    if (counts) judge(now);
}

void LinePace::answered(std::chrono::duration<double> round_trip) {
    const double ms = round_trip.count() * 1000;
    // A line that has become longer is believed slowly: the ping may have stood behind a frame.
    round_trip_ms_ = round_trip_ms_ ? std::min(ms, *round_trip_ms_ * 1.1 + 0.1) : ms;
}

void LinePace::judge(Clock::time_point now) {
    const double busy = delay_ms_ - round_trip_ms_.value_or(0);
    if (busy >= kFree) free_since_.reset();
    else if (!free_since_) free_since_ = now;
    if (busy > kBusy && level_ + 1 < kLevels && now - changed_ > kBeforeWorse) {
        ++level_;
        changed_ = now;
        const bool was_too_much = bettered_ && now - *bettered_ < kTooMuch;
        before_better_ = was_too_much
                             ? std::min<Clock::duration>(2 * before_better_, kMostBeforeBetter)
                             : kBeforeBetter;
        bettered_.reset();
    } else if (free_since_ && level_ > 1 && now - *free_since_ > before_better_) {
        --level_;
        changed_ = *(bettered_ = free_since_ = now);
    }
}

} // namespace lathe
