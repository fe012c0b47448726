// SPDX-License-Identifier: MIT
#include "engine/scene/canvas.h"

#include "engine/scene/renderers.h"
#include "engine/scene/svg_elements.h"
#include "gl/texture.h"

#include <glm/ext/matrix_clip_space.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <span>

namespace lathe {

namespace {

constexpr int kColors = 256;

gl::Texture make_ramp(bool upright) {
    std::array<float, kColors> values{};
    for (int i = 0; i < kColors; ++i) values[std::size_t(i)] = (float(i) + 0.5f) / kColors;
    gl::Texture made{upright ? 1 : kColors, upright ? kColors : 1, gl::Format::r32f};
    made.upload(std::as_bytes(std::span{values}));
    return made;
}

} // namespace

Canvas::Canvas(const DrawView& world, const glm::dvec3& origin, float scale, Renderers& renderers,
               SvgElements* svg)
    : origin_{origin}, look_{world.from(origin)}, scale_{scale},
      pixels_{glm::vec2{world.size} / scale}, to_clip_{look_.to_clip()}, renderers_{renderers},
      svg_{svg} {}

std::optional<glm::vec2> Canvas::project(const glm::dvec3& place) const {
    const glm::vec4 clip = to_clip_ * glm::vec4{glm::vec3{place - origin_}, 1};
    if (clip.w <= 0 || std::abs(clip.z) > clip.w) return {};
    return pixels_ * glm::vec2{0.5f + 0.5f * clip.x / clip.w, 0.5f - 0.5f * clip.y / clip.w};
}

glm::vec2 Canvas::extent(std::string_view text, float size) {
    return renderers_.texts.extent(text, size * scale_) / scale_;
}

void Canvas::ramp(const ImagePlacement& place, std::string colormap, bool upright) {
    ramps_.push_back({place, std::move(colormap), upright});
}

void Canvas::text(std::string_view text, glm::vec2 place, const TextStyle& style) {
    if (svg_) return text_to_svg(text, place, style);
    TextStyle scaled = style;
    scaled.size *= scale_;
    renderers_.texts.add(text, place * scale_, scaled);
}

/// Line by line, about the side that the anchor is next to: another font has other widths.
void Canvas::text_to_svg(std::string_view text, glm::vec2 place, const TextStyle& style) {
    const TextSide side = style.anchor.x < 0.25f   ? TextSide::start
                          : style.anchor.x > 0.75f ? TextSide::end
                                                   : TextSide::middle;
    const glm::vec2 whole = extent(text, style.size), corner = place - style.anchor * whole;
    const auto lines = float(1 + std::ranges::count(text, '\n'));
    float base = corner.y + renderers_.texts.base_line(style.size * scale_) / scale_;
    for (const auto part : std::views::split(text, '\n')) {
        const std::string_view line{part.begin(), part.end()};
        const float width = extent(line, style.size).x,
                    left = corner.x + style.anchor.x * (whole.x - width);
        svg_->line_of_text(line, {left + 0.5f * float(side) * width, base}, side, style.size,
                           style.color, style.edge);
        base += whole.y / lines;
    }
}

void Canvas::finish_svg() {
    for (const Ramp& ramp : ramps_) svg_->ramp(ramp.place, ramp.colormap, ramp.upright);
    for (const Stroke& stroke : on_screen_)
        svg_->stroke(stroke.begin, stroke.end, stroke.color, stroke.width / scale_);
    ramps_.clear();
    on_screen_.clear();
}

void Canvas::flush() {
    renderers_.strokes.draw(in_space_, to_clip_, look_.size, true);
    in_space_.clear();
}

void Canvas::finish() {
    flush();
    if (svg_) return finish_svg();
    for (const Ramp& ramp : ramps_) {
        gl::Texture& values = ramp.upright ? renderers_.upright_ramp : renderers_.ramp;
        if (!values) values = make_ramp(ramp.upright);
        const ImagePlacement place{ramp.place.origin * scale_, ramp.place.size * scale_};
        renderers_.images.draw(values, {.y_up = true, .colormap = ramp.colormap}, place,
                               look_.size);
    }
    ramps_.clear();
    const glm::mat4 screen = glm::orthoRH_NO(0.0f, pixels_.x, pixels_.y, 0.0f, -1.0f, 1.0f);
    renderers_.strokes.draw(on_screen_, screen, look_.size, false);
    on_screen_.clear();
    renderers_.texts.draw(look_.size);
}

} // namespace lathe
