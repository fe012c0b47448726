// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/block_watch.h"

#include "gpu/soft/rt/launch.h"
#include "gpu/soft/rt/watch/findings.h"
#include "gpu/soft/rt/watch/lanes.h"
#include "gpu/soft/rt/watch/report_hazard.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lathe::soft {

struct BlockWatch::Step {
    const WatchSite& site;
    std::uint32_t warp, lanes;
    std::uint64_t address;
    std::uint64_t value[2];
    bool has_value;

    std::uint32_t thread() const { return warp * 32 + lowest_lane(lanes); }
};

BlockWatch::BlockWatch() = default;

void BlockWatch::begin(const Launch& launch, GridWatch& grid, std::uint64_t number,
                       const std::uint32_t ctaid[3], const std::uint8_t* shared) {
    if (launch_ != &launch) same_line_ = {};
    launch_ = &launch;
    grid_ = &grid;
    kinds_ = grid.kinds();
    number_ = static_cast<std::uint32_t>(number);
    if (numbers_grid_ != grid.grid()) {
        const std::uint32_t next = AccessBook::instance().next();
        if (next < first_number_) { // numbers began anew
            shared_cells_.reset();
            numbered_ = {};
        }
        numbers_grid_ = grid.grid();
        first_number_ = next;
        next_ = end_ = 0;
    }
    first_number_ = std::max(first_number_, next_);
    std::copy_n(ctaid, 3, ctaid_.begin());
    shared_ = reinterpret_cast<std::uint64_t>(shared);
    shared_bytes_ = launch.shared_bytes();
    order_.begin(launch.threads());
    in_grid_.begin(grid);
    copies_.begin();
    first_arrivals_.fill({});
    if (!shared_bytes_) return;
    const std::uint32_t whole = (shared_bytes_ + 15) / 16 * 16;
    if (!shared_cells_ || shared_cells_->bytes() < whole)
        shared_cells_ = std::make_unique<RaceCells>(whole);
    unwritten_shared_.assign(whole / 64 + 1, ~0ull);
    shared_bits_.begin(shared_, unwritten_shared_.data(), shared_bytes_);
}

namespace {

/// It does nothing but to access memory.
bool is_ordinary(const WatchSite& site) { return !(site.flags & (kWatchedRelease | kWatchedCopy)); }

bool ascend(std::uint32_t lanes, std::span<const std::uint64_t, 32> addresses) {
    bool ascending = true;
    std::uint64_t before = 0;
    each_bit(lanes, [&](std::uint32_t k) {
        ascending &= addresses[k] > before;
        before = addresses[k];
    });
    return ascending;
}

} // namespace

/// Of the access of a warp now; 0 where there are none left.
std::uint32_t BlockWatch::number_of(const WatchSite& site, std::uint32_t warp) {
    const auto hash = reinterpret_cast<std::uintptr_t>(&site);
    auto& row = numbered_[warp];
    Numbered& known = row[(hash >> 4 ^ hash >> 8) % row.size()];
    const std::uint32_t clock = order_.clock(warp);
    if (known.site == &site && known.clock == clock && known.number >= first_number_)
        return known.number;
    if (next_ == end_) {
        next_ = AccessBook::instance().open(grid_->grid());
        end_ = next_ ? next_ + AccessBook::kPage : 0;
        if (!next_) return 0;
    }
    AccessBook::instance().page(next_)->accesses[next_ % AccessBook::kPage] = {&site, number_,
                                                                               clock, warp};
    known = {&site, clock, next_};
    return next_++;
}

