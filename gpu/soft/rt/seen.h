// SPDX-License-Identifier: MIT
// Where threads found memory last (ThreadContext::seen): written by the worker that runs them,
// cleared by any worker whose thread frees that memory. Where memory of the heap is given out or
// freed the heap's lock is held.
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

// By the worker that runs the thread, which so keeps most of what it has found:

/// A part of the range is freed: what is left of it is the larger part on one side. Of a range that
/// was freed as a whole the place stays, behind which memory may follow.
inline void cut_range(MemoryRange& range, std::uint64_t begin, std::uint64_t end) {
    const MemoryRange now = load_range(range);
    if (!now.holds(begin, 1)) return;
    const std::uint64_t last = now.begin + now.room - 1;
    const std::uint64_t below = begin - now.begin, above = last > end ? last - end : 0;
    store_range(range,
                below > above ? MemoryRange{now.begin, below + 1} : MemoryRange{end, above + 1});
}
/// Ranges beside new memory reach over it; whether there are any.
inline bool extend_ranges(MemoryRange (&ranges)[kSeenRanges], std::uint64_t begin,
                          std::uint64_t bytes) {
    bool any = false;
    for (MemoryRange& range : ranges) {
        const MemoryRange now = load_range(range);
        if (!now.room) continue;
        const bool follows = now.begin + now.room - 1 == begin, leads = begin + bytes == now.begin;
        if (!follows && !leads) continue;
        store_range(range, {leads ? begin : now.begin, now.room + bytes});
        any = true;
    }
    return any;
}

} // namespace lathe::soft
