// SPDX-License-Identifier: MIT
// Lines with thickness in space, round and lit: stream lines, trails, bonds.
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

struct TubesStyle {
    float radius = 0.01f;                    ///< world units; with TubesData::radii a factor
    float least_radius = 0.55f;              ///< on the screen, in pixels: a pixel at least
    glm::vec4 color{0.72f, 0.75f, 0.80f, 1}; ///< where no values or colours are given
    bool segments = false;                   ///< false: one tube a line; true: points 0–1, 2–3, …
    bool closed = false;                     ///< the last point of a line joins the first
    std::string colormap = "viridis";
    ValueRange range{}; ///< of the values
    /// Of an App: instead of `range`, so much of the tubes' own values.
    std::optional<Percentiles> percentiles{};
};

/// What to draw. Buffers are borrowed until the draw call returns.
struct TubesData {
    const gl::Buffer* positions = nullptr;
    std::size_t count = 0;         ///< points
    int components = 3;            ///< 2, 3 or 4 float32 a point; the fourth is not looked at
    std::size_t offset = 0;        ///< bytes to the first point
    std::size_t points_a_line = 0; ///< of several lines, one behind the other; 0: one line
    ItemColors colors{};           ///< of points; blended along a segment
    /// A float32 a point. A segment is drawn where neither end's is negative and one is above 0.
    const gl::Buffer* radii = nullptr;
    std::size_t radius_offset = 0;
};

class LATHE_API TubesRenderer {
public:
    TubesRenderer() = default;

    /// Draws into the bound framebuffer of `framebuffer_size`, solid, with the depth of what is
    /// seen; programs are compiled on first use. `view` has no scale. Throws lathe::Error where a
    /// buffer is too small, an offset does not fit the numbers, this GL reads fewer numbers of a
    /// buffer, or a draw call takes fewer segments.
    void draw(const TubesData& data, const TubesStyle& style, const glm::mat4& view,
              const glm::mat4& projection, glm::vec2 framebuffer_size, const ClipPlanes& clip = {});

private:
    std::map<unsigned, gl::Program> programs_;
    std::optional<gl::VertexArray> corners_;
};

} // namespace lathe
