// SPDX-License-Identifier: MIT
// Texture reads. Filter weights have 8 bits of fraction (1.8 fixed point), as on hardware; the
// weighted sum itself is single precision.
#include "gpu/soft/rt/texture.h"

#include "gpu/soft/rt/cube.h"
#include "gpu/soft/rt/texel.h"
#include "gpu/soft/rt/texture_address.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lathe::soft {

namespace {

std::int32_t size_of_axis(const Image& image, unsigned axis) {
    std::uint32_t n = axis == 0 ? image.width : axis == 1 ? image.height : image.depth;
    return n ? static_cast<std::int32_t>(n) : 1;
}

/// A texel by indices that lie inside.
const std::uint8_t* texel_inside(const Image& image, std::uint32_t layer, const std::int32_t* at) {
    std::uint64_t slice =
        image.layers ? std::min(layer, image.layers - 1) : static_cast<std::uint32_t>(at[2]);
    return image.data + slice * image.slice_bytes +
           static_cast<std::uint64_t>(at[1]) * image.pitch_bytes +
           static_cast<std::uint64_t>(at[0]) * image.texel_bytes();
}

/// Null: the border.
const std::uint8_t* texel_at(const Texture& t, const Image& image, const Place& p,
                             const std::int32_t* index) {
    std::int32_t at[3] = {0, 0, 0};
    for (unsigned a = 0; a < p.axes; ++a) {
        at[a] = addressed(index[a], size_of_axis(image, a), t.address[a]);
        if (at[a] < 0) return nullptr;
    }
    return texel_inside(image, p.layer, at);
}

/// A texel of a cube map's face or, where one index is outside, of the face beside it.
void read_seamless(const Texture& t, const Image& image, std::uint32_t cube, CubeTexel texel,
                   float out[4]) {
    const auto n = static_cast<std::int32_t>(image.width);
    auto outside = [&](std::int32_t i) { return i < 0 || i >= n; };
    const bool x = outside(texel.x), y = outside(texel.y);
    if (x && y) { // a corner, where three faces meet: their mean
        const std::int32_t in_x = std::clamp(texel.x, 0, n - 1);
        const std::int32_t in_y = std::clamp(texel.y, 0, n - 1);
        for (int i = 0; i < 4; ++i) out[i] = 0;
        for (CubeTexel near :
             {CubeTexel{texel.face, in_x, in_y}, CubeTexel{texel.face, texel.x, in_y},
              CubeTexel{texel.face, in_x, texel.y}}) {
            float value[4];
            read_seamless(t, image, cube, near, value);
            for (int i = 0; i < 4; ++i) out[i] += value[i] / 3;
        }
        return;
    }
    if (x || y) texel = across_edge(texel, n);
    const std::int32_t at[3] = {texel.x, texel.y, 0};
    t.fetch(texel_inside(image, cube * 6 + texel.face, at), out);
}

void read_float(const Texture& t, const Image& image, const Place& p, const std::int32_t* index,
                float out[4]) {
    if (p.cube && t.seamless) {
        const auto n = static_cast<std::int32_t>(image.width);
        const CubeTexel texel{p.layer % 6, std::clamp(index[0], -1, n),
                              std::clamp(index[1], -1, n)};
        return read_seamless(t, image, p.layer / 6, texel, out);
    }
    if (const std::uint8_t* texel = texel_at(t, image, p, index)) t.fetch(texel, out);
    else if (t.linear_memory) std::fill_n(out, 4, 0.0f);
    else std::copy_n(t.border, 4, out);
}

float texel_coordinate(const Texture& t, const Image& image, const Place& p, unsigned axis) {
    // Subnormal coordinates are 0 on GPUs: those below it lie inside.
    const float x = std::fabs(p.coords[axis]) < 0x1p-126f ? 0.0f : p.coords[axis];
    return in_texels(x, size_of_axis(image, axis), t.normalized_coords || p.cube,
                     t.address[axis] == Address::wrap && !p.cube);
}

void put(const Texture& t, const float value[4], std::uint32_t result[4]) {
    const Format format = t.base().format;
    const bool is_signed = format == Format::s8 || format == Format::s16;
    for (int i = 0; i < 4; ++i)
        result[i] = std::bit_cast<std::uint32_t>(is_signed ? std::max(value[i], -1.0f) : value[i]);
}

/// Reads a level at the texel that `index` names; words of integers, or floats' bits.
void read_words(const Texture& t, const Image& image, const Place& p, const std::int32_t* index,
                std::uint32_t result[4]) {
    if (t.reads_float()) {
        float value[4];
        read_float(t, image, p, index, value);
        put(t, value, result);
    } else if (const std::uint8_t* texel = texel_at(t, image, p, index)) {
        fetch_words(image, texel, result);
    } else { // border colours of integers are their bits
        for (int i = 0; i < 4; ++i)
            result[i] = t.linear_memory ? 0 : std::bit_cast<std::uint32_t>(t.border[i]);
    }
}

void sample_point(const Texture& t, const Image& image, const Place& p, std::uint32_t result[4]) {
    std::int32_t index[3] = {0, 0, 0};
    for (unsigned a = 0; a < p.axes; ++a)
        index[a] = floor_to_int(texel_coordinate(t, image, p, a)) + p.offset[a];
    read_words(t, image, p, index, result);
}

void sample_linear(const Texture& t, const Image& image, const Place& p, float sum[4]) {
    std::int32_t index[3] = {0, 0, 0};
    float weight[3][2];
    for (unsigned a = 0; a < p.axes; ++a) {
        const float x = texel_coordinate(t, image, p, a) - 0.5f;
        const std::int32_t whole = floor_to_int(x);
        index[a] = whole + p.offset[a];
        weight[a][1] = to_fraction(x - static_cast<float>(whole));
        weight[a][0] = 1.0f - weight[a][1];
    }
    std::fill_n(sum, 4, 0.0f);
    for (unsigned corner = 0; corner < 1u << p.axes; ++corner) {
        std::int32_t at[3] = {0, 0, 0};
        float w = 1.0f;
        for (unsigned a = 0; a < p.axes; ++a) {
            unsigned upper = corner >> a & 1;
            at[a] = index[a] + static_cast<std::int32_t>(upper);
            w *= weight[a][upper];
        }
        if (w == 0.0f) continue; // an infinite neighbour of weight 0 must not make a NaN
        float value[4];
        read_float(t, image, p, at, value);
        for (int i = 0; i < 4; ++i) sum[i] += w * value[i];
    }
}

void sample_level(const Texture& t, const Image& image, const Place& p, std::uint32_t result[4]) {
    if (!t.linear_filter || !t.reads_float()) return sample_point(t, image, p, result);
    float sum[4];
    sample_linear(t, image, p, sum);
    put(t, sum, result);
}

} // namespace

