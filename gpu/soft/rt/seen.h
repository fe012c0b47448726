// SPDX-License-Identifier: MIT
// Where threads found memory last (ThreadContext::seen): written by the worker that runs them,
// cleared by any worker whose thread frees that memory.
#pragma once

#include "gpu/soft/rt/access.h"

#include <atomic>
#include <cstdint>

namespace lathe::soft {

inline void store_range(MemoryRange& to, const MemoryRange& range) {
    std::atomic_ref{to.room}.store(0, std::memory_order_relaxed);
    std::atomic_ref{to.begin}.store(range.begin, std::memory_order_relaxed);
    std::atomic_ref{to.room}.store(range.room, std::memory_order_relaxed);
}
inline MemoryRange load_range(const MemoryRange& from) {
    auto& range = const_cast<MemoryRange&>(from); // as std::atomic_ref wants it
    return {std::atomic_ref{range.begin}.load(std::memory_order_relaxed),
            std::atomic_ref{range.room}.load(std::memory_order_relaxed)};
}
inline void clear_range(MemoryRange& range, std::uint64_t address) {
    if (load_range(range).holds(address, 1))
        std::atomic_ref{range.room}.store(0, std::memory_order_relaxed);
}

} // namespace lathe::soft
