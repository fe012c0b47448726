// SPDX-License-Identifier: MIT
// A texture that kernels write and read and GL draws: a shape and a type of elements over a
// SharedTexture.
#pragma once

#include "engine/core/api.h"
#include "engine/core/dtype.h"
#include "engine/interop/frame_map.h"
#include "gpu/array/layout.h"

#include <cuda.h>

#include <cstddef>
#include <memory>

namespace lathe {

namespace gl {
class Texture;
} // namespace gl
namespace gpu {
struct CopySide;
} // namespace gpu

/// A handle: copies are the same texture. Used on the thread of the frames.
class LATHE_API Texture {
public:
    /// Zeroed. `shape`: (height, width) or (height, width, channels); uint8 and float32 of 1, 2 or
    /// 4 channels, float16 of 1 or 4, int32 and uint32 of 1. `is_smooth`: kernels that read it get
    /// values between elements, those of uint8 as 0 to 1. Throws gpu::ShapeError for other shapes,
    /// gpu::TypeError for other elements, gpu::Error (out of memory).
    Texture(std::shared_ptr<FrameMap> map, DType dtype, const gpu::Extents& shape,
            bool is_smooth = false);

    const gpu::Extents& shape() const noexcept { return shape_; }
    DType dtype() const noexcept { return dtype_; }
    bool is_smooth() const noexcept { return is_smooth_; }
    std::size_t size() const noexcept { return size_; } ///< elements
    std::size_t bytes() const noexcept { return size_ * item_bytes(dtype_); }
    FrameMap& map() const;

    // Map it where it is not mapped; valid until the frame is drawn.

    /// For a cudaSurfaceObject_t: read and written by surf2Dread and surf2Dwrite, x in bytes.
    CUsurfObject surface() const;
    /// For a cudaTextureObject_t: read by tex2D, x and y in elements, clamped.
    CUtexObject sampler() const;

    /// All elements in C order. Block until kernels that write the texture are done.
    void copy_to_host(void* to) const;
    void copy_from_host(const void* from);
    void fill_with_zeros();
    /// All elements in C order, in the order of the map's stream.
    void copy_to_device(CUdeviceptr to) const;
    void copy_from_device(CUdeviceptr from) const;

    /// For use while CUDA does not have it.
    const gl::Texture& gl_texture() const;
    /// Keeps the memory.
    const std::shared_ptr<const void>& owner() const noexcept { return owner_; }

private:
    class Storage;
    Storage& held() const;
    void copy_rows(const gpu::CopySide& from, const gpu::CopySide& to) const;

    std::shared_ptr<const void> owner_; ///< of storage_
    Storage* storage_;
    gpu::Extents shape_;
    DType dtype_;
    bool is_smooth_;
    std::size_t size_ = 0;
};

} // namespace lathe
