// SPDX-License-Identifier: MIT
// Polylines straight from a GL buffer of positions: orbits, trails, stream lines.
#pragma once

#include "engine/core/api.h"
#include "engine/render/clip_planes.h"
#include "engine/render/colormap.h"
#include "engine/render/item_colors.h"
#include "engine/render/polylines.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec4.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace lathe {

namespace gl {
class Buffer;
}

struct LinesData {
    const gl::Buffer* positions = nullptr;
    std::size_t count = 0;         ///< points
    int components = 3;            ///< 2, 3 or 4 float32 a point; the fourth is not looked at
    std::size_t offset = 0;        ///< bytes to the first point
    std::size_t points_a_line = 0; ///< of several lines, one behind the other; 0: one line
    ItemColors colors{};           ///< of points
};

struct LinesStyle {
    glm::vec4 color{0.6f, 0.65f, 0.7f, 1}; ///< where no values or colours are given
    float opacity = 1;
    float width = 1.5f; ///< pixels; edges are soft
    float fade = 0;     ///< 0…1: how much of its opacity a line's first point has lost (trails)
    std::string colormap = "viridis";
    ValueRange range{}; ///< of the values
    /// Of an App: instead of `range`, so much of the line's own values.
    std::optional<Percentiles> percentiles{};
    bool segments = false; ///< false: one polyline; true: points 0–1, 2–3, …
    bool closed = false;   ///< the last point joins the first
};

class LATHE_API LinesRenderer {
public:
    LinesRenderer() = default;

    /// Draws into the bound framebuffer of `framebuffer_size`, blended over what is there; lines in
    /// space behind what stands before them.
    /// Throws lathe::Error where the buffer is too small for `count`, the offset is no multiple of
    /// 4, this GL reads fewer numbers of a buffer, or a draw call takes fewer segments.
    void draw(const LinesData& data, const LinesStyle& style, const glm::mat4& view_projection,
              glm::vec2 framebuffer_size, const ClipPlanes& clip = {});

private:
    std::map<unsigned, gl::Program> programs_;
    std::optional<gl::VertexArray> corners_;
};

} // namespace lathe
