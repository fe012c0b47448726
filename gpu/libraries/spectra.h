// SPDX-License-Identifier: MIT
// Singular values by Jacobi's method (G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed.,
// 8.6.3) and eigenvalues of any matrix, by cuSOLVER. Arrays, `info`, errors and order are those of
// cusolver.h.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/stream.h"

namespace lathe::gpu {

/// Stacks of matrices of at most so many rows and columns are one call; they want square `u`.
inline constexpr std::int64_t kMostRowsOfJacobiStacks = 32;

/// Of a (m × n, n ≤ m), which is lost: `values` (count, n), descending; `u` (m × n, or m × m), and
/// `v` (n × n), not conjugated and transposed; both are memory to work in where `wants_vectors` is
/// false. `info` above 0 where the sweeps were not enough: singular_values() has another way.
LATHE_API void singular_values_by_jacobi(Array& a, Array& values, Array& u, Array& v, Array& info,
                                         bool wants_vectors,
                                         StreamView stream = StreamView::legacy());

/// Of a (n × n), which is lost: `values` (count, n), complex, in no order; `vectors` (n × n) or
/// null, of the type of `a`: of a real one those of a conjugated pair are a column of real parts
/// and one of imaginary parts, as LAPACK's geev has them. False, and nothing done, where the
/// library is older than CUDA 12.6. Waits for the stream.
LATHE_API bool eigen_of_any(Array& a, Array& values, Array* vectors, Array& info,
                            StreamView stream = StreamView::legacy());

} // namespace lathe::gpu
