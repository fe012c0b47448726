// SPDX-License-Identifier: MIT
// Texture objects (read, filtered) and surface objects (read and written) for kernels. Both borrow
// the memory they show, which must outlive them.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"
#include "gpu/cuda_array.h"
#include "gpu/mipmapped_array.h"

#include <cuda.h>

#include <array>
#include <cstddef>

namespace lathe::gpu {

/// How a texture is read. The defaults: exact elements, clamped at the edge, addressed in elements.
struct TextureConfig {
    std::array<CUaddress_mode, 3> address_mode{CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                               CU_TR_ADDRESS_MODE_CLAMP}; ///< x, y, z
    CUfilter_mode filter = CU_TR_FILTER_MODE_POINT;
    bool normalized_coordinates = false; ///< [0, 1) instead of [0, size); wrap and mirror need it
    bool read_as_integer = false; ///< integer formats stay integers instead of [0, 1] or [-1, 1]
    bool srgb = false;            ///< 8-bit colours are decoded to linear
    std::array<float, 4> border_color{};
    bool seamless_cubemap = false; ///< filters across the edges of a cube's faces
    // Of mipmapped arrays, which are read by normalised coordinates.
    CUfilter_mode mipmap_filter = CU_TR_FILTER_MODE_POINT; ///< between two levels
    float mipmap_level_bias = 0;                           ///< added to the level
    float min_mipmap_level = 0;
    float max_mipmap_level = 0;  ///< level 0 alone unless it is set
    unsigned max_anisotropy = 0; ///< 1 to 16; 0 and 1: none
};

/// Linear memory seen as a texture.
struct LinearTexture {
    CUdeviceptr address = 0; ///< a multiple of the device's texture alignment
    std::size_t width = 0;   ///< elements
    std::size_t height = 0;  ///< rows; 0 for one dimension
    std::size_t pitch_bytes =
        0; ///< between rows; a multiple of the device's texture pitch alignment
    CUarray_format format = CU_AD_FORMAT_FLOAT;
    unsigned channels = 1;
};

namespace detail {
struct LATHE_API TextureTraits {
    using Type = InContext<CUtexObject>;
    static constexpr Type null{};
    static void destroy(Type texture) noexcept;
};
struct LATHE_API SurfaceTraits {
    using Type = InContext<CUsurfObject>;
    static constexpr Type null{};
    static void destroy(Type surface) noexcept;
};
} // namespace detail

/// A kernel parameter of type cudaTextureObject_t.
class LATHE_API TextureObject {
public:
    TextureObject() = default; ///< empty
    /// Throws gpu::Error with the figures where linear memory is not aligned, and where a mipmapped
    /// array is not read by normalised coordinates. (cuTexObjectCreate)
    explicit TextureObject(const CudaArray& array, const TextureConfig& config = {});
    explicit TextureObject(const LinearTexture& memory, const TextureConfig& config = {});
    explicit TextureObject(const MipmappedArray& array, const TextureConfig& config = {});
    static TextureObject wrap(CUtexObject texture) noexcept;

    CUtexObject get() const noexcept { return handle_.get().value; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    [[nodiscard]] CUtexObject release() noexcept { return handle_.release().value; }

private:
    Handle<detail::TextureTraits> handle_;
};

/// A kernel parameter of type cudaSurfaceObject_t.
class LATHE_API SurfaceObject {
public:
    SurfaceObject() = default; ///< empty
    /// Throws lathe::Error where the array was made here without surface_load_store.
    /// (cuSurfObjectCreate)
    explicit SurfaceObject(const CudaArray& array);
    static SurfaceObject wrap(CUsurfObject surface) noexcept;

    CUsurfObject get() const noexcept { return handle_.get().value; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    [[nodiscard]] CUsurfObject release() noexcept { return handle_.release().value; }

private:
    Handle<detail::SurfaceTraits> handle_;
};

} // namespace lathe::gpu
