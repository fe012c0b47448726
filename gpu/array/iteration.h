// SPDX-License-Identifier: MIT
// How a kernel walks several arrays at once: operands of one shape become loops with as few axes as
// their strides allow, in the order of memory.
#pragma once

#include "gpu/array/layout.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lathe::gpu {

struct Iteration {
    static constexpr std::size_t kMostOperands = 16;

    Extents shape;                              ///< slowest axis first; no axis of one element
    std::array<Extents, kMostOperands> strides; ///< bytes, of each operand
    std::array<std::int64_t, kMostOperands>
        offsets{}; ///< bytes from an operand's address to where it begins
    std::int64_t count = 0;

    /// Every operand has its elements one after the other, or one element for all.
    bool is_flat(std::span<const std::size_t> item_bytes) const noexcept;
    /// Whether 31 bits hold the count and all offsets.
    bool is_narrow() const noexcept;
};

/// The operands have one shape (broadcast_to). The order is that of the first one's memory, then of
/// the others'; axes that it walks backwards are turned around.
Iteration plan(const Extents& shape, std::span<const Layout* const> operands);

/// The layout of a new array that operands of one shape are computed into: compact, its axes in
/// their order where they agree, C order where not. NumPy's "K".
Layout result_layout(const Extents& shape, std::span<const Layout* const> operands,
                     std::size_t item_bytes);

} // namespace lathe::gpu
