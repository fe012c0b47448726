// SPDX-License-Identifier: MIT
#include "engine/render/tubes.h"

#include "engine/core/error.h"
#include "engine/render/boxes.h"
#include "engine/render/features.h"
#include "engine/render/item_features.h"
#include "engine/render/numbers.h"

#include <glad/gl.h>

#include <fmt/core.h>

namespace lathe {

namespace {

constexpr unsigned kTubeRadii = 16;
constexpr const char* kTubeNames[] = {"VALUES", "COLORS", "FOUND_RANGE", "CLIPPED", "RADII"};

} // namespace

void TubesRenderer::draw(const TubesData& data, const TubesStyle& style, const glm::mat4& view,
                         const glm::mat4& projection, glm::vec2 framebuffer_size,
                         const ClipPlanes& clip) {
    const Polylines lines = polylines_of(data, style);
    if (lines.segment_count() == 0) return;
    if (!data.positions) throw Error{"tubes were drawn without a buffer of positions"};
    if (data.components < 2 || data.components > 4)
        throw Error{fmt::format("a point has 2, 3 or 4 components, not {}", data.components)};
    const unsigned features = features_of(data.colors) | (clip.count > 0 ? kItemClipped : 0u) |
                              (data.radii ? kTubeRadii : 0u);
    gl::Program& p = program_of(programs_, features, "tubes.vert", "tubes.frag", kTubeNames);
    const Numbers positions{*data.positions, data.offset,
                            data.count * std::size_t(data.components)};
    positions.bind(0, GL_R32F, "the positions of tubes");
    p.set("first", positions.first());
    p.set("components", data.components);
    if (data.radii) {
        const Numbers radii{*data.radii, data.radius_offset, data.count};
        radii.bind(4, GL_R32F, "the radii of tubes");
        p.set("first_radius", radii.first());
    }
    p.set("radius", style.radius);
    set_lines(lines, p);
    set_item_colors(data.colors, data.count, {style.color, style.colormap, style.range}, p);
    if (!corners_) corners_.emplace();
    corners_->bind();
    draw_boxes(p, {view, projection, framebuffer_size, style.least_radius, clip},
               lines.segment_count());
}

} // namespace lathe
