// SPDX-License-Identifier: MIT
// Polylines straight from a GL buffer of positions: orbits, trails, axes.
#pragma once

#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glm/mat4x4.hpp>
#include <glm/vec4.hpp>

#include <cstddef>
#include <map>

namespace lathe {

namespace gl {
class Buffer;
}

struct LinesData {
    const gl::Buffer* positions = nullptr;
    std::size_t count = 0;        ///< points
    int components = 3;           ///< 2, 3 or 4 float32 a point
    std::size_t stride_bytes = 0; ///< 0: packed
    std::size_t offset = 0;       ///< bytes to the first point
    bool segments = false;        ///< false: one polyline; true: points 0–1, 2–3, …
    bool closed = false;          ///< the last point joins the first
};

struct LinesStyle {
    glm::vec4 color{0.6f, 0.65f, 0.7f, 1};
    float fade = 0; ///< 0…1: how much of the opacity the first point has lost (trails)
};

class LinesRenderer {
public:
    /// Draws lines one pixel wide into the bound framebuffer, blended over what is there.
    /// Throws lathe::Error where the buffer is too small for `count`.
    void draw(const LinesData& data, const LinesStyle& style, const glm::mat4& view_projection);

private:
    gl::Program program_;
    std::map<int, gl::VertexArray> arrays_;
};

} // namespace lathe
