// SPDX-License-Identifier: MIT
// Sorting by radix (gpu/kernels/lathe_radix.hpp), always stable: equal keys keep their order, -0.0
// equals 0.0, NaN comes last, complex numbers go by the real, then the imaginary part.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/stream.h"

#include <cstdint>

namespace lathe::gpu {

struct SortedArray {
    Array keys;
    Array indices; ///< int64: where along the axis each key was
};

/// Sorted along the axis, in C order. Asynchronous on the stream. Beyond the result it takes memory
/// for another copy of the keys. Throws TypeError for structures, ShapeError.
LATHE_API Array sort(const Array& array, std::int64_t axis,
                     StreamView stream = StreamView::legacy());
/// int64 indices that sort along the axis; memory for two copies of keys and of indices.
LATHE_API Array argsort(const Array& array, std::int64_t axis,
                        StreamView stream = StreamView::legacy());
/// Both at once.
LATHE_API SortedArray sort_with_indices(const Array& array, std::int64_t axis,
                                        StreamView stream = StreamView::legacy());

} // namespace lathe::gpu