void BlockWatch::access_row(std::uint32_t warp, std::uint32_t lanes, const WatchSite& site,
                            std::uint64_t first, std::int64_t stride, const std::uint64_t* values) {
    if (stride == 0 && site.kind == WatchedKind::read) {
        access_row(warp, site, {first, lanes, 1}, values);
        return let_go();
    }
    if (stride == site.bytes && is_ordinary(site)) {
        while (lanes) {
            const std::uint32_t lane = lowest_lane(lanes);
            const auto count = static_cast<std::uint32_t>(std::countr_one(lanes >> lane));
            const std::uint32_t some = lanes_from(lane, count);
            access_row(warp, site, {first + lane * site.bytes, some, count}, values);
            lanes &= ~some;
        }
        return let_go();
    }
    std::array<std::uint64_t, 32> addresses;
    for (unsigned k = 0; k < 32; ++k) addresses[k] = first + static_cast<std::uint64_t>(stride) * k;
    access(warp, lanes, site, addresses, values);
}

void BlockWatch::access(std::uint32_t warp, std::uint32_t lanes, const WatchSite& site,
                        std::span<const std::uint64_t, 32> addresses, const std::uint64_t* values) {
    const bool writes = site.kind == WatchedKind::write;
    if (!is_ordinary(site) || (writes && !ascend(lanes, addresses))) {
        if (writes) group_writes(warp, lanes, site, addresses, values);
        else
            each_bit(lanes, [&](std::uint32_t k) {
                access_at({site, warp, 1u << k, addresses[k], {0, 0}, false});
            });
        return let_go();
    }
    while (lanes) {
        const std::uint32_t k = lowest_lane(lanes);
        const auto most = static_cast<std::uint32_t>(std::countr_one(lanes >> k));
        const auto as_far_as = [&](std::uint64_t step) { // lanes whose addresses grow so
            std::uint32_t count = 1;
            while (count < most && addresses[k + count] == addresses[k + count - 1] + step) ++count;
            return count;
        };
        std::uint32_t count = as_far_as(site.bytes), elements = count;
        if (count == 1 && site.kind == WatchedKind::read) count = as_far_as(0);
        const std::uint32_t some = lanes_from(k, count);
        access_row(warp, site, {addresses[k], some, elements}, values);
        lanes &= ~some;
    }
    let_go();
}

void BlockWatch::access_row(std::uint32_t warp, const WatchSite& site, Row row,
                            const std::uint64_t* values) {
    if (is_harmless(warp, site, row)) return;
    const bool has_values = values && (site.flags & kWatchedValues);
    const auto access_by = [&](std::uint32_t lanes) {
        Step step{site, warp, lanes, row.address, {0, 0}, has_values};
        if (has_values) {
            step.value[0] = values[lowest_lane(lanes)];
            if (site.bytes > 8) step.value[1] = values[32 + lowest_lane(lanes)];
        }
        access_at(step);
        row.address += site.bytes;
    };
    if (row.count == 1) access_by(row.lanes);
    else each_bit(row.lanes, [&](std::uint32_t lane) { access_by(1u << lane); });
}

/// Notes the row, unless there is something to look at more closely: false then.
bool BlockWatch::is_harmless(std::uint32_t warp, const WatchSite& site, const Row& row) {
    const std::uint32_t bytes = row.count * site.bytes;
    if (row.address % site.bytes) return false;
    const auto is_written = [&](const UnwrittenBits& bits) {
        if (site.kind != WatchedKind::write && bits.any(row.address, bytes)) return false;
        if (site.kind != WatchedKind::read) bits.clear(row.address, bytes);
        return true;
    };
    if (const std::uint64_t offset = row.address - shared_;
        shared_bytes_ && offset < shared_bytes_) {
        if (offset + bytes > shared_bytes_ || copies_.any()) return false;
        if (site.is_strong()) order_.acquire(warp);
        if (kinds_ & kUnwrittenShared && !is_written(shared_bits_)) return false;
        return !(kinds_ & kRaceShared) ||
               is_harmless(warp, site, row, *shared_cells_, static_cast<std::uint32_t>(offset),
                           RaceRules{order_, nullptr, live_in_block()});
    }
    const DeviceCells& device = DeviceCells::instance();
    if (!device.holds(row.address) || !device.holds(row.address + bytes - 1)) return false;
    if (site.is_strong()) {
        order_.acquire(warp);
        in_grid_.acquire();
    }
    const DeviceUnwritten& memory = DeviceUnwritten::instance();
    if (kinds_ & kUnwrittenGlobal && memory.is_on() && !is_written(memory.bits())) return false;
    if (!(kinds_ & kRaceGlobal)) return true;
    if (!hold_page(row.address)) return true;
    const auto offset = static_cast<std::uint32_t>(row.address - held_begin_);
    if (offset + bytes > WatchedPage::kBytes) {
        const std::uint32_t here = (WatchedPage::kBytes - offset) / site.bytes;
        const std::uint32_t first = lowest_lane(row.lanes);
        const std::uint32_t lanes = lanes_from(first, here);
        const bool is_first = is_harmless(warp, site, {row.address, lanes, here});
        return is_harmless(
                   warp, site,
                   {row.address + here * site.bytes, row.lanes & ~lanes, row.count - here}) &&
               is_first;
    }
    return is_harmless(warp, site, row, held_->cells, offset,
                       RaceRules{order_, &in_grid_, live_in_grid()});
}

