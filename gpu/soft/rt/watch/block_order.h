// SPDX-License-Identifier: MIT
// Which accesses of a block's threads come before which others, whatever the schedule: by barriers,
// __syncwarp(), and fences with what is read behind them.
//
// Each warp has a clock that ticks when it meets others. A warp knows of each other warp the clock
// up to which that one's accesses come before its own: a vector clock (Mattern). Lanes of one warp
// are ordered by a list of the masks that they met with.
#pragma once

#include <array>
#include <cstdint>

namespace lathe::soft {

class BlockOrder {
public:
    static constexpr std::uint32_t kMost = 32; ///< warps of a block
    using Clocks = std::array<std::uint32_t, kMost>;

    void begin(std::uint32_t threads);

    std::uint32_t clock(std::uint32_t warp) const { return known_[warp][warp]; }
    const Clocks& known(std::uint32_t warp) const { return known_[warp]; }

    /// A warp comes to a barrier, and waits there or goes on; then the barrier opens for all that
    /// have come.
    void arrive(std::uint32_t barrier, std::uint32_t warp, bool waits);
    void open(std::uint32_t barrier);
    /// Lanes come to __syncwarp(mask); those of the mask go on when all have come.
    void sync(std::uint32_t warp, std::uint32_t mask, std::uint32_t lanes);
    /// What the warp did so far comes before what others do behind acquire().
    void release(std::uint32_t warp);
    void acquire(std::uint32_t warp);

    /// Whether what the warp did at that clock comes before what any lane of it does now.
    bool have_all_met(std::uint32_t warp, std::uint32_t clock) const {
        return clock < all_met_[warp];
    }
    /// Whether an access of a lane at that clock comes before what another lane does now.
    bool is_before(std::uint32_t warp, std::uint32_t clock, std::uint32_t lane,
                   std::uint32_t now_warp, std::uint32_t now_lane) const {
        if (warp != now_warp) return known_[now_warp][warp] >= clock;
        if (lane == now_lane || have_all_met(warp, clock)) return true;
        return clock != known_[warp][warp] && met(warp, clock, lane, now_lane);
    }

private:
    static constexpr std::uint32_t kRemembered = 64;
    struct Arrivals {
        std::uint32_t waiting = 0, passing = 0; ///< warps
    };
    bool met(std::uint32_t warp, std::uint32_t clock, std::uint32_t lane,
             std::uint32_t now_lane) const;
    void tick(std::uint32_t warp, std::uint32_t mask);

    std::uint32_t warps_ = 0;
    std::array<Clocks, kMost> known_{};
    std::array<std::uint32_t, kMost> lanes_{};   ///< that a warp began with
    std::array<std::uint32_t, kMost> all_met_{}; ///< the clock before which all lanes met
    std::array<std::array<std::uint32_t, kRemembered>, kMost> masks_{}; ///< by clock, modulo
    struct Pending {
        std::uint32_t mask = 0, came = 0;
    };
    std::array<Pending, kMost> pending_{}; ///< lanes that came to a sync by parts
    std::array<Arrivals, 16> barriers_{};
    Clocks released_{};
    std::uint32_t releases_ = 0;
    std::array<std::uint32_t, kMost> seen_{}; ///< of `releases_`
};

} // namespace lathe::soft
