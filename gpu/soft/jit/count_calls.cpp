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

struct SectorRange {
    std::uint64_t first, last;
};
/// What lanes that lie side by side touch, lane k at first + k * stride: all sectors from the first
/// to the last one, if the stride is 0 to kSectorBytes.
SectorRange range_of(std::uint64_t first, std::int64_t stride, std::uint32_t size,
                     std::uint32_t mask) {
    const auto address = [&](int lane) {
        return first + static_cast<std::uint64_t>(stride) * static_cast<std::uint64_t>(lane);
    };
    return {address(std::countr_zero(mask)) / kSectorBytes,
            (address(31 - std::countl_zero(mask)) + size - 1) / kSectorBytes};
}
bool is_run(std::uint32_t mask) {
    const std::uint32_t lanes = mask >> std::countr_zero(mask);
    return (lanes & (lanes + 1)) == 0;
}
bool is_dense(std::int64_t stride) { return stride >= 0 && stride <= kSectorBytes; }

std::uint64_t memo_key(std::uint64_t first, std::uint32_t mask) {
    return kMemoUsed | first % kSectorBytes << kMemoPlaceShift | std::uint64_t{mask};
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
    memo[kMemoKey] = memo_key(addresses[0], mask);
    memo[kMemoCount] = count;
}

void lathe_jit_count_row(const ThreadContext* t, std::uint64_t* slots, std::uint64_t first,
                         std::int64_t stride, std::uint32_t size, std::uint32_t mask,
                         std::uint32_t what, std::uint32_t minus) {
    if (CountedWhat{what} == CountedWhat::sectors && is_dense(stride) && is_run(mask)) {
        const SectorRange range = range_of(first, stride, size, mask);
        *slots += range.last - range.first + 1 - minus;
        return;
    }
    std::uint64_t addresses[kWarpLanes];
    for (unsigned k = 0; k < kWarpLanes; ++k)
        addresses[k] = first + static_cast<std::uint64_t>(stride) * k;
    lathe_jit_count_lanes(t, slots, addresses, size, mask, what, minus, nullptr);
}

void lathe_jit_count_strips(const ThreadContext* t, std::uint64_t* slots,
                            const std::uint64_t* firsts, std::uint32_t strip, std::int64_t stride,
                            std::uint32_t size, std::uint32_t mask, std::uint32_t what,
                            std::uint32_t minus, std::uint64_t* memo) {
    const std::uint32_t strips = kWarpLanes / strip;
    SectorRange ranges[kWarpLanes];
    std::uint64_t count = 0;
    std::uint32_t known = 0;
    bool are_apart = CountedWhat{what} == CountedWhat::sectors && is_dense(stride);
    for (std::uint32_t r = 0; r < strips && are_apart; ++r) {
        const std::uint32_t lanes = mask >> r * strip & ~(~0u << strip);
        if (!lanes) continue;
        const SectorRange range = range_of(firsts[r], stride, size, lanes);
        are_apart = is_run(lanes);
        for (std::uint32_t k = 0; k < known; ++k)
            are_apart &= range.first > ranges[k].last || range.last < ranges[k].first;
        count += range.last - range.first + 1;
        ranges[known++] = range;
    }
    if (!are_apart) {
        std::uint64_t addresses[kWarpLanes];
        for (std::uint32_t k = 0; k < kWarpLanes; ++k)
            addresses[k] = firsts[k / strip] + static_cast<std::uint64_t>(stride) * (k % strip);
        return lathe_jit_count_lanes(t, slots, addresses, size, mask, what, minus, memo);
    }
    count -= minus;
    *slots += count;
    for (std::uint32_t r = 1; r < strips; ++r) memo[r * strip] = firsts[r] - firsts[0];
    memo[kMemoKey] = memo_key(firsts[0], mask);
    memo[kMemoCount] = count;
}

} // extern "C"

} // namespace lathe::soft::jit
