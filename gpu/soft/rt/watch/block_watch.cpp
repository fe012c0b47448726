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
    ++generation_;
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
    unwritten_shared_.assign(whole / 8, 0xff);
    shared_bits_.begin(shared_, unwritten_shared_.data(), shared_bytes_);
}

void BlockWatch::access_row(std::uint32_t warp, std::uint32_t lanes, const WatchSite& site,
                            std::uint64_t first, std::int64_t stride, const std::uint64_t* values) {
    if (!lanes) return;
    const bool writes = site.kind == WatchedKind::write;
    if (stride == 0 && !writes) {
        access_at({site, warp, lanes, first, {0, 0}, false});
        return let_go();
    }
    std::array<std::uint64_t, 32> addresses;
    for (unsigned k = 0; k < 32; ++k) addresses[k] = first + static_cast<std::uint64_t>(stride) * k;
    access(warp, lanes, site, addresses, values);
}

void BlockWatch::access(std::uint32_t warp, std::uint32_t lanes, const WatchSite& site,
                        std::span<const std::uint64_t, 32> addresses, const std::uint64_t* values) {
    if (site.kind == WatchedKind::write) {
        group_writes(warp, lanes, site, addresses, values);
    } else {
        each_bit(lanes, [&](std::uint32_t k) {
            access_at({site, warp, 1u << k, addresses[k], {0, 0}, false});
        });
    }
    let_go();
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
    bool ascending = true; // as most are: then no two are the same
    std::uint64_t before = 0;
    each_bit(lanes, [&](std::uint32_t k) {
        ascending &= addresses[k] > before;
        before = addresses[k];
    });
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
                race.first = {&site, number_, order_.clock(warp), 1u << k, warp};
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
    if (step.site.kind == WatchedKind::atomic || (step.site.flags & kWatchedStrong))
        order_.acquire(step.warp);
    if (kinds_ & kUnwrittenShared) look_for_unwritten(step, shared_bits_, kUnwrittenShared);
    if (!(kinds_ & kRaceShared) || look_for_copies(step)) return;
    look_for_races(step, *shared_cells_, offset, RaceRules{order_, nullptr}, kRaceShared);
}

void BlockWatch::access_global(const Step& step) {
    const bool strong = step.site.kind == WatchedKind::atomic || (step.site.flags & kWatchedStrong);
    const bool is_device = DeviceCells::instance().holds(step.address);
    if (!is_device) return;
    if (strong) {
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
                   RaceRules{order_, &in_grid_}, kRaceGlobal);
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
        page->cells.clear();
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
    const RaceCells::Range range = cells.at(offset, step.site.bytes);
    const bool writes = step.site.kind == WatchedKind::write;
    const WatchedAccess now{&step.site, hazard == kRaceShared ? generation_ : number_,
                            order_.clock(step.warp), step.lanes, step.warp};
    bool reported = false;
    for (std::uint32_t k = 0; k < range.count; ++k) {
        Race race;
        // The value matters where another thread has written before: few look at memory.
        const RaceCell& cell = range.first[k];
        const std::uint32_t bytes = std::min(range.bytes, step.site.bytes);
        const bool same = writes && cell.write.site && write_same(step, k * range.bytes, bytes);
        if (!rules.access(range.first[k], now, same, race) || reported) continue;
        reported = true; // once for an access
        report_race(step, race, hazard);
    }
}

/// Whether it meets a copy that may still run, which no barrier orders.
bool BlockWatch::look_for_copies(const Step& step) {
    const PendingCopies::Copy* const met = copies_.find(step.address, step.site.bytes);
    if (met) {
        Race race;
        race.first = {met->site, generation_, met->clock, 1u << met->thread % 32, met->thread / 32};
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
    const bool reads = step.site.kind != WatchedKind::write;
    const bool writes = step.site.kind != WatchedKind::read;
    bool reported = false;
    for (std::uint32_t done = 0; done < step.site.bytes;) {
        const std::uint32_t part = std::min(8u, step.site.bytes - done);
        const std::uint64_t at = step.address + done;
        if (reads && !reported && bits.any(at, part)) {
            reported = true;
            Findings::instance().add(hazard, &step.site, nullptr, grid_->grid(), [&] {
                return unwritten_finding(*launch_, ctaid_, step.thread(), step.site, hazard,
                                         step.address, shared_);
            });
        }
        if (writes) bits.clear(at, part);
        done += part;
    }
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
