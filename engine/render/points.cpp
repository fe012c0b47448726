// SPDX-License-Identifier: MIT
// Three ways: GL's points where all have one size that those may have; squares of four vertices
// where perspective gives each its own size, or a larger one; balls (balls.vert).
// On a GPU every path is far below a frame. On llvmpipe (2 threads, 1280×720) a scattered point
// costs about 0.3 µs whatever the shader does, most of it in memory: 100,000 points 30 ms as
// squares of 1 pixel, 46 ms as discs of 3; a million 350 to 500 ms. As four vertices a small point
// costs 1.6 times as much, from 32 pixels on there is no difference.
#include "engine/render/points.h"

#include "engine/core/error.h"
#include "engine/render/colormap.h"
#include "engine/render/draw_state.h"
#include "engine/render/features.h"
#include "engine/render/look.h"
#include "gl/buffer.h"

#include <glad/gl.h>

#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <glm/matrix.hpp>
#include <glm/vec3.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace lathe {
namespace {

constexpr float kLargestGlPoint = 64; // pixels; every GL has these

/// Bits of a program's and a vertex array's key.
enum Feature : unsigned {
    kValues = 1,
    kColors = 2,
    kRound = 4,
    kGlow = 8,
    kOpaque = 16,
    kQuad = 32,
    kBall = 64,
    kFoundRange = 128,
    kRadii = 256,
    kClipped = 512
};

/// What the shaders call them; a ball has shaders of its own.
constexpr std::array<const char*, 10> kFeatureNames{"VALUES", "COLORS", "ROUND", "GLOW",
                                                    "OPAQUE", "QUAD",   nullptr, "FOUND_RANGE",
                                                    "RADII",  "CLIPPED"};

void require_room(const gl::Buffer& buffer, std::size_t count, std::size_t item, std::size_t offset,
                  const char* what) {
    const std::size_t needed = offset + count * item;
    if (needed > buffer.bytes())
        throw Error{fmt::format("{} points need {} bytes of {}, the buffer has {}", count, needed,
                                what, buffer.bytes())};
}

void check(const PointsData& data) {
    if (!data.positions) throw Error{"points were drawn without a buffer of positions"};
    if (data.components < 2 || data.components > 4)
        throw Error{fmt::format("a point has 2, 3 or 4 components, not {}", data.components)};
    if (data.count > std::size_t(std::numeric_limits<int>::max()))
        throw Error{fmt::format("{} points are more than one draw call takes", data.count)};
    require_room(*data.positions, data.count, 4 * std::size_t(data.components), data.offset,
                 "positions");
    if (data.colors)
        require_room(*data.colors, data.count, data.colors_are_bytes ? 4 : 16, data.color_offset,
                     "colours");
    else if (data.values) require_room(*data.values, data.count, 4, data.value_offset, "values");
    if (data.radii) require_room(*data.radii, data.count, 4, data.radius_offset, "radii");
}

unsigned features_of(const PointsData& data, const PointsStyle& style, const Look& look,
                     float pixels) {
    const unsigned attributes = (data.radii ? kRadii : 0u) | (data.colors    ? kColors
                                                              : !data.values ? 0u
                                                              : data.range   ? kValues | kFoundRange
                                                                             : kValues);
    // A disc that is hardly a pixel is a square; the shader without ROUND is the cheaper one.
    const bool round = style.round && (style.world_size || style.size > 1.5f);
    const bool opaque = style.blend == Blend::opaque;
    if (are_balls(style)) return attributes | kBall | kQuad;
    const bool sizes_differ = style.world_size && look.perspective();
    return attributes | (round ? kRound : 0u) |
           (round && style.blend == Blend::additive ? kGlow : 0u) |
           (round && opaque ? kOpaque : 0u) |
           (sizes_differ || data.radii || pixels > kLargestGlPoint ? kQuad : 0u);
}

/// GL drops a point whose middle lies outside of the view, with all its pixels that lie inside. So
/// the view grows by a margin on each side, while the framebuffer, or the scissor, ends where it
/// ended.
class WiderView {
public:
    /// Nothing changes for a margin of 0, and where the view is a part of the framebuffer that no
    /// scissor cuts out.
    [[nodiscard]] WiderView(glm::mat4& view_projection, glm::vec2 framebuffer_size, int margin) {
        std::array<GLint, 2> most{};
        glGetIntegerv(GL_VIEWPORT, before_.data());
        glGetIntegerv(GL_MAX_VIEWPORT_DIMS, most.data());
        const auto [x, y, width, height] = before_;
        const int wider = width + 2 * margin, higher = height + 2 * margin;
        const bool is_all = x == 0 && y == 0;
        grown_ = margin > 0 && (is_all || glIsEnabled(GL_SCISSOR_TEST)) &&
                 width == int(framebuffer_size.x) && height == int(framebuffer_size.y) &&
                 wider <= most[0] && higher <= most[1];
        if (!grown_) return;
        glViewport(x - margin, y - margin, wider, higher);
        const glm::vec4 narrower{float(width) / float(wider), float(height) / float(higher), 1, 1};
        for (int column = 0; column < 4; ++column) view_projection[column] *= narrower;
    }
    WiderView(const WiderView&) = delete;
    WiderView& operator=(const WiderView&) = delete;
    ~WiderView() {
        if (grown_) glViewport(before_[0], before_[1], before_[2], before_[3]);
    }

private:
    std::array<GLint, 4> before_{};
    bool grown_ = false;
};

} // namespace

