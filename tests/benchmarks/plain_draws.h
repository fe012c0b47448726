// SPDX-License-Identifier: MIT
// The draws that bench_scene compares with: small programs of plain OpenGL 4.5, as somebody without
// Lathe writes them.
#pragma once

#include "engine/scene/renderer.h"
#include "engine/scene/volume_style.h"
#include "gl/buffer.h"

#include <cstddef>
#include <functional>

namespace lathe::benchmarks {

/// A frame's share of plain GL. It is made and destroyed while the App's context is current.
using Draw = std::function<void(const DrawView&)>;

/// Of a pixel each. `places` holds three floats a point.
Draw plain_points(const gl::Buffer& places, std::size_t count);
/// Squares that turn to the eye, two triangles each; the ray of a fragment finds the surface.
Draw plain_spheres(const gl::Buffer& places, std::size_t count, float radius);
/// Flat; `corners` holds three int32 a triangle.
Draw plain_mesh(const gl::Buffer& vertices, const gl::Buffer& corners, std::size_t triangles);
/// Through a colormap in a texture; the numbers come from a buffer texture.
Draw plain_picture(const gl::Buffer& numbers, int side);
/// Marched from the box's first face to its last in steps of half a cell, through a 3D texture that
/// GL filters. Each frame fills the texture from the buffer, since an array may have changed.
Draw plain_volume(const gl::Buffer& values, int side, VolumeMode mode);

} // namespace lathe::benchmarks
