// SPDX-License-Identifier: MIT
// Factors of many small matrices in one call each, by cuBLAS and cuSOLVER. Arrays, `info`, errors
// and order are those of cusolver.h, which takes one matrix after the other: the better way for
// few or large ones.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/stream.h"

namespace lathe::gpu {

/// a (n × n) becomes L and U; `pivots` int32 (count, n), from 1 on.
LATHE_API void factor_many_lu(Array& a, Array& pivots, Array& info,
                              StreamView stream = StreamView::legacy());
/// b (n × k) becomes a^-1 · b.
LATHE_API void solve_many_by_lu(const Array& lu, const Array& pivots, Array& b,
                                StreamView stream = StreamView::legacy());
/// The lower triangle of a (n × n) becomes L; the other one is lost.
LATHE_API void factor_many_cholesky(Array& a, Array& info,
                                    StreamView stream = StreamView::legacy());
/// As eigen_of_hermitian. False, and nothing done, where the library is older than CUDA 12.6.
LATHE_API bool eigen_of_many_hermitian(Array& a, Array& values, Array& info, bool is_lower,
                                       bool wants_vectors,
                                       StreamView stream = StreamView::legacy());

} // namespace lathe::gpu
