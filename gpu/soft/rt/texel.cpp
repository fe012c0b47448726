// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace lathe::soft {

namespace {

struct Half {
    std::uint16_t bits;
};

float half_to_float(std::uint16_t h) {
    std::uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ffu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
        float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// Toward zero, as formatted stores of GPUs do it.
std::uint16_t float_to_half(float v) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(v);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
    const float magnitude = std::fabs(v);
    if (std::isnan(v)) // keeps its upper bits
        return static_cast<std::uint16_t>(sign | 0x7e00u | (bits >> 13 & 0x3ffu));
    if (std::isinf(v)) return static_cast<std::uint16_t>(sign | 0x7c00u);
    if (magnitude >= 65504.0f) return static_cast<std::uint16_t>(sign | 0x7bffu);
    if (magnitude < 0x1p-14f)
        return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(magnitude * 0x1p24f));
    return static_cast<std::uint16_t>(sign | (((bits & 0x7fffffffu) >> 13) - (112u << 10)));
}

float srgb_to_linear(float c) {
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

template <class T> constexpr float kMost = static_cast<float>(std::numeric_limits<T>::max());

template <class T> float as_float(T v) {
    if constexpr (std::is_same_v<T, Half>) return half_to_float(v.bits);
    else if constexpr (std::is_same_v<T, float>) return v;
    else if constexpr (std::is_signed_v<T>) return static_cast<float>(v) / kMost<T>;
    else return static_cast<float>(v) / kMost<T>;
}

template <class T, unsigned channels, bool srgb>
void fetch_float(const std::uint8_t* texel, float out[4]) {
    T values[channels];
    std::memcpy(values, texel, sizeof values);
    for (unsigned i = 0; i < 4; ++i) out[i] = i < channels ? as_float(values[i]) : 0;
    if constexpr (srgb)
        for (unsigned i = 0; i < std::min(channels, 3u); ++i) out[i] = srgb_to_linear(out[i]);
}

template <class T> FetchFloat fetch_by_channels(unsigned channels) {
    return channels == 1   ? fetch_float<T, 1, false>
           : channels == 2 ? fetch_float<T, 2, false>
                           : fetch_float<T, 4, false>;
}

/// Calls f(T{}) with the type of a format's channels.
template <class F> auto with_type(Format format, F&& f) {
    switch (format) {
    case Format::u8: return f(std::uint8_t{});
    case Format::u16: return f(std::uint16_t{});
    case Format::u32: return f(std::uint32_t{});
    case Format::s8: return f(std::int8_t{});
    case Format::s16: return f(std::int16_t{});
    case Format::s32: return f(std::int32_t{});
    case Format::f16: return f(Half{});
    default: return f(float{});
    }
}

template <class T> std::uint32_t to_word(T v) {
    if constexpr (std::is_same_v<T, Half>) return v.bits;
    else if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(v);
    else return static_cast<std::uint32_t>(static_cast<std::int64_t>(v));
}

template <class T> T from_word(std::uint32_t word, bool normalized) {
    if constexpr (std::is_same_v<T, Half>) {
        return {float_to_half(std::bit_cast<float>(word))};
    } else if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<float>(word);
    } else if (normalized) {
        float v = std::bit_cast<float>(word), least = std::is_signed_v<T> ? -1.0f : 0.0f;
        v = std::isnan(v) ? 0.0f : std::clamp(v, least, 1.0f);
        return static_cast<T>(std::nearbyint(v * kMost<T>));
    } else {
        using Limits = std::numeric_limits<T>;
        std::int64_t v = std::is_signed_v<T> ? std::int64_t{static_cast<std::int32_t>(word)}
                                             : std::int64_t{word};
        return static_cast<T>(
            std::clamp(v, std::int64_t{Limits::min()}, std::int64_t{Limits::max()}));
    }
}

} // namespace

FetchFloat fetch_as_floats(Format format, unsigned channels, bool srgb) {
    if (srgb && format == Format::u8)
        return channels == 1   ? fetch_float<std::uint8_t, 1, true>
               : channels == 2 ? fetch_float<std::uint8_t, 2, true>
                               : fetch_float<std::uint8_t, 4, true>;
    return with_type(format, [&](auto t) { return fetch_by_channels<decltype(t)>(channels); });
}

void fetch_words(const Image& image, const std::uint8_t* texel, std::uint32_t out[4]) {
    with_type(image.format, [&](auto t) {
        for (unsigned i = 0; i < 4; ++i) {
            out[i] = 0;
            if (i >= image.channels) continue;
            std::memcpy(&t, texel + i * sizeof t, sizeof t);
            out[i] = to_word(t);
        }
    });
}

void store_words(const Image& image, std::uint8_t* texel, const std::uint32_t* words,
                 unsigned count) {
    with_type(image.format, [&](auto t) {
        for (unsigned i = 0; i < std::min(count, image.channels); ++i) {
            t = from_word<decltype(t)>(words[i], image.normalized);
            std::memcpy(texel + i * sizeof t, &t, sizeof t);
        }
    });
}

} // namespace lathe::soft
