// SPDX-License-Identifier: MIT
#include "engine/scene/canvas.h"

#include "engine/scene/renderers.h"
#include "gl/texture.h"

#include <glm/ext/matrix_clip_space.hpp>

#include <array>
#include <cmath>
#include <cstddef>
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

Canvas::Canvas(const DrawView& look, float scale, Renderers& renderers)
    : look_{look}, scale_{scale}, pixels_{glm::vec2{look.size} / scale},
      to_clip_{look.projection * look.view}, renderers_{renderers} {}

std::optional<glm::vec2> Canvas::project(glm::vec3 place) const {
    const glm::vec4 clip = to_clip_ * glm::vec4{place, 1};
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
    TextStyle scaled = style;
    scaled.size *= scale_;
    renderers_.texts.add(text, place * scale_, scaled);
}

void Canvas::flush() {
    renderers_.strokes.draw(in_space_, to_clip_, look_.size, true);
    in_space_.clear();
}

void Canvas::finish() {
    flush();
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