namespace {

/// Sets of one lane for each cell, of `kCells` cells a lane.
template <std::uint32_t kCells> constexpr auto make_lane_bits() {
    std::array<std::uint32_t, 32 * kCells> bits{};
    for (std::uint32_t k = 0; k < bits.size(); ++k) bits[k] = 1u << k / kCells;
    return bits;
}
template <std::uint32_t kCells> constexpr auto kLaneBits = make_lane_bits<kCells>();

const std::uint32_t* lane_bits(std::uint32_t cells, std::uint32_t lane) {
    switch (cells) {
    case 1: return kLaneBits<1>.data() + lane;
    case 2: return kLaneBits<2>.data() + lane * 2;
    case 4: return kLaneBits<4>.data() + lane * 4;
    case 8: return kLaneBits<8>.data() + lane * 8;
    default: return kLaneBits<16>.data() + lane * 16;
    }
}

} // namespace

bool BlockWatch::is_harmless(std::uint32_t warp, const WatchSite& site, const Row& row,
                             RaceCells& cells, std::uint32_t offset, const RaceRules& rules) {
    const RaceRow noted = cells.at(offset, row.count * site.bytes, site.bytes);
    const std::uint32_t number = number_of(site, warp);
    if (!number) return true;
    const WatchedAccess now{{&site, number_, order_.clock(warp), warp}, number, row.lanes};
    if (row.count > 1)
        return rules.note_harmless(noted, now,
                                   lane_bits(site.bytes / noted.bytes, lowest_lane(row.lanes)));
    for (std::uint32_t k = 0; k < noted.count; ++k)
        if (!rules.note_harmless(noted.cell(k), now)) return false;
    return true;
}

// Lanes that store to one address at once: the same value, or a race among themselves.
void BlockWatch::group_writes(std::uint32_t warp, std::uint32_t lanes, const WatchSite& site,
                              std::span<const std::uint64_t, 32> addresses,
                              const std::uint64_t* values) {
    const bool has_values = values && (site.flags & kWatchedValues);
    const bool wide = site.bytes > 8;
    const auto value_of = [&](std::uint32_t k) {
        return std::array<std::uint64_t, 2>{has_values ? values[k] : 0,
                                            has_values && wide ? values[32 + k] : 0};
    };
    std::uint32_t left = lanes;
    const bool ascending = ascend(lanes, addresses); // then no two are the same
    while (left) {
        const std::uint32_t k = lowest_lane(left);
        std::uint32_t same = 1u << k;
        if (!ascending)
            each_bit(left & ~same, [&](std::uint32_t j) {
                if (addresses[j] == addresses[k]) same |= 1u << j;
            });
        left &= ~same;
        const auto value = value_of(k);
        std::uint32_t other = 0;
        each_bit(same & ~(1u << k), [&](std::uint32_t j) {
            if (has_values && value_of(j) != value) other |= 1u << j;
        });
        const std::uint32_t last = 31 - static_cast<std::uint32_t>(std::countl_zero(same));
        const auto final_value = value_of(last); // that of the last lane stays
        const Step step{site,      warp, same, addresses[k], {final_value[0], final_value[1]},
                        has_values};
        if (other && (site.space != WatchedSpace::generic || shared_bits_.holds(addresses[k]) ||
                      DeviceCells::instance().holds(addresses[k]))) {
            const bool in_shared = shared_bytes_ && shared_bits_.holds(addresses[k]);
            const std::uint32_t hazard = in_shared ? kRaceShared : kRaceGlobal;
            if (kinds_ & hazard) {
                Race race;
                race.first = {{&site, number_, order_.clock(warp), warp}, 0, 1u << k};
                race.first_thread = warp * 32 + k;
                race.second_thread = warp * 32 + lowest_lane(other);
                race.in_one_step = true;
                report_race(step, race, hazard);
            }
        }
        access_at(step);
    }
}

