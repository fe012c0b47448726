// SPDX-License-Identifier: MIT
// What a reduction is in a kernel: which types it computes in, what it does to an element first,
// and the states of kernels/lathe_reductions.hpp that it uses.
#pragma once

#include "gpu/array/reduction.h"

#include <string>

namespace lathe::gpu {

struct ReductionRule {
    std::string state;   ///< "lathe::Sum<float>"
    std::string element; ///< an expression in x0 (and x1), as they are in memory
    DType result;
};

/// For elements of type `a` (and `b`). Norms differ by what norm_class says of their order.
ReductionRule rule_of(Reduction reduction, DType a, DType b, std::optional<DType> dtype,
                      double parameter);

/// 0: nonzero elements, 1: sum, 2: Euclidean, 3: greatest, 4: least, 5: any other power.
unsigned norm_class(double order) noexcept;

/// Whether there is a value of no elements.
bool has_identity(Reduction reduction, double parameter) noexcept;

} // namespace lathe::gpu
