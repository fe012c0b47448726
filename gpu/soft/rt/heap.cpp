// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/heap.h"

#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/heap_chunk.h"
#include "gpu/soft/rt/registry.h"
#include "gpu/soft/rt/seen.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

namespace lathe::soft {

namespace {

/// Freed memory that waits before it is given out again, where there is other memory.
constexpr std::size_t kMostWaiting = std::size_t{4} << 20;

/// Memory from the arena: a chunk, from which blocks are cut, or one block that is too large.
struct Region {
    std::size_t bytes = 0;
    std::unique_ptr<HeapChunk> chunk{};
    std::size_t block_bytes = 0; ///< of a large block: as asked for
    bool is_live = false;        ///< a large block
};

struct Heap {
    using Regions = std::map<std::uintptr_t, Region>;

    std::mutex mutex;
    std::size_t capacity = std::size_t{8} << 20, used = 0, waiting = 0, in_chunks = 0;
    std::deque<std::uintptr_t> freed[20]; ///< by size, the oldest first
    std::uintptr_t next = 0, end = 0;     ///< of the newest chunk, what was never given out
    Regions regions;                      ///< large blocks that were freed stay, for messages

    Regions::iterator region_of(std::uintptr_t p);
    std::uintptr_t open(std::size_t bytes);
    std::uintptr_t fresh(std::size_t rounded, std::size_t most_in_chunks);
    std::uintptr_t waited(std::size_t rounded, bool at_once);
    std::uintptr_t allocate(std::size_t bytes, ThreadContext* t);
    std::uintptr_t allocate_large(std::size_t bytes);
    bool release(std::uintptr_t begin, HeapChunk& chunk, std::size_t offset);
    bool release_large(std::uintptr_t begin, Region& region);
};

Heap& heap() {
    static Heap* instance = new Heap;
    return *instance;
}

/// The region that p lies in, or the end.
Heap::Regions::iterator Heap::region_of(std::uintptr_t p) {
    auto at = regions.upper_bound(p);
    if (at == regions.begin()) return regions.end();
    --at;
    return p - at->first < at->second.bytes ? at : regions.end();
}

/// A new region; 0 where there is no memory. Blocks that were in its place once are forgotten.
std::uintptr_t Heap::open(std::size_t bytes) {
    const auto p = reinterpret_cast<std::uintptr_t>(Arena::instance().allocate(bytes));
    if (!p) return 0;
    Registry::instance().add({.begin = p, .bytes = bytes, .kind = Allocation::Kind::heap});
    if (const auto before = region_of(p); before != regions.end()) regions.erase(before);
    regions.erase(regions.lower_bound(p), regions.lower_bound(p + bytes));
    regions[p].bytes = bytes;
    return p;
}

/// Memory of a chunk that was not given out before; 0 where there is none.
std::uintptr_t Heap::fresh(std::size_t rounded, std::size_t most_in_chunks) {
    if (end - next < rounded) {
        if (in_chunks + HeapChunk::kBytes > most_in_chunks) return 0;
        next = open(HeapChunk::kBytes);
        end = next ? next + HeapChunk::kBytes : 0;
        if (!next) return 0;
        in_chunks += HeapChunk::kBytes;
        regions[next].chunk = std::make_unique<HeapChunk>();
    }
    next += rounded;
    return next - rounded;
}

/// Memory that was freed long ago, or at all; 0 where there is none.
std::uintptr_t Heap::waited(std::size_t rounded, bool at_once) {
    if (waiting <= kMostWaiting && !at_once) return 0;
    auto& list = freed[std::countr_zero(rounded)];
    if (list.empty()) return 0;
    const std::uintptr_t p = list.front();
    list.pop_front();
    waiting -= rounded;
    return p;
}

std::uintptr_t Heap::allocate(std::size_t bytes, ThreadContext* t) {
    const std::size_t rounded = HeapChunk::rounded(bytes);
    std::uintptr_t p = waited(rounded, false);
    if (!p) p = fresh(rounded, capacity);
    if (!p) p = waited(rounded, true);
    if (!p) p = fresh(rounded, ~std::size_t{0}); // sizes have changed
    if (!p) return 0;
    const auto& [begin, region] = *region_of(p);
    region.chunk->open(p - begin, bytes);
    if (t && extend_ranges(t->seen, p, rounded)) region.chunk->note_seen(p - begin, rounded);
    return p;
}

std::uintptr_t Heap::allocate_large(std::size_t bytes) {
    const std::uintptr_t p = open(HeapChunk::rounded(bytes));
    if (!p) return 0;
    Region& region = regions[p];
    region.block_bytes = bytes;
    region.is_live = true;
    return p;
}

bool Heap::release(std::uintptr_t begin, HeapChunk& chunk, std::size_t offset) {
    const auto [rounded, was_seen] = chunk.close(offset);
    if (!rounded) return false;
    if (was_seen) BlockRunner::forget_seen(begin, begin + rounded);
    freed[std::countr_zero(rounded)].push_back(begin);
    waiting += rounded;
    used -= rounded;
    return true;
}

bool Heap::release_large(std::uintptr_t begin, Region& region) {
    if (!region.is_live) return false;
    region.is_live = false;
    BlockRunner::forget_seen(begin, begin + region.bytes);
    Registry::instance().remove(begin);
    Arena::instance().release(reinterpret_cast<void*>(begin));
    used -= region.bytes;
    return true;
}

} // namespace

void set_heap_capacity(std::size_t bytes) {
    Heap& h = heap();
    std::lock_guard lock{h.mutex};
    h.capacity = std::max(bytes, HeapChunk::kBytes);
}

void* heap_allocate(std::size_t bytes, ThreadContext* t) {
    if (bytes == 0) return nullptr;
    Heap& h = heap();
    std::lock_guard lock{h.mutex};
    if (bytes > h.capacity) return nullptr;
    const std::size_t rounded = HeapChunk::rounded(bytes);
    if (h.used + rounded > h.capacity) return nullptr;
    const std::uintptr_t p =
        rounded > HeapChunk::kLargest ? h.allocate_large(bytes) : h.allocate(bytes, t);
    if (p) h.used += rounded;
    return reinterpret_cast<void*>(p);
}

bool heap_release(void* p) {
    if (!p) return true;
    Heap& h = heap();
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    std::lock_guard lock{h.mutex};
    const auto at = h.region_of(begin);
    if (at == h.regions.end()) return false;
    auto& [first, region] = *at;
    if (region.chunk) return h.release(begin, *region.chunk, begin - first);
    return begin == first && h.release_large(begin, region);
}

MemoryRange heap_range_of(std::uintptr_t p) {
    Heap& h = heap();
    std::lock_guard lock{h.mutex};
    const auto at = h.region_of(p);
    if (at == h.regions.end()) return {};
    const auto& [begin, region] = *at;
    if (!region.chunk) return {begin, region.is_live ? region.bytes + 1 : 0};
    const HeapChunk::Range found = region.chunk->live_range(p - begin);
    return {begin + found.begin, found.bytes ? found.bytes + 1 : 0};
}

std::string describe_heap_address(std::uintptr_t p, bool inside) {
    Heap& h = heap();
    std::lock_guard lock{h.mutex};
    const auto at = h.region_of(p);
    if (at == h.regions.end()) return {};
    const auto& [region_begin, region] = *at;
    const HeapChunk::Block block = region.chunk
                                       ? region.chunk->block_before(p - region_begin)
                                       : HeapChunk::Block{0, region.block_bytes, region.is_live};
    const std::uintptr_t begin = region_begin + block.begin;
    const std::string what =
        fmt::format("a {}-byte allocation of the device heap at {:#x}{}", block.bytes, begin,
                    block.is_live ? "" : " that was freed");
    if (p < begin + block.bytes) return fmt::format("{} bytes into {}", p - begin, what);
    if (inside) return {};
    return fmt::format("{} bytes past the end of {}", p - begin - block.bytes, what);
}

namespace {

FaultReport report_of_free(const void* p) {
    FaultReport r;
    r.code = CUDA_ERROR_ILLEGAL_ADDRESS;
    r.address = reinterpret_cast<std::uintptr_t>(p);
    const std::string where = describe_heap_address(r.address, true);
    r.message = fmt::format("free() of {:#x}, which malloc() did not give or free() has taken{}{}",
                            r.address, where.empty() ? "" : ": ", where);
    return r;
}

} // namespace

extern "C" {

void* lathe_rt_malloc(ThreadContext* t, std::uint64_t bytes) {
    void* const p = heap_allocate(bytes, t);
    if (p && t->block->watch)
        t->block->watch->allocated(reinterpret_cast<std::uintptr_t>(p), bytes);
    return p;
}

void lathe_rt_free(ThreadContext* t, void* p) {
    if (heap_release(p)) return;
    t->block->runner->stop(fiber_of(t), report_of_free(p), pc_of(__builtin_return_address(0)));
}

} // extern "C"

} // namespace lathe::soft
