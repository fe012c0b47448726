// SPDX-License-Identifier: MIT
// Device memory: one large reservation without access, of which allocations open whole pages.
// Every allocation ends as near to a page without access as its 256-byte alignment allows, so that
// running over its end is a fault and not a silent write into a neighbour.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>

namespace lathe::soft {

class Arena {
public:
    /// Bytes that the machine still has, less what should stay free.
    using Spare = std::function<std::size_t()>;

    /// Reserves address space only. `limit_bytes` is what may be open at one time; where `spare`
    /// is given, what the machine can back besides what is open counts, too.
    Arena(std::size_t reserved_bytes, std::size_t limit_bytes, Spare spare = {});
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// The arena of the process: the machine's memory, or what control groups allow of it, less an
    /// eighth of it (256 MiB to 4 GiB) as a reserve. LATHE_SOFT_MEMORY_MB overrides, without a
    /// reserve. Lives until the process ends.
    static Arena& instance();

    /// Opens memory for `bytes` (at least 1), aligned to 256. Null where memory or limit is spent.
    /// Contents are unspecified: a block may be a recycled one. Thread-safe.
    void* allocate(std::size_t bytes);
    /// Closes a block again; touching it faults until it is handed out anew. It is kept for blocks
    /// of its size: beyond 256 MiB of such blocks the machine may take their memory when it wants
    /// it, beyond 512 MiB it has all of it at once.
    void release(void* block);
    /// As release, but its memory stays in use, for reopen: what memory pools hold.
    void close(void* block);
    /// Gives the machine the memory of a closed block, which keeps its place: its contents go.
    void drop(void* block);
    /// Opens a closed block for `bytes`, which have to take as much memory. Contents unspecified.
    void* reopen(void* block, std::size_t bytes);
    /// The memory that a block of `bytes` takes.
    static std::size_t block_bytes(std::size_t bytes);

    /// A file of the block's memory that other processes can map.
    struct Shared {
        int file = -1; ///< the arena's, closed with the block; -1 where there is no memory for it
        std::size_t offset = 0, bytes = 0; ///< of the block in it, and of the whole file
    };
    /// Moves an open block's memory into such a file, if it is not in one. Nothing may use the
    /// block meanwhile; it keeps its address and contents.
    Shared share(void* block);

    /// The address space that allocations come from.
    std::uintptr_t first_address() const { return reinterpret_cast<std::uintptr_t>(base_); }
    std::size_t reserved_bytes() const;
    bool contains(const void* p) const;
    std::size_t limit_bytes() const { return limit_; }
    std::size_t used_bytes() const;
    /// What could be opened now, of the limit and of what the machine has.
    std::size_t free_bytes();

private:
    using Clock = std::chrono::steady_clock;
    struct Run {
        std::size_t page, pages;
        bool is_touched = false; ///< all its pages are known to be in memory
        int file = -1;           ///< of a shared block
    };
    struct Closed {
        std::size_t page;
        bool is_offered; ///< the machine may take its memory
    };
    bool has_room(std::size_t bytes);
    void look();
    std::size_t untouched_bytes();
    void unshare(const Run& run);
    std::size_t take_pages(std::size_t pages);
    void give_pages(Run run);
    void drop_closed_blocks();
    void offer_closed_blocks();
    std::byte* address_of(std::size_t page) const;

    std::byte* base_ = nullptr;
    std::size_t pages_, limit_;
    Spare spare_;
    mutable std::mutex mutex_;
    std::map<std::size_t, std::size_t> free_;          ///< first page → pages, never touched
    std::map<std::size_t, std::deque<Closed>> closed_; ///< by pages, ready for reuse
    std::unordered_map<void*, Run> open_;
    std::size_t used_ = 0, closed_bytes_ = 0, unoffered_bytes_ = 0;
    std::size_t budget_;         ///< may be open by the last look at the machine
    std::size_t since_look_ = 0; ///< bytes opened since then
    Clock::time_point looked_{};
};

} // namespace lathe::soft
