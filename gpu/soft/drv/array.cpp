// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/array.h"

#include "gpu/soft/drv/memory.h"

#include <algorithm>
#include <bit>

namespace lathe::soft {

namespace {

// Of the device attributes, by kind of array: as drv/attributes.inc states them.
struct Limits {
    std::size_t width, height, depth;
};

enum class Kind { line, plane, volume, lines, planes, cube, cubes };

Limits limits_of(Kind kind, bool surface, bool gather) {
    switch (kind) {
    case Kind::line: return surface ? Limits{32768, 0, 0} : Limits{131072, 0, 0};
    case Kind::plane: return gather ? Limits{32768, 32768, 0} : Limits{131072, 65536, 0};
    case Kind::volume: return {16384, 16384, 16384};
    case Kind::lines: return {32768, 0, 2048};
    case Kind::planes: return {32768, 32768, 2048};
    case Kind::cube: return {32768, 32768, 6};
    default: return {32768, 32768, 2046};
    }
}

Kind kind_of(const CUDA_ARRAY3D_DESCRIPTOR& d) {
    if (d.Flags & CUDA_ARRAY3D_CUBEMAP)
        return d.Flags & CUDA_ARRAY3D_LAYERED ? Kind::cubes : Kind::cube;
    if (d.Flags & CUDA_ARRAY3D_LAYERED) return d.Height ? Kind::planes : Kind::lines;
    return d.Depth ? Kind::volume : d.Height ? Kind::plane : Kind::line;
}

void check(const CUDA_ARRAY3D_DESCRIPTOR& d) {
    constexpr unsigned known_flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                                     CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER |
                                     CUDA_ARRAY3D_COLOR_ATTACHMENT;
    constexpr unsigned other_flags = CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_SPARSE |
                                     CUDA_ARRAY3D_DEFERRED_MAPPING |
                                     CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
    require((d.Flags & ~(known_flags | other_flags)) == 0, CUDA_ERROR_INVALID_VALUE,
            "unknown array flag");
    require((d.Flags & other_flags) == 0, CUDA_ERROR_NOT_SUPPORTED,
            "arrays of depths, of parts in memory and of video are not supported");
    const Kind kind = kind_of(d);
    const bool gather = d.Flags & CUDA_ARRAY3D_TEXTURE_GATHER;
    const Limits most = limits_of(kind, d.Flags & CUDA_ARRAY3D_SURFACE_LDST, gather);
    auto within = [&](const Limits& l) {
        return d.Width > 0 && d.Width <= l.width && d.Height <= l.height && d.Depth <= l.depth;
    };
    const Limits alternate = kind == Kind::volume ? Limits{8192, 8192, 32768} : most;
    require(within(most) || within(alternate), CUDA_ERROR_INVALID_VALUE,
            "array size is out of range");
    require(kind != Kind::volume || d.Height, CUDA_ERROR_INVALID_VALUE, "depth without height");
    require((kind != Kind::lines && kind != Kind::planes) || d.Depth, CUDA_ERROR_INVALID_VALUE,
            "a layered array needs layers");
    if (kind == Kind::cube || kind == Kind::cubes)
        require(d.Width == d.Height && d.Depth > 0 && d.Depth % 6 == 0, CUDA_ERROR_INVALID_VALUE,
                "a cube map is square and has six layers");
    require(!gather || kind == Kind::plane, CUDA_ERROR_INVALID_VALUE,
            "texture gathers are for 2D arrays");
}

} // namespace

bool known_format(CUarray_format f) {
    switch (f) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT: return true;
    default: return false;
    }
}

TexelType texel_type(CUarray_format format, unsigned channels) {
    require(channels == 1 || channels == 2 || channels == 4, CUDA_ERROR_INVALID_VALUE,
            "texels have 1, 2 or 4 channels");
    if (known_format(format)) return {static_cast<Format>(format), channels, false};
    const auto number = static_cast<unsigned>(format);
    if (number >= CU_AD_FORMAT_UNORM_INT8X1 && number <= CU_AD_FORMAT_SNORM_INT16X4) {
        constexpr Format kFormats[] = {Format::u8, Format::u16, Format::s8, Format::s16};
        const unsigned row = (number - CU_AD_FORMAT_UNORM_INT8X1) / 3;
        const unsigned own_channels = 1u << (number - CU_AD_FORMAT_UNORM_INT8X1) % 3;
        require(channels == own_channels, CUDA_ERROR_INVALID_VALUE,
                "the format has another number of channels");
        return {kFormats[row], channels, true};
    }
    const bool planar_or_compressed = (number >= CU_AD_FORMAT_BC1_UNORM && number <= 0xb5) ||
                                      number == CU_AD_FORMAT_UNORM_INT_101010_2;
    require(!planar_or_compressed, CUDA_ERROR_NOT_SUPPORTED,
            "formats of video, of compressed blocks and of 10 bits are not supported");
    fail(CUDA_ERROR_INVALID_VALUE, "there is no such format");
}

Array::~Array() {
    if (image.data) release(reinterpret_cast<std::uintptr_t>(image.data));
}

MipmappedArray::~MipmappedArray() {
    for (const auto& level : levels) Objects<Array>::instance().remove(level.get());
}

std::shared_ptr<Array> make_array(const Context& context, const CUDA_ARRAY3D_DESCRIPTOR& d) {
    const TexelType type = texel_type(d.Format, d.NumChannels);
    check(d);
    const bool layered = d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    auto array = std::make_shared<Array>();
    array->context = &context;
    array->descriptor = d;
    Image& image = array->image;
    image.format = type.format;
    image.channels = type.channels;
    image.normalized = type.normalized;
    image.width = static_cast<std::uint32_t>(d.Width);
    image.height = static_cast<std::uint32_t>(d.Height);
    image.depth = layered ? 0 : static_cast<std::uint32_t>(d.Depth);
    image.layers = layered ? static_cast<std::uint32_t>(d.Depth) : 0;
    image.pitch_bytes = (d.Width * image.texel_bytes() + 63) / 64 * 64;
    image.slice_bytes = image.pitch_bytes * image.rows();
    image.data =
        static_cast<std::uint8_t*>(allocate(context, image.bytes(), Allocation::Kind::array));
    return array;
}

std::shared_ptr<MipmappedArray>
make_mipmapped_array(const Context& context, const CUDA_ARRAY3D_DESCRIPTOR& d, unsigned levels) {
    const bool layered = d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    const std::size_t longest =
        std::max({d.Width, d.Height, layered ? std::size_t{0} : d.Depth, std::size_t{1}});
    require(d.Depth || (d.Width <= 32768 && d.Height <= 32768), CUDA_ERROR_INVALID_VALUE,
            "array size is out of range");
    levels = std::clamp(levels, 1u, static_cast<unsigned>(std::bit_width(longest)));
    auto made = std::make_shared<MipmappedArray>();
    made->context = &context;
    made->descriptor = d;
    auto smaller = [](std::size_t size, unsigned level) {
        return size ? std::max<std::size_t>(size >> level, 1) : 0;
    };
    for (unsigned level = 0; level < levels; ++level) {
        CUDA_ARRAY3D_DESCRIPTOR part = d;
        part.Width = smaller(d.Width, level);
        part.Height = smaller(d.Height, level);
        if (!layered) part.Depth = smaller(d.Depth, level);
        auto array = make_array(context, part);
        array->is_level = true;
        Objects<Array>::instance().add(array);
        made->levels.push_back(std::move(array));
    }
    return made;
}

} // namespace lathe::soft
