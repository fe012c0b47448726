// SPDX-License-Identifier: MIT
// Random CUDA kernels for comparing execution modes: nested divergent loops with break and
// continue, switches, early returns, shuffles, barriers, local arrays, atomics, calls. What a
// kernel computes depends on its input and on no order of threads.
#pragma once

#include <cstdint>
#include <string>

namespace lathe::test {

/// What kernels may contain: all that the software device must get right, or only what CUDA defines
/// in full, so that every device gives the same bits. The latter leaves out approximate functions,
/// barriers in two branches and shuffles from lanes that take no part.
enum class Operations { all, defined };

/// CUDA source of `extern "C" __global__ void <name>(const unsigned* in, unsigned* out, unsigned*
/// sums)`: `in` holds 256 words, thread i (in the grid) owns out[8 i .. 8 i + 7], `sums` 16 words
/// that all threads add to. The same seed gives the same kernel.
std::string random_kernel(const std::string& name, std::uint32_t seed,
                          Operations operations = Operations::all);

/// Functions that the kernels call; once before them.
std::string random_kernel_prelude();

} // namespace lathe::test
