// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/heap.h"

#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/registry.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace lathe::soft {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

// Sizes are rounded to powers of two (16 bytes to 512 KiB) cut from chunks; larger blocks come
// from the arena directly, with its guard pages.
struct Heap {
    std::mutex mutex;
    std::size_t capacity = std::size_t{8} << 20, used = 0;
    std::vector<void*> free[20];
    std::byte *chunk = nullptr, *chunk_end = nullptr;
    std::unordered_map<void*, std::size_t> live; ///< rounded bytes
};

Heap& heap() {
    static Heap* instance = new Heap;
    return *instance;
}

void* arena_block(std::size_t bytes) {
    void* p = Arena::instance().allocate(bytes);
    if (p)
        Registry::instance().add({.begin = reinterpret_cast<std::uintptr_t>(p),
                                  .bytes = bytes,
                                  .kind = Allocation::Kind::heap});
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
    std::size_t rounded = std::bit_ceil(std::max<std::size_t>(bytes, 16));
    if (h.used + rounded > h.capacity) return nullptr;
    void* p = nullptr;
    if (rounded > kChunk / 2) {
        p = arena_block(rounded);
    } else if (auto& list = h.free[std::countr_zero(rounded)]; !list.empty()) {
        p = list.back();
        list.pop_back();
    } else {
        if (static_cast<std::size_t>(h.chunk_end - h.chunk) < rounded) {
            h.chunk = static_cast<std::byte*>(arena_block(kChunk));
            h.chunk_end = h.chunk ? h.chunk + kChunk : nullptr;
        }
        if (h.chunk) {
            p = h.chunk;
            h.chunk += rounded;
        }
    }
    if (!p) return nullptr;
    h.live.emplace(p, rounded);
    h.used += rounded;
    return p;
}

bool heap_release(void* p) {
    if (!p) return true;
    Heap& h = heap();
    std::lock_guard lock{h.mutex};
    auto it = h.live.find(p);
    if (it == h.live.end()) return false;
    std::size_t rounded = it->second;
    h.live.erase(it);
    h.used -= rounded;
    if (rounded > kChunk / 2) {
        Registry::instance().remove(reinterpret_cast<std::uintptr_t>(p));
        Arena::instance().release(p);
    } else {
        h.free[std::countr_zero(rounded)].push_back(p);
    }
    return true;
}

extern "C" {

void* lathe_rt_malloc(ThreadContext*, std::uint64_t bytes) { return heap_allocate(bytes); }

void lathe_rt_free(ThreadContext* t, void* p) {
    if (heap_release(p)) return;
    FaultReport r;
    r.code = CUDA_ERROR_ILLEGAL_ADDRESS;
    r.address = reinterpret_cast<std::uintptr_t>(p);
    r.message = "free() of a pointer that malloc() did not give, or twice";
    t->block->runner->stop(fiber_of(t), std::move(r), pc_of(__builtin_return_address(0)));
}

} // extern "C"

} // namespace lathe::soft
