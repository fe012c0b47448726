// SPDX-License-Identifier: MIT
// A place to stand: the picture's background, a grid on the ground, and a box around a scene.
#pragma once

#include "engine/render/lines.h"
#include "gl/buffer.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

#include <array>
#include <optional>

namespace lathe {

/// Dark and neutral: what every scene is cleared to unless its script says otherwise.
inline constexpr std::array<float, 4> kBackground{0.043f, 0.047f, 0.058f, 1};

struct AxesStyle {
    float extent = 1;    ///< the grid reaches from −extent to +extent
    int divisions = 5;   ///< cells from the middle to the edge, 1…100
    bool z_up = false;   ///< the ground is z = 0, else y = 0
    bool colored = true; ///< the two axes of the ground red and blue (green with z_up)
    glm::vec4 color{0.55f, 0.60f, 0.68f, 0.16f};
};

class AxesRenderer {
public:
    /// Draws the ground's grid into the bound framebuffer, behind what is drawn later.
    void draw_grid(const AxesStyle& style, const glm::mat4& view_projection,
                   glm::vec2 framebuffer_size);
    /// Draws the twelve edges of the box from `low` to `high`.
    void draw_box(glm::vec3 low, glm::vec3 high, const glm::vec4& color,
                  const glm::mat4& view_projection, glm::vec2 framebuffer_size);

private:
    struct GridShape {
        float extent;
        int divisions;
        bool z_up;
        bool operator==(const GridShape&) const = default;
    };
    std::optional<GridShape> built_;
    std::size_t grid_points_ = 0;
    gl::Buffer grid_; // the grid's lines, then the two axes
    std::optional<std::array<glm::vec3, 2>> boxed_;
    gl::Buffer box_;
    LinesRenderer lines_;
};

} // namespace lathe
