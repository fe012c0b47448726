// SPDX-License-Identifier: MIT
// Fourier transforms of arrays by cuFFT, which is opened when first used. Plans are kept; their
// work areas come from the arrays' pool for each call. What NumPy's functions need around it
// (lengths, axes, scaling) is in lathe/fft.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/stream.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lathe::gpu {

/// `count` transforms of 1 to 3 axes. Complex to complex, real to complex or complex to real, as
/// the arrays' types say; of n reals there are n / 2 + 1 complex numbers along the last axis.
struct Fft {
    std::vector<std::int64_t> sizes; ///< of the axes, as of reals; slowest first
    /// Elements between neighbours along the last axis, and between transforms. Axes before the
    /// last one have no gaps between them.
    std::int64_t in_stride = 1, in_distance = 0, out_stride = 1, out_distance = 0;
    std::int64_t count = 1;
    bool is_inverse = false; ///< of complex to complex; nothing is divided by the size
};

/// Asynchronous on `stream`; plans are made by the first call of their kind, which may take
/// milliseconds. `in` and `out` may be one array for complex to complex of one layout; complex to
/// real overwrites `in`. Sizes are at least 1, and are not compared with the arrays'.
/// Throws LibraryMissing (LATHE_CUFFT names a file), LibraryError, TypeError for types that are
/// not float32, float64, complex64 or complex128 or do not fit each other, gpu::Error (out of
/// memory).
LATHE_API void run_fft(const Fft& fft, const Array& in, Array& out, StreamView stream);

/// Plans are kept for each context and stream, so many in all; the one used longest ago goes first.
inline constexpr std::size_t kMostFftPlans = 64;
/// How many there are now. Thread-safe.
LATHE_API std::size_t fft_plan_count();

} // namespace lathe::gpu
