// SPDX-License-Identifier: MIT
// Which arrays drawing calls take; private to engine/scene. Each throws gpu::ShapeError or
// gpu::TypeError that says what is wanted and what was given.
#pragma once

#include "gpu/array/array.h"

#include <cstdint>

namespace lathe {

void check_picture(const gpu::Array& array);
void check_positions(const gpu::Array& positions);
/// One number a point.
void check_numbers(const char* what, const gpu::Array& numbers, std::int64_t count);
void check_colors(const gpu::Array& colors, std::int64_t count);

void check_volume(const gpu::Array& array);

void check_mesh(const gpu::Array& vertices, const gpu::Array& triangles);
/// One a vertex or one a triangle.
void check_mesh_values(const gpu::Array& values, std::int64_t vertices, std::int64_t triangles);
void check_mesh_colors(const gpu::Array& colors, std::int64_t vertices, std::int64_t triangles);
void check_normals(const gpu::Array& normals, std::int64_t vertices);

} // namespace lathe
