// SPDX-License-Identifier: MIT
// A product of matrices as BLAS describes it, and how products of arrays become such descriptions.
// No memory is touched here and no library is needed.
//
// BLAS has columns contiguous, arrays mostly rows. A matrix by rows is its transpose by columns,
// and (A B)^T = B^T A^T: for a result by rows the operands change places, and nothing is copied.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/layout.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lathe::gpu {

/// A matrix, or `count` of them, in BLAS's words. Numbers count elements.
struct GemmMatrix {
    bool transposed = false;
    std::int64_t leading = 1; ///< from one column to the next, as the matrix lies in memory
    std::int64_t stride = 0;  ///< from one matrix to the next; 0: the same one for all
    std::int64_t offset = 0;  ///< of the first one, from the array's address
    bool operator==(const GemmMatrix&) const = default;
};

/// result (m × n) = first (m × k) · second (k × n), by columns, `count` times.
struct Gemm {
    std::int64_t m = 0, n = 0, k = 0, count = 1;
    GemmMatrix first, second, result;
    bool is_swapped = false; ///< `first` is the right operand
};

/// Whether BLAS can take the array's last two axes as they are: one of them contiguous, the other
/// forward and without overlap.
LATHE_API bool is_gemm_operand(const Layout& layout, std::size_t item_bytes);

/// The calls that make c = a · b: a (…, m, k), b (…, k, n), c (…, m, n), the axes before the same
/// sizes for all three (broadcast_to), none 0. One call where the axes before can be joined to one
/// stride, else more. Empty unless each is_gemm_operand and strides are whole elements.
LATHE_API std::optional<std::vector<Gemm>> plan_gemm(const Layout& a, const Layout& b,
                                                     const Layout& c, std::size_t item_bytes);

} // namespace lathe::gpu
