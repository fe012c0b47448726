// SPDX-License-Identifier: MIT
// Elementwise functions of arrays in one kernel: broadcasting, any strides, types cast as they are
// read and written. Launches are asynchronous on the stream that is given.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/array/operations.h"
#include "gpu/stream.h"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace lathe::gpu {

/// A number for a kernel's parameter. float16 travels as the float that it is.
struct Scalar {
    DType dtype = DType::float64;
    alignas(16) std::array<std::byte, 16> value{};
};
/// `value`, a bool, an integer, a floating or complex number, as a loop computes in `dtype`.
LATHE_API Scalar make_scalar(DType dtype, std::int64_t value);
LATHE_API Scalar make_scalar(DType dtype, std::uint64_t value);
LATHE_API Scalar make_scalar(DType dtype, double value);
LATHE_API Scalar make_scalar(DType dtype, std::complex<double> value);

/// An input: an array, or a number (then `array` is null) of the type that the loop computes in.
struct Input {
    const Array* array = nullptr;
    Scalar number{};

    Input(const Array& of) : array{&of} {}
    Input(const Scalar& of) : number{of} {}
};

/// outputs = loop(inputs), broadcast to the outputs' shape, which is one. Values are cast to the
/// outputs' types. An input that shares memory with an output is read as it was before.
/// The outputs must be writable (checked: TypeError) and on the current context's device, as must
/// the inputs be (gpu::Error). Throws ShapeError; then nothing has changed.
LATHE_API void run(const Loop& loop, std::span<Array* const> outputs, std::span<const Input> inputs,
                   StreamView stream = StreamView::legacy());

/// Makes an output; Array::empty or what somebody else allocates by.
using Allocate = std::function<Array(ElementType, const Layout&)>;

/// The outputs by `allocate`, in the inputs' order of axes. Throws ShapeError.
LATHE_API std::array<Array, Loop::kMostOutputs>
make_outputs(const Loop& loop, std::span<const Input> inputs, const Allocate* allocate = nullptr);
/// Allocates the outputs and runs.
LATHE_API std::array<Array, Loop::kMostOutputs> run(const Loop& loop, std::span<const Input> inputs,
                                                    StreamView stream = StreamView::legacy(),
                                                    const Allocate* allocate = nullptr);

/// to = from, broadcast and cast ("unsafe" in NumPy's words); structures to structures of their
/// size.
LATHE_API void assign(Array& to, const Input& from, StreamView stream = StreamView::legacy());
/// A compact copy, axes in the order of memory ("K") or as asked.
LATHE_API Array copy(const Array& array, StreamView stream = StreamView::legacy());
LATHE_API Array copy(const Array& array, DType dtype, StreamView stream = StreamView::legacy());
LATHE_API Array copy(const Array& array, Order order, StreamView stream = StreamView::legacy());

} // namespace lathe::gpu
