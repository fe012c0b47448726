// SPDX-License-Identifier: MIT
// Cube maps: directions, faces and places on them, after the CUDA Programming Guide's table.
#pragma once

#include <cstdint>

namespace lathe::soft {

/// The face that a direction meets (+x, -x, +y, -y, +z, -z), and where: 0 to 1.
std::uint32_t cube_face(const float direction[3], float place[2]);

/// Slopes of the place on the face while the direction changes by `slope`.
void cube_slope(const float direction[3], const float slope[3], float place_slope[2]);

struct CubeTexel {
    std::uint32_t face;
    std::int32_t x, y;
};

/// The texel beside a face's edge that an index one texel outside of it means; one of x and y is
/// outside of 0 to size - 1.
CubeTexel across_edge(const CubeTexel& outside, std::int32_t size);

} // namespace lathe::soft
