// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/memory.h"

#include "gpu/soft/drv/pool.h"
#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/watch/unwritten.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::soft {

void fail_out_of_memory(std::size_t bytes) {
    Arena& arena = Arena::instance();
    fail(CUDA_ERROR_OUT_OF_MEMORY,
         fmt::format("{} bytes asked for, {} of {} in use, {} free by what the machine has", bytes,
                     arena.used_bytes(), arena.limit_bytes(), arena.free_bytes()));
}

void* allocate(const Context& context, std::size_t bytes, Allocation::Kind kind, unsigned flags,
               std::string name) {
    void* p = Arena::instance().allocate(bytes);
    if (!p) {
        Pool::trim_all();
        p = Arena::instance().allocate(bytes);
    }
    if (!p) fail_out_of_memory(bytes);
    Registry::instance().add({.begin = reinterpret_cast<std::uintptr_t>(p),
                              .bytes = bytes,
                              .kind = kind,
                              .flags = flags,
                              .context = &context,
                              .name = std::move(name)});
    if (kind == Allocation::Kind::device)
        DeviceUnwritten::instance().allocated(reinterpret_cast<std::uintptr_t>(p), bytes);
    return p;
}

void release(std::uintptr_t begin) {
    const auto removed = Registry::instance().remove(begin);
    if (removed) DeviceUnwritten::instance().written(begin, removed->bytes);
    if (removed && removed->pool) static_cast<Pool*>(removed->pool.get())->give_back(*removed);
    else Arena::instance().release(reinterpret_cast<void*>(begin));
}

Allocation allocation_at(std::uintptr_t p, std::initializer_list<Allocation::Kind> kinds) {
    auto found = Registry::instance().find(p);
    bool ok = found && found->begin == p &&
              std::find(kinds.begin(), kinds.end(), found->kind) != kinds.end();
    if (!ok) fail(CUDA_ERROR_INVALID_VALUE, fmt::format("no such allocation at {:#x}", p));
    return *found;
}

void require_device_range(CUdeviceptr p, std::size_t bytes) {
    if (bytes == 0 || Registry::instance().covers(p, bytes)) return;
    fail(CUDA_ERROR_INVALID_VALUE,
         fmt::format("{} bytes at {:#x}: the range ends {}", bytes, static_cast<std::uintptr_t>(p),
                     describe_address(p + bytes - 1)));
}

bool is_pinned(const void* p, std::size_t bytes) {
    return Registry::instance().covers(reinterpret_cast<std::uintptr_t>(p), bytes);
}

} // namespace lathe::soft