bool Texture::reads_float() const {
    return base().format == Format::f32 || base().format == Format::f16 || normalized_float;
}

void Texture::prepare() {
    fetch = fetch_as_floats(base().format, base().channels, srgb);
    for (Address& mode : address) {
        // Without normalised coordinates there is only clamp and border.
        if (!normalized_coords && mode != Address::border) mode = Address::clamp;
        if (linear_memory) mode = Address::border;
        if (seamless) mode = Address::clamp;
    }
    const Image& image = base();
    const bool plain = levels.size() == 1 && !linear_memory && !srgb &&
                       address[0] != Address::border && address[1] != Address::border;
    if (plain && image.format == Format::f32)
        common = image.channels == 1   ? Common::one_float
                 : image.channels == 4 ? Common::four_floats
                                       : Common::none;
    else if (plain && image.format == Format::u8 && image.channels == 4 && normalized_float)
        common = Common::four_bytes;
}

void fetch_texel(const Texture& t, const Place& p, std::uint32_t level, std::uint32_t result[4]) {
    std::int32_t index[3];
    for (int a = 0; a < 3; ++a)
        index[a] =
            static_cast<std::int32_t>(std::clamp(std::int64_t{p.index[a]} + p.offset[a],
                                                 std::int64_t{-(1 << 30)}, std::int64_t{1 << 30}));
    const std::size_t last = t.levels.size() - 1;
    read_words(t, t.levels[std::min<std::size_t>(level, last)], p, index, result);
}

