// SPDX-License-Identifier: MIT
// The App's drawing: the renderers with the App's cameras, and pictures of the result.
#include "engine/app/app_parts.h"
#include "engine/app/screenshot.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "gl/saved_state.h"
#include "gl/texture.h"
#include "gpu/array/dtype_rules.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <utility>
#include <variant>

namespace lathe {

/// Before what draws at once: the first of a frame ends the simulation's part.
void App::Parts::begin_drawing() {
    if (!in_frame) throw Error{"drawing outside begin_frame() and end_frame()"};
    end_work();
    unmap();
    window.context().make_current(); // another App may have drawn since begin_frame()
    if (drew) return;
    drew = true;
    scene.bind();
    scene.clear(background);
    if (!window.gl_info().is_software) draw_timer.begin();
}

DrawView App::Parts::view() const {
    const float aspect = float(scene.width()) / float(scene.height());
    const glm::ivec2 size{scene.width(), scene.height()};
    if (active_camera() == Camera::orbit) return {orbit.view(), orbit.projection(aspect), size};
    return {pan_zoom.view(), pan_zoom.projection(aspect), size};
}

glm::mat4 App::Parts::view_projection() const {
    const DrawView now = view();
    return now.projection * now.view;
}

/// The picture as large as fits, moved and magnified by the pan-zoom camera, whose plane it lies
/// in with its middle at the origin.
ImagePlacement App::Parts::place(glm::vec2 size) {
    const glm::vec2 extent{scene.width(), scene.height()};
    ImagePlacement placed = ImagePlacement::fit(size, extent, 2 / pan_zoom.height);
    const float pixels = extent.y / pan_zoom.height;
    placed.origin += glm::vec2{-pan_zoom.center.x, pan_zoom.center.y} * pixels;
    placement = placed;
    picture = size;
    return placed;
}

void App::begin_step() {
    p_->list.begin_step();
    p_->copies.begin_step();
    enter_step();
}

void App::drop_step() { p_->list.drop_step(); }

gpu::Array App::drawn_memory(DType dtype, const gpu::Extents& shape) {
    return p_->copies.upload(frame_map(), dtype, shape);
}

namespace {

PlaceInGl find(const gpu::Array& array, const FrameMap& map) {
    const auto place = place_in_gl(array, map);
    if (!place) throw Error{"an array that is to be drawn lies outside of OpenGL's memory"};
    return *place;
}

[[noreturn]] void refuse(std::string_view wanted, const gpu::Array& array) {
    throw gpu::ShapeError{
        fmt::format("{}, got an array of shape {}", wanted, gpu::to_string(array.shape()))};
}

bool is_complex(const gpu::Array& array) {
    return gpu::kind_of(array.dtype("drawing")) == gpu::Kind::complex;
}

/// Throws gpu::TypeError for others.
void require_real(const char* what, const gpu::Array& array) {
    if (is_complex(array))
        throw gpu::TypeError{
            fmt::format("{} are real numbers, got {}", what, name_of(array.dtype(what)))};
}

void check_positions(const gpu::Array& positions) {
    const gpu::Extents& shape = positions.shape();
    if (shape.size() != 2 || shape[0] == 0 || shape[1] < 2 || shape[1] > 4)
        refuse("positions are (n, 2 to 4)", positions);
    require_real("positions", positions);
}

void check_values(const gpu::Array& values, std::int64_t count) {
    const gpu::Extents& shape = values.shape();
    if (shape != gpu::Extents{count} && shape != gpu::Extents{count, 1})
        refuse(fmt::format("values are ({},), one a point", count), values);
    require_real("values", values);
}

void check_colors(const gpu::Array& colors, std::int64_t count) {
    if (colors.shape() != gpu::Extents{count, 4})
        refuse(fmt::format("colors are ({}, 4)", count), colors);
    const DType dtype = colors.dtype("colors");
    if (dtype != DType::uint8 && gpu::kind_of(dtype) != gpu::Kind::floating)
        throw gpu::TypeError{fmt::format("colors are uint8 or floats, got {}", name_of(dtype))};
}

} // namespace

void App::image(const gpu::Array& array, const ImageStyle& style) {
    const gpu::Extents& shape = array.shape();
    const bool has_channels = shape.size() == 3 && shape[2] >= 1 && shape[2] <= 4;
    if (array.size() == 0 || (shape.size() != 2 && !has_channels))
        refuse("a picture is (height, width) or (height, width, 1 to 4)", array);
    if (is_complex(array) && has_channels && shape[2] > 1)
        refuse("a picture of complex numbers is (height, width)", array);
    const std::shared_ptr<FrameMap> map = frame_map();
    const gpu::Array& shown = p_->copies.of(map, array);
    const PlaceInGl place = find(shown, *map);
    DrawnImage drawn{{.buffer = place.buffer,
                      .dtype = *shown.type().dtype,
                      .height = int(shape[0]),
                      .width = int(shape[1]),
                      .channels = has_channels ? int(shape[2]) : 1,
                      .offset = place.offset_bytes},
                     style,
                     {shown.owner()}};
    if (style.percentiles) {
        const gpu::Array& range = p_->copies.range(map, shown, *style.percentiles);
        drawn.image.range = find(range, *map).buffer;
        drawn.memory[1] = range.owner();
    } else if (!style.range) p_->look_for_values_outside(array);
    p_->list.add(std::move(drawn));
}

const DrawnBytes& App::drawn_bytes() const { return p_->copies.bytes(); }

/// Of a float picture whose range nobody gave. Looks after 1, 2, 4, 8 and so on pictures, since
/// what begins with zeros grows, and each look waits for the device.
void App::Parts::look_for_values_outside(const gpu::Array& array) {
    const auto dtype = array.type().dtype;
    const bool is_float = dtype && gpu::kind_of(*dtype) == gpu::Kind::floating;
    if (told_outside || !is_float) return;
    if (!std::has_single_bit(++pictures)) return;
    wait();
    const auto found = least_and_greatest(array);
    if (!found || ((*found)[0] >= 0 && (*found)[1] <= 1)) return;
    told_outside = true;
    log::warning("the picture's values go from {:.4g} to {:.4g}, its range from 0 to 1: give a "
                 "range, or \"auto\"",
                 (*found)[0], (*found)[1]);
}

void App::image(const Texture& texture, const ImageStyle& style) {
    DrawnTexture drawn{&texture.gl_texture(), style, texture.owner()};
    if (style.range && texture.dtype() == DType::uint8) // GL reads bytes as 0 to 1
        drawn.style.range = {style.range->low / 255, style.range->high / 255};
    p_->list.add(std::move(drawn));
}

void App::points(const gpu::Array& positions, const PointsStyle& style, const gpu::Array* values,
                 const gpu::Array* colors) {
    check_positions(positions);
    const std::int64_t count = positions.shape()[0];
    if (values) check_values(*values, count);
    if (colors) check_colors(*colors, count);
    const std::shared_ptr<FrameMap> map = frame_map();
    DrawnCopies& copies = p_->copies;
    const gpu::Array& places = copies.of(map, positions, DType::float32);
    const PlaceInGl place = find(places, *map);
    DrawnPoints drawn{{.positions = place.buffer,
                       .count = std::size_t(count),
                       .components = int(positions.shape()[1]),
                       .offset = place.offset_bytes},
                      style,
                      {places.owner()}};
    PointsData& points = drawn.points;
    if (values) {
        const gpu::Array& levels = copies.of(map, *values, DType::float32);
        const PlaceInGl at = find(levels, *map);
        points.values = at.buffer;
        points.value_offset = at.offset_bytes;
        drawn.memory[1] = levels.owner();
        if (style.percentiles) {
            const gpu::Array& range = copies.range(map, levels, *style.percentiles);
            points.range = find(range, *map).buffer;
            drawn.memory[2] = range.owner();
        }
    }
    if (colors) {
        points.colors_are_bytes = colors->type().dtype == DType::uint8;
        const gpu::Array& tints =
            copies.of(map, *colors, points.colors_are_bytes ? DType::uint8 : DType::float32);
        const PlaceInGl at = find(tints, *map);
        points.colors = at.buffer;
        points.color_offset = at.offset_bytes;
        drawn.memory[3] = tints.owner();
    }
    p_->list.add(std::move(drawn));
}

void App::lines(const gpu::Array& positions, const LinesStyle& style, bool segments, bool closed) {
    check_positions(positions);
    const std::shared_ptr<FrameMap> map = frame_map();
    const gpu::Array& places = p_->copies.of(map, positions, DType::float32);
    const PlaceInGl place = find(places, *map);
    p_->list.add(DrawnLines{{.positions = place.buffer,
                             .count = std::size_t(positions.shape()[0]),
                             .components = int(positions.shape()[1]),
                             .offset = place.offset_bytes,
                             .segments = segments,
                             .closed = closed},
                            style,
                            places.owner()});
}

void App::Parts::paint(const DrawnImage& drawn) {
    images.draw(drawn.image, drawn.style, place({drawn.image.width, drawn.image.height}),
                {scene.width(), scene.height()});
}

void App::Parts::paint(const DrawnTexture& drawn) {
    const gl::Texture& texture = *drawn.texture;
    images.draw(texture, drawn.style, place({texture.width(), texture.height()}),
                {scene.width(), scene.height()});
}

void App::Parts::paint(const DrawnPoints& drawn) {
    points.draw(drawn.points, drawn.style, view_projection(), {scene.width(), scene.height()});
}

void App::Parts::paint(const DrawnLines& drawn) {
    lines.draw(drawn.lines, drawn.style, view_projection(), {scene.width(), scene.height()});
}

namespace {

/// Of points and lines; 2 for pictures.
int components_of(const Drawn& drawn) {
    if (const auto* points = std::get_if<DrawnPoints>(&drawn)) return points->points.components;
    if (const auto* lines = std::get_if<DrawnLines>(&drawn)) return lines->lines.components;
    return 2;
}

} // namespace

/// One camera a frame: that of space where anything of the frame, or of the last one, lies there.
void App::Parts::note_space(int components) {
    space_in_frame = space_in_frame || components > 2;
    draws_space = draws_space || space_in_frame;
}

void App::draw() {
    if (std::exchange(p_->is_list_drawn, true)) return;
    p_->list.end_step();
    const std::vector<Drawn>& shown = p_->list.shown();
    for (const Drawn& drawn : shown) p_->note_space(components_of(drawn));
    try {
        if (!shown.empty()) p_->begin_drawing();
        for (const Drawn& drawn : shown) std::visit([&](const auto& d) { p_->paint(d); }, drawn);
    } catch (...) {
        p_->list.clear();
        throw;
    }
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
        const gl::SavedState ours;
        own.failed = true; // unless it returns
        own.renderer->draw(view());
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

void App::draw_points(const PointsData& points, const PointsStyle& style) {
    p_->begin_drawing();
    p_->note_space(points.components);
    p_->paint(DrawnPoints{points, style, {}});
}

void App::draw_lines(const LinesData& lines, const LinesStyle& style) {
    p_->begin_drawing();
    p_->note_space(lines.components);
    p_->paint(DrawnLines{lines, style, {}});
}

void App::draw_image(const ImageBuffer& image, const ImageStyle& style) {
    p_->begin_drawing();
    p_->paint(DrawnImage{image, style, {}});
}

void App::draw_image(const gl::Texture& texture, const ImageStyle& style) {
    p_->begin_drawing();
    p_->paint(DrawnTexture{&texture, style, {}});
}

std::optional<std::array<int, 2>> App::element_under_mouse() const {
    const Parts& p = *p_;
    const Viewport viewport = this->viewport();
    const glm::vec2 mouse = p.window.input().mouse();
    if (!p.placement || !viewport.contains(mouse)) return {};
    const glm::vec2 scene{p.scene.width(), p.scene.height()};
    const glm::vec2 at = (mouse - viewport.origin) / viewport.size * scene;
    const glm::vec2 element = p.placement->element_at(at, p.picture);
    if (element.x < 0 || element.y < 0 || element.x >= p.picture.x || element.y >= p.picture.y)
        return {};
    return std::array{int(std::floor(element.x)), int(std::floor(element.y))};
}

void App::set_background(std::array<float, 4> rgba) { p_->background = rgba; }

ImageData App::screenshot(bool with_ui) {
    if (with_ui && !has_panels())
        throw Error{"screenshot(with_ui=true), but the studio was opened with ui=false"};
    p_->window.context().make_current();
    return read_image(with_ui ? p_->window.screen() : p_->scene, 3);
}

} // namespace lathe
