// SPDX-License-Identifier: MIT
#include "engine/scene/view.h"

#include "engine/core/error.h"
#include "engine/interop/frame_map.h"
#include "engine/interop/shared_array.h"
#include "engine/interop/texture.h"
#include "engine/scene/scene.h"
#include "gl/texture.h"
#include "gpu/array/dtype_rules.h"
#include "gpu/array/layout.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

namespace lathe {

namespace {

/// Where OpenGL finds an array, which `owner` keeps.
PlaceInGl find(const gpu::Array& array, const FrameMap& map, MemoryOwner& owner) {
    owner = array.owner();
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

/// Of points, lines and texts; 2 for pictures.
int components_of(const Drawn& drawn) {
    if (const auto* points = std::get_if<DrawnPoints>(&drawn)) return points->points.components;
    if (const auto* lines = std::get_if<DrawnLines>(&drawn)) return lines->lines.components;
    if (const auto* text = std::get_if<DrawnText>(&drawn))
        return text->place == DrawnText::Place::space ? 3 : 2;
    return 2;
}

} // namespace

void View::image(const gpu::Array& array, const ImageStyle& style) {
    const gpu::Extents& shape = array.shape();
    const bool has_channels = shape.size() == 3 && shape[2] >= 1 && shape[2] <= 4;
    if (array.size() == 0 || (shape.size() != 2 && !has_channels))
        refuse("a picture is (height, width) or (height, width, 1 to 4)", array);
    if (is_complex(array) && has_channels && shape[2] > 1)
        refuse("a picture of complex numbers is (height, width)", array);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    const gpu::Array& shown = scene_.copies_.of(map, array);
    DrawnImage drawn{{}, style, {}};
    const PlaceInGl place = find(shown, *map, drawn.memory[0]);
    drawn.image = {.buffer = place.buffer,
                   .dtype = *shown.type().dtype,
                   .height = int(shape[0]),
                   .width = int(shape[1]),
                   .channels = has_channels ? int(shape[2]) : 1,
                   .offset = place.offset_bytes};
    if (style.percentiles) {
        const gpu::Array& range = scene_.copies_.range(map, shown, *style.percentiles);
        drawn.image.range = find(range, *map, drawn.memory[1]).buffer;
    } else if (!style.range) scene_.look_for_values_outside(array);
    add(std::move(drawn));
}

void View::image(const Texture& texture, const ImageStyle& style) {
    DrawnTexture drawn{&texture.gl_texture(), style, texture.owner()};
    if (style.range && texture.dtype() == DType::uint8) // GL reads bytes as 0 to 1
        drawn.style.range = {style.range->low / 255, style.range->high / 255};
    add(std::move(drawn));
}

void View::points(const gpu::Array& positions, const PointsStyle& style, const gpu::Array* values,
                  const gpu::Array* colors) {
    check_positions(positions);
    const std::int64_t count = positions.shape()[0];
    if (values) check_values(*values, count);
    if (colors) check_colors(*colors, count);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    DrawnCopies& copies = scene_.copies_;
    const gpu::Array& places = copies.of(map, positions, DType::float32);
    DrawnPoints drawn{{}, style, {}};
    const PlaceInGl place = find(places, *map, drawn.memory[0]);
    PointsData& points = drawn.points;
    points = {.positions = place.buffer,
              .count = std::size_t(count),
              .components = int(positions.shape()[1]),
              .offset = place.offset_bytes};
    if (values) {
        const gpu::Array& levels = copies.of(map, *values, DType::float32);
        const PlaceInGl at = find(levels, *map, drawn.memory[1]);
        points.values = at.buffer;
        points.value_offset = at.offset_bytes;
        if (style.percentiles) {
            const gpu::Array& range = copies.range(map, levels, *style.percentiles);
            points.range = find(range, *map, drawn.memory[2]).buffer;
        }
    }
    if (colors) {
        points.colors_are_bytes = colors->type().dtype == DType::uint8;
        const gpu::Array& tints =
            copies.of(map, *colors, points.colors_are_bytes ? DType::uint8 : DType::float32);
        const PlaceInGl at = find(tints, *map, drawn.memory[3]);
        points.colors = at.buffer;
        points.color_offset = at.offset_bytes;
    }
    add(std::move(drawn));
}

void View::lines(const gpu::Array& positions, const LinesStyle& style, bool segments, bool closed) {
    check_positions(positions);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    const gpu::Array& places = scene_.copies_.of(map, positions, DType::float32);
    DrawnLines drawn{{}, style, {}};
    const PlaceInGl place = find(places, *map, drawn.memory);
    drawn.lines = {.positions = place.buffer,
                   .count = std::size_t(positions.shape()[0]),
                   .components = int(positions.shape()[1]),
                   .offset = place.offset_bytes,
                   .segments = segments,
                   .closed = closed};
    add(std::move(drawn));
}

void View::text(std::string_view text, glm::vec2 position, const TextStyle& style) {
    add(DrawnText{std::string{text}, {position.x, position.y, 0}, DrawnText::Place::plane, style});
}

void View::text(std::string_view text, glm::vec3 position, const TextStyle& style) {
    add(DrawnText{std::string{text}, position, DrawnText::Place::space, style});
}

void View::title(std::string_view text, const TextStyle& style) {
    DrawnText drawn{std::string{text}, {0.5f, 0, 0}, DrawnText::Place::tile, style};
    drawn.style.anchor = {0.5f, -0.4f}; // a part of its height below the edge
    add(std::move(drawn));
}

Camera View::camera() const {
    return wanted_camera_.value_or(draws_space_ ? Camera::orbit : Camera::pan_zoom);
}

DrawView View::look() const {
    const float aspect = float(pixels_.x) / float(pixels_.y);
    if (camera() == Camera::orbit) return {orbit_.view(), orbit_.projection(aspect), pixels_};
    return {pan_zoom_.view(), pan_zoom_.projection(aspect), pixels_};
}

void View::begin_frame() {
    space_in_frame_ = false;
    placement_.reset();
}

void View::end_frame(bool was_drawn) {
    if (was_drawn) draws_space_ = space_in_frame_;
}

void View::add(Drawn&& drawn) {
    if (is_shown_) list_.add(std::move(drawn));
}

void View::hide() {
    is_shown_ = false;
    list_.clear();
}

void View::note_space(int components) {
    space_in_frame_ = space_in_frame_ || components > 2;
    draws_space_ = draws_space_ || space_in_frame_;
}

/// The picture as large as fits, moved and magnified by the pan-zoom camera, whose plane it lies
/// in with its middle at the origin.
ImagePlacement View::place(glm::vec2 size) {
    const glm::vec2 extent{pixels_};
    ImagePlacement placed = ImagePlacement::fit(size, extent, 2 / pan_zoom_.height);
    const float pixels = extent.y / pan_zoom_.height;
    placed.origin += glm::vec2{-pan_zoom_.center.x, pan_zoom_.center.y} * pixels;
    placement_ = placed;
    picture_ = size;
    return placed;
}

void View::paint(const DrawnImage& drawn) {
    scene_.images_.draw(drawn.image, drawn.style, place({drawn.image.width, drawn.image.height}),
                        pixels_);
}

void View::paint(const DrawnTexture& drawn) {
    const gl::Texture& texture = *drawn.texture;
    scene_.images_.draw(texture, drawn.style, place({texture.width(), texture.height()}), pixels_);
}

void View::paint(const DrawnPoints& drawn) {
    const DrawView from = look();
    scene_.points_.draw(drawn.points, drawn.style, from.projection * from.view, pixels_);
}

void View::paint(const DrawnLines& drawn) {
    const DrawView from = look();
    scene_.lines_.draw(drawn.lines, drawn.style, from.projection * from.view, pixels_);
}

/// Its letters are drawn when all else is.
void View::paint(const DrawnText& drawn) {
    glm::vec2 place{drawn.position};
    if (drawn.place != DrawnText::Place::tile) {
        const DrawView from = look();
        const glm::vec4 clip = from.projection * from.view * glm::vec4{drawn.position, 1};
        if (clip.w <= 0 || std::abs(clip.z) > clip.w) return; // not before the eye
        place = glm::vec2{0.5f + 0.5f * clip.x / clip.w, 0.5f - 0.5f * clip.y / clip.w};
    }
    scene_.texts_.add(drawn.text, place * glm::vec2{pixels_}, drawn.style);
}

void View::draw_now(const Drawn& drawn) {
    note_space(components_of(drawn));
    std::visit([this](const auto& d) { paint(d); }, drawn);
}

void View::show() {
    for (const Drawn& drawn : list_.shown()) note_space(components_of(drawn));
    for (const Drawn& drawn : list_.shown()) std::visit([this](const auto& d) { paint(d); }, drawn);
    scene_.texts_.draw(pixels_);
}

std::optional<std::array<int, 2>> View::element_at(glm::vec2 place) const {
    if (!placement_) return {};
    const glm::vec2 element = placement_->element_at(place * glm::vec2{pixels_}, picture_);
    if (element.x < 0 || element.y < 0 || element.x >= picture_.x || element.y >= picture_.y)
        return {};
    return std::array{int(std::floor(element.x)), int(std::floor(element.y))};
}

} // namespace lathe
