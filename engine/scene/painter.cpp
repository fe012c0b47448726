// SPDX-License-Identifier: MIT
#include "engine/scene/painter.h"

#include "engine/scene/view.h"
#include "gl/texture.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace lathe {

Painter::Painter(View& view, Renderers& renderers) : view_{view}, renderers_{renderers} {
    const DrawView from = view.look();
    pixels_ = from.size;
    to_clip_ = from.projection * from.view;
}

void Painter::draw(const std::vector<const Drawn*>& things) {
    std::vector<const Drawn*> order = things;
    for (auto at = order.begin(); at != order.end();) {
        const bool in_space = is_in_space(**at);
        const auto end = std::find_if(
            at, order.end(), [&](const Drawn* each) { return is_in_space(*each) != in_space; });
        if (in_space)
            std::stable_partition(at, end, [](const Drawn* each) { return is_solid(*each); });
        at = end;
    }
    for (const Drawn* each : order) draw(*each);
}

void Painter::draw(const Drawn& thing) {
    std::visit([this](const auto& drawn) { paint(drawn); }, thing);
}

void Painter::draw_letters() { renderers_.texts.draw(pixels_); }

void Painter::paint(const DrawnImage& drawn) {
    renderers_.images.draw(drawn.image, drawn.style,
                           view_.place({drawn.image.width, drawn.image.height}), pixels_);
}

void Painter::paint(const DrawnTexture& drawn) {
    const gl::Texture& texture = *drawn.texture;
    renderers_.images.draw(texture, drawn.style, view_.place({texture.width(), texture.height()}),
                           pixels_);
}

void Painter::paint(const DrawnPoints& drawn) {
    renderers_.points.draw(drawn.points, drawn.style, to_clip_, pixels_);
}

void Painter::paint(const DrawnLines& drawn) {
    renderers_.lines.draw(drawn.lines, drawn.style, to_clip_, pixels_);
}

/// Its letters are drawn when all else is.
void Painter::paint(const DrawnText& drawn) {
    glm::vec2 place{drawn.position};
    if (drawn.place != DrawnText::Place::tile) {
        const glm::vec4 clip = to_clip_ * glm::vec4{drawn.position, 1};
        if (clip.w <= 0 || std::abs(clip.z) > clip.w) return; // not before the eye
        place = glm::vec2{0.5f + 0.5f * clip.x / clip.w, 0.5f - 0.5f * clip.y / clip.w};
    }
    renderers_.texts.add(drawn.text, place * pixels_, drawn.style);
}

} // namespace lathe
