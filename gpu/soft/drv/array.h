// SPDX-License-Identifier: MIT
// CUDA arrays: pitch-linear images in arena memory, rows aligned to 64 bytes.
#pragma once

#include "gpu/soft/drv/context.h"
#include "gpu/soft/rt/image.h"

#include <atomic>

namespace lathe::soft {

struct Array {
    const Context* context = nullptr;
    CUDA_ARRAY3D_DESCRIPTOR descriptor{};
    Image image;
    /// Set by copies and surface stores: OpenGL interop uploads only what was written.
    std::atomic<bool> written{false};
    bool from_resource = false; ///< belongs to a graphics resource: not the caller's to destroy
    ~Array();

    /// Bytes of one element with all its channels.
    std::size_t element_bytes() const { return image.texel_bytes(); }
};

/// Whether arrays and textures can have channels of this format.
bool known_format(CUarray_format format);

/// Fails with CUDA_ERROR_INVALID_VALUE where the descriptor makes no sense, or out of memory.
std::shared_ptr<Array> make_array(const Context& context, const CUDA_ARRAY3D_DESCRIPTOR& d);

} // namespace lathe::soft
