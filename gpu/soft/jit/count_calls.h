// SPDX-License-Identifier: MIT
// What code that counts calls where a few instructions would not do. Lanes that are off are not in
// `mask`; `minus` is what the table counts for such an access anyway.
#pragma once

#include "gpu/soft/rt/abi.h"

namespace lathe::soft::jit {

/// What lathe_jit_count_* find out.
enum class CountedWhat : std::uint32_t {
    sectors,
    banks,
    atomics,
    /// Of a pointer into an unknown space, to four slots: sectors, global accesses, ideal sectors,
    /// bank conflict degree (and 1 to the fifth where it is shared memory).
    any,
};

extern "C" {
/// Lane k accesses first + k * stride.
void lathe_jit_count_row(const ThreadContext* t, std::uint64_t* slots, std::uint64_t first,
                         std::int64_t stride, std::uint32_t size, std::uint32_t mask,
                         std::uint32_t what, std::uint32_t minus);
/// `memo` (may be null) has kMemoSlots: what comes of lanes at these distances from lane 0. The
/// code looks there before it calls.
void lathe_jit_count_lanes(const ThreadContext* t, std::uint64_t* slots,
                           const std::uint64_t* addresses, std::uint32_t size, std::uint32_t mask,
                           std::uint32_t what, std::uint32_t minus, std::uint64_t* memo);
/// The same for strips of `strip` (a power of two below 32) lanes, `stride` bytes from one to the
/// next, that begin at `firsts`; of the distances the memo has those of the strips' first lanes.
void lathe_jit_count_strips(const ThreadContext* t, std::uint64_t* slots,
                            const std::uint64_t* firsts, std::uint32_t strip, std::int64_t stride,
                            std::uint32_t size, std::uint32_t mask, std::uint32_t what,
                            std::uint32_t minus, std::uint64_t* memo);
}

/// A memo: distances of 32 lanes, its key, what is to be added.
constexpr unsigned kMemoKey = 32, kMemoCount = 33, kMemoSlots = 34;
/// Sectors and banks follow from the distances, where lane 0 lies in its sector, and the lanes that
/// run; 0 is no key.
constexpr std::uint64_t kMemoUsed = std::uint64_t{1} << 40;
constexpr unsigned kMemoPlaceShift = 32;

} // namespace lathe::soft::jit
