// SPDX-License-Identifier: MIT
// tex.2d of a warp. The commonest reads (floats and normalised bytes, no border) are one loop over
// the lanes; all others go lane by lane through `sample`. The arithmetic is that of texture.cpp,
// step by step, so single threads and warps get the same bits.
#include "gpu/soft/rt/image_warp.h"

#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/float_mode.h"
#include "gpu/soft/rt/texture_address.h"

#include <array>
#include <bit>
#include <cstring>

namespace lathe::soft {

namespace {

using Vector = float __attribute__((vector_size(16)));

constexpr std::array<float, 256> kNormalised = [] {
    std::array<float, 256> values{};
    for (int i = 0; i < 256; ++i) values[static_cast<unsigned>(i)] = static_cast<float>(i) / 255.0f;
    return values;
}();

struct OneFloat {
    static constexpr std::size_t kBytes = 4;
    static constexpr unsigned kChannels = 1;
    using Value = float;
    static Value read(const std::uint8_t* p) {
        float v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    static float channel(Value v, unsigned) { return v; }
};
struct FourFloats {
    static constexpr std::size_t kBytes = 16;
    static constexpr unsigned kChannels = 4;
    using Value = Vector;
    static Value read(const std::uint8_t* p) {
        Vector v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    static float channel(Value v, unsigned i) { return v[i]; }
};
struct FourBytes {
    static constexpr std::size_t kBytes = 4;
    static constexpr unsigned kChannels = 4;
    using Value = Vector;
    static Value read(const std::uint8_t* p) {
        return Vector{kNormalised[p[0]], kNormalised[p[1]], kNormalised[p[2]], kNormalised[p[3]]};
    }
    static float channel(Value v, unsigned i) { return v[i]; }
};

struct TextureLanes {
    std::uint32_t mask, width;
    const float* coords;   ///< x of all lanes, then y
    std::uint32_t* result; ///< channel by channel
};

template <class Texels, bool linear> void read_lanes(const Texture& t, const TextureLanes& lanes) {
    const Image& image = t.base();
    const auto w = static_cast<std::int32_t>(image.width);
    const auto h = static_cast<std::int32_t>(image.rows());
    const Address mode[2] = {t.address[0], t.address[1]};
    const bool normalized = t.normalized_coords;
    auto texel = [&](std::int32_t x, std::int32_t y) {
        return Texels::read(image.data + static_cast<std::uint64_t>(y) * image.pitch_bytes +
                            static_cast<std::uint64_t>(x) * Texels::kBytes);
    };
    for (std::uint32_t left = lanes.mask; left; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        float x = in_texels(lanes.coords[lane], w, normalized, mode[0] == Address::wrap);
        float y =
            in_texels(lanes.coords[lanes.width + lane], h, normalized, mode[1] == Address::wrap);
        typename Texels::Value sum{};
        if constexpr (linear) {
            x -= 0.5f;
            y -= 0.5f;
            const std::int32_t x0 = floor_to_int(x), y0 = floor_to_int(y);
            const float right = to_fraction(x - static_cast<float>(x0)), to_left = 1.0f - right;
            const float below = to_fraction(y - static_cast<float>(y0)), above = 1.0f - below;
            const std::int32_t xs[2] = {addressed(x0, w, mode[0]), addressed(x0 + 1, w, mode[0])};
            const std::int32_t ys[2] = {addressed(y0, h, mode[1]), addressed(y0 + 1, h, mode[1])};
            // An infinite neighbour of weight 0 must not make a NaN.
            auto add = [&](float weight, std::int32_t i, std::int32_t j) {
                if (weight != 0.0f) sum += weight * texel(i, j);
            };
            add(to_left * above, xs[0], ys[0]);
            add(right * above, xs[1], ys[0]);
            add(to_left * below, xs[0], ys[1]);
            add(right * below, xs[1], ys[1]);
        } else {
            sum = texel(addressed(floor_to_int(x), w, mode[0]),
                        addressed(floor_to_int(y), h, mode[1]));
        }
        for (unsigned i = 0; i < 4; ++i)
            lanes.result[i * lanes.width + lane] =
                i < Texels::kChannels ? std::bit_cast<std::uint32_t>(Texels::channel(sum, i)) : 0;
    }
}

template <class Texels> void read_lanes(const Texture& t, const TextureLanes& lanes) {
    if (t.linear_filter) read_lanes<Texels, true>(t, lanes);
    else read_lanes<Texels, false>(t, lanes);
}

void read_each(const Texture& t, const TextureLanes& lanes) {
    Place place;
    place.axes = 2;
    for (std::uint32_t left = lanes.mask; left; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        place.coords[0] = lanes.coords[lane];
        place.coords[1] = lanes.coords[lanes.width + lane];
        std::uint32_t value[4];
        sample(t, place, 0, value);
        for (unsigned i = 0; i < 4; ++i) lanes.result[i * lanes.width + lane] = value[i];
    }
}

} // namespace

extern "C" void lathe_rt_tex_warp(ThreadContext* t, std::uint64_t object, std::uint32_t mask,
                                  std::uint32_t width, const float* coords, std::uint32_t* result) {
    const NormalFloats normal;
    const Texture* texture = texture_of(object);
    if (!texture) stop_at_dead_texture(t, object, pc_of(__builtin_return_address(0)));
    const TextureLanes lanes{mask, width, coords, result};
    switch (texture->common) {
    case Texture::Common::one_float: return read_lanes<OneFloat>(*texture, lanes);
    case Texture::Common::four_floats: return read_lanes<FourFloats>(*texture, lanes);
    case Texture::Common::four_bytes: return read_lanes<FourBytes>(*texture, lanes);
    default: return read_each(*texture, lanes);
    }
}

} // namespace lathe::soft
