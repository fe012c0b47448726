// SPDX-License-Identifier: MIT
#include "engine/render/arrows.h"

#include "engine/core/error.h"
#include "engine/render/boxes.h"
#include "engine/render/features.h"
#include "engine/render/item_features.h"
#include "engine/render/numbers.h"

#include <glad/gl.h>

#include <fmt/core.h>

namespace lathe {

void ArrowsRenderer::draw(const ArrowsData& data, const ArrowsStyle& style, const glm::mat4& view,
                          const glm::mat4& projection, glm::vec2 framebuffer_size,
                          const ClipPlanes& clip) {
    if (data.count == 0) return;
    if (!data.positions || !data.vectors)
        throw Error{"arrows were drawn without a buffer of positions or of vectors"};
    if (data.components < 2 || data.components > 4)
        throw Error{fmt::format("an arrow has 2, 3 or 4 components, not {}", data.components)};
    gl::Program& p =
        program_of(programs_, features_of(data.colors) | (clip.count > 0 ? kItemClipped : 0u),
                   "arrows.vert", "arrows.frag", kItemColorNames);
    const std::size_t numbers = data.count * std::size_t(data.components);
    const Numbers positions{*data.positions, data.offset, numbers},
        vectors{*data.vectors, data.vector_offset, numbers};
    positions.bind(0, GL_R32F, "the positions of arrows");
    vectors.bind(4, GL_R32F, "the vectors of arrows");
    p.set("first", positions.first());
    p.set("first_vector", vectors.first());
    p.set("components", data.components);
    p.set("scale", style.scale);
    p.set("radius", style.radius);
    set_item_colors(data.colors, data.count, {style.color, style.colormap, style.range}, p);
    if (!corners_) corners_.emplace();
    corners_->bind();
    draw_boxes(p, {view, projection, framebuffer_size, style.least_radius, clip}, data.count);
}

} // namespace lathe
