// SPDX-License-Identifier: MIT
// Prefixes along an axis: cumsum, cumprod, running maxima. One pass over the data where the axis is
// long (gpu/kernels/lathe_scan.hpp), one thread a column where the axis is not the last.
// Results of floats are the same bits in each run; they differ from NumPy's, which adds one by one,
// by less than that does from the exact ones.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/array/operations.h"
#include "gpu/stream.h"

#include <cstdint>
#include <optional>

namespace lathe::gpu {

/// NumPy's `operation.accumulate(array, axis)` for a binary, associative operation of rule `same`:
/// add, multiply, maximum, minimum, bitwise_and ... In C order, of the array's type or `dtype`; add
/// and multiply of bool and short integers give int64 or uint64. Asynchronous on the stream.
/// Throws TypeError, ShapeError.
LATHE_API Array accumulate(const Operation& operation, const Array& array, std::int64_t axis,
                           std::optional<DType> dtype = {},
                           StreamView stream = StreamView::legacy());

/// How a scan's kernel cuts its data: a tile is `threads` that have `rows` times `vector` values
/// each. On the software device blocks have one thread.
struct LATHE_API ScanShape {
    unsigned threads, rows; ///< kThreads and kRows of the Form; `rows` is a power of two

    std::int64_t tile(unsigned vector) const { return std::int64_t{threads} * vector * rows; }
};
/// For values of so many bytes (the Form's Value), `vector` of them side by side, on this device.
LATHE_API ScanShape scan_shape(std::size_t value_bytes, unsigned vector);

/// The memory of a launch: zeros before it.
struct ScanMemory {
    std::uint32_t tiles, groups; ///< records of a row
    std::size_t bytes;
};
/// Throws ShapeError beyond 2^31 - 1 tiles.
LATHE_API ScanMemory scan_memory(std::int64_t rows, std::int64_t length, std::int64_t tile,
                                 std::size_t value_bytes);

/// What a scan's kernel needs beside its data: zeroed on the stream when made, and kept until the
/// stream has passed what was issued before its end.
class LATHE_API ScanWork {
public:
    /// The last parameter of such a kernel: lathe::ScanState.
    struct State {
        CUdeviceptr memory = 0;
        std::uint32_t tiles = 0, groups = 0; ///< of a row
        std::uint32_t rows = 0;
    };

    /// Throws ShapeError as scan_memory() does.
    ScanWork(std::int64_t rows, std::int64_t length, std::int64_t tile, std::size_t value_bytes,
             StreamView stream);
    ScanWork(const ScanWork&) = delete;
    ScanWork& operator=(const ScanWork&) = delete;
    ~ScanWork();

    const State& state() const noexcept { return state_; }
    unsigned blocks() const noexcept { return state_.tiles * state_.rows; }

private:
    State state_;
    StreamView stream_;
    PooledMemory<DeviceBuffer> memory_;
};

} // namespace lathe::gpu
