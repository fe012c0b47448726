// SPDX-License-Identifier: MIT
// Headers of the C and C++ libraries that kernels include out of habit and NVRTC does not have:
// what of them exists on a device. printf, assert and the mathematics are NVRTC's own.
#pragma once

#include "gpu/compiler.h"

#include <span>

namespace lathe::gpu {

/// stdio.h cstdio stdint.h cstdint stddef.h cstddef stdlib.h cstdlib string.h cstring math.h cmath
/// assert.h cassert limits.h climits float.h cfloat.
std::span<const CompileHeader> device_headers();

} // namespace lathe::gpu
