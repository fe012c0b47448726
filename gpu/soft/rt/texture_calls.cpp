// SPDX-License-Identifier: MIT
// Texture instructions as compiled code calls them, and the queries of textures and surfaces.
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/cube.h"
#include "gpu/soft/rt/float_mode.h"
#include "gpu/soft/rt/surface.h"
#include "gpu/soft/rt/texture.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace lathe::soft {

namespace {

[[noreturn]] void bad_object(ThreadContext* t, const char* what, std::uint64_t handle,
                             std::uintptr_t pc) {
    FaultReport r;
    r.code = CUDA_ERROR_ILLEGAL_ADDRESS;
    r.message = fmt::format("{:#x} is not a live {} object", handle, what);
    t->block->runner->stop(fiber_of(t), std::move(r), pc);
}

/// The words of an instruction (TextureWords in abi.h) as a place, with its slopes where there are
/// some.
struct Read {
    Place place;
    float dx[3] = {0, 0, 0}, dy[3] = {0, 0, 0};
};

Read read_of(std::uint32_t geometry, bool is_float, const std::uint32_t* words) {
    Read read;
    Place& p = read.place;
    const std::uint32_t* coords = words;
    if (geometry & kTextureLayered) p.layer = *coords++;
    p.axes = std::clamp(geometry & 15, 1u, 3u);
    if (geometry & kTextureOffset)
        for (unsigned a = 0; a < p.axes; ++a) // the instruction has four bits for each
            p.offset[a] = std::clamp(std::bit_cast<std::int32_t>(words[4 + a]), -8, 7);
    if (geometry & kTextureGradient) {
        std::memcpy(read.dx, words + 8, sizeof read.dx);
        std::memcpy(read.dy, words + 12, sizeof read.dy);
    }
    if (geometry & kTextureCube) {
        float direction[3], slope[2];
        std::memcpy(direction, coords, sizeof direction);
        p.axes = 2;
        p.cube = true;
        // A cube beyond the last one is the last one, with the same face.
        p.layer = std::min(p.layer, 0x1000000u) * 6 + cube_face(direction, p.coords);
        if (geometry & kTextureGradient) {
            for (float* d : {read.dx, read.dy}) {
                cube_slope(direction, d, slope);
                std::copy_n(slope, 2, d);
            }
        }
    } else if (is_float) {
        std::memcpy(p.coords, coords, p.axes * sizeof(float));
    } else {
        std::memcpy(p.index, coords, p.axes * sizeof(std::int32_t));
    }
    return read;
}

/// Cubes are clamped as a whole: the face stays.
void clamp_cube(const Texture& texture, Place& p) {
    const std::uint32_t cubes = std::max(texture.base().layers / 6, 1u);
    if (p.cube && p.layer >= cubes * 6) p.layer = (cubes - 1) * 6 + p.layer % 6;
}

std::uint32_t level_size(std::uint32_t size, std::uint32_t level) {
    return size ? std::max(size >> std::min(level, 31u), 1u) : 0;
}

// The numbers of OpenCL, which PTX refers to for these queries.
std::uint32_t channel_order(std::uint32_t channels) {
    return channels == 1 ? 0x10b0 : channels == 2 ? 0x10b2 : 0x10b5;
}
std::uint32_t channel_type(const Image& image, bool normalized) {
    switch (image.format) {
    case Format::s8: return normalized ? 0x10d0 : 0x10d7;
    case Format::s16: return normalized ? 0x10d1 : 0x10d8;
    case Format::s32: return 0x10d9;
    case Format::u8: return normalized ? 0x10d2 : 0x10da;
    case Format::u16: return normalized ? 0x10d3 : 0x10db;
    case Format::u32: return 0x10dc;
    case Format::f16: return 0x10dd;
    default: return 0x10de;
    }
}

// The numbers of PTX's sampler properties: wrap 0, mirror 1, clamp_ogl 2, clamp_to_edge 3,
// clamp_to_border 4.
std::uint32_t address_of(Address mode) {
    constexpr std::uint32_t kNumbers[] = {0, 3, 1, 4};
    return kNumbers[static_cast<unsigned>(mode)];
}

std::uint32_t query_texture(const Texture& texture, TextureQuery query) {
    switch (query) {
    case TextureQuery::normalized_coords: return texture.normalized_coords;
    case TextureQuery::force_unnormalized_coords: return !texture.normalized_coords;
    case TextureQuery::num_mipmap_levels: return static_cast<std::uint32_t>(texture.levels.size());
    case TextureQuery::filter_mode: return texture.linear_filter;
    case TextureQuery::addr_mode_0:
    case TextureQuery::addr_mode_1:
    case TextureQuery::addr_mode_2:
        return address_of(texture.address[static_cast<unsigned>(query) -
                                          static_cast<unsigned>(TextureQuery::addr_mode_0)]);
    default: return 0;
    }
}

} // namespace