void sample(const Texture& t, const Place& p, float lod, std::uint32_t result[4]) {
    const std::size_t last = t.levels.size() - 1;
    if (last == 0) return sample_level(t, t.base(), p, result);
    // Level, bias and clamps are cut to 8 bits of fraction before anything is done with them.
    const auto fixed = [](float x) {
        return std::isnan(x) ? 0 : static_cast<int>(std::clamp(x, -1e6f, 1e6f) * 256);
    };
    const int in_256ths =
        std::clamp(std::min(std::max(fixed(lod) + fixed(t.level_bias), fixed(t.least_level)),
                            fixed(t.greatest_level)),
                   0, static_cast<int>(last) * 256);
    if (!t.linear_mip || !t.reads_float()) {
        const auto nearest = static_cast<std::size_t>(in_256ths + 128) / 256;
        return sample_level(t, t.levels[std::min(nearest, last)], p, result);
    }
    const auto level = static_cast<std::size_t>(in_256ths / 256);
    const float fraction = static_cast<float>(in_256ths % 256) / 256;
    sample_level(t, t.levels[level], p, result);
    if (fraction == 0) return;
    std::uint32_t smaller[4];
    sample_level(t, t.levels[std::min(level + 1, last)], p, smaller);
    for (int i = 0; i < 4; ++i) {
        const float a = std::bit_cast<float>(result[i]), b = std::bit_cast<float>(smaller[i]);
        result[i] = std::bit_cast<std::uint32_t>((1 - fraction) * a + fraction * b);
    }
}

void gather(const Texture& t, const Place& p, unsigned component, std::uint32_t result[4]) {
    std::int32_t index[2];
    for (unsigned a = 0; a < 2; ++a)
        index[a] = lower_texel(texel_coordinate(t, t.base(), p, a) - 0.5f) + p.offset[a];
    constexpr int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int i = 0; i < 4; ++i) {
        const std::int32_t at[3] = {index[0] + order[i][0], index[1] + order[i][1], 0};
        std::uint32_t texel[4];
        read_words(t, t.base(), p, at, texel);
        result[i] = texel[component & 3];
    }
}

float level_of_slopes(const Texture& t, const Place& p, const float dx[3], const float dy[3]) {
    // Lengths, and the ellipse that two slopes span, in the approximation of GPUs (of one with
    // three axes nothing is known): the longer of both and their diagonals.
    float x[3] = {0, 0, 0}, y[3] = {0, 0, 0}, sum[3], difference[3];
    for (unsigned a = 0; a < 3; ++a) {
        const bool scaled = t.normalized_coords || p.cube;
        const float size = scaled ? static_cast<float>(size_of_axis(t.base(), a)) : 1.0f;
        if (a < p.axes) x[a] = dx[a] * size, y[a] = dy[a] * size;
        sum[a] = (x[a] + y[a]) * (11.0f / 16);
        difference[a] = (x[a] - y[a]) * (11.0f / 16);
    }
    const auto length = [&](const float v[3]) {
        if (p.axes == 3) return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const float a = std::fabs(v[0]), b = std::fabs(v[1]);
        return std::max(a, b) + std::min(a, b) * (11.0f / 32);
    };
    return std::log2(
        std::max(std::max(length(x), length(y)), std::max(length(sum), length(difference))));
}

} // namespace lathe::soft