void BlockWatch::access_at(const Step& step) {
    const std::uint64_t offset = step.address - shared_;
    if (shared_bytes_ && offset < shared_bytes_) {
        if (offset + step.site.bytes <= shared_bytes_)
            access_shared(step, static_cast<std::uint32_t>(offset));
        return;
    }
    access_global(step);
}

void BlockWatch::access_shared(const Step& step, std::uint32_t offset) {
    if (step.site.is_strong()) order_.acquire(step.warp);
    if (kinds_ & kUnwrittenShared) look_for_unwritten(step, shared_bits_, kUnwrittenShared);
    if (!(kinds_ & kRaceShared) || look_for_copies(step)) return;
    look_for_races(step, *shared_cells_, offset, RaceRules{order_, nullptr, live_in_block()},
                   kRaceShared);
}

void BlockWatch::access_global(const Step& step) {
    if (!DeviceCells::instance().holds(step.address)) return;
    if (step.site.is_strong()) {
        if (step.site.flags & kWatchedRelease) fence(step.warp, step.site);
        order_.acquire(step.warp);
        in_grid_.acquire();
    }
    if (kinds_ & kUnwrittenGlobal) {
        const DeviceUnwritten& memory = DeviceUnwritten::instance();
        if (memory.is_on()) look_for_unwritten(step, memory.bits(), kUnwrittenGlobal);
    }
    if (!(kinds_ & kRaceGlobal)) return;
    WatchedPage* const page = hold_page(step.address);
    if (!page) return;
    look_for_races(step, page->cells, static_cast<std::uint32_t>(step.address - held_begin_),
                   RaceRules{order_, &in_grid_, live_in_grid()}, kRaceGlobal);
}

// Lanes mostly access one page: it is locked once for them.
WatchedPage* BlockWatch::hold_page(std::uint64_t address) {
    if (held_ && address - held_begin_ < WatchedPage::kBytes) return held_;
    let_go();
    WatchedPage* const page = DeviceCells::instance().page(address);
    if (!page) return nullptr;
    page->lock();
    held_ = page;
    held_begin_ = address / WatchedPage::kBytes * WatchedPage::kBytes;
    if (page->grid != grid_->grid()) {
        page->cells.give_small_ones_back();
        page->grid = grid_->grid();
    }
    return page;
}

void BlockWatch::let_go() {
    if (held_) held_->unlock();
    held_ = nullptr;
}

void BlockWatch::allocated(std::uint64_t address, std::uint64_t bytes) {
    DeviceUnwritten::instance().allocated(address, bytes);
    if (!(kinds_ & kRaceGlobal)) return;
    for (std::uint64_t at = address; at < address + bytes; at += 4)
        if (WatchedPage* const page = hold_page(at))
            page->cells.forget(static_cast<std::uint32_t>(at - held_begin_), 4);
    let_go();
}

/// Whether the step's bytes from `from` on are in memory already.
bool BlockWatch::write_same(const Step& step, std::uint32_t from, std::uint32_t bytes) const {
    if (!step.has_value || from + bytes > 16) return false;
    return std::memcmp(reinterpret_cast<const std::uint8_t*>(step.value) + from,
                       reinterpret_cast<const void*>(step.address + from), bytes) == 0;
}

