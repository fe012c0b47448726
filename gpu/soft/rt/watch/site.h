// SPDX-License-Identifier: MIT
// The contract between code that is watched and those who watch it. Code that is compiled so calls
// these functions before each access of shared and global memory, at each fence, __syncwarp() and
// wait for asynchronous copies; barriers tell by themselves (rt/barrier.cpp).
#pragma once

#include "gpu/soft/rt/abi.h"

#include <cstdint>

namespace lathe::soft {

enum class WatchedKind : std::uint8_t {
    read,
    write,
    atomic,
    // These access nothing:
    fence,
    warp_sync,
    copy_commit, ///< asynchronous copies so far are a group
    copy_wait,   ///< until there are so many groups left; ~0: for all copies
};
enum class WatchedSpace : std::uint8_t { generic, shared, global };

enum WatchedFlags : std::uint8_t {
    kWatchedStrong = 1,  ///< volatile, relaxed, acquire or release: meant for other threads
    kWatchedRelease = 2, ///< what was written before is to be seen by who sees this
    kWatchedAll = 4,     ///< a fence: for other blocks, too
    kWatchedValues = 8,  ///< a write: its values are given
    kWatchedCopy = 16,   ///< a write by an asynchronous copy
};

/// What code knows of one place of the source; lies in the code's constants, which lives as long as
/// the launch. Two texts follow: the file, and the calls around an inlined line ("file:line;...").
struct WatchSite {
    std::uint32_t line;
    std::uint32_t bytes; ///< of one thread's access
    WatchedKind kind;
    WatchedSpace space;
    std::uint8_t flags;

    bool is_atomic() const { return kind == WatchedKind::atomic; }
    /// It is meant for other threads, and sees what they have released.
    bool is_strong() const { return is_atomic() || (flags & kWatchedStrong) != 0; }
    const char* file() const { return reinterpret_cast<const char*>(this) + kTextOffset; }
    static constexpr std::size_t kTextOffset = 12;
};

extern "C" {
/// Lanes of `mask` access first + lane * stride. Where the site has values, lane k writes values[k]
/// and, of more than 8 bytes, values[32 + k].
void lathe_rt_watch_row(ThreadContext* t, const WatchSite* site, std::uint64_t first,
                        std::int64_t stride, std::uint32_t mask, const std::uint64_t* values);
/// The same, each lane at an address of its own.
void lathe_rt_watch_lanes(ThreadContext* t, const WatchSite* site, const std::uint64_t* addresses,
                          std::uint32_t mask, const std::uint64_t* values);
/// The thread of the context alone. Where nothing is accessed `address` is the member mask of a
/// warp_sync, or the number of groups of a copy_wait.
void lathe_rt_watch_one(ThreadContext* t, const WatchSite* site, std::uint64_t address,
                        std::uint64_t low, std::uint64_t high);
}

} // namespace lathe::soft
