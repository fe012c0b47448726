// SPDX-License-Identifier: MIT
// The App's scene: what it hands through, when it is drawn, and pictures of the result.
#include "engine/app/app_parts.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/interop/shared_array.h"
#include "engine/render/screenshot.h"
#include "gl/saved_state.h"

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lathe {

/// Before what draws: the first of a frame ends the simulation's part.
void App::Parts::begin_drawing() {
    if (!in_frame) throw Error{"drawing outside begin_frame() and end_frame()"};
    end_work();
    unmap();
    window.context().make_current(); // another App may have drawn since begin_frame()
    if (drew) return;
    drew = true;
    canvas().bind();
    canvas().clear(scene.clear_color());
    if (!window.gl_info().is_software) draw_timer.begin();
}

/// Kernels come before GL has the memory. Returns the other windows that have something to draw. A
/// fault of the step comes out here, too.
std::vector<SideWindowParts*> App::Parts::compute_drawing(bool has_scene) {
    std::vector<SideWindowParts*> sides;
    try {
        if (has_scene) scene.compute(canvas(), samples(), rays(sampled.samples()));
        for (const auto& side : side_windows) {
            SideWindowParts& parts = *side->p_;
            if (parts.compute(rays(parts.picture.samples()))) sides.push_back(&parts);
        }
    } catch (const gpu::Error& error) {
        if (!report_fault(error)) throw;
    }
    return sides;
}

View& App::view() { return p_->scene.view(); }
const std::vector<std::shared_ptr<View>>& App::views() { return p_->scene.views(); }
const std::vector<std::shared_ptr<View>>& App::views(int rows, int columns) {
    return p_->scene.set_views(rows, columns);
}
std::vector<std::pair<char, std::shared_ptr<View>>> App::mosaic(std::string_view letters) {
    return p_->scene.set_mosaic(letters);
}
std::shared_ptr<View> App::inset(const View& on, const Viewport& within) {
    return p_->scene.add_inset(on, within);
}

void App::begin_step() {
    p_->bindings.follow_time(p_->steps.time());
    p_->scene.begin_step();
    for (const auto& side : p_->side_windows) side->p_->scene.begin_step();
    enter_step();
}

void App::drop_step() {
    p_->scene.drop_step();
    for (const auto& side : p_->side_windows) side->p_->scene.drop_step();
}

gpu::Array App::drawn_memory(DType dtype, const gpu::Extents& shape) {
    return p_->scene.copies().upload(frame_map(), dtype, shape);
}

DrawnBytes App::drawn_bytes() const {
    DrawnBytes all = p_->scene.copies().bytes();
    for (const auto& side : p_->side_windows) all += side->p_->scene.copies().bytes();
    return all;
}

std::size_t App::bytes_of_copies() const {
    std::size_t all = p_->scene.copies().held_bytes();
    for (const auto& side : p_->side_windows) all += side->p_->scene.copies().held_bytes();
    return all;
}

void App::image(const gpu::Array& array, const ImageStyle& style, std::string_view name) {
    view().image(array, style, name);
}
void App::image(const Texture& texture, const ImageStyle& style, std::string_view name) {
    view().image(texture, style, name);
}
void App::points(const gpu::Array& positions, const PointsStyle& style, const PerPoint& of,
                 std::string_view name) {
    view().points(positions, style, of, name);
}
void App::lines(const gpu::Array& positions, const LinesStyle& style, const PerPoint& of,
                std::string_view name) {
    view().lines(positions, style, of, name);
}
void App::text(std::string_view text, glm::dvec2 position, const TextStyle& style) {
    view().text(text, position, style);
}
void App::text(std::string_view text, glm::dvec3 position, const TextStyle& style) {
    view().text(text, position, style);
}
void App::title(std::string_view text, const TextStyle& style) { view().title(text, style); }

void App::draw() {
    if (std::exchange(p_->is_list_drawn, true)) return;
    const bool has_scene = p_->scene.end_step();
    const std::vector<SideWindowParts*> sides = p_->compute_drawing(has_scene);
    if (has_scene || !sides.empty()) p_->begin_drawing();
    if (has_scene) p_->scene.draw(p_->canvas(), p_->samples());
    for (SideWindowParts* side : sides) side->draw();
    p_->draw_own();
}

namespace {

class CalledRenderer final : public Renderer {
public:
    explicit CalledRenderer(std::function<void(const DrawView&)> call) : call_{std::move(call)} {}
    void draw(const DrawView& view) override { call_(view); }

private:
    std::function<void(const DrawView&)> call_;
};

} // namespace

void App::Parts::draw_own() {
    for (OwnDrawing& own : own_drawings) {
        if (own.failed) continue;
        begin_drawing();
        const InTile here{scene.view(), canvas(), samples()};
        const gl::SavedState ours;
        own.failed = true; // unless it returns
        own.renderer->draw(scene.view().look());
        own.failed = false;
    }
}

void App::add_renderer(std::shared_ptr<Renderer> renderer) {
    p_->own_drawings.push_back({std::move(renderer)});
}

void App::on_draw(std::function<void(const DrawView&)> call) {
    add_renderer(std::make_shared<CalledRenderer>(std::move(call)));
}

std::pair<unsigned, std::size_t> App::gl_buffer(const gpu::Array& array) {
    const auto place = place_in_gl(array, *frame_map());
    if (!place)
        throw Error{"OpenGL cannot read this array where it lies: it takes C-ordered arrays that "
                    "this App made"};
    return {place->buffer->id(), place->offset_bytes};
}

void App::Parts::draw_now(const Drawn& drawn) {
    begin_drawing();
    const InTile here{scene.view(), canvas(), samples()};
    scene.view().draw_now(drawn);
}

void App::draw_points(const PointsData& points, const PointsStyle& style) {
    p_->draw_now(DrawnPoints{points, style, {}, {}, {}, {}, {}, 0, {}});
}

void App::draw_lines(const LinesData& lines, const LinesStyle& style) {
    p_->draw_now(DrawnLines{lines, style, {}, {}});
}

void App::draw_image(const ImageBuffer& image, const ImageStyle& style) {
    p_->draw_now(DrawnImage{image, style, {}, {}});
}

void App::draw_image(const gl::Texture& texture, const ImageStyle& style) {
    p_->draw_now(DrawnTexture{&texture, style, 1, {}});
}

View* App::view_under_mouse() { return view_at(p_->window.input().mouse()).first; }

std::pair<View*, glm::vec2> App::view_at(glm::vec2 pixel) {
    View* const view = p_->hands.view_at(pixel, viewport());
    if (!view) return {};
    const Viewport place = SceneHands::place_of(*view, viewport());
    return {view, (pixel - place.origin) / place.size * view->pixels()};
}

std::optional<Picked> App::picked() {
    return p_->hands.pick(p_->window.input().mouse(), viewport());
}

const std::vector<Selected>& App::selected() const { return p_->hands.selected(); }

std::optional<std::array<int, 2>> App::element_under_mouse() {
    return element_at(p_->window.input().mouse());
}

std::optional<std::array<int, 2>> App::element_at(glm::vec2 pixel) {
    const auto [view, place] = view_at(pixel);
    if (!view) return {};
    return view->element_at(place / view->pixels());
}

void App::set_background(std::array<float, 4> rgba) {
    p_->scene.set_background(rgba);
    for (const auto& side : p_->side_windows) side->p_->scene.set_background(rgba);
}

ImageData App::screenshot(bool with_ui) {
    if (with_ui && !has_panels())
        throw Error{"screenshot(with_ui=true), but the studio was opened with ui=false"};
    p_->window.context().make_current();
    if (p_->drew) p_->sampled.average();
    return read_image(with_ui ? p_->window.screen() : p_->sampled.picture(), 3);
}

} // namespace lathe
