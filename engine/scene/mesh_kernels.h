// SPDX-License-Identifier: MIT
// What meshes need of the device; private to engine/scene. Vertices are (n, 3) float32, triangles
// (m, 3) integers of 4 bytes, both in C order and with elements.
#pragma once

#include "engine/scene/height_field.h"
#include "gpu/array/array.h"

#include <cstdint>

namespace lathe {

/// Into (n, 3) float32: the sum of the normals of a vertex's triangles, each as long as twice the
/// triangle's area. Triangles with numbers that are not finite, or with vertices that are not
/// there, are left out. In the order of the legacy default stream.
void add_normals(const gpu::Array& vertices, const gpu::Array& triangles,
                 const gpu::Array& normals);

/// How many numbers of `triangles` are not 0 to vertices - 1. Blocks.
std::uint64_t indices_outside(const gpu::Array& triangles, std::int64_t vertices);

/// (rows, columns) floats in C order as a mesh: its vertices and triangles. In the order of the
/// legacy default stream.
void spread_heights(const gpu::Array& heights, const Grid& grid, const gpu::Array& vertices,
                    const gpu::Array& triangles);

} // namespace lathe
