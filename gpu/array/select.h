// SPDX-License-Identifier: MIT
// Elements that meet a condition, in their order: by a mask, non-zero ones, those that differ from
// all before. Results' sizes are known on the device first, so these functions wait for the stream.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/stream.h"

#include <cstdint>
#include <vector>

namespace lathe::gpu {

/// The elements of `array`, read in C order, where `mask` is not zero: one axis. The shapes must be
/// one (ShapeError).
LATHE_API Array compress(const Array& mask, const Array& array,
                         StreamView stream = StreamView::legacy());
/// int64 indices along each axis of the elements that are not zero, in C order.
LATHE_API std::vector<Array> nonzero(const Array& array, StreamView stream = StreamView::legacy());
/// The same as one index in C order.
LATHE_API Array flat_nonzero(const Array& array, StreamView stream = StreamView::legacy());

struct UniqueArray {
    Array values;  ///< sorted; NaNs count as one value, at the end
    Array indices; ///< int64: where each value is first
    Array inverse; ///< int64: which value each element is, in C order
    Array counts;  ///< int64: how often
};
/// The last three only where asked for.
struct UniqueParts {
    bool indices = false, inverse = false, counts = false;
};
LATHE_API UniqueArray unique(const Array& array, const UniqueParts& parts = {},
                             StreamView stream = StreamView::legacy());

} // namespace lathe::gpu
