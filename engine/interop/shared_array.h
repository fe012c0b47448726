// SPDX-License-Identifier: MIT
// Arrays whose memory OpenGL draws from: gpu::Array over buffers that a FrameMap maps.
#pragma once

#include "engine/core/api.h"
#include "engine/interop/frame_map.h"
#include "gl/buffer.h"
#include "gpu/array/array.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace lathe {

/// A zeroed array in C order, as every other but for where it lies. Without elements it has no
/// memory. Throws gpu::ShapeError, gpu::Error (out of memory), lathe::Error on another thread than
/// that of the frames.
LATHE_API gpu::Array make_shared_array(const std::shared_ptr<FrameMap>& map, gpu::ElementType type,
                                       const gpu::Extents& shape);

/// Where OpenGL finds an array.
struct PlaceInGl {
    const gl::Buffer* buffer;
    std::size_t offset_bytes;
};

/// Nothing where OpenGL cannot draw the array as it lies: in other memory, in that of another
/// `map`, or not in C order.
LATHE_API std::optional<PlaceInGl> place_in_gl(const gpu::Array& array, const FrameMap& map);

} // namespace lathe
