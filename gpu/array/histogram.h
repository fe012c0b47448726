// SPDX-License-Identifier: MIT
// Where values lie among others: binary searches, counts by number and by bins.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/stream.h"

#include <cstdint>
#include <optional>

namespace lathe::gpu {

enum class Side { left, right };

/// int64: before which element of `sorted` (one axis, ascending, NaN last) each of `values` goes,
/// of equal ones before the first (left) or behind the last (right). The shape is that of `values`.
/// With `sorter` sorted[sorter] is ascending. Throws ShapeError, TypeError.
LATHE_API Array searchsorted(const Array& sorted, const Array& values, Side side,
                             const Array* sorter = nullptr,
                             StreamView stream = StreamView::legacy());

struct IntegerRange {
    std::int64_t least, greatest;
};
struct UnsignedRange {
    std::uint64_t least, greatest;
};
struct RealRange {
    double least, greatest; ///< NaN where there is a NaN
};
/// Of an array with elements; all wait for the stream. Throw TypeError for other types: signed
/// integers or bool, unsigned integers, real numbers of any type.
LATHE_API IntegerRange integer_range(const Array& array, StreamView stream = StreamView::legacy());
LATHE_API UnsignedRange unsigned_range(const Array& array,
                                       StreamView stream = StreamView::legacy());
LATHE_API RealRange real_range(const Array& array, StreamView stream = StreamView::legacy());

/// How often each of 0 to bins - 1 is there (int64), or the sum of the weights there (float64,
/// whose last bits depend on the order of additions, which is not fixed). Other numbers are left
/// out. Asynchronous on the stream.
LATHE_API Array bincount(const Array& numbers, std::int64_t bins, const Array* weights = nullptr,
                         StreamView stream = StreamView::legacy());

/// The same by bins between ascending `edges`: of k the bin is [edge k, edge k + 1), the last one
/// with its end. `is_even`: the edges have one distance, which finds bins sooner and changes
/// nothing.
LATHE_API Array histogram(const Array& array, const Array& edges, bool is_even,
                          const Array* weights = nullptr, StreamView stream = StreamView::legacy());

} // namespace lathe::gpu
