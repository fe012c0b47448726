// SPDX-License-Identifier: MIT
// Factors of dense matrices by cuSOLVER, opened when first used (LATHE_CUSOLVER names a file). What
// NumPy makes of factors is in python/lathe/linalg.
//
// Matrices lie by columns without gaps, `count` of them one after the other: as an array in C order
// they are (count, columns, rows). Types are float32, float64, complex64, complex128; of real
// values (eigenvalues, singular values) the real one. `info` is int32 (count): LAPACK's, above 0
// where a matrix has no such factors, and there to be looked at when the stream has come so far.
// All functions are asynchronous on the stream, unless the library wants memory of the host. They
// throw LibraryMissing, LibraryError (the library's status), lathe::Error (arrays that do not fit).
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/stream.h"

namespace lathe::gpu {

/// a (n × n) becomes L and U; `pivots` int64 (count, n), from 1 on.
LATHE_API void factor_lu(Array& a, Array& pivots, Array& info,
                         StreamView stream = StreamView::legacy());
/// b (n × k) becomes a^-1 · b.
LATHE_API void solve_by_lu(const Array& lu, const Array& pivots, Array& b, Array& info,
                           StreamView stream = StreamView::legacy());
/// The lower triangle of a (n × n) becomes L; the other one is left as it is.
LATHE_API void factor_cholesky(Array& a, Array& info, StreamView stream = StreamView::legacy());
/// a (m × n) becomes R and below it reflectors; `tau` (count, min(m, n)).
LATHE_API void factor_qr(Array& a, Array& tau, Array& info,
                         StreamView stream = StreamView::legacy());
/// a (m × n, n ≤ m) with reflectors in its first columns becomes the columns of Q.
LATHE_API void expand_q(Array& a, const Array& tau, Array& info,
                        StreamView stream = StreamView::legacy());
/// `values` (count, n), ascending; a becomes the eigenvectors, or is lost.
LATHE_API void eigen_of_hermitian(Array& a, Array& values, Array& info, bool is_lower,
                                  bool wants_vectors, StreamView stream = StreamView::legacy());
/// Of a (m × n, n ≤ m), which is lost: `values` (count, n), descending; `u` (m × n, or m × m), `vh`
/// (n × n); both null where they are not wanted.
LATHE_API void singular_values(Array& a, Array& values, Array* u, Array* vh, Array& info,
                               StreamView stream = StreamView::legacy());

} // namespace lathe::gpu
