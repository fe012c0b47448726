// SPDX-License-Identifier: MIT
// Products of arrays with NumPy's rules, by cuBLAS; of integers and bool by a kernel of our own.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/array/elementwise.h"
#include "gpu/stream.h"

#include <optional>

namespace lathe::gpu {

/// NumPy's rules for the shapes of a product: axes before the last two broadcast, an array of one
/// dimension is a row on the left and a column on the right, whose axis the result lacks.
struct ProductShape {
    Layout left, right; ///< of the operands as matrices, broadcast to the same axes before
    Extents matrices;   ///< the result with both axes of a matrix
    Extents result;     ///< as NumPy gives it
};
/// Throws ShapeError with both shapes.
LATHE_API ProductShape product_shape(const Layout& a, const Layout& b);

struct MatmulOptions {
    Array* out = nullptr;       ///< of the result's shape, of a type that it casts to
    std::optional<DType> dtype; ///< to compute in; NumPy's common type unless given
    const Allocate* allocate = nullptr;
};

/// a · b, asynchronous on `stream`; `out` or a new array in C order. Operands of another type, and
/// those whose rows and columns are both not contiguous, are copied first. Throws ShapeError,
/// TypeError, LibraryMissing (for floating and complex types), LibraryError, gpu::Error.
LATHE_API Array matmul(const Array& a, const Array& b, const MatmulOptions& options = {},
                       StreamView stream = StreamView::legacy());

} // namespace lathe::gpu
