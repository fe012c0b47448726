// SPDX-License-Identifier: MIT
// What watches a running block: takes the accesses, fences and barriers of its threads, and hands
// them to those who look for hazards. One for each block that a worker holds.
#pragma once

#include "gpu/soft/rt/watch/block_order.h"
#include "gpu/soft/rt/watch/grid_watch.h"
#include "gpu/soft/rt/watch/pending_copies.h"
#include "gpu/soft/rt/watch/race_cells.h"
#include "gpu/soft/rt/watch/race_rules.h"
#include "gpu/soft/rt/watch/site.h"
#include "gpu/soft/rt/watch/unwritten.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lathe::soft {

struct Launch;

class BlockWatch {
public:
    BlockWatch();

    /// A block begins; `number` is its place in the grid.
    void begin(const Launch& launch, GridWatch& grid, std::uint64_t number,
               const std::uint32_t ctaid[3], const std::uint8_t* shared);

    // What its threads do; `lanes` are of the warp of linear thread 32 * warp.
    void access(std::uint32_t warp, std::uint32_t lanes, const WatchSite& site,
                std::span<const std::uint64_t, 32> addresses, const std::uint64_t* values);
    void access_row(std::uint32_t warp, std::uint32_t lanes, const WatchSite& site,
                    std::uint64_t first, std::int64_t stride, const std::uint64_t* values);
    void fence(std::uint32_t warp, const WatchSite& site);
    /// A thread has memory of the device heap: what others did with it does not count.
    void allocated(std::uint64_t address, std::uint64_t bytes);
    void sync(std::uint32_t warp, std::uint32_t mask, std::uint32_t lanes) {
        order_.sync(warp, mask, lanes);
    }
    PendingCopies& copies() { return copies_; }
    /// A thread comes to a barrier of the block, by the call that returns to `pc`.
    void arrive(std::uint32_t barrier, std::uint32_t thread, bool waits, std::uintptr_t pc);
    void open(std::uint32_t barrier);

private:
    /// Lanes that access an element each, side by side in memory in their order; or one element,
    /// then they may be any.
    struct Row {
        std::uint64_t address;
        std::uint32_t lanes, count;
    };
    struct Step; ///< an access of lanes at one address
    void access_row(std::uint32_t warp, const WatchSite& site, Row row,
                    const std::uint64_t* values);
    bool is_harmless(std::uint32_t warp, const WatchSite& site, const Row& row);
    bool is_harmless(std::uint32_t warp, const WatchSite& site, const Row& row, RaceCells& cells,
                     std::uint32_t offset, const RaceRules& rules);
    std::uint32_t number_of(const WatchSite& site, std::uint32_t warp);
    LiveAccesses live_in_block() const { return {first_number_, grid_->grid()}; }
    LiveAccesses live_in_grid() const { return {grid_->first_number(), grid_->grid()}; }
    void access_at(const Step& step);
    void access_shared(const Step& step, std::uint32_t offset);
    void access_global(const Step& step);
    WatchedPage* hold_page(std::uint64_t address);
    void let_go();
    void look_for_races(const Step& step, RaceCells& cells, std::uint32_t offset,
                        const RaceRules& rules, std::uint32_t hazard);
    void look_for_unwritten(const Step& step, const UnwrittenBits& bits, std::uint32_t hazard);
    bool look_for_copies(const Step& step);
    bool write_same(const Step& step, std::uint32_t from, std::uint32_t bytes) const;
    void group_writes(std::uint32_t warp, std::uint32_t lanes, const WatchSite& site,
                      std::span<const std::uint64_t, 32> addresses, const std::uint64_t* values);
    void report_race(const Step& step, const Race& race, std::uint32_t hazard);

    const Launch* launch_ = nullptr;
    GridWatch* grid_ = nullptr;
    std::uint32_t kinds_ = 0;
    std::uint32_t number_ = 0;         ///< in the grid
    std::uint64_t numbers_grid_ = 0;   ///< whose the numbers below are
    std::uint32_t first_number_ = 1;   ///< of the block's accesses
    std::uint32_t next_ = 0, end_ = 0; ///< numbers that are left
    struct Numbered {
        const WatchSite* site = nullptr;
        std::uint32_t clock = 0, number = 0;
    };
    /// By warp, and a hash of the site: the accesses that got their numbers last.
    std::array<std::array<Numbered, 16>, BlockOrder::kMost> numbered_{};
    std::array<std::uint32_t, 3> ctaid_{};
    std::uint64_t shared_ = 0;
    std::uint32_t shared_bytes_ = 0;
    BlockOrder order_;
    BlockInGrid in_grid_;
    PendingCopies copies_;
    std::unique_ptr<RaceCells> shared_cells_;
    std::vector<std::uint64_t> unwritten_shared_;
    UnwrittenBits shared_bits_;
    WatchedPage* held_ = nullptr; ///< the page whose cells are ours until let_go()
    std::uint64_t held_begin_ = 0;
    struct Arrival {
        std::uintptr_t pc = 0;
        std::uint32_t thread = 0;
    };
    std::array<Arrival, 16> first_arrivals_{};
    std::array<std::uintptr_t, 2> same_line_{}; ///< two calls that are one line
};

} // namespace lathe::soft
