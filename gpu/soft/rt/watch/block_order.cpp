// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/block_order.h"

#include "gpu/soft/rt/watch/lanes.h"

#include <algorithm>
#include <bit>

namespace lathe::soft {

namespace {

void join(BlockOrder::Clocks& to, const BlockOrder::Clocks& from, std::uint32_t warps) {
    for (std::uint32_t w = 0; w < warps; ++w) to[w] = std::max(to[w], from[w]);
}

} // namespace

void BlockOrder::begin(std::uint32_t threads) {
    warps_ = (threads + 31) / 32;
    for (std::uint32_t w = 0; w < warps_; ++w) {
        known_[w].fill(0);
        known_[w][w] = 1;
        const std::uint32_t left = threads - 32 * w;
        lanes_[w] = left >= 32 ? ~0u : (1u << left) - 1;
        all_met_[w] = 0;
        pending_[w] = {};
    }
    barriers_.fill({});
    released_.fill(0);
    seen_.fill(0);
    releases_ = 0;
}

void BlockOrder::tick(std::uint32_t warp, std::uint32_t mask) {
    std::uint32_t& clock = known_[warp][warp];
    masks_[warp][clock % kRemembered] = mask;
    ++clock;
    if ((mask & lanes_[warp]) == lanes_[warp]) all_met_[warp] = clock;
}

void BlockOrder::arrive(std::uint32_t barrier, std::uint32_t warp, bool waits) {
    Arrivals& at = barriers_[barrier % barriers_.size()];
    (waits ? at.waiting : at.passing) |= 1u << warp;
}

void BlockOrder::open(std::uint32_t barrier) {
    Arrivals& at = barriers_[barrier % barriers_.size()];
    Clocks all{};
    each_bit(at.waiting | at.passing, [&](std::uint32_t w) { join(all, known_[w], warps_); });
    each_bit(at.waiting, [&](std::uint32_t w) { join(known_[w], all, warps_); });
    each_bit(at.waiting, [&](std::uint32_t w) { tick(w, ~0u); });
    each_bit(at.passing & ~at.waiting, [&](std::uint32_t w) { tick(w, 0); });
    at = {};
}

// Lanes may come one after another, and others of the mask may have ended: those that are here meet
// those that came before. A lane that comes again begins a new round.
void BlockOrder::sync(std::uint32_t warp, std::uint32_t mask, std::uint32_t lanes) {
    lanes &= mask;
    if (lanes == (mask & lanes_[warp])) return tick(warp, mask);
    Pending& some = pending_[warp];
    if (some.mask != mask || (some.came & lanes)) some = {mask, 0};
    some.came |= lanes;
    tick(warp, some.came);
}

void BlockOrder::release(std::uint32_t warp) {
    join(released_, known_[warp], warps_);
    ++releases_;
    tick(warp, 0);
}

void BlockOrder::acquire(std::uint32_t warp) {
    if (seen_[warp] == releases_) return;
    seen_[warp] = releases_;
    const std::uint32_t own = known_[warp][warp];
    join(known_[warp], released_, warps_);
    known_[warp][warp] = own;
}

// Along the masks since then: who met whom.
bool BlockOrder::met(std::uint32_t warp, std::uint32_t clock, std::uint32_t lane,
                     std::uint32_t now_lane) const {
    const std::uint32_t now = known_[warp][warp];
    if (now - clock >= kRemembered) return true; // too long ago to tell
    std::uint32_t reached = 1u << lane;
    for (std::uint32_t k = clock; k < now; ++k)
        if (const std::uint32_t mask = masks_[warp][k % kRemembered]; mask & reached)
            reached |= mask;
    return reached >> now_lane & 1;
}

} // namespace lathe::soft
