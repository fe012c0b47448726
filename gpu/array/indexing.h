// SPDX-License-Identifier: MIT
// Elements by indices that are arrays themselves. Offsets are bytes from an array's first element;
// they are computed on the device, and not checked here.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/stream.h"

#include <cstdint>
#include <optional>

namespace lathe::gpu {

/// index * stride + before, elementwise in int64; negative indices count from `size`.
/// `before` may be null. Shapes are broadcast.
LATHE_API Array index_offsets(const Array& index, std::int64_t stride, std::int64_t size,
                              const Array* before, StreamView stream = StreamView::legacy());
/// to[...] = what lies `offsets` from the first element of `from`; `to` has the shape of `offsets`.
/// Both are of one type.
LATHE_API void gather(Array& to, const Array& from, const Array& offsets,
                      StreamView stream = StreamView::legacy());
/// What lies `offsets` from the first element of `to` becomes `values`, broadcast to the offsets'
/// shape. Where offsets are there more than once, one of the values stays. `offsets` is used up.
/// Throws ReadOnlyError.
LATHE_API void scatter(Array& to, Array& offsets, const Array& values,
                       StreamView stream = StreamView::legacy());

} // namespace lathe::gpu
