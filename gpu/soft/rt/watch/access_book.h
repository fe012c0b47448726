// SPDX-License-Identifier: MIT
// Accesses that watched memory remembers have numbers, so that a cell of memory is small: a number
// stands for a place of the source, a block, a warp and its clock. Numbers grow; one that is older
// than what a reader looks at stands for nothing.
#pragma once

#include "gpu/soft/rt/watch/site.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace lathe::soft {

struct NumberedAccess {
    const WatchSite* site = nullptr; ///< null: none
    std::uint32_t block = 0;         ///< of the grid
    std::uint32_t clock = 0;         ///< of the warp
    std::uint32_t warp = 0;          ///< of the block
};

/// Of one process. Thread-safe, if each page is written by who opened it.
class AccessBook {
public:
    static constexpr std::uint32_t kPage = 1024;
    struct Page {
        std::uint64_t grid = 0;
        std::array<NumberedAccess, kPage> accesses;
    };

    static AccessBook& instance();

    /// No access has this number or a greater one yet.
    std::uint32_t next() const { return next_.load(std::memory_order_acquire) * kPage; }
    /// `kPage` numbers for a grid, from the one that is returned; 0 where there are none left.
    std::uint32_t open(std::uint64_t grid);
    Page* page(std::uint32_t number) const {
        return pages_[number / kPage].load(std::memory_order_acquire);
    }
    /// Null where it is not an access of this grid.
    const NumberedAccess* find(std::uint32_t number, std::uint64_t grid) const {
        const Page* const of = page(number);
        return of && of->grid == grid ? &of->accesses[number % kPage] : nullptr;
    }
    /// Gives the memory back. No watched grid may run.
    void drop();
    /// Numbers begin anew, too: no cell may have one.
    void restart();

private:
    AccessBook();
    static constexpr std::uint32_t kPages = ~0u / kPage;
    static constexpr std::size_t kMostPages = 16384; ///< of the grids that run: 400 MB

    std::atomic<std::uint32_t> next_{1}; ///< page; number 0 is no access
    std::atomic<Page*>* pages_ = nullptr;
    std::mutex mutex_;
    std::vector<std::uint32_t> open_;
    bool is_full_ = false;
};

/// The accesses of a grid, or of a block of it, as its readers see them.
class LiveAccesses {
public:
    LiveAccesses(std::uint32_t first, std::uint64_t grid)
        : book_{AccessBook::instance()}, first_{first}, grid_{grid} {}
    /// Null where the number stands for nothing.
    const NumberedAccess* find(std::uint32_t number) const {
        return number < first_ ? nullptr : book_.find(number, grid_);
    }

private:
    const AccessBook& book_;
    std::uint32_t first_; ///< at least 1
    std::uint64_t grid_;
};

} // namespace lathe::soft
