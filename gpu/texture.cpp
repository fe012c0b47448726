// SPDX-License-Identifier: MIT
#include "gpu/texture.h"

#include "gpu/driver/check.h"

#include <algorithm>

namespace lathe::gpu {
namespace {

CUDA_TEXTURE_DESC descriptor(const TextureConfig& config) {
    CUDA_TEXTURE_DESC d{};
    std::copy(config.address_mode.begin(), config.address_mode.end(), d.addressMode);
    d.filterMode = config.filter;
    if (config.normalized_coordinates) d.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    if (config.read_as_integer) d.flags |= CU_TRSF_READ_AS_INTEGER;
    if (config.srgb) d.flags |= CU_TRSF_SRGB;
    if (config.seamless_cubemap) d.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
    d.mipmapFilterMode = config.mipmap_filter;
    d.mipmapLevelBias = config.mipmap_level_bias;
    d.minMipmapLevelClamp = config.min_mipmap_level;
    d.maxMipmapLevelClamp = config.max_mipmap_level;
    d.maxAnisotropy = config.max_anisotropy;
    std::copy(config.border_color.begin(), config.border_color.end(), d.borderColor);
    return d;
}

CUDA_RESOURCE_DESC resource_of(const CudaArray& array) {
    CUDA_RESOURCE_DESC d{};
    d.resType = CU_RESOURCE_TYPE_ARRAY;
    d.res.array.hArray = array.get();
    return d;
}

CUDA_RESOURCE_DESC resource_of(const MipmappedArray& array) {
    CUDA_RESOURCE_DESC d{};
    d.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    d.res.mipmap.hMipmappedArray = array.get();
    return d;
}

CUDA_RESOURCE_DESC resource_of(const LinearTexture& memory) {
    CUDA_RESOURCE_DESC d{};
    const std::size_t element = format_bytes(memory.format) * memory.channels;
    if (memory.height == 0) {
        d.resType = CU_RESOURCE_TYPE_LINEAR;
        d.res.linear.devPtr = memory.address;
        d.res.linear.format = memory.format;
        d.res.linear.numChannels = memory.channels;
        d.res.linear.sizeInBytes = memory.width * element;
    } else {
        d.resType = CU_RESOURCE_TYPE_PITCH2D;
        d.res.pitch2D.devPtr = memory.address;
        d.res.pitch2D.format = memory.format;
        d.res.pitch2D.numChannels = memory.channels;
        d.res.pitch2D.width = memory.width;
        d.res.pitch2D.height = memory.height;
        d.res.pitch2D.pitchInBytes =
            memory.pitch_bytes ? memory.pitch_bytes : memory.width * element;
    }
    return d;
}

// GPUs refuse these without a word about why.
void check_linear(const LinearTexture& memory) {
    const Device device = Context::ensure_current().device();
    const auto check = [](std::size_t value, int alignment, const char* what) {
        if (alignment > 0 && value % static_cast<std::size_t>(alignment) != 0)
            throw Error{
                "cuTexObjectCreate", CUDA_ERROR_INVALID_VALUE,
                fmt::format("{} is {:#x}, must be a multiple of {}", what, value, alignment)};
    };
    check(memory.address, device.attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT), "the address");
    if (memory.height > 0 && memory.pitch_bytes > 0)
        check(memory.pitch_bytes, device.attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT),
              "the pitch");
}

Handle<detail::TextureTraits> make_texture(const CUDA_RESOURCE_DESC& resource,
                                           const TextureConfig& config) {
    const Context context = Context::ensure_current();
    const CUDA_TEXTURE_DESC texture_descriptor = descriptor(config);
    CUtexObject texture = 0;
    CU_TRY(cuTexObjectCreate(&texture, &resource, &texture_descriptor, nullptr));
    return Handle<detail::TextureTraits>{{texture, context}};
}

} // namespace

void detail::TextureTraits::destroy(Type texture) noexcept {
    if (const ReleaseScope scope{texture.context})
        log_failure("cuTexObjectDestroy", driver().cuTexObjectDestroy(texture.value));
}

void detail::SurfaceTraits::destroy(Type surface) noexcept {
    if (const ReleaseScope scope{surface.context})
        log_failure("cuSurfObjectDestroy", driver().cuSurfObjectDestroy(surface.value));
}

TextureObject::TextureObject(const CudaArray& array, const TextureConfig& config)
    : handle_{make_texture(resource_of(array), config)} {}

TextureObject::TextureObject(const LinearTexture& memory, const TextureConfig& config) {
    check_linear(memory);
    handle_ = make_texture(resource_of(memory), config);
}

TextureObject::TextureObject(const MipmappedArray& array, const TextureConfig& config) {
    if (!config.normalized_coordinates)
        throw Error{"cuTexObjectCreate", CUDA_ERROR_INVALID_VALUE,
                    "mipmapped arrays are read by normalised coordinates"};
    handle_ = make_texture(resource_of(array), config);
}

TextureObject TextureObject::wrap(CUtexObject texture) noexcept {
    TextureObject t;
    t.handle_ = Handle<detail::TextureTraits>::wrap({texture, {}});
    return t;
}

SurfaceObject::SurfaceObject(const CudaArray& array) {
    const Context context = Context::ensure_current();
    // NVIDIA's driver takes such an array and lets the first store fail.
    if (array.owned() && !array.config().surface_load_store)
        throw lathe::Error{"SurfaceObject: the CUDA array was made without surface_load_store"};
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    CUsurfObject surface = 0;
    CU_TRY(cuSurfObjectCreate(&surface, &resource));
    handle_ = Handle<detail::SurfaceTraits>{{surface, context}};
}

SurfaceObject SurfaceObject::wrap(CUsurfObject surface) noexcept {
    SurfaceObject s;
    s.handle_ = Handle<detail::SurfaceTraits>::wrap({surface, {}});
    return s;
}

} // namespace lathe::gpu
