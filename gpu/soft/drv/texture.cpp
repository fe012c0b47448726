// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/texture.h"

#include "gpu/soft/drv/memory.h"

#include <algorithm>
#include <cmath>

namespace lathe::soft {

namespace {

bool is_integer(Format f) { return f != Format::f16 && f != Format::f32; }

Image linear_image(CUdeviceptr p, CUarray_format format, unsigned channels) {
    const TexelType type = texel_type(format, channels);
    Image image;
    image.data = reinterpret_cast<std::uint8_t*>(p);
    image.format = type.format;
    image.channels = type.channels;
    image.normalized = type.normalized;
    return image;
}

Image image_of(const decltype(CUDA_RESOURCE_DESC::res.linear)& l) {
    Image image = linear_image(l.devPtr, l.format, l.numChannels);
    require(l.sizeInBytes >= image.texel_bytes(), CUDA_ERROR_INVALID_VALUE, "no texels");
    require_device_range(l.devPtr, l.sizeInBytes);
    require(l.sizeInBytes / image.texel_bytes() <= (1u << 28), CUDA_ERROR_INVALID_VALUE,
            "more than 2^28 texels");
    image.width = static_cast<std::uint32_t>(l.sizeInBytes / image.texel_bytes());
    return image;
}

Image image_of(const decltype(CUDA_RESOURCE_DESC::res.pitch2D)& p) {
    Image image = linear_image(p.devPtr, p.format, p.numChannels);
    require(p.width > 0 && p.height > 0 && p.width <= 131072 && p.height <= 65000,
            CUDA_ERROR_INVALID_VALUE, "texture size is out of range");
    std::size_t row = p.width * image.texel_bytes();
    require(p.pitchInBytes >= row && p.pitchInBytes % 32 == 0 && p.pitchInBytes <= 2097120,
            CUDA_ERROR_INVALID_VALUE,
            "pitch is no multiple of 32, smaller than a row or too large");
    require_device_range(p.devPtr, (p.height - 1) * p.pitchInBytes + row);
    image.width = static_cast<std::uint32_t>(p.width);
    image.height = static_cast<std::uint32_t>(p.height);
    image.pitch_bytes = p.pitchInBytes;
    image.slice_bytes = p.pitchInBytes * p.height;
    return image;
}

/// The levels of a resource; `made` keeps the arrays and their descriptor's flags.
std::vector<Image> levels_of(const CUDA_RESOURCE_DESC& r, TextureObject& made, unsigned& flags) {
    std::vector<Image> levels;
    switch (r.resType) {
    case CU_RESOURCE_TYPE_ARRAY: made.arrays.push_back(object<Array>(r.res.array.hArray)); break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        made.arrays = object<MipmappedArray>(r.res.mipmap.hMipmappedArray)->levels;
        break;
    case CU_RESOURCE_TYPE_LINEAR: return {image_of(r.res.linear)};
    case CU_RESOURCE_TYPE_PITCH2D: return {image_of(r.res.pitch2D)};
    default: fail(CUDA_ERROR_INVALID_VALUE, "unknown type of resource");
    }
    flags = made.arrays.front()->descriptor.Flags;
    for (const auto& array : made.arrays) levels.push_back(array->image);
    return levels;
}

/// The texels of a view's format, numbered from CU_RES_VIEW_FORMAT_UINT_1X8 on in threes of
/// 1, 2 and 4 channels.
TexelType view_type(CUresourceViewFormat format) {
    constexpr Format kFormats[] = {Format::u8,  Format::s8,  Format::u16, Format::s16,
                                   Format::u32, Format::s32, Format::f16, Format::f32};
    const auto number = static_cast<unsigned>(format);
    require(number <= CU_RES_VIEW_FORMAT_UNSIGNED_BC7, CUDA_ERROR_INVALID_VALUE,
            "there is no such view format");
    require(number < CU_RES_VIEW_FORMAT_UNSIGNED_BC1, CUDA_ERROR_NOT_SUPPORTED,
            "views of compressed blocks are not supported");
    return {kFormats[(number - 1) / 3], 1u << (number - 1) % 3, false};
}

void apply(const CUDA_RESOURCE_VIEW_DESC& view, std::vector<Image>& levels) {
    const Image& whole = levels.front();
    require(view.width == whole.width && view.height == whole.height &&
                view.depth == (whole.layers ? whole.layers : whole.depth),
            CUDA_ERROR_INVALID_VALUE, "the view has another size than its resource");
    require(view.firstMipmapLevel <= view.lastMipmapLevel && view.lastMipmapLevel < levels.size(),
            CUDA_ERROR_INVALID_VALUE, "the view's mip levels do not exist");
    require(view.firstLayer <= view.lastLayer && view.lastLayer < std::max(whole.layers, 1u),
            CUDA_ERROR_INVALID_VALUE, "the view's layers do not exist");
    levels.erase(levels.begin() + view.lastMipmapLevel + 1, levels.end());
    levels.erase(levels.begin(), levels.begin() + view.firstMipmapLevel);
    for (Image& image : levels) {
        if (image.layers) {
            image.data += view.firstLayer * image.slice_bytes;
            image.layers = view.lastLayer - view.firstLayer + 1;
        }
        if (view.format == CU_RES_VIEW_FORMAT_NONE) continue;
        const std::size_t bytes = image.texel_bytes();
        const TexelType type = view_type(view.format);
        image.format = type.format;
        image.channels = type.channels;
        image.normalized = type.normalized;
        require(image.texel_bytes() == bytes, CUDA_ERROR_INVALID_VALUE,
                "the view's texels have another size than those of the resource");
    }
}

/// What the description says for itself.
void check(const CUDA_TEXTURE_DESC& d) {
    constexpr unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                               CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
                               CU_TRSF_SEAMLESS_CUBEMAP;
    require((d.flags & ~known) == 0, CUDA_ERROR_INVALID_VALUE, "unknown texture flag");
    for (CUaddress_mode mode : d.addressMode)
        require(static_cast<unsigned>(mode) <= CU_TR_ADDRESS_MODE_BORDER, CUDA_ERROR_INVALID_VALUE,
                "unknown address mode");
    for (CUfilter_mode mode : {d.filterMode, d.mipmapFilterMode})
        require(static_cast<unsigned>(mode) <= CU_TR_FILTER_MODE_LINEAR, CUDA_ERROR_INVALID_VALUE,
                "unknown filter mode");
}

/// Floats that a description gives; those that are no numbers count as 0.
float number(float v) { return std::isnan(v) ? 0 : v; }

} // namespace

std::shared_ptr<TextureObject> make_texture(const Context& context, const CUDA_RESOURCE_DESC& r,
                                            const CUDA_TEXTURE_DESC& d,
                                            const CUDA_RESOURCE_VIEW_DESC* view) {
    require(r.flags == 0, CUDA_ERROR_INVALID_VALUE, "flags of a resource must be 0");
    check(d);
    auto made = std::make_shared<TextureObject>();
    made->context = &context;
    made->resource = r;
    made->description = d;
    Texture& t = made->texture;
    unsigned array_flags = 0;
    t.levels = levels_of(r, *made, array_flags);
    if (view) {
        require(!made->arrays.empty(), CUDA_ERROR_INVALID_VALUE, "only arrays have views");
        made->view = *view;
        apply(*view, t.levels);
    }
    t.linear_memory = r.resType == CU_RESOURCE_TYPE_LINEAR;
    for (int a = 0; a < 3; ++a) t.address[a] = static_cast<Address>(d.addressMode[a]);
    const Format format = t.base().format;
    const bool small = bytes_of(format) <= 2;
    t.normalized_float = t.base().normalized ||
                         (is_integer(format) && small && !(d.flags & CU_TRSF_READ_AS_INTEGER));
    t.normalized_coords = d.flags & CU_TRSF_NORMALIZED_COORDINATES;
    require(t.normalized_coords || r.resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
            CUDA_ERROR_INVALID_VALUE, "mipmapped arrays are read by normalised coordinates");
    t.srgb = (d.flags & CU_TRSF_SRGB) && format == Format::u8 && t.normalized_float;
    t.linear_filter = d.filterMode == CU_TR_FILTER_MODE_LINEAR && !t.linear_memory;
    require(!t.linear_filter || t.reads_float(), CUDA_ERROR_INVALID_VALUE,
            "linear filtering needs floats or normalised integers");
    const bool seamless = d.flags & CU_TRSF_SEAMLESS_CUBEMAP;
    require(!seamless || (array_flags & CUDA_ARRAY3D_CUBEMAP), CUDA_ERROR_INVALID_VALUE,
            "only cube maps can be seamless");
    t.seamless = seamless && t.linear_filter;
    if (seamless) std::fill_n(t.address, 3, Address::clamp);
    t.linear_mip = d.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    t.level_bias = number(d.mipmapLevelBias);
    t.least_level = number(d.minMipmapLevelClamp);
    t.greatest_level = number(d.maxMipmapLevelClamp);
    std::copy_n(d.borderColor, 4, t.border);
    t.prepare();
    made->handle = add_texture(&t);
    require(made->handle != 0, CUDA_ERROR_OUT_OF_MEMORY, "too many texture objects");
    return made;
}

std::shared_ptr<SurfaceObject> make_surface(const Context& context, const CUDA_RESOURCE_DESC& r) {
    require(r.resType == CU_RESOURCE_TYPE_ARRAY && r.flags == 0, CUDA_ERROR_INVALID_VALUE,
            "a surface object needs an array");
    auto made = std::make_shared<SurfaceObject>();
    made->context = &context;
    made->resource = r;
    made->array = object<Array>(r.res.array.hArray);
    require(made->array->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST, CUDA_ERROR_INVALID_VALUE,
            "the array was made without CUDA_ARRAY3D_SURFACE_LDST");
    made->surface.image = made->array->image;
    made->surface.written = &made->array->written;
    made->handle = add_surface(&made->surface);
    require(made->handle != 0, CUDA_ERROR_OUT_OF_MEMORY, "too many surface objects");
    return made;
}

} // namespace lathe::soft