PointsStyle resolved(const PointsStyle& style) {
    if (!style.radius) return style;
    PointsStyle spheres = style;
    spheres.size = 2 * *style.radius;
    spheres.world_size = spheres.round = true;
    spheres.blend = Blend::opaque;
    return spheres;
}

bool are_balls(const PointsStyle& style) {
    return style.round && style.world_size && style.blend == Blend::opaque;
}

gl::VertexArray& PointsRenderer::array(const PointsData& data, unsigned features) {
    gl::VertexArray& array = arrays_[features & (kValues | kColors | kQuad | kRadii)];
    const bool per_instance = features & kQuad;
    array.set(0, *data.positions,
              {.components = data.components < 3 ? 2 : 3,
               .offset = data.offset,
               .stride_bytes = 4 * std::size_t(data.components),
               .per_instance = per_instance});
    if (features & kValues)
        array.set(1, *data.values,
                  {.components = 1, .offset = data.value_offset, .per_instance = per_instance});
    if (features & kColors)
        array.set(2, *data.colors,
                  {.components = 4,
                   .type = data.colors_are_bytes ? gl::Component::uint8 : gl::Component::float32,
                   .offset = data.color_offset,
                   .normalized = data.colors_are_bytes,
                   .per_instance = per_instance});
    if (features & kRadii)
        array.set(3, *data.radii,
                  {.components = 1, .offset = data.radius_offset, .per_instance = per_instance});
    return array;
}

void PointsRenderer::draw(const PointsData& data, const PointsStyle& style,
                          const glm::mat4& view_projection, glm::vec2 framebuffer_size,
                          const ClipPlanes& clip) {
    if (!style.radius) return draw_sized(data, style, view_projection, framebuffer_size, clip);
    draw_sized(data, resolved(style), view_projection, framebuffer_size, clip);
}

void PointsRenderer::draw_sized(const PointsData& data, const PointsStyle& style,
                                const glm::mat4& view_projection, glm::vec2 framebuffer_size,
                                const ClipPlanes& clip) {
    if (data.count == 0) return;
    check(data);
    const Look look{view_projection};
    const float pixels_a_unit = look.scale * framebuffer_size.y / 2;
    const float pixels =
        style.world_size ? style.size * pixels_a_unit / view_projection[3][3] : style.size;
    const unsigned features =
        features_of(data, style, look, pixels) | (clip.count > 0 ? kClipped : 0u);
    const bool ball = features & kBall;
    gl::Program& p = program_of(programs_, features, ball ? "balls.vert" : "points.vert",
                                ball ? "balls.frag" : "points.frag", kFeatureNames);
    gl::VertexArray& array = this->array(data, features);

    glm::mat4 m = view_projection;
    const WiderView wider{m, framebuffer_size,
                          features & kQuad ? 0 : int(std::ceil(pixels / 2)) + 1};
    p.set_matrix("view_projection", &m[0][0]);
    p.set("size", style.size);
    p.set("pixels_a_unit", style.world_size ? pixels_a_unit : 0.0f);
    p.set("framebuffer_size", framebuffer_size.x, framebuffer_size.y);
    p.set("eye", look.eye.x, look.eye.y, look.eye.z, look.eye.w);
    if (clip.count > 0) set_clip_planes(clip, glm::dmat4{1}, p);
    const bool tinted = !(features & (kColors | kValues));
    const glm::vec4 tint = tinted ? style.color : glm::vec4{1};
    p.set("tint", tint.r, tint.g, tint.b, tint.a * style.opacity);
    if (features & kValues) {
        if (features & kFoundRange) data.range->bind_texels(2, GL_R32F, 2);
        else p.set("value_range", style.range.low, style.range.per_unit());
        Colormap::named(style.colormap).texture().bind(1);
    }
    const DrawState state{style.blend == Blend::additive ? Mix::add
                          : style.blend == Blend::alpha  ? Mix::over
                                                         : Mix::none,
                          style.blend == Blend::opaque};
    p.use();
    array.bind();
    if (features & kQuad) glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, GLsizei(data.count));
    else glDrawArrays(GL_POINTS, 0, GLsizei(data.count));
}

} // namespace lathe
