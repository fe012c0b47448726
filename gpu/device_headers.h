// SPDX-License-Identifier: MIT
// Headers of the C and C++ libraries that kernels include out of habit and NVRTC does not have:
// what of them exists on a device. printf, assert and the mathematics are NVRTC's own. With them
// the headers of gpu/kernels: those that sources written for PyCUDA include.
#pragma once

#include "engine/core/api.h"
#include "gpu/compiler.h"

#include <span>
#include <string_view>

namespace lathe::gpu {

/// stdio.h cstdio stdint.h cstdint stddef.h cstddef stdlib.h cstdlib string.h cstring math.h cmath
/// assert.h cassert limits.h climits float.h cfloat sys/types.h.
/// pycuda-complex.hpp pycuda-helpers.hpp lathe_references.hpp lathe_half.hpp lathe_numbers.hpp
/// lathe_complex.hpp lathe_random.hpp lathe_distributions.hpp lathe_generators.hpp.
LATHE_API std::span<const CompileHeader> device_headers();

/// Changes with any of their texts.
LATHE_API std::string_view device_headers_key();

} // namespace lathe::gpu