void BlockWatch::look_for_races(const Step& step, RaceCells& cells, std::uint32_t offset,
                                const RaceRules& rules, std::uint32_t hazard) {
    const std::uint32_t number = number_of(step.site, step.warp);
    if (!number) return;
    const RaceRow row = cells.at(offset, step.site.bytes, step.site.bytes);
    const WatchedAccess now{
        {&step.site, number_, order_.clock(step.warp), step.warp}, number, step.lanes};
    const bool writes = step.site.kind == WatchedKind::write;
    bool reported = false;
    for (std::uint32_t k = 0; k < row.count; ++k) {
        Race race;
        const std::uint32_t bytes = std::min(row.bytes, step.site.bytes);
        const bool same = writes && write_same(step, k * row.bytes, bytes);
        if (!rules.access(row.cell(k), now, same, race) || reported) continue;
        reported = true; // once for an access
        report_race(step, race, hazard);
    }
}

/// Whether it meets a copy that may still run, which no barrier orders.
bool BlockWatch::look_for_copies(const Step& step) {
    const PendingCopies::Copy* const met = copies_.find(step.address, step.site.bytes);
    if (met) {
        Race race;
        race.first = {
            {met->site, number_, met->clock, met->thread / 32}, 0, 1u << met->thread % 32};
        race.first_thread = met->thread;
        race.second_thread = step.thread();
        race.is_pending_copy = true;
        report_race(step, race, kRaceShared);
    }
    if (step.site.flags & kWatchedCopy)
        each_bit(step.lanes, [&](std::uint32_t lane) {
            copies_.add({&step.site, step.address, order_.clock(step.warp), step.warp * 32 + lane});
        });
    return met != nullptr;
}

void BlockWatch::look_for_unwritten(const Step& step, const UnwrittenBits& bits,
                                    std::uint32_t hazard) {
    if (step.site.kind != WatchedKind::write && bits.any(step.address, step.site.bytes))
        Findings::instance().add(hazard, &step.site, nullptr, grid_->grid(), [&] {
            return unwritten_finding(*launch_, ctaid_, step.thread(), step.site, hazard,
                                     step.address, shared_);
        });
    if (step.site.kind != WatchedKind::read) bits.clear(step.address, step.site.bytes);
}

void BlockWatch::report_race(const Step& step, const Race& race, std::uint32_t hazard) {
    Findings::instance().add(hazard, race.first.site, &step.site, grid_->grid(), [&] {
        return race_finding(*launch_, ctaid_, race, step.site, hazard, step.address, shared_);
    });
}

void BlockWatch::fence(std::uint32_t warp, const WatchSite& site) {
    if (site.flags & kWatchedAll) {
        grid_->release(number_, order_.known(warp));
        in_grid_.acquire();
    }
    order_.release(warp);
    order_.acquire(warp);
}

void BlockWatch::arrive(std::uint32_t barrier, std::uint32_t thread, bool waits,
                        std::uintptr_t pc) {
    order_.arrive(barrier, thread / 32, waits);
    if (!(kinds_ & kBarrierApart) || !waits) return;
    Arrival& first = first_arrivals_[barrier % first_arrivals_.size()];
    if (!first.pc) {
        first = {pc, thread};
        return;
    }
    if (first.pc == pc || (same_line_[0] == first.pc && same_line_[1] == pc)) return;
    // Code of one line may lie at several places.
    auto found = apart_finding(*launch_, ctaid_, first.thread, first.pc, thread, pc);
    if (!found) {
        same_line_ = {first.pc, pc};
        return;
    }
    Findings::instance().add(kBarrierApart, reinterpret_cast<const void*>(first.pc),
                             reinterpret_cast<const void*>(pc), grid_->grid(),
                             [&] { return std::move(*found); });
}

void BlockWatch::open(std::uint32_t barrier) {
    order_.open(barrier);
    first_arrivals_[barrier % first_arrivals_.size()] = {};
}

} // namespace lathe::soft
