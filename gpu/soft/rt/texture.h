// SPDX-License-Identifier: MIT
// Texture objects as kernels see them: a 64-bit handle for a descriptor in a table. Their reads
// are in texture.cpp (filters, mip levels), texel.h (formats) and cube.h (faces).
#pragma once

#include "gpu/soft/rt/image.h"

#include <cstdint>
#include <vector>

namespace lathe::soft {

struct ThreadContext;

/// Numbered as CUaddress_mode.
enum class Address : std::uint8_t { wrap, clamp, mirror, border };

struct Texture {
    std::vector<Image> levels;  ///< mip levels, the largest first; one where there are no others
    bool linear_memory = false; ///< 1D memory read by index: outside of it is 0
    Address address[3] = {Address::clamp, Address::clamp, Address::clamp};
    bool linear_filter = false;
    bool linear_mip = false;       ///< blends two levels instead of taking the nearer one
    bool normalized_float = false; ///< 8 and 16 bit integers read as [0, 1] or [-1, 1]
    bool normalized_coords = false;
    bool srgb = false;
    bool seamless = false; ///< filters of cube maps read across edges
    float border[4] = {0, 0, 0, 0};
    float level_bias = 0, least_level = 0, greatest_level = 0;

    /// One texel as floats; for filtering, and for floating formats. The least signed integer is a
    /// little below -1, which is the least that reads give.
    void (*fetch)(const std::uint8_t* texel, float out[4]) = nullptr;

    /// What warps read in one loop: 2D reads of such texels, without borders and levels.
    enum class Common : std::uint8_t { none, one_float, four_floats, four_bytes };
    Common common = Common::none;

    /// Chooses `fetch`, `common` and the address modes that hold; call it when the other fields are
    /// set.
    void prepare();
    const Image& base() const { return levels.front(); }
    /// True where reads give floats: floating formats, and integers as normalised floats.
    bool reads_float() const;
};

/// Handles. Descriptors stay the caller's and must live until the handle is dropped.
std::uint64_t add_texture(const Texture* texture);
void drop_texture(std::uint64_t handle);
/// Null for handles that are not live. The address of a reference variable counts as the handle in
/// it.
const Texture* texture_of(std::uint64_t handle);

/// Ends the launch: the kernel read through a handle that is not live.
[[noreturn]] void stop_at_dead_texture(ThreadContext* t, std::uint64_t handle, std::uintptr_t pc);

/// .texref and .surfref variables: PTX may pass their addresses around as handles.
void add_reference(const std::uint64_t* variable);
void drop_reference(const std::uint64_t* variable);
/// The handle that a reference variable holds; any other number as it is.
std::uint64_t handle_behind(std::uint64_t handle_or_variable);

/// Where and how a read happens.
struct Place {
    unsigned axes = 1; ///< 1 to 3
    std::uint32_t layer = 0;
    std::int32_t offset[3] = {0, 0, 0}; ///< texels added after the address was found
    bool cube = false;                  ///< two axes on a face, 0 to 1; the layer counts faces

    float coords[3] = {0, 0, 0};
    std::int32_t index[3] = {0, 0, 0}; ///< for fetch_texel, instead of `coords`
};

/// Reads at coordinates in texels (or normalised). `lod`: the mip level that the instruction asks
/// for, before bias and clamps.
void sample(const Texture& texture, const Place& place, float lod, std::uint32_t result[4]);
/// Reads the texel of integer coordinates, in mip level `level`.
void fetch_texel(const Texture& texture, const Place& place, std::uint32_t level,
                 std::uint32_t result[4]);
/// One component of the four texels that linear filtering would read, in tld4's order.
void gather(const Texture& texture, const Place& place, unsigned component,
            std::uint32_t result[4]);
/// Mip level of a footprint: log2 of about the longer axis of the ellipse that the two slopes span.
/// They are per texture coordinate (on the face where the place is on a cube).
float level_of_slopes(const Texture& texture, const Place& place, const float dx[3],
                      const float dy[3]);

} // namespace lathe::soft
