// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/count_calls.h"

#include "engine/core/memory_model.h"

namespace lathe::soft::jit {

namespace {

void count_any(const ThreadContext& t, std::uint64_t* slots, const std::uint64_t* addresses,
               std::uint32_t size, std::uint32_t mask) {
    const auto shared = reinterpret_cast<std::uint64_t>(t.shared);
    std::uint32_t inside = 0;
    for_lanes(mask, [&](unsigned k) {
        inside |= (addresses[k] - shared < t.shared_room - 1 ? 1u : 0u) << k;
    });
    if (inside) {
        slots[3] += bank_degree(addresses, inside, size);
        slots[4] += 1;
    }
    std::uint32_t outside = mask & ~inside;
    constexpr std::uint32_t kLocal = 2, kParameters = 4; // of isspacep
    for_lanes(outside, [&](unsigned k) {
        auto& context = const_cast<ThreadContext&>(t);
        if (lathe_rt_is_space(&context, addresses[k], kLocal) ||
            lathe_rt_is_space(&context, addresses[k], kParameters))
            outside &= ~(1u << k);
    });
    if (!outside) return;
    const auto lanes = static_cast<std::uint32_t>(std::popcount(outside));
    slots[0] += sectors_of(addresses, outside, size);
    slots[1] += 1;
    slots[2] += (std::uint64_t{lanes} * size + kSectorBytes - 1) / kSectorBytes;
}

} // namespace

extern "C" {

void lathe_jit_count_lanes(const ThreadContext* t, std::uint64_t* slots,
                           const std::uint64_t* addresses, std::uint32_t size, std::uint32_t mask,
                           std::uint32_t what, std::uint32_t minus, std::uint64_t* memo) {
    std::uint64_t count = 0;
    switch (CountedWhat{what}) {
    case CountedWhat::sectors: count = sectors_of(addresses, mask, size); break;
    case CountedWhat::banks: count = bank_degree(addresses, mask, size); break;
    case CountedWhat::atomics: count = most_at_one_address(addresses, mask); break;
    case CountedWhat::any: return count_any(*t, slots, addresses, size, mask);
    }
    count -= minus; // modulo 2^64
    *slots += count;
    if (!memo) return;
    for (unsigned k = 0; k < kWarpLanes; ++k) memo[k] = addresses[k] - addresses[0];
    memo[kMemoKey] =
        kMemoUsed | addresses[0] % kSectorBytes << kMemoPlaceShift | std::uint64_t{mask};
    memo[kMemoCount] = count;
}

void lathe_jit_count_row(const ThreadContext* t, std::uint64_t* slots, std::uint64_t first,
                         std::int64_t stride, std::uint32_t size, std::uint32_t mask,
                         std::uint32_t what, std::uint32_t minus) {
    std::uint64_t addresses[kWarpLanes];
    for (unsigned k = 0; k < kWarpLanes; ++k)
        addresses[k] = first + static_cast<std::uint64_t>(stride) * k;
    lathe_jit_count_lanes(t, slots, addresses, size, mask, what, minus, nullptr);
}

} // extern "C"

} // namespace lathe::soft::jit
