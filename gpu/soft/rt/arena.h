// SPDX-License-Identifier: MIT
// Device memory: one large reservation without access, of which allocations open whole pages.
// Every allocation ends as near to a page without access as its 256-byte alignment allows, so that
// running over its end is a fault and not a silent write into a neighbour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

namespace lathe::soft {

class Arena {
public:
    /// Reserves address space only. `limit_bytes` is what may be open at one time.
    Arena(std::size_t reserved_bytes, std::size_t limit_bytes);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// The arena of the process: 64 GiB reserved, three quarters of the machine's memory usable
    /// (LATHE_SOFT_MEMORY_MB overrides). Lives until the process ends.
    static Arena& instance();

    /// Opens memory for `bytes` (at least 1), aligned to 256. Null where memory or limit is spent.
    /// Contents are unspecified: a block may be a recycled one. Thread-safe.
    void* allocate(std::size_t bytes);
    /// Closes a block again; touching it faults until it is handed out anew.
    void release(void* block);
    /// As release, but its memory stays in use, for reopen: what memory pools hold.
    void close(void* block);
    /// Opens a closed block for `bytes`, which have to take as much memory. Contents unspecified.
    void* reopen(void* block, std::size_t bytes);
    /// The memory that a block of `bytes` takes.
    static std::size_t block_bytes(std::size_t bytes);

    bool contains(const void* p) const;
    std::size_t limit_bytes() const { return limit_; }
    std::size_t used_bytes() const;

private:
    struct Run {
        std::size_t page, pages;
    };
    std::size_t take_pages(std::size_t pages);
    void give_pages(Run run);
    void drop_closed_blocks();
    std::byte* address_of(std::size_t page) const;

    std::byte* base_ = nullptr;
    std::size_t pages_, limit_;
    mutable std::mutex mutex_;
    std::map<std::size_t, std::size_t> free_; ///< first page → pages, never touched
    std::map<std::size_t, std::deque<std::size_t>>
        closed_; ///< pages → first pages, ready for reuse
    std::unordered_map<void*, Run> open_;
    std::size_t used_ = 0, closed_bytes_ = 0;
};

} // namespace lathe::soft
