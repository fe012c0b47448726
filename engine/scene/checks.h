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

/// (n, 2 to 4), or (lines, n, 2 to 4).
void check_lines(const gpu::Array& positions);
void check_arrows(const gpu::Array& positions, const gpu::Array& vectors);
/// One number for each item; items may have several axes.
void check_items(const char* what, const gpu::Array& numbers, const gpu::Extents& items);
void check_item_colors(const gpu::Array& colors, const gpu::Extents& items);

void check_heights(const gpu::Array& heights);
void check_volume(const gpu::Array& array);

void check_mesh(const gpu::Array& vertices, const gpu::Array& triangles);
/// One a vertex or one a triangle.
void check_mesh_values(const gpu::Array& values, std::int64_t vertices, std::int64_t triangles);
void check_mesh_colors(const gpu::Array& colors, std::int64_t vertices, std::int64_t triangles);
/// Turns and scales may be null.
void check_instances(const gpu::Array& positions, const gpu::Array* turns,
                     const gpu::Array* scales);
/// Both or none; real numbers.
void check_texture(const gpu::Array* texture, const gpu::Array* texcoords, std::int64_t vertices);
void check_normals(const gpu::Array& normals, std::int64_t vertices);

} // namespace lathe
