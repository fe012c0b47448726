// SPDX-License-Identifier: MIT
// tex.2d of a warp in one call, for code of warps.
#pragma once

#include "gpu/soft/rt/abi.h"

namespace lathe::soft {

extern "C" {

/// Reads level 0 at `coords`: x of `width` lanes, then y. result: `width` words of each of four
/// channels; those of lanes outside of `mask` stay as they are.
void lathe_rt_tex_warp(ThreadContext* t, std::uint64_t object, std::uint32_t mask,
                       std::uint32_t width, const float* coords, std::uint32_t* result);

} // extern "C"

} // namespace lathe::soft
