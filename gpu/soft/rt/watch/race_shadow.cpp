// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/race_shadow.h"

#include "gpu/soft/rt/watch/block_order.h"
#include "gpu/soft/rt/watch/lanes.h"

#include <bit>
#include <utility>

namespace lathe::soft {

namespace {

bool reads_only(const WatchSite& site) { return site.kind == WatchedKind::read; }
bool is_atomic(const WatchSite& site) { return site.kind == WatchedKind::atomic; }
bool is_strong(const WatchSite& site) {
    return is_atomic(site) || (site.flags & kWatchedStrong) != 0;
}

} // namespace

bool RaceRules::races(const WatchedAccess& first, const WatchedAccess& now, Race& race) const {
    if (is_stale(first, now)) return false;
    if (reads_only(*first.site) && reads_only(*now.site)) return false;
    if (is_atomic(*first.site) && is_atomic(*now.site)) return false;
    const bool same_block = first.block == now.block;
    const bool same_warp = same_block && first.warp == now.warp;
    const bool both_strong = is_strong(*first.site) && is_strong(*now.site);
    if (both_strong && (grid_ || !same_warp)) return false;
    std::uint32_t first_lane = lowest_lane(first.lanes), now_lane = lowest_lane(now.lanes);
    if (!same_block) {
        if (grid_->is_before(first)) return false;
    } else if (!same_warp) {
        if (order_.is_before(first.warp, first.clock, first_lane, now.warp, now_lane)) return false;
    } else {
        // A thread does not race with itself, nor what it reads with what it wrote itself.
        const std::uint32_t strangers =
            reads_only(*now.site) ? now.lanes & ~first.lanes : now.lanes;
        if (!strangers || (first.lanes == now.lanes && std::has_single_bit(now.lanes)))
            return false;
        now_lane = lowest_lane(strangers);
        const std::uint32_t others = first.lanes & ~(1u << now_lane);
        if (!others) {
            if (std::has_single_bit(strangers)) return false;
            now_lane = lowest_lane(strangers & (strangers - 1));
        } else {
            first_lane = lowest_lane(others);
        }
        if (order_.is_before(first.warp, first.clock, first_lane, now.warp, now_lane)) return false;
    }
    race.first = first;
    race.first_thread = first.warp * 32 + first_lane;
    race.second_thread = now.warp * 32 + now_lane;
    race.in_one_step = false;
    return true;
}

void RaceRules::note_read(RaceCell& cell, const WatchedAccess& now) const {
    WatchedAccess& read = cell.read;
    if (!is_stale(read, now)) {
        const bool same_warp = read.block == now.block && read.warp == now.warp;
        if (same_warp && read.clock == now.clock) {
            read.lanes |= now.lanes;
            return;
        }
        // Of readers that nothing orders two are kept: one of them is in another warp than
        // whoever writes next.
        if (!same_warp) cell.other_read = read;
    }
    read = now;
}

bool RaceRules::access(RaceCell& cell, const WatchedAccess& now, bool same_value,
                       Race& race) const {
    if (reads_only(*now.site)) {
        const bool found = races(cell.write, now, race);
        note_read(cell, now);
        return found;
    }
    bool found = races(cell.write, now, race);
    const bool tolerated = found && same_value && !is_atomic(*now.site);
    if (tolerated) found = false;
    if (!found) found = races(cell.read, now, race) || races(cell.other_read, now, race);
    // Of two that write the same value the first stays: whoever races with it, races with both.
    if (!tolerated) cell.write = now;
    else if (cell.write.warp == now.warp && cell.write.clock == now.clock)
        cell.write.lanes |= now.lanes;
    cell.read = cell.other_read = {};
    return found;
}

void RaceCells::split(std::uint32_t shift) {
    std::vector<RaceCell> smaller(bytes_ >> shift);
    for (std::size_t k = 0; k < smaller.size(); ++k) smaller[k] = cells_[k >> (shift_ - shift)];
    cells_ = std::move(smaller);
    shift_ = shift;
}

} // namespace lathe::soft
