// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/race_rules.h"

#include "gpu/soft/rt/watch/block_order.h"
#include "gpu/soft/rt/watch/lanes.h"

#include <algorithm>
#include <bit>

namespace lathe::soft {

namespace {

bool reads_only(const WatchSite& site) { return site.kind == WatchedKind::read; }
bool is_same_warp(const NumberedAccess& a, const NumberedAccess& b) {
    return a.block == b.block && a.warp == b.warp;
}
/// Whether the two do not conflict, whoever comes first.
bool agree(const WatchSite& a, const WatchSite& b) {
    return (reads_only(a) && reads_only(b)) || (a.is_atomic() && b.is_atomic());
}

/// f(begin, end, number) for each stretch of the same number, until one returns false.
template <class F> bool each_stretch(const std::uint32_t* numbers, std::uint32_t count, F f) {
    std::uint32_t differ = 0;
    for (std::uint32_t k = 1; k < count; ++k) differ |= numbers[k] ^ numbers[0];
    if (!differ) return f(0, count, numbers[0]);
    for (std::uint32_t begin = 0, end = 1; begin < count; begin = end++) {
        while (end < count && numbers[end] == numbers[begin]) ++end;
        if (!f(begin, end, numbers[begin])) return false;
    }
    return true;
}

} // namespace

struct RaceRules::Cell {
    WatchedAccess write, read, other_read;
};

bool RaceRules::races(const WatchedAccess& first, const WatchedAccess& now, Race& race) const {
    if (!first.site || agree(*first.site, *now.site)) return false;
    const bool same_block = first.block == now.block;
    const bool same_warp = is_same_warp(first, now);
    const bool both_strong = first.site->is_strong() && now.site->is_strong();
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

/// As races(), for a stretch of cells; false where that is to look at each.
bool RaceRules::is_apart(const NumberedAccess& first, const std::uint32_t* first_lanes,
                         const NumberedAccess& now, const std::uint32_t* lanes,
                         std::uint32_t count) const {
    if (agree(*first.site, *now.site)) return true;
    const bool same_warp = is_same_warp(first, now);
    if (first.site->is_strong() && now.site->is_strong() && (grid_ || !same_warp)) return true;
    if (first.block != now.block) return grid_->is_before(first);
    if (!same_warp) return order_.is_before(first.warp, first.clock, 0, now.warp, 0);
    if (order_.have_all_met(first.warp, first.clock)) return true;
    std::uint32_t strangers = 0; // a thread does not race with itself
    for (std::uint32_t k = 0; k < count; ++k)
        strangers |= (lanes[k] ^ first_lanes[k]) | (lanes[k] & (lanes[k] - 1));
    return strangers == 0;
}

bool RaceRules::is_harmless(const RaceRow::Column& column, std::uint32_t count,
                            const WatchedAccess& now, const std::uint32_t* lanes) const {
    return each_stretch(column.numbers, count,
                        [&](std::uint32_t begin, std::uint32_t end, std::uint32_t number) {
                            const NumberedAccess* const first = live_.find(number);
                            return !first || is_apart(*first, column.lanes + begin, now,
                                                      lanes + begin, end - begin);
                        });
}

bool RaceRules::note_harmless(const RaceRow& row, const WatchedAccess& now,
                              const std::uint32_t* lanes) const {
    if (!is_harmless(row.write, row.count, now, lanes)) return false;
    if (reads_only(*now.site)) {
        note_reads(row, now, lanes);
        return true;
    }
    if (!is_harmless(row.read, row.count, now, lanes) ||
        !is_harmless(row.other_read, row.count, now, lanes))
        return false;
    std::fill_n(row.write.numbers, row.count, now.number);
    std::copy_n(lanes, row.count, row.write.lanes);
    std::fill_n(row.read.numbers, row.count, 0u);
    std::fill_n(row.other_read.numbers, row.count, 0u);
    return true;
}

bool RaceRules::note_harmless(const RaceRow& cell, const WatchedAccess& now) const {
    if (!is_harmless(cell.write, now)) return false;
    if (!reads_only(*now.site)) {
        if (!is_harmless(cell.read, now) || !is_harmless(cell.other_read, now)) return false;
        *cell.write.numbers = now.number;
        *cell.write.lanes = now.lanes;
        *cell.read.numbers = *cell.other_read.numbers = 0;
        return true;
    }
    const std::uint32_t number = *cell.read.numbers;
    const NumberedAccess* const first = live_.find(number);
    if (first && is_same_warp(*first, now)) {
        if (first->clock == now.clock) {
            *cell.read.lanes |= now.lanes;
            return true;
        }
    } else if (first) {
        *cell.other_read.numbers = number;
        *cell.other_read.lanes = *cell.read.lanes;
    }
    *cell.read.numbers = now.number;
    *cell.read.lanes = now.lanes;
    return true;
}

/// As note_read(), for each cell.
void RaceRules::note_reads(const RaceRow& row, const WatchedAccess& now,
                           const std::uint32_t* lanes) const {
    each_stretch(row.read.numbers, row.count,
                 [&](std::uint32_t begin, std::uint32_t end, std::uint32_t number) {
                     const std::uint32_t count = end - begin;
                     const NumberedAccess* const first = live_.find(number);
                     std::uint32_t* const numbers = row.read.numbers + begin;
                     std::uint32_t* const noted = row.read.lanes + begin;
                     if (first && is_same_warp(*first, now) && first->clock == now.clock) {
                         for (std::uint32_t k = 0; k < count; ++k) noted[k] |= lanes[begin + k];
                         return true;
                     }
                     if (first && !is_same_warp(*first, now)) {
                         std::copy_n(numbers, count, row.other_read.numbers + begin);
                         std::copy_n(noted, count, row.other_read.lanes + begin);
                     }
                     std::fill_n(numbers, count, now.number);
                     std::copy_n(lanes + begin, count, noted);
                     return true;
                 });
}

void RaceRules::note_read(Cell& cell, const WatchedAccess& now) {
    WatchedAccess& read = cell.read;
    if (read.site) {
        const bool same_warp = is_same_warp(read, now);
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

WatchedAccess RaceRules::read(const RaceRow::Column& column) const {
    const NumberedAccess* const access = live_.find(*column.numbers);
    return access ? WatchedAccess{*access, *column.numbers, *column.lanes} : WatchedAccess{};
}

bool RaceRules::access(const RaceRow& row, const WatchedAccess& now, bool same_value,
                       Race& race) const {
    Cell cell{read(row.write), read(row.read), read(row.other_read)};
    bool found = races(cell.write, now, race);
    if (reads_only(*now.site)) {
        note_read(cell, now);
    } else {
        const bool tolerated = found && same_value && !now.site->is_atomic();
        if (tolerated) found = false;
        if (!found) found = races(cell.read, now, race) || races(cell.other_read, now, race);
        // Of two that write the same value the first stays: whoever races with it, races with both.
        if (!tolerated) cell.write = now;
        else if (is_same_warp(cell.write, now) && cell.write.clock == now.clock)
            cell.write.lanes |= now.lanes;
        cell.read = cell.other_read = {};
    }
    const auto note = [](const RaceRow::Column& column, const WatchedAccess& access) {
        *column.numbers = access.number;
        *column.lanes = access.lanes;
    };
    note(row.write, cell.write);
    note(row.read, cell.read);
    note(row.other_read, cell.other_read);
    return found;
}

} // namespace lathe::soft
