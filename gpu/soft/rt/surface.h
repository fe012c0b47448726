// SPDX-License-Identifier: MIT
// Surface objects as kernels see them: a 64-bit handle for an image that kernels read and write.
#pragma once

#include "gpu/soft/rt/image.h"

#include <atomic>
#include <cstdint>

namespace lathe::soft {

struct Surface {
    Image image;
    std::atomic<bool>* written = nullptr;
};

/// Handles. Descriptors stay the caller's and must live until the handle is dropped.
std::uint64_t add_surface(const Surface* surface);
void drop_surface(std::uint64_t handle);
/// Null for handles that are not live. The address of a reference variable counts as the handle in
/// it.
const Surface* surface_of(std::uint64_t handle);

} // namespace lathe::soft
