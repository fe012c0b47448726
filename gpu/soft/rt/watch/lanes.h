// SPDX-License-Identifier: MIT
// Sets of lanes, or of warps, as bits.
#pragma once

#include <bit>
#include <cstdint>

namespace lathe::soft {

inline std::uint32_t lowest_lane(std::uint32_t lanes) {
    return static_cast<std::uint32_t>(std::countr_zero(lanes));
}
/// `count` lanes, 1 to 32.
inline std::uint32_t lanes_from(std::uint32_t first, std::uint32_t count) {
    return ~0u >> (32 - count) << first;
}
/// In ascending order.
template <class F> void each_bit(std::uint32_t lanes, F f) {
    for (; lanes; lanes &= lanes - 1) f(lowest_lane(lanes));
}

} // namespace lathe::soft
