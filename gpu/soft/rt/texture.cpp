// SPDX-License-Identifier: MIT
// Texture reads. Filter weights have 8 bits of fraction (1.8 fixed point), as on hardware; the
// weighted sum itself is single precision.
#include "gpu/soft/rt/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace lathe::soft {

namespace {

float half_to_float(std::uint16_t h) {
    std::uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ffu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
        float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

float srgb_to_linear(float c) {
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

template <class T> float normalised(T v) {
    if constexpr (std::is_signed_v<T>)
        return std::max(static_cast<float>(v) / static_cast<float>(std::numeric_limits<T>::max()),
                        -1.0f);
    else
        return static_cast<float>(v) / static_cast<float>(std::numeric_limits<T>::max());
}

struct Half {
    std::uint16_t bits;
};

template <class T> float as_float(T v) {
    if constexpr (std::is_same_v<T, Half>)
        return half_to_float(v.bits);
    else if constexpr (std::is_same_v<T, float>)
        return v;
    else
        return normalised(v);
}

template <class T, unsigned channels>
void fetch_as_float(const Texture& texture, const std::uint8_t* texel, float out[4]) {
    T values[channels];
    std::memcpy(values, texel, sizeof values);
    for (unsigned i = 0; i < channels; ++i) out[i] = as_float(values[i]);
    for (unsigned i = channels; i < 4; ++i) out[i] = 0;
    if (texture.srgb)
        for (unsigned i = 0; i < std::min(channels, 3u); ++i) out[i] = srgb_to_linear(out[i]);
}

template <class T> auto fetch_by_channels(unsigned channels) {
    return channels == 1   ? fetch_as_float<T, 1>
           : channels == 2 ? fetch_as_float<T, 2>
                           : fetch_as_float<T, 4>;
}

template <class T> std::uint32_t widened(const std::uint8_t* p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    if constexpr (std::is_signed_v<T>)
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(v));
    else
        return v;
}

void fetch_raw(const Image& image, const std::uint8_t* texel, std::uint32_t out[4]) {
    for (unsigned i = 0; i < 4; ++i) out[i] = 0;
    for (unsigned i = 0; i < image.channels; ++i) {
        const std::uint8_t* p = texel + std::size_t{i} * bytes_of(image.format);
        switch (image.format) {
        case Format::u8:
            out[i] = widened<std::uint8_t>(p);
            break;
        case Format::u16:
            out[i] = widened<std::uint16_t>(p);
            break;
        case Format::s8:
            out[i] = widened<std::int8_t>(p);
            break;
        case Format::s16:
            out[i] = widened<std::int16_t>(p);
            break;
        default:
            out[i] = widened<std::uint32_t>(p);
            break;
        }
    }
}

/// The index that the address mode gives; -1: border.
std::int32_t addressed(std::int32_t i, std::int32_t n, Address mode) {
    if (static_cast<std::uint32_t>(i) < static_cast<std::uint32_t>(n)) return i;
    switch (mode) {
    case Address::wrap: {
        std::int32_t r = i % n;
        return r < 0 ? r + n : r;
    }
    case Address::mirror: {
        std::int32_t r = i % (2 * n);
        if (r < 0) r += 2 * n;
        return r < n ? r : 2 * n - 1 - r;
    }
    case Address::border:
        return -1;
    default:
        return i < 0 ? 0 : n - 1;
    }
}

std::uint32_t size_of_axis(const Image& image, unsigned axis) {
    std::uint32_t n = axis == 0 ? image.width : axis == 1 ? image.height : image.depth;
    return n ? n : 1;
}

/// Null: the border.
const std::uint8_t* texel_at(const Texture& t, unsigned axes, const std::int32_t* index,
                             std::uint32_t layer) {
    const Image& image = t.image;
    std::int32_t at[3] = {0, 0, 0};
    for (unsigned a = 0; a < axes; ++a) {
        // Without normalised coordinates there is only clamp and border.
        Address mode = t.address[a];
        if (!t.normalized_coords && mode != Address::border) mode = Address::clamp;
        if (t.linear_memory) mode = Address::border;
        at[a] = addressed(index[a], static_cast<std::int32_t>(size_of_axis(image, a)), mode);
        if (at[a] < 0) return nullptr;
    }
    std::uint64_t slice =
        image.layers ? std::min(layer, image.layers - 1) : static_cast<std::uint32_t>(at[2]);
    return image.data + slice * image.slice_bytes +
           static_cast<std::uint64_t>(at[1]) * image.pitch_bytes +
           static_cast<std::uint64_t>(at[0]) * image.texel_bytes();
}

void read_float(const Texture& t, unsigned axes, const std::int32_t* index, std::uint32_t layer,
                float out[4]) {
    const std::uint8_t* texel = texel_at(t, axes, index, layer);
    if (texel)
        t.fetch(t, texel, out);
    else if (t.linear_memory)
        std::fill_n(out, 4, 0.0f);
    else
        std::copy_n(t.border, 4, out);
}

/// Coordinate in texels, safe to convert to an integer.
float in_texels(const Texture& t, unsigned axis, float x) {
    if (t.normalized_coords) {
        // Beyond 2^24 texels a float has no fraction left; wrapping first keeps what there is.
        if (t.address[axis] == Address::wrap) x -= std::floor(x);
        x *= static_cast<float>(size_of_axis(t.image, axis));
    }
    if (std::isnan(x)) return 0;
    return std::clamp(x, -1e9f, 1e9f);
}

void put(const float value[4], std::uint32_t result[4]) {
    for (int i = 0; i < 4; ++i) result[i] = std::bit_cast<std::uint32_t>(value[i]);
}

} // namespace

bool Texture::reads_float() const {
    return image.format == Format::f32 || image.format == Format::f16 || normalized_float;
}

void Texture::prepare() {
    switch (image.format) {
    case Format::u8:
        fetch = fetch_by_channels<std::uint8_t>(image.channels);
        break;
    case Format::u16:
        fetch = fetch_by_channels<std::uint16_t>(image.channels);
        break;
    case Format::u32:
        fetch = fetch_by_channels<std::uint32_t>(image.channels);
        break;
    case Format::s8:
        fetch = fetch_by_channels<std::int8_t>(image.channels);
        break;
    case Format::s16:
        fetch = fetch_by_channels<std::int16_t>(image.channels);
        break;
    case Format::s32:
        fetch = fetch_by_channels<std::int32_t>(image.channels);
        break;
    case Format::f16:
        fetch = fetch_by_channels<Half>(image.channels);
        break;
    case Format::f32:
        fetch = fetch_by_channels<float>(image.channels);
        break;
    }
}

void fetch_texel(const Texture& t, unsigned axes, const std::int32_t* coords, std::uint32_t layer,
                 std::uint32_t result[4]) {
    if (t.reads_float()) {
        float value[4];
        read_float(t, axes, coords, layer, value);
        put(value, result);
        return;
    }
    if (const std::uint8_t* texel = texel_at(t, axes, coords, layer)) {
        fetch_raw(t.image, texel, result);
    } else {
        for (int i = 0; i < 4; ++i)
            result[i] = t.linear_memory
                            ? 0
                            : static_cast<std::uint32_t>(static_cast<std::int64_t>(t.border[i]));
    }
}

void sample(const Texture& t, unsigned axes, const float* coords, std::uint32_t layer,
            std::uint32_t result[4]) {
    std::int32_t index[3] = {0, 0, 0};
    if (!t.linear_filter || !t.reads_float()) {
        for (unsigned a = 0; a < axes; ++a)
            index[a] = static_cast<std::int32_t>(std::floor(in_texels(t, a, coords[a])));
        fetch_texel(t, axes, index, layer, result);
        return;
    }
    float weight[3][2];
    for (unsigned a = 0; a < axes; ++a) {
        float x = in_texels(t, a, coords[a]) - 0.5f, whole = std::floor(x);
        index[a] = static_cast<std::int32_t>(whole);
        weight[a][1] = std::floor((x - whole) * 256.0f + 0.5f) * (1.0f / 256.0f);
        weight[a][0] = 1.0f - weight[a][1];
    }
    float sum[4] = {0, 0, 0, 0};
    for (unsigned corner = 0; corner < 1u << axes; ++corner) {
        std::int32_t at[3] = {0, 0, 0};
        float w = 1.0f;
        for (unsigned a = 0; a < axes; ++a) {
            unsigned upper = corner >> a & 1;
            at[a] = index[a] + static_cast<std::int32_t>(upper);
            w *= weight[a][upper];
        }
        if (w == 0.0f) continue; // an infinite neighbour of weight 0 must not make a NaN
        float value[4];
        read_float(t, axes, at, layer, value);
        for (int i = 0; i < 4; ++i) sum[i] += w * value[i];
    }
    put(sum, result);
}

void gather(const Texture& t, unsigned component, const float* coords, std::uint32_t result[4]) {
    std::int32_t index[2];
    for (unsigned a = 0; a < 2; ++a)
        index[a] = static_cast<std::int32_t>(std::floor(in_texels(t, a, coords[a]) - 0.5f));
    constexpr int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int i = 0; i < 4; ++i) {
        std::int32_t at[2] = {index[0] + order[i][0], index[1] + order[i][1]};
        std::uint32_t texel[4];
        fetch_texel(t, 2, at, 0, texel);
        result[i] = texel[component & 3];
    }
}

} // namespace lathe::soft