void stop_at_dead_texture(ThreadContext* t, std::uint64_t handle, std::uintptr_t pc) {
    bad_object(t, "texture", handle, pc);
}

extern "C" {

void lathe_rt_tex(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                  std::uint32_t is_float, const std::uint32_t* words, float lod,
                  std::uint32_t* result) {
    const NormalFloats normal;
    const Texture* texture = texture_of(object);
    if (!texture) stop_at_dead_texture(t, object, pc_of(__builtin_return_address(0)));
    Read read = read_of(geometry, is_float, words);
    clamp_cube(*texture, read.place);
    if (geometry & kTextureGradient) lod = level_of_slopes(*texture, read.place, read.dx, read.dy);
    if (!is_float) {
        const std::uint32_t level = lod > 0 ? static_cast<std::uint32_t>(std::min(lod, 31.0f)) : 0;
        fetch_texel(*texture, read.place, level, result);
        return;
    }
    sample(*texture, read.place, lod, result);
}

void lathe_rt_tld4(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t component, const std::uint32_t* words, std::uint32_t* result) {
    const NormalFloats normal;
    const Texture* texture = texture_of(object);
    if (!texture) stop_at_dead_texture(t, object, pc_of(__builtin_return_address(0)));
    Read read = read_of(geometry, true, words);
    clamp_cube(*texture, read.place);
    gather(*texture, read.place, component, result);
}

std::uint32_t lathe_rt_txq(ThreadContext* t, std::uint64_t object, std::uint32_t number,
                           std::uint32_t level) {
    const Texture* texture = texture_of(object);
    const Surface* surface = texture ? nullptr : surface_of(object);
    if (!texture && !surface)
        bad_object(t, "texture or surface", object, pc_of(__builtin_return_address(0)));
    const Image& image = texture ? texture->base() : surface->image;
    const auto query = static_cast<TextureQuery>(number);
    if (texture) level = std::min(level, static_cast<std::uint32_t>(texture->levels.size() - 1));
    switch (query) {
    case TextureQuery::width: return level_size(image.width, level);
    case TextureQuery::height: return std::max(level_size(image.height, level), 1u);
    case TextureQuery::depth: return image.layers ? image.layers : level_size(image.depth, level);
    case TextureQuery::channel_data_type:
        return channel_type(image, image.normalized || (texture && texture->normalized_float));
    case TextureQuery::channel_order: return channel_order(image.channels);
    case TextureQuery::array_size: return image.layers;
    case TextureQuery::num_samples: return 1;
    case TextureQuery::memory_layout: return 0; // rows of pixels, not the layout of images
    default: return texture ? query_texture(*texture, query) : 0;
    }
}

std::uint32_t lathe_rt_istypep(ThreadContext*, std::uint64_t object, std::uint32_t surface) {
    return surface ? surface_of(object) != nullptr : texture_of(object) != nullptr;
}

} // extern "C"

} // namespace lathe::soft
