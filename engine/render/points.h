// SPDX-License-Identifier: MIT
// Points straight from a GL buffer of positions: crisp dots, round soft sprites, glowing ones, or
// balls.
#pragma once

#include "engine/core/api.h"
#include "engine/render/clip_planes.h"
#include "engine/render/colormap.h"
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

enum class Blend {
    opaque,   ///< nearest point wins (needs a depth buffer in 3D)
    alpha,    ///< soft edges over what is there
    additive, ///< light adds up: dense places glow
};

struct PointsStyle {
    /// Diameter: pixels, or world units with world_size; at least a pixel on the screen.
    float size = 3;
    /// Perspective then makes near points larger; where they are round and opaque, they are balls,
    /// lit from the viewer's side, that cut each other and what else has depth.
    bool world_size = false;
    glm::vec4 color{0.95f, 0.80f, 0.55f, 1}; ///< where no values or colours are given
    float opacity = 1;
    Blend blend = Blend::alpha;
    bool round = true; ///< false: squares, the fastest
    /// World units; instead of size, world_size, blend and round: lit spheres.
    std::optional<float> radius{};
    std::string colormap = "viridis";
    ValueRange range{}; ///< of the values
    /// Of an App: instead of `range`, so much of the points' own values.
    std::optional<Percentiles> percentiles{};

    bool operator==(const PointsStyle&) const = default;
};

/// What the other fields are where there is a radius.
LATHE_API PointsStyle resolved(const PointsStyle& style);
/// Of a resolved style: whether points are balls.
LATHE_API bool are_balls(const PointsStyle& style);

/// What to draw. Buffers are borrowed until the draw call returns.
struct PointsData {
    const gl::Buffer* positions = nullptr;
    std::size_t count = 0;
    int components = 3;     ///< 2, 3 or 4 float32 a point; the fourth is not looked at
    std::size_t offset = 0; ///< bytes to the first point

    const gl::Buffer* values = nullptr; ///< a float32 a point, through the colormap
    std::size_t value_offset = 0;
    const gl::Buffer* range = nullptr; ///< two floats instead of PointsStyle's; null: those

    const gl::Buffer* colors = nullptr; ///< RGBA a point; wins over `values`
    bool colors_are_bytes = true;       ///< 4 × uint8, else 4 × float32
    std::size_t color_offset = 0;

    const gl::Buffer* radii = nullptr; ///< a float32 a point, multiplied with PointsStyle's
    std::size_t radius_offset = 0;
};

class LATHE_API PointsRenderer {
public:
    PointsRenderer() = default;

    /// Draws into the bound framebuffer, whose size is `framebuffer_size`; programs are compiled
    /// on first use. Of what is cut, balls show a disc; flat points are there or not, by their
    /// middle. Throws lathe::Error where a buffer is too small for `count`.
    void draw(const PointsData& data, const PointsStyle& style, const glm::mat4& view_projection,
              glm::vec2 framebuffer_size, const ClipPlanes& clip = {});

private:
    void draw_sized(const PointsData& data, const PointsStyle& style,
                    const glm::mat4& view_projection, glm::vec2 framebuffer_size,
                    const ClipPlanes& clip);
    gl::VertexArray& array(const PointsData& data, unsigned features);
    std::map<unsigned, gl::Program> programs_;
    std::map<unsigned, gl::VertexArray> arrays_;
};

} // namespace lathe
