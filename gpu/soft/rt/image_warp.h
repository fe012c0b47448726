// SPDX-License-Identifier: MIT
// 2D reads of textures and accesses of surfaces by a warp in one call, for code of warps.
#pragma once

#include "gpu/soft/rt/abi.h"

namespace lathe::soft {

/// What lathe_rt_surface_warp does: bits of its argument.
struct SurfaceAccess {
    std::uint32_t bytes = 4;    ///< of an element: 1, 2 or 4
    std::uint32_t count = 1;    ///< elements: 1, 2 or 4
    std::uint32_t boundary = 0; ///< as for lathe_rt_suld
    bool store = false;

    constexpr std::uint32_t packed() const {
        return bytes | count << 4 | boundary << 8 | (store ? 1u << 12 : 0u);
    }
    static constexpr SurfaceAccess unpacked(std::uint32_t bits) {
        return {bits & 15, bits >> 4 & 15, bits >> 8 & 15, (bits >> 12 & 1) != 0};
    }
};

extern "C" {

/// Reads level 0 at `coords`: x of `width` lanes, then y. result: `width` words of each of four
/// channels; those of lanes outside of `mask` stay as they are.
void lathe_rt_tex_warp(ThreadContext* t, std::uint64_t object, std::uint32_t mask,
                       std::uint32_t width, const float* coords, std::uint32_t* result);
/// suld.b.2d and sust.b.2d: x in bytes. values: `width` words of each element. The thread of the
/// context is that of lane 0.
void lathe_rt_surface_warp(ThreadContext* t, std::uint64_t object, std::uint32_t mask,
                           std::uint32_t width, std::uint32_t access, const std::int32_t* coords,
                           std::uint32_t* values);

} // extern "C"

} // namespace lathe::soft
