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
void lathe_jit_count_lanes(const ThreadContext* t, std::uint64_t* slots,
                           const std::uint64_t* addresses, std::uint32_t size, std::uint32_t mask,
                           std::uint32_t what, std::uint32_t minus);
}

} // namespace lathe::soft::jit
