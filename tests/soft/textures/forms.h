// SPDX-License-Identifier: MIT
// The shapes of textures that have texels (cube maps have directions), and how each is read.
#pragma once

#include "tests/soft/textures/read_kernels.h"

#include <cuda.h>

#include <array>
#include <cstddef>

namespace lathe::test {

struct Form {
    const char* name;
    Read kind;
    std::array<std::size_t, 3> size; ///< as cuArray3DCreate takes it
    unsigned flags;
    int axes; ///< that are filtered
};

inline constexpr Form kForms[] = {
    {"1d", Read::d1, {16, 0, 0}, 0, 1},
    {"2d", Read::d2, {16, 8, 0}, 0, 2},
    {"3d", Read::d3, {8, 4, 4}, 0, 3},
    {"layers1", Read::layers1, {16, 0, 3}, CUDA_ARRAY3D_LAYERED, 1},
    {"layers2", Read::layers2, {8, 4, 3}, CUDA_ARRAY3D_LAYERED, 2},
};

} // namespace lathe::test
