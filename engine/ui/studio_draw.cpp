// SPDX-License-Identifier: MIT
// The studio's drawing: the renderers with the studio's cameras, and pictures of the result.
#include "engine/app/screenshot.h"
#include "engine/core/error.h"
#include "engine/ui/studio_parts.h"
#include "gl/texture.h"

#include <cmath>

namespace lathe {

/// The first draw call of a frame ends what counts as simulation.
void Studio::Parts::begin_drawing() {
    if (!in_frame) throw Error{"drawing outside begin_frame() and end_frame()"};
    unmap();
    window.context().make_current(); // another studio may have drawn since begin_frame()
    if (drew) return;
    drew = true;
    sim_end.record(stream);
    sim_measured = true;
    scene.bind();
    if (!window.gl_info().is_software) draw_timer.begin();
}

glm::mat4 Studio::Parts::view_projection() const {
    const float aspect = float(scene.width()) / float(scene.height());
    return active_camera() == Camera::orbit ? orbit.view_projection(aspect)
                                            : pan_zoom.view_projection(aspect);
}

/// The picture as large as fits, moved and magnified by the pan-zoom camera, whose plane it lies
/// in with its middle at the origin.
ImagePlacement Studio::Parts::place(glm::vec2 size) {
    const glm::vec2 extent{scene.width(), scene.height()};
    ImagePlacement placed = ImagePlacement::fit(size, extent, 2 / pan_zoom.height);
    const float pixels = extent.y / pan_zoom.height;
    placed.origin += glm::vec2{-pan_zoom.center.x, pan_zoom.center.y} * pixels;
    placement = placed;
    picture = size;
    return placed;
}

void Studio::draw_points(const PointsData& points, const PointsStyle& style) {
    Parts& p = *p_;
    p.begin_drawing();
    p.draws_space = points.components > 2;
    p.points.draw(points, style, p.view_projection(), {p.scene.width(), p.scene.height()});
}

void Studio::draw_lines(const LinesData& lines, const LinesStyle& style) {
    Parts& p = *p_;
    p.begin_drawing();
    p.draws_space = p.draws_space || lines.components > 2;
    p.lines.draw(lines, style, p.view_projection(), {p.scene.width(), p.scene.height()});
}

void Studio::draw_image(const ImageBuffer& image, const ImageStyle& style) {
    Parts& p = *p_;
    p.begin_drawing();
    p.images.draw(image, style, p.place({image.width, image.height}),
                  {p.scene.width(), p.scene.height()});
}

void Studio::draw_image(const gl::Texture& texture, const ImageStyle& style) {
    Parts& p = *p_;
    p.begin_drawing();
    p.images.draw(texture, style, p.place({texture.width(), texture.height()}),
                  {p.scene.width(), p.scene.height()});
}

std::optional<std::array<int, 2>> Studio::element_under_mouse() const {
    const Parts& p = *p_;
    const Viewport viewport = p.viewport();
    const glm::vec2 mouse = p.window.input().mouse();
    if (!p.placement || !viewport.contains(mouse)) return {};
    const glm::vec2 scene{p.scene.width(), p.scene.height()};
    const glm::vec2 at = (mouse - viewport.origin) / viewport.size * scene;
    const glm::vec2 element = p.placement->element_at(at, p.picture);
    if (element.x < 0 || element.y < 0 || element.x >= p.picture.x || element.y >= p.picture.y)
        return {};
    return std::array{int(std::floor(element.x)), int(std::floor(element.y))};
}

void Studio::set_background(std::array<float, 4> rgba) { p_->background = rgba; }

ImageData Studio::screenshot(bool with_ui) {
    if (with_ui && !p_->imgui)
        throw Error{"screenshot(with_ui=true), but the studio was opened with ui=false"};
    p_->window.context().make_current();
    return read_image(with_ui ? p_->window.screen() : p_->scene, 3);
}

} // namespace lathe
