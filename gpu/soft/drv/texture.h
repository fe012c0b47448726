// SPDX-License-Identifier: MIT
// Texture and surface objects of the driver API: checked descriptions, and what keeps their memory.
#pragma once

#include "gpu/soft/drv/array.h"
#include "gpu/soft/rt/surface.h"
#include "gpu/soft/rt/texture.h"

#include <optional>

namespace lathe::soft {

struct TextureObject {
    const Context* context = nullptr;
    CUDA_RESOURCE_DESC resource{};
    CUDA_TEXTURE_DESC description{};
    std::optional<CUDA_RESOURCE_VIEW_DESC> view;
    Texture texture;
    std::vector<std::shared_ptr<Array>> arrays; ///< its levels; none for linear memory
    std::uint64_t handle = 0;
    ~TextureObject() {
        if (handle) drop_texture(handle);
    }
};

struct SurfaceObject {
    const Context* context = nullptr;
    CUDA_RESOURCE_DESC resource{};
    Surface surface;
    std::shared_ptr<Array> array;
    std::uint64_t handle = 0;
    ~SurfaceObject() {
        if (handle) drop_surface(handle);
    }
};

/// Fails with CUDA_ERROR_INVALID_VALUE where the description makes no sense.
std::shared_ptr<TextureObject> make_texture(const Context& context, const CUDA_RESOURCE_DESC& r,
                                            const CUDA_TEXTURE_DESC& d,
                                            const CUDA_RESOURCE_VIEW_DESC* view);
std::shared_ptr<SurfaceObject> make_surface(const Context& context, const CUDA_RESOURCE_DESC& r);

} // namespace lathe::soft
