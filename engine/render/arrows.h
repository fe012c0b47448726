// SPDX-License-Identifier: MIT
// Arrows from points along vectors: velocities, forces, fields.
#pragma once

#include "engine/core/api.h"
#include "engine/render/clip_planes.h"
#include "engine/render/colormap.h"
#include "engine/render/item_colors.h"
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

/// An arrow's shaft has this radius, in parts of its length, where none is given; its head is so
/// many radii wide and long, but at most half of the arrow. arrows.vert and arrows.frag have them.
struct ArrowShape {
    static constexpr float slimness = 0.035f, head_radius = 2.6f, head_length = 7, most_head = 0.5f;
};

struct ArrowsStyle {
    float scale = 1;            ///< an arrow's length: so many times the vector's
    float radius = 0;           ///< of the shaft, world units; 0: in proportion to the length
    float least_radius = 0.55f; ///< of it on the screen, in pixels: a pixel at least
    glm::vec4 color{0.72f, 0.75f, 0.80f, 1}; ///< where no values or colours are given
    std::string colormap = "viridis";
    ValueRange range{}; ///< of the values
    /// Of an App: instead of `range`, so much of the arrows' own values.
    std::optional<Percentiles> percentiles{};
};

/// What to draw. Buffers are borrowed until the draw call returns.
struct ArrowsData {
    const gl::Buffer* positions = nullptr; ///< where arrows begin
    const gl::Buffer* vectors = nullptr;
    std::size_t count = 0;
    int components = 3; ///< 2, 3 or 4 float32 of both; the fourth is not looked at
    std::size_t offset = 0, vector_offset = 0; ///< bytes to the first
    ItemColors colors{};
};

class LATHE_API ArrowsRenderer {
public:
    ArrowsRenderer() = default;

    /// Draws into the bound framebuffer of `framebuffer_size`, solid, with the depth of what is
    /// seen; programs are compiled on first use. Vectors of no length are not drawn. `view` has no
    /// scale. Throws lathe::Error where a buffer is too small, an offset does not fit the numbers,
    /// this GL reads fewer numbers of a buffer, or a draw call takes fewer arrows.
    void draw(const ArrowsData& data, const ArrowsStyle& style, const glm::mat4& view,
              const glm::mat4& projection, glm::vec2 framebuffer_size, const ClipPlanes& clip = {});

private:
    std::map<unsigned, gl::Program> programs_;
    std::optional<gl::VertexArray> corners_;
};

} // namespace lathe
