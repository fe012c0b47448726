// SPDX-License-Identifier: MIT
// From texture coordinates to texels and weights: what reads of one lane and of a warp share, so
// that both give the same bits.
#pragma once

#include "gpu/soft/rt/texture.h"

#include <algorithm>
#include <cmath>

namespace lathe::soft {

/// The index that the address mode gives; -1: border.
inline std::int32_t addressed(std::int32_t i, std::int32_t n, Address mode) {
    if (static_cast<std::uint32_t>(i) < static_cast<std::uint32_t>(n)) return i;
    switch (mode) {
    case Address::wrap: {
        std::int32_t r = i % n;
        return r < 0 ? r + n : r;
    }
    case Address::mirror: {
        std::int32_t r = i % (2 * n);
        if (r < 0) r += 2 * n;
        return r < n ? r : 2 * n - 1 - r;
    }
    case Address::border: return -1;
    default: return i < 0 ? 0 : n - 1;
    }
}

/// The next integer at or below, of numbers up to 1e9.
inline std::int32_t floor_to_int(float x) {
    const auto i = static_cast<std::int32_t>(x);
    return i - (static_cast<float>(i) > x);
}

/// A coordinate in texels, safe to convert to an integer. `n` texels are the length of the axis.
inline float in_texels(float x, std::int32_t n, bool normalized, bool wraps) {
    if (normalized) {
        // Beyond 2^23 a float has no fraction left; wrapping first keeps what there is.
        if (wraps) x -= std::fabs(x) < 0x1p23f ? static_cast<float>(floor_to_int(x)) : x;
        x *= static_cast<float>(n);
    }
    return x == x ? std::min(std::max(x, -1e9f), 1e9f) : 0.0f;
}

/// The lower of two texels that a filter reads, of a coordinate with 8 bits of fraction.
inline std::int32_t lower_texel(float x) {
    const std::int32_t whole = floor_to_int(x);
    return whole + (x - static_cast<float>(whole) >= 511.0f / 512);
}

/// Fractions of filters have 8 bits; 0 to 1, both included.
inline float to_fraction(float x) {
    return static_cast<float>(static_cast<std::int32_t>(x * 256.0f + 0.5f)) * (1.0f / 256.0f);
}

} // namespace lathe::soft
