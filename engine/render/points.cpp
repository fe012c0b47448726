// SPDX-License-Identifier: MIT
// On a GPU every path is far below a frame. On llvmpipe (2 threads, 1280×720) a scattered point
// costs about 0.3 µs whatever the shader does, most of it in memory: 100,000 points 30 ms as
// squares of 1 pixel, 46 ms as discs of 3; a million 350 to 500 ms.
#include "engine/render/points.h"

#include "engine/core/error.h"
#include "engine/render/colormap.h"
#include "engine/render/draw_state.h"
#include "gl/buffer.h"

#include <glad/gl.h>

#include <glm/geometric.hpp>
#include <glm/vec3.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lathe {
namespace {

/// Bits of a program's and a vertex array's key.
enum Feature : unsigned { kValues = 1, kColors = 2, kRound = 4, kGlow = 8, kOpaque = 16 };

std::vector<std::string> defines_of(unsigned features) {
    std::vector<std::string> defines;
    if (features & kValues) defines.emplace_back("VALUES");
    if (features & kColors) defines.emplace_back("COLORS");
    if (features & kRound) defines.emplace_back("ROUND");
    if (features & kGlow) defines.emplace_back("GLOW");
    if (features & kOpaque) defines.emplace_back("OPAQUE");
    return defines;
}

void require_room(const gl::Buffer& buffer, std::size_t count, std::size_t item, std::size_t offset,
                  const char* what) {
    const std::size_t needed = offset + count * item;
    if (needed > buffer.bytes())
        throw Error{fmt::format("{} points need {} bytes of {}, the buffer has {}", count, needed,
                                what, buffer.bytes())};
}

} // namespace

gl::Program& PointsRenderer::program(unsigned features) {
    auto it = programs_.find(features);
    if (it == programs_.end())
        it = programs_
                 .emplace(features, gl::Program{"points.vert", "points.frag", defines_of(features)})
                 .first;
    return it->second;
}

void PointsRenderer::draw(const PointsData& data, const PointsStyle& style,
                          const glm::mat4& view_projection, glm::vec2 framebuffer_size) {
    if (data.count == 0) return;
    if (!data.positions) throw Error{"points were drawn without a buffer of positions"};
    if (data.components < 2 || data.components > 4)
        throw Error{fmt::format("a point has 2, 3 or 4 components, not {}", data.components)};
    if (data.count > std::size_t(std::numeric_limits<int>::max()))
        throw Error{fmt::format("{} points are more than one draw call takes", data.count)};
    const bool colored = data.colors != nullptr;
    const bool valued = data.values && !colored;
    const std::size_t position_bytes = 4 * std::size_t(data.components);
    require_room(*data.positions, data.count, position_bytes, data.offset, "positions");
    if (valued) require_room(*data.values, data.count, 4, data.value_offset, "values");
    if (colored)
        require_room(*data.colors, data.count, data.colors_are_bytes ? 4 : 16, data.color_offset,
                     "colours");

    // A disc that is hardly a pixel is a square; the shader without ROUND is the cheaper one.
    const bool round = style.round && (style.world_size || style.size > 1.5f);
    const unsigned attributes = (valued ? kValues : 0u) | (colored ? kColors : 0u);
    const unsigned features = attributes | (round ? kRound : 0u) |
                              (round && style.blend == Blend::additive ? kGlow : 0u) |
                              (round && style.blend == Blend::opaque ? kOpaque : 0u);
    gl::Program& p = program(features);
    gl::VertexArray& array = arrays_[attributes];
    array.set(0, *data.positions,
              {.components = data.components < 3 ? 2 : 3,
               .offset = data.offset,
               .stride_bytes = position_bytes});
    if (valued) array.set(1, *data.values, {.components = 1, .offset = data.value_offset});
    if (colored)
        array.set(2, *data.colors,
                  {.components = 4,
                   .type = data.colors_are_bytes ? gl::Component::uint8 : gl::Component::float32,
                   .offset = data.color_offset,
                   .normalized = data.colors_are_bytes});

    // The second row of a view-projection without scale in its view part has the projection's
    // vertical scale as its length.
    const glm::mat4& m = view_projection;
    const float scale = glm::length(glm::vec3{m[0][1], m[1][1], m[2][1]});
    p.set_matrix("view_projection", &m[0][0]);
    p.set("size", style.size);
    p.set("pixels_a_unit", style.world_size ? scale * framebuffer_size.y / 2 : 0.0f);
    const glm::vec4 tint = colored || valued ? glm::vec4{1} : style.color;
    p.set("tint", tint.r, tint.g, tint.b, tint.a * style.opacity);
    if (valued) {
        p.set("value_range", style.value_min, per_unit(style.value_min, style.value_max));
        Colormap::named(style.colormap).texture().bind(1);
    }
    const DrawState state{style.blend == Blend::additive ? Mix::add
                          : style.blend == Blend::alpha  ? Mix::over
                                                         : Mix::none,
                          style.blend == Blend::opaque};
    p.use();
    array.bind();
    glDrawArrays(GL_POINTS, 0, GLsizei(data.count));
}

} // namespace lathe
