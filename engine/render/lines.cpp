// SPDX-License-Identifier: MIT
#include "engine/render/lines.h"

#include "engine/core/error.h"
#include "engine/render/draw_state.h"
#include "gl/buffer.h"

#include <glad/gl.h>

#include <fmt/core.h>

#include <limits>

namespace lathe {
namespace {

constexpr std::size_t kVertices = 6; ///< of a segment, as lines.vert has them
constexpr std::size_t kMostSegments = std::size_t(std::numeric_limits<GLsizei>::max()) / kVertices;

} // namespace

void LinesRenderer::draw(const LinesData& data, const LinesStyle& style,
                         const glm::mat4& view_projection, glm::vec2 framebuffer_size) {
    if (data.count < 2) return;
    if (!data.positions) throw Error{"lines were drawn without a buffer of positions"};
    if (data.components < 2 || data.components > 4)
        throw Error{fmt::format("a point has 2, 3 or 4 components, not {}", data.components)};
    if (data.offset % 4)
        throw Error{
            fmt::format("an offset of {} bytes is no multiple of float32's 4", data.offset)};
    const std::size_t needed = data.offset + data.count * 4 * std::size_t(data.components);
    if (needed > data.positions->bytes())
        throw Error{fmt::format("a line of {} points needs {} bytes, the buffer has {}", data.count,
                                needed, data.positions->bytes())};
    const std::size_t segments = style.segments ? data.count / 2
                                 : style.closed ? data.count
                                                : data.count - 1;
    if (segments > kMostSegments)
        throw Error{fmt::format("{} line segments were to be drawn, one draw call takes {}",
                                segments, kMostSegments)};
    if (!program_) {
        program_ = gl::Program{"lines.vert", "lines.frag"};
        corners_.emplace();
    }
    data.positions->bind_texels(0, GL_R32F, needed / 4);
    program_.set_matrix("view_projection", &view_projection[0][0]);
    program_.set("framebuffer_size", framebuffer_size.x, framebuffer_size.y);
    program_.set("first", int(data.offset / 4));
    program_.set("components", data.components);
    program_.set("count", int(data.count));
    program_.set("step", style.segments ? 2 : 1);
    program_.set("width", style.width);
    program_.set("fade", style.fade);
    program_.set("tint", style.color.r, style.color.g, style.color.b, style.color.a);
    const DrawState state{Mix::over, data.components > 2};
    program_.use();
    corners_->bind();
    glDrawArrays(GL_TRIANGLES, 0, GLsizei(kVertices * segments));
}

} // namespace lathe
