// SPDX-License-Identifier: MIT
// Texture and surface objects as kernels see them: a 64-bit handle for a descriptor in a table.
#pragma once

#include "gpu/soft/rt/image.h"

#include <atomic>
#include <cstdint>

namespace lathe::soft {

/// Numbered as CUaddress_mode.
enum class Address : std::uint8_t { wrap, clamp, mirror, border };

struct Texture {
    Image image;
    bool linear_memory = false; ///< 1D memory read by index: outside of it is 0
    Address address[3] = {Address::clamp, Address::clamp, Address::clamp};
    bool linear_filter = false;
    bool normalized_float = false; ///< 8 and 16 bit integers read as [0, 1] or [-1, 1]
    bool normalized_coords = false;
    bool srgb = false;
    bool cube = false;
    float border[4] = {0, 0, 0, 0};

    /// One texel as floats; for filtering, and for floating formats.
    void (*fetch)(const Texture&, const std::uint8_t* texel, float out[4]) = nullptr;
    /// Chooses `fetch`; call it when the other fields are set.
    void prepare();
    /// True where reads give floats: floating formats, and integers as normalised floats.
    bool reads_float() const;
};

struct Surface {
    Image image;
    std::atomic<bool>* written = nullptr;
};

/// Handles. Descriptors stay the caller's and must live until the handle is dropped.
std::uint64_t add_texture(const Texture* texture);
std::uint64_t add_surface(const Surface* surface);
void drop_texture(std::uint64_t handle);
void drop_surface(std::uint64_t handle);
/// Null for handles that are not live.
const Texture* texture_of(std::uint64_t handle);
const Surface* surface_of(std::uint64_t handle);

/// Reads at coordinates in texels (or normalised), `axes` of them, in layer `layer`.
void sample(const Texture& texture, unsigned axes, const float* coords, std::uint32_t layer,
            std::uint32_t result[4]);
/// Reads the texel of integer coordinates.
void fetch_texel(const Texture& texture, unsigned axes, const std::int32_t* coords,
                 std::uint32_t layer, std::uint32_t result[4]);
/// One component of the four texels that linear filtering would read, in tld4's order.
void gather(const Texture& texture, unsigned component, const float* coords,
            std::uint32_t result[4]);

} // namespace lathe::soft
