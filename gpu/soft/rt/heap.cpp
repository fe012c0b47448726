// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/heap.h"

#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <mutex>

namespace lathe::soft {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
/// Freed memory that waits before it is given out again, where there is other memory.
constexpr std::size_t kMostWaiting = std::size_t{4} << 20;

struct Block {
    std::size_t bytes = 0, rounded = 0;
    bool is_live = false;
};

// Sizes are rounded to powers of two (16 bytes to 512 KiB) cut from chunks; larger blocks come
// from the arena directly, with its guard pages.
struct Heap {
    std::mutex mutex;
    std::size_t capacity = std::size_t{8} << 20, used = 0, waiting = 0, in_chunks = 0;
    std::deque<std::uintptr_t> freed[20]; ///< by size, the oldest first
    std::uintptr_t chunk = 0, chunk_end = 0;
    std::map<std::uintptr_t, Block> blocks;           ///< live ones, and those that wait
    std::map<std::uintptr_t, std::uintptr_t> extents; ///< of live ones, begin to end, joined

    void open(std::uintptr_t begin, std::uintptr_t end);
    void close(std::uintptr_t begin, std::uintptr_t end);
    std::uintptr_t fresh(std::size_t rounded, std::size_t most_in_chunks);
    std::uintptr_t waited(std::size_t rounded, bool at_once);
};

Heap& heap() {
    static Heap* instance = new Heap;
    return *instance;
}

std::uintptr_t arena_block(std::size_t bytes) {
    const auto p = reinterpret_cast<std::uintptr_t>(Arena::instance().allocate(bytes));
    if (p) Registry::instance().add({.begin = p, .bytes = bytes, .kind = Allocation::Kind::heap});
    return p;
}

void Heap::open(std::uintptr_t begin, std::uintptr_t end) {
    auto next = extents.lower_bound(begin);
    if (next != extents.end() && next->first == end) {
        end = next->second;
        next = extents.erase(next);
    }
    if (next != extents.begin() && std::prev(next)->second == begin) std::prev(next)->second = end;
    else extents.emplace_hint(next, begin, end);
}

void Heap::close(std::uintptr_t begin, std::uintptr_t end) {
    const auto at = std::prev(extents.upper_bound(begin));
    const auto [first, last] = *at;
    if (first == begin) extents.erase(at);
    else at->second = begin;
    if (end < last) extents.emplace(end, last);
}

/// Memory that was not given out before; 0 where there is none.
std::uintptr_t Heap::fresh(std::size_t rounded, std::size_t most_in_chunks) {
    if (rounded > kChunk / 2) return arena_block(rounded);
    if (chunk_end - chunk < rounded) {
        if (in_chunks + kChunk > most_in_chunks) return 0;
        chunk = arena_block(kChunk);
        chunk_end = chunk ? chunk + kChunk : 0;
        in_chunks += chunk ? kChunk : 0;
    }
    if (!chunk) return 0;
    chunk += rounded;
    return chunk - rounded;
}

/// Memory that was freed long ago, or at all; 0 where there is none.
std::uintptr_t Heap::waited(std::size_t rounded, bool at_once) {
    if (rounded > kChunk / 2 || (waiting <= kMostWaiting && !at_once)) return 0;
    auto& list = freed[std::countr_zero(rounded)];
    if (list.empty()) return 0;
    const std::uintptr_t p = list.front();
    list.pop_front();
    waiting -= rounded;
    return p;
}

} // namespace

void set_heap_capacity(std::size_t bytes) {
    Heap& h = heap();
    std::lock_guard lock{h.mutex};
    h.capacity = std::max(bytes, kChunk);
}

void* heap_allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    Heap& h = heap();
    std::lock_guard lock{h.mutex};
    if (bytes > h.capacity) return nullptr;
    const std::size_t rounded = std::bit_ceil(std::max<std::size_t>(bytes, 16));
    if (h.used + rounded > h.capacity) return nullptr;
    std::uintptr_t p = h.waited(rounded, false);
    if (!p) p = h.fresh(rounded, h.capacity);
    if (!p) p = h.waited(rounded, true);
    if (!p) p = h.fresh(rounded, ~std::size_t{0}); // sizes have changed
    if (!p) return nullptr;
    h.blocks[p] = {bytes, rounded, true};
    h.open(p, p + rounded);
    h.used += rounded;
    return reinterpret_cast<void*>(p);
}

bool heap_release(void* p) {
    if (!p) return true;
    Heap& h = heap();
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    std::lock_guard lock{h.mutex};
    const auto it = h.blocks.find(begin);
    if (it == h.blocks.end() || !it->second.is_live) return false;
    const std::size_t rounded = it->second.rounded;
    it->second.is_live = false;
    h.close(begin, begin + rounded);
    h.used -= rounded;
    BlockRunner::forget_seen(begin);
    if (rounded > kChunk / 2) {
        Registry::instance().remove(begin);
        Arena::instance().release(p);
    } else {
        h.freed[std::countr_zero(rounded)].push_back(begin);
        h.waiting += rounded;
    }
    return true;
}

MemoryRange heap_range_of(std::uintptr_t p) {
    Heap& h = heap();
    std::lock_guard lock{h.mutex};
    const auto next = h.extents.upper_bound(p);
    if (next == h.extents.begin()) return {};
    const auto [begin, end] = *std::prev(next);
    return p < end ? MemoryRange{begin, end - begin + 1} : MemoryRange{};
}

std::string describe_heap_address(std::uintptr_t p, bool inside) {
    Heap& h = heap();
    std::lock_guard lock{h.mutex};
    const auto next = h.blocks.upper_bound(p);
    if (next == h.blocks.begin()) return {};
    const auto& [begin, block] = *std::prev(next);
    const std::string what =
        fmt::format("a {}-byte allocation of the device heap at {:#x}{}", block.bytes, begin,
                    block.is_live ? "" : " that was freed");
    if (p < begin + block.bytes) return fmt::format("{} bytes into {}", p - begin, what);
    if (inside) return {};
    return fmt::format("{} bytes past the end of {}", p - begin - block.bytes, what);
}

extern "C" {

void* lathe_rt_malloc(ThreadContext*, std::uint64_t bytes) { return heap_allocate(bytes); }

void lathe_rt_free(ThreadContext* t, void* p) {
    if (heap_release(p)) return;
    FaultReport r;
    r.code = CUDA_ERROR_ILLEGAL_ADDRESS;
    r.address = reinterpret_cast<std::uintptr_t>(p);
    const std::string where = describe_heap_address(r.address, true);
    r.message = fmt::format("free() of {:#x}, which malloc() did not give or free() has taken{}{}",
                            r.address, where.empty() ? "" : ": ", where);
    t->block->runner->stop(fiber_of(t), std::move(r), pc_of(__builtin_return_address(0)));
}

} // extern "C"

} // namespace lathe::soft
