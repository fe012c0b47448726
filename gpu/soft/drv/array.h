// SPDX-License-Identifier: MIT
// CUDA arrays: pitch-linear images in arena memory, rows aligned to 64 bytes. Mipmapped arrays are
// one such array a level.
#pragma once

#include "gpu/soft/drv/context.h"
#include "gpu/soft/rt/image.h"

#include <atomic>

namespace lathe::soft {

/// What a texel is: the format of its channels, how many there are, what integers stand for.
struct TexelType {
    Format format = Format::u8;
    std::uint32_t channels = 1;
    bool normalized = false;
};

/// Fails with CUDA_ERROR_INVALID_VALUE for formats and numbers of channels that do not exist, and
/// with CUDA_ERROR_NOT_SUPPORTED for those of video and of compressed blocks.
TexelType texel_type(CUarray_format format, unsigned channels);

/// Whether arrays, textures and buffers of GL can have channels of this format.
bool known_format(CUarray_format format);

struct Array {
    const Context* context = nullptr;
    CUDA_ARRAY3D_DESCRIPTOR descriptor{};
    Image image;
    /// Set by copies and surface stores: OpenGL interop uploads only what was written.
    std::atomic<bool> written{false};
    bool from_resource = false; ///< belongs to a graphics resource: not the caller's to destroy
    bool is_level = false;      ///< belongs to a mipmapped array: the same
    ~Array();

    /// Bytes of one element with all its channels.
    std::size_t element_bytes() const { return image.texel_bytes(); }
};

struct MipmappedArray {
    const Context* context = nullptr;
    CUDA_ARRAY3D_DESCRIPTOR descriptor{};
    std::vector<std::shared_ptr<Array>> levels; ///< known to Objects<Array>, too
    ~MipmappedArray();
};

/// Fails with CUDA_ERROR_INVALID_VALUE where the descriptor makes no sense, or out of memory.
std::shared_ptr<Array> make_array(const Context& context, const CUDA_ARRAY3D_DESCRIPTOR& d);
/// The same; `levels` is brought into the range that there can be.
std::shared_ptr<MipmappedArray>
make_mipmapped_array(const Context& context, const CUDA_ARRAY3D_DESCRIPTOR& d, unsigned levels);

} // namespace lathe::soft
