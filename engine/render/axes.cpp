// SPDX-License-Identifier: MIT
#include "engine/render/axes.h"

#include <algorithm>
#include <span>
#include <vector>

namespace lathe {
namespace {

gl::Buffer buffer_of(const std::vector<glm::vec3>& points) {
    return gl::Buffer{std::as_bytes(std::span{points})};
}

} // namespace

void AxesRenderer::draw_grid(const AxesStyle& style, const glm::mat4& view_projection,
                             glm::vec2 framebuffer_size) {
    const GridShape shape{style.extent, std::clamp(style.divisions, 1, 100), style.z_up};
    if (built_ != shape) {
        std::vector<glm::vec3> points;
        const float e = shape.extent;
        const auto line = [&](glm::vec2 a, glm::vec2 b) {
            for (glm::vec2 p : {a, b})
                points.push_back(shape.z_up ? glm::vec3{p, 0} : glm::vec3{p.x, 0, p.y});
        };
        for (int i = -shape.divisions; i <= shape.divisions; ++i) {
            if (i == 0) continue; // the axes, drawn in their own colours
            const float at = e * float(i) / float(shape.divisions);
            line({at, -e}, {at, e});
            line({-e, at}, {e, at});
        }
        grid_points_ = points.size();
        line({-e, 0}, {e, 0});
        line({0, -e}, {0, e});
        grid_ = buffer_of(points);
        built_ = shape;
    }
    const auto draw = [&](std::size_t first, std::size_t count, const glm::vec4& color) {
        lines_.draw({.positions = &grid_,
                     .count = count,
                     .offset = first * sizeof(glm::vec3),
                     .segments = true},
                    {.color = color, .width = 1}, view_projection, framebuffer_size);
    };
    draw(0, grid_points_, style.color);
    const float a = std::min(1.0f, 2.5f * style.color.a);
    const glm::vec4 red{0.86f, 0.33f, 0.33f, a}, green{0.42f, 0.75f, 0.38f, a},
        blue{0.36f, 0.55f, 0.92f, a};
    draw(grid_points_, 2, style.colored ? red : style.color);
    draw(grid_points_ + 2, 2, !style.colored ? style.color : style.z_up ? green : blue);
}

void AxesRenderer::draw_box(glm::vec3 low, glm::vec3 high, const glm::vec4& color,
                            const glm::mat4& view_projection, glm::vec2 framebuffer_size) {
    if (boxed_ != std::array{low, high}) {
        std::vector<glm::vec3> points;
        for (int axis = 0; axis < 3; ++axis)
            for (int corner = 0; corner < 4; ++corner)
                for (int end = 0; end < 2; ++end) {
                    glm::vec3 p;
                    p[axis] = end ? high[axis] : low[axis];
                    p[(axis + 1) % 3] = corner & 1 ? high[(axis + 1) % 3] : low[(axis + 1) % 3];
                    p[(axis + 2) % 3] = corner & 2 ? high[(axis + 2) % 3] : low[(axis + 2) % 3];
                    points.push_back(p);
                }
        box_ = buffer_of(points);
        boxed_ = std::array{low, high};
    }
    lines_.draw({.positions = &box_, .count = 24, .segments = true}, {.color = color, .width = 1},
                view_projection, framebuffer_size);
}

} // namespace lathe
