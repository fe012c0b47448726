// SPDX-License-Identifier: MIT
// What all blocks of a watched grid share: the cells of global memory, and what its blocks have
// told each other by fences.
#pragma once

#include "gpu/soft/rt/watch/block_order.h"
#include "gpu/soft/rt/watch/race_cells.h"
#include "gpu/soft/rt/watch/race_rules.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace lathe::soft {

/// Cells of a page of device memory.
struct WatchedPage {
    static constexpr std::uint32_t kBytes = 4096;
    std::uint64_t grid = 0; ///< whose they are
    RaceCells cells{kBytes};

    /// Workers get it in the order in which they came: one that waits for what another is to write
    /// would else take it again and again.
    void lock();
    void unlock() { serving_.fetch_add(1, std::memory_order_release); }

private:
    std::atomic<std::uint32_t> next_{0}, serving_{0};
};

/// The cells of device memory, made as pages are touched. Of one process.
class DeviceCells {
public:
    static DeviceCells& instance();

    bool holds(std::uint64_t address) const { return address - first_ < bytes_; }
    /// That of an address; null where it is no device memory, or the memory for cells is spent.
    WatchedPage* page(std::uint64_t address);
    /// Gives all memory back. No watched grid may run.
    void drop();

private:
    DeviceCells();
    std::uint64_t first_ = 0, bytes_ = 0;
    std::atomic<WatchedPage*>* pages_ = nullptr;
    std::mutex mutex_;
    std::vector<std::atomic<WatchedPage*>*> made_; ///< places that have one
    std::uint64_t most_ = 0;
    bool is_full_ = false;
};

class GridWatch {
public:
    GridWatch(std::uint64_t grid, std::uint32_t kinds);
    ~GridWatch();
    GridWatch(const GridWatch&) = delete;
    GridWatch& operator=(const GridWatch&) = delete;

    /// Gives the memory for cells and accesses back, unless a watched grid is left; the last one
    /// does then.
    static void drop_cells();

    std::uint64_t grid() const { return grid_; }
    /// Accesses of this grid have this number or a greater one.
    std::uint32_t first_number() const { return first_number_; }
    std::uint32_t kinds() const { return kinds_; } ///< of Hazard

    /// A block's fence: what its warps did up to these clocks may be seen by others.
    void release(std::uint32_t block, const BlockOrder::Clocks& clocks);
    /// The time: grows with each release.
    std::uint64_t time() const { return time_.load(std::memory_order_acquire); }
    /// Whether an access was released at that time.
    bool is_released(const NumberedAccess& access, std::uint64_t time);

private:
    struct Released {
        std::uint64_t first_time;
        BlockOrder::Clocks clocks;
    };
    std::uint64_t grid_;
    std::uint32_t kinds_;
    std::uint32_t first_number_;
    std::atomic<std::uint64_t> time_{0};
    std::mutex mutex_;
    std::unordered_map<std::uint32_t, Released> released_;
};

/// The grid as one of its blocks sees it.
class BlockInGrid final : public GridOrder {
public:
    void begin(GridWatch& grid) {
        grid_ = &grid;
        seen_ = 0;
    }
    /// It reads what others have released.
    void acquire() { seen_ = grid_->time(); }
    bool is_before(const NumberedAccess& first) override {
        return seen_ != 0 && grid_->is_released(first, seen_);
    }

private:
    GridWatch* grid_ = nullptr;
    std::uint64_t seen_ = 0;
};

} // namespace lathe::soft
