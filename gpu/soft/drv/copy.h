// SPDX-License-Identifier: MIT
// Copies between host memory, device memory and arrays, checked when asked for, made in stream
// order. All shapes are one: rows of bytes in slices.
#pragma once

#include "gpu/soft/drv/array.h"
#include "gpu/soft/drv/context.h"

namespace lathe::soft {

/// One end of a copy: plain memory, or an array (then `base` is the array's memory).
struct CopyEnd {
    std::uint8_t* base = nullptr;
    std::uint64_t pitch_bytes = 0, slice_bytes = 0;
    std::shared_ptr<Array> array;
    bool host = false; ///< host memory that may be pageable

    static CopyEnd of_host(const void* p);
    static CopyEnd of_device(CUdeviceptr p);
    /// Begins `offset_bytes` into the first row of the array.
    static CopyEnd of_array(CUarray handle, std::size_t offset_bytes);
};

struct CopyShape {
    std::size_t row_bytes = 0, rows = 1, slices = 1;
};

/// Checks both ends and makes the copy: at the latest when it returns where `wait`, else in the
/// order of the stream. Pageable host memory is staged, as on a GPU: the source may be reused and
/// the destination read when the call returns.
void copy(Context& context, CUstream stream, CopyEnd to, CopyEnd from, CopyShape shape, bool wait);

/// The general copies of the driver API.
void copy(Context& context, CUstream stream, const CUDA_MEMCPY2D& c, bool wait);
void copy(Context& context, CUstream stream, const CUDA_MEMCPY3D& c, bool wait);

/// A copy or a fill, checked, to be made later, as nodes of graphs do: nothing is staged. Null
/// where there is nothing to do.
std::function<CUresult()> copy_action(const CUDA_MEMCPY3D& c);
std::function<CUresult()> fill_action(CUdeviceptr to, std::size_t pitch_bytes, unsigned value,
                                      std::size_t element_bytes, std::size_t count,
                                      std::size_t rows);

/// Fills `rows` rows of `count` elements of 1, 2 or 4 bytes, in stream order.
void fill(Context& context, CUstream stream, CUdeviceptr to, std::size_t pitch_bytes,
          unsigned value, std::size_t element_bytes, std::size_t count, std::size_t rows,
          bool wait);

} // namespace lathe::soft
