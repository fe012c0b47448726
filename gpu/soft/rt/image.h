// SPDX-License-Identifier: MIT
// Memory seen as a 1D, 2D or 3D grid of texels: what textures read and surfaces write.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lathe::soft {

/// Channel formats, numbered as CUarray_format.
enum class Format : std::uint32_t {
    u8 = 1,
    u16 = 2,
    u32 = 3,
    s8 = 8,
    s16 = 9,
    s32 = 10,
    f16 = 16,
    f32 = 32
};

constexpr std::uint32_t bytes_of(Format f) {
    switch (f) {
    case Format::u8:
    case Format::s8: return 1;
    case Format::u16:
    case Format::s16:
    case Format::f16: return 2;
    default: return 4;
    }
}

struct Image {
    std::uint8_t* data = nullptr;
    std::uint64_t pitch_bytes = 0, slice_bytes = 0;
    std::uint32_t width = 0, height = 0, depth = 0; ///< texels; 0 where the dimension is absent
    std::uint32_t layers = 0;                       ///< 0: not layered
    Format format = Format::u8;
    std::uint32_t channels = 1;
    bool normalized = false; ///< integers that stand for 0 to 1 or -1 to 1 (UNORM, SNORM)

    std::size_t texel_bytes() const { return std::size_t{bytes_of(format)} * channels; }
    std::uint32_t rows() const { return height ? height : 1; }
    std::uint32_t slices() const { return layers ? layers : depth ? depth : 1; }
    std::size_t bytes() const { return slice_bytes * slices(); }
};

} // namespace lathe::soft
