// SPDX-License-Identifier: MIT
// Reductions of arrays over any of their axes, any strides, in one launch: sums, products, minima,
// where they are, truth, means, variances, norms, inner products.
//
// The order of additions depends on shape, types and strides alone: the same call gives the same
// bits each time, on every device of compute capability 8.0 and later. Those before, and the
// software device, have an order of their own, since they load elements one by one. Floats are
// added in trees of at most 32 and those in double, doubles in trees and by compensated addition
// (kernels/lathe_reductions.hpp): the error is that of five additions, whatever the length.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/array/elementwise.h"
#include "gpu/stream.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lathe::gpu {

struct StatementForm;

enum class Reduction : std::uint8_t {
    sum,
    prod,
    min,
    max,
    fmin,
    fmax, ///< leave NaN out; NaN where nothing else is there
    argmin,
    argmax, ///< in C order of what is reduced: the first of equals, a NaN before all
    any,
    all,
    count_nonzero,
    mean,
    var,
    std,  ///< `parameter` is ddof
    norm, ///< of vectors; `parameter` is the order: 0, 1, 2, inf, -inf or another
    dot,  ///< of two arrays
    vdot, ///< the first one conjugated
};

/// NumPy's name: "maximum" for max.
LATHE_API const char* name_of(Reduction reduction);

struct ReduceOptions {
    const Extents* axes = nullptr; ///< null: all. Negative ones count from the end
    bool keepdims = false;         ///< reduced axes stay, with one element
    std::optional<DType> dtype{};  ///< that is computed in (sum, prod, mean, var, std, dot, vdot)
    double parameter = 0;
    const Allocate* allocate = nullptr;
    Array* out = nullptr; ///< of the result's shape; values are cast to its type ("same_kind")
};

/// The type of the result by NumPy 2's rules: sums and products of integers in 64 bits, means in
/// float64, indices int64. Throws TypeError where there is none.
LATHE_API DType result_dtype(Reduction reduction, DType of, std::optional<DType> dtype = {});

/// Asynchronous on `stream`. The array returned is options.out where that is given.
/// Throws ShapeError (an axis that is not there or twice, out's shape, no elements for what has no
/// identity: "zero-size array to reduction operation maximum which has no identity"), TypeError,
/// ReadOnlyError; then nothing has changed.
LATHE_API Array reduce(Reduction reduction, const Array& array, const ReduceOptions& options = {},
                       StreamView stream = StreamView::legacy());
/// dot and vdot: products of elements, broadcast to one shape, summed over the axes.
LATHE_API Array reduce(Reduction reduction, const Array& a, const Array& b,
                       const ReduceOptions& options = {}, StreamView stream = StreamView::legacy());

/// Checks as reduce() does and makes the result by options.allocate, contents undefined.
LATHE_API Array make_reduced(Reduction reduction, const Array& of, const ReduceOptions& options);

/// Values that a kernel computes as it reduces them, by statements (elementwise_source.h) on
/// elements of arrays, then on numbers.
struct MappedValues {
    static constexpr std::size_t kMostArrays = 14; ///< outputs included
    /// One of the statements' values that is written as well, an array of the same shape.
    struct Output {
        Array to;
        std::size_t value;
    };

    const Array* as = nullptr; ///< type, shape and layout that they would have in memory
    std::vector<Array> arrays{};
    std::vector<Output> outputs{};
    std::vector<Scalar> numbers{};
    std::string key{}; ///< the same for the same statements, types of numbers and outputs included
    std::function<std::vector<StatementForm>()> statements{};
    std::size_t value = 0; ///< of the statements: that which is reduced
};
/// As reduce() of an array with these values gives, bit for bit, into options.out. Not for places
/// and inner products; nor for what multiplies and adds, which reduce() rounds once: variances,
/// norms, products of complex numbers. Outputs may lie where arrays do, at the same places.
LATHE_API void reduce(Reduction reduction, const MappedValues& values, const ReduceOptions& options,
                      StreamView stream = StreamView::legacy());
/// Whether that is for this reduction of such values.
LATHE_API bool takes_mapped(Reduction reduction, DType of, std::optional<DType> dtype);

/// Of the elements at `subset`, integers that count in C order and are not checked; `b` for dot and
/// vdot, else null. The result has no axes.
LATHE_API Array reduce_subset(Reduction reduction, const Array& subset, const Array& a,
                              const Array* b, std::optional<DType> dtype = {},
                              StreamView stream = StreamView::legacy(),
                              const Allocate* allocate = nullptr);

} // namespace lathe::gpu
