// SPDX-License-Identifier: MIT
// Copies of boxes, rows of slices, between host memory, linear device memory and CUDA arrays. Both
// sides are checked before the driver sees them: a copy that would leave its memory is refused.
#pragma once

#include "engine/core/api.h"
#include "gpu/context.h"
#include "gpu/cuda_array.h"
#include "gpu/stream.h"

#include <cuda.h>

#include <cstddef>
#include <optional>

namespace lathe::gpu {

/// One side of a copy: `memory` says which of `host`, `device` (unified memory, too) and `array` it
/// is, the others where the box begins in it.
struct CopySide {
    CUmemorytype memory = CU_MEMORYTYPE_HOST;
    void* host = nullptr; ///< only read where it is the source
    CUdeviceptr device = 0;
    const CudaArray* array = nullptr;
    std::size_t x_bytes = 0;
    std::size_t y = 0;                 ///< rows
    std::size_t z = 0;                 ///< slices or layers
    std::size_t lod = 0;               ///< 0
    std::size_t pitch_bytes = 0;       ///< from row to row; 0: x_bytes and the width. Not of arrays
    std::size_t height = 0;            ///< rows of a slice; 0: y and the height. Not of arrays
    std::optional<std::size_t> room{}; ///< bytes at `host` or `device`, where that is known
    Context context{};                 ///< for copies between contexts; empty: the current one
};

struct BoxCopy {
    CopySide from{};
    CopySide to{};
    std::size_t width_bytes = 0;
    std::size_t height = 1; ///< rows
    std::size_t depth = 1;  ///< slices or layers; copy_rows takes 1
};

// Each throws gpu::Error with the driver's routine and the figures where a side is missing, a row
// longer than its pitch, or the box reaches over the edge of its memory. A box of size 0 does
// nothing. Without a stream: done on return. With one: ordered on it, and host memory must live
// until the stream has passed the copy.

/// `aligned` promises a pitch that cuMemAllocPitch could have given. (cuMemcpy2D,
/// cuMemcpy2DUnaligned)
LATHE_API void copy_rows(const BoxCopy& copy, bool aligned = true);
LATHE_API void copy_rows(const BoxCopy& copy, StreamView stream); ///< (cuMemcpy2DAsync)
LATHE_API void copy_box(const BoxCopy& copy);                     ///< (cuMemcpy3D)
LATHE_API void copy_box(const BoxCopy& copy, StreamView stream);  ///< (cuMemcpy3DAsync)
/// The sides may be in different contexts. (cuMemcpy3DPeer)
LATHE_API void copy_box_between(const BoxCopy& copy);
LATHE_API void copy_box_between(const BoxCopy& copy, StreamView stream); ///< (cuMemcpy3DPeerAsync)

/// `bytes` of linear memory of one context into that of another; empty: the current one.
/// (cuMemcpyPeer)
LATHE_API void copy_between(CUdeviceptr to, const Context& to_context, CUdeviceptr from,
                            const Context& from_context, std::size_t bytes);
LATHE_API void copy_between(CUdeviceptr to, const Context& to_context, CUdeviceptr from,
                            const Context& from_context, std::size_t bytes, StreamView stream);

} // namespace lathe::gpu
