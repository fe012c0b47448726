// SPDX-License-Identifier: MIT
#include "engine/render/lines.h"

#include "engine/core/error.h"
#include "engine/render/draw_state.h"
#include "engine/render/features.h"
#include "engine/render/item_features.h"
#include "engine/render/numbers.h"
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
                         const glm::mat4& view_projection, glm::vec2 framebuffer_size,
                         const ClipPlanes& clip) {
    const Polylines lines = polylines_of(data, style);
    const std::size_t segments = lines.segment_count();
    if (segments == 0) return;
    if (!data.positions) throw Error{"lines were drawn without a buffer of positions"};
    if (data.components < 2 || data.components > 4)
        throw Error{fmt::format("a point has 2, 3 or 4 components, not {}", data.components)};
    if (segments > kMostSegments)
        throw Error{fmt::format("{} line segments were to be drawn, one draw call takes {}",
                                segments, kMostSegments)};
    if (!corners_) corners_.emplace();
    gl::Program& p =
        program_of(programs_, features_of(data.colors) | (clip.count > 0 ? kItemClipped : 0u),
                   "lines.vert", "lines.frag", kItemColorNames);
    const Numbers positions{*data.positions, data.offset,
                            data.count * std::size_t(data.components)};
    positions.bind(0, GL_R32F, "the positions of a line");
    p.set_matrix("view_projection", &view_projection[0][0]);
    p.set("framebuffer_size", framebuffer_size.x, framebuffer_size.y);
    p.set("first", positions.first());
    p.set("components", data.components);
    set_lines(lines, p);
    p.set("width", style.width);
    p.set("fade", style.fade);
    p.set("opacity", style.opacity);
    set_item_colors(data.colors, data.count, {style.color, style.colormap, style.range}, p);
    if (clip.count > 0) set_clip_planes(clip, from_window_to_world(view_projection), p);
    const DrawState state{Mix::over, data.components > 2};
    p.use();
    corners_->bind();
    glDrawArrays(GL_TRIANGLES, 0, GLsizei(kVertices * segments));
}

} // namespace lathe
