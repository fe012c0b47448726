// SPDX-License-Identifier: MIT
#include "engine/scene/view.h"

#include "engine/core/error.h"
#include "engine/interop/frame_map.h"
#include "engine/interop/shared_array.h"
#include "engine/interop/texture.h"
#include "engine/scene/axes.h"
#include "engine/scene/checks.h"
#include "engine/scene/color_scale.h"
#include "engine/scene/painter.h"
#include "engine/scene/picker.h"
#include "engine/scene/scene.h"
#include "engine/scene/volume.h"
#include "gl/texture.h"
#include "gpu/array/dtype_rules.h"
#include "gpu/memory.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lathe {

namespace {

/// Where OpenGL finds an array, which `memory` keeps.
PlaceInGl find(const gpu::Array& array, const FrameMap& map, DrawnMemory& memory) {
    const auto place = place_in_gl(array, map);
    if (!place) throw Error{"an array that is to be drawn lies outside of OpenGL's memory"};
    memory = {array.owner(), array.graphics(), place->offset_bytes};
    return *place;
}

void find(const gpu::Array& array, const FrameMap& map, DrawnMemory& memory,
          const gl::Buffer*& buffer, std::size_t& offset) {
    const PlaceInGl place = find(array, map, memory);
    buffer = place.buffer;
    offset = place.offset_bytes;
}

/// Numbers of vertices as they are, or else as int32.
DType drawn_as_indices(const gpu::Array& triangles) {
    return triangles.type().dtype == DType::uint32 ? DType::uint32 : DType::int32;
}

} // namespace

void View::image(const gpu::Array& array, const ImageStyle& style, std::string_view name) {
    check_picture(array);
    const gpu::Extents& shape = array.shape();
    const bool has_channels = shape.size() == 3;
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    const gpu::Array& shown = scene_.copies_.of(map, array);
    DrawnImage drawn{{}, style, {}, {}};
    const PlaceInGl place = find(shown, *map, drawn.elements);
    drawn.image = {.buffer = place.buffer,
                   .dtype = *shown.type().dtype,
                   .height = int(shape[0]),
                   .width = int(shape[1]),
                   .channels = has_channels ? int(shape[2]) : 1,
                   .offset = place.offset_bytes};
    if (style.percentiles) {
        const gpu::Array& range = scene_.copies_.range(map, shown, *style.percentiles);
        drawn.image.range = find(range, *map, drawn.range).buffer;
    } else if (!style.range) scene_.look_for_values_outside(array);
    add(std::move(drawn), name);
}

void View::image(const Texture& texture, const ImageStyle& style, std::string_view name) {
    const float unit = texture.dtype() == DType::uint8 ? 255 : 1;
    DrawnTexture drawn{&texture.gl_texture(), style, unit, texture.owner()};
    if (style.range) drawn.style.range = {style.range->low / unit, style.range->high / unit};
    add(std::move(drawn), name);
}

void View::points(const gpu::Array& positions, const PointsStyle& style, const PerPoint& of,
                  std::string_view name) {
    check_positions(positions);
    const std::int64_t count = positions.shape()[0];
    if (of.values) check_numbers("values", *of.values, count);
    if (of.radii) check_numbers("radii", *of.radii, count);
    if (of.colors) check_colors(*of.colors, count);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    DrawnCopies& copies = scene_.copies_;
    DrawnPoints drawn{{}, style, {}, {}, {}, {}, {}};
    PointsData& points = drawn.points;
    points.count = std::size_t(count);
    points.components = int(positions.shape()[1]);
    find(copies.of(map, positions, DType::float32), *map, drawn.positions, points.positions,
         points.offset);
    if (of.values) {
        const gpu::Array& levels = copies.of(map, *of.values, DType::float32);
        find(levels, *map, drawn.values, points.values, points.value_offset);
        if (style.percentiles) {
            const gpu::Array& range = copies.range(map, levels, *style.percentiles);
            points.range = find(range, *map, drawn.range).buffer;
        }
    }
    if (of.colors) {
        points.colors_are_bytes = of.colors->type().dtype == DType::uint8;
        const gpu::Array& tints =
            copies.of(map, *of.colors, points.colors_are_bytes ? DType::uint8 : DType::float32);
        find(tints, *map, drawn.colors, points.colors, points.color_offset);
    }
    if (of.radii) {
        const gpu::Array& radii = copies.of(map, *of.radii, DType::float32);
        find(radii, *map, drawn.radii, points.radii, points.radius_offset);
        if (!style.radius) drawn.style.radius = 1;
    }
    add(std::move(drawn), name);
}

void View::mesh(const gpu::Array& vertices, const gpu::Array& triangles, const MeshStyle& style,
                const PerVertex& of, std::string_view name) {
    check_mesh(vertices, triangles);
    const std::int64_t count = vertices.shape()[0], faces = triangles.shape()[0];
    if (of.values) check_mesh_values(*of.values, count, faces);
    if (of.colors) check_mesh_colors(*of.colors, count, faces);
    if (of.normals) check_normals(*of.normals, count);
    DrawnMesh drawn{{}, style, {}, {}, {}, {}, {}, {}};
    MeshData& mesh = drawn.mesh;
    mesh.vertex_count = std::size_t(count);
    mesh.triangle_count = std::size_t(faces);
    if (count == 0 || faces == 0) return add(std::move(drawn), name);

    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    DrawnCopies& copies = scene_.copies_;
    const gpu::Array& places = copies.of(map, vertices, DType::float32);
    const gpu::Array& corners = copies.of(map, triangles, drawn_as_indices(triangles));
    scene_.look_for_indices_outside(corners, count);
    find(places, *map, drawn.vertices, mesh.vertices, mesh.vertex_offset);
    find(corners, *map, drawn.triangles, mesh.triangles, mesh.triangle_offset);
    if (of.normals || style.smooth) {
        const gpu::Array& normals = of.normals ? copies.of(map, *of.normals, DType::float32)
                                               : copies.normals(map, places, corners);
        find(normals, *map, drawn.normals, mesh.normals, mesh.normal_offset);
        drawn.style.smooth = true;
    }
    if (of.values) {
        const gpu::Array& levels = copies.of(map, *of.values, DType::float32);
        find(levels, *map, drawn.values, mesh.values, mesh.value_offset);
        mesh.values_are_of_faces = of.values->shape()[0] != count;
        if (style.percentiles) {
            const gpu::Array& range = copies.range(map, levels, *style.percentiles);
            mesh.range = find(range, *map, drawn.range).buffer;
        }
    }
    if (of.colors) {
        mesh.colors_are_bytes = of.colors->type().dtype == DType::uint8;
        mesh.colors_are_of_faces = of.colors->shape()[0] != count;
        const gpu::Array& tints =
            copies.of(map, *of.colors, mesh.colors_are_bytes ? DType::uint8 : DType::float32);
        find(tints, *map, drawn.colors, mesh.colors, mesh.color_offset);
    }
    add(std::move(drawn), name);
}

void View::lines(const gpu::Array& positions, const LinesStyle& style, std::string_view name) {
    check_positions(positions);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    const gpu::Array& places = scene_.copies_.of(map, positions, DType::float32);
    DrawnLines drawn{{}, style, {}};
    LinesData& lines = drawn.lines;
    lines.count = std::size_t(positions.shape()[0]);
    lines.components = int(positions.shape()[1]);
    find(places, *map, drawn.positions, lines.positions, lines.offset);
    add(std::move(drawn), name);
}

void View::volume(const gpu::Array& array, const VolumeStyle& style, std::string_view name) {
    const gpu::Extents& shape = array.shape();
    check_volume(array);
    check(style);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    const gpu::Array& shown = scene_.copies_.of(map, array);
    static std::atomic<std::uint64_t> calls = 0;
    DrawnVolume drawn{.voxels = {},
                      .range = {},
                      .dtype = *shown.type().dtype,
                      .cells = {int(shape[2]), int(shape[1]), int(shape[0])},
                      .style = style,
                      .box = {},
                      .call = ++calls,
                      .marcher = next_marcher()};
    drawn.box = box_of(style, drawn.cells);
    (void)find(shown, *map, drawn.voxels);
    if (style.percentiles)
        (void)find(scene_.copies_.range(map, shown, *style.percentiles), *map, drawn.range);
    add(std::move(drawn), name);
}

/// Of the volume at the same place among those that the last step drew.
std::shared_ptr<VolumeMarcher> View::next_marcher() const {
    const auto is_volume = [](const ListItem& item) {
        return std::holds_alternative<DrawnVolume>(item.drawn);
    };
    const std::vector<ListItem>* begun = list_.begun();
    auto before = begun ? std::count_if(begun->begin(), begun->end(), is_volume) : 0;
    if (begun)
        for (const ListItem& item : list_.shown())
            if (is_volume(item) && before-- == 0) return std::get<DrawnVolume>(item.drawn).marcher;
    return std::make_shared<VolumeMarcher>();
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

std::optional<Box> View::bounds() const {
    std::vector<const Drawn*> all;
    for (const ListItem& item : list_.shown()) all.push_back(&item.drawn);
    return bounds_of(all);
}

std::optional<Box> View::bounds(std::string_view name) const {
    const std::vector<ListItem>& items = list_.shown();
    const std::vector<Thing> things = things_of(items);
    for (std::size_t i = 0; i < items.size(); ++i)
        if (things[i].name == name) return bounds_of(std::array{&items[i].drawn});
    return {};
}

bool View::fit() {
    if (!axes_box_) return fit(bounds());
    const glm::vec3 letters = 0.03f * axes_box_->size(); // beside the box
    return fit(Box{axes_box_->low - letters, axes_box_->high + letters});
}

bool View::fit(std::string_view name) { return fit(bounds(name)); }

bool View::fit(const std::optional<Box>& box) {
    if (!box) return false;
    const glm::vec3 size = box->size(), middle = box->middle();
    const bool is_point = glm::length(size) <= 1e-6f * glm::length(middle);
    if (camera() == Camera::orbit) {
        if (is_point) orbit_.target = middle;
        else orbit_.fit(middle, glm::length(size) / 2, aspect());
        orbit_.may_be_placed = false;
    } else if (is_point) pan_zoom_.center = middle;
    else pan_zoom_.fit(middle, size, aspect());
    return true;
}

DrawView View::look() const {
    const float aspect = float(last_.pixels.x) / float(last_.pixels.y);
    if (camera() == Camera::orbit) return {orbit_.view(), orbit_.projection(aspect), last_.pixels};
    return {pan_zoom_.view(), pan_zoom_.projection(aspect), last_.pixels};
}

void View::begin_frame() {
    space_in_frame_ = false;
    is_placed_ = false;
}

void View::end_frame(bool was_drawn) {
    if (!was_drawn) return;
    draws_space_ = space_in_frame_;
    if (!is_placed_) last_.placement.reset();
}

void View::axes(const AxesStyle& style) { add(DrawnAxes{style}); }

void View::colorbar(std::string_view thing, const ColorbarStyle& style) {
    add(DrawnColorbar{std::string{thing}, style});
}

void View::legend(const LegendStyle& style) { add(DrawnLegend{style}); }
void View::scale_bar(const ScaleBarStyle& style) { add(DrawnScaleBar{style}); }

void View::add(Drawn&& drawn, std::string_view name) {
    if (is_shown_) list_.add({std::move(drawn), std::string{name}});
}

std::vector<Thing> View::things() const {
    std::vector<Thing> things = things_of(list_.shown());
    if (!list_.begun()) return things;
    for (Thing& added : things_of(*list_.begun())) {
        const auto old = std::find_if(things.begin(), things.end(),
                                      [&](const Thing& each) { return each.name == added.name; });
        if (old != things.end()) *old = std::move(added);
        else things.push_back(std::move(added));
    }
    return things;
}

ThingSettings& View::settings(std::string_view name) {
    const auto found = settings_.find(name);
    return found != settings_.end() ? found->second : settings_[std::string{name}];
}

void View::hide() {
    is_shown_ = false;
    list_.clear();
}

void View::note_space(bool is_in_space) {
    space_in_frame_ = space_in_frame_ || is_in_space;
    draws_space_ = draws_space_ || space_in_frame_;
}

/// The picture as large as fits beside annotations, moved and magnified by the pan-zoom camera, in
/// whose plane it lies with its middle at the origin.
ImagePlacement View::place(glm::vec2 size, bool y_up) {
    const Room& room = last_.room;
    const glm::vec2 corner{room.left, room.top}, other{room.right, room.bottom};
    const glm::vec2 extent = glm::vec2{last_.pixels} - last_.scale * (corner + other);
    ImagePlacement placed = ImagePlacement::fit(size, extent, 2 / pan_zoom_.height);
    const float pixels = extent.y / pan_zoom_.height;
    placed.origin +=
        last_.scale * corner + glm::vec2{-pan_zoom_.center.x, pan_zoom_.center.y} * pixels;
    last_.placement = placed;
    last_.picture = size;
    last_.y_up = y_up;
    is_placed_ = true;
    return placed;
}

void View::compute() {
    for (const ListItem& item : list_.shown()) note_space(is_in_space(item.drawn));
    compute_annotations();
    place_camera();
    std::deque<Drawn> changed;
    for (const ShownThing& each : shown_things(changed, needs_names()))
        if (const auto* volume = std::get_if<DrawnVolume>(each.drawn))
            volume->marcher->march(*volume, look(), scene_.services_.map());
}

/// Where nobody has placed it; once more where the tile has another shape since.
void View::place_camera() {
    if (camera() != Camera::orbit) return;
    const bool is_where_it_was =
        orbit_.target == own_place_.target && orbit_.distance == own_place_.distance;
    if (!is_where_it_was) orbit_.may_be_placed = false;
    const bool has_other_shape = own_place_.aspect != 0 && own_place_.aspect != aspect();
    if (!is_where_it_was || (!orbit_.may_be_placed && !has_other_shape)) return;
    if (fit()) own_place_ = {orbit_.target, orbit_.distance, aspect()};
}

/// Of what colour bars leave free.
float View::aspect() const {
    constexpr float kBar = 60; // pixels, about
    float free = float(last_.pixels.x);
    for (const ListItem& item : list_.shown())
        if (std::holds_alternative<DrawnColorbar>(item.drawn)) free -= 2 * kBar * last_.scale;
    return std::max(free, 0.75f * float(last_.pixels.x)) / float(last_.pixels.y);
}

void View::compute_annotations() {
    const std::vector<ListItem>& items = list_.shown();
    std::vector<std::string_view> wanted; // things with colour bars
    const AxesStyle* axes = nullptr;
    for (const ListItem& item : items) {
        if (const auto* drawn = std::get_if<DrawnAxes>(&item.drawn)) axes = &drawn->style;
        if (const auto* bar = std::get_if<DrawnColorbar>(&item.drawn))
            wanted.emplace_back(bar->thing);
    }
    if (!axes || camera() != Camera::orbit) axes_box_.reset();
    else if (axes->box) axes_box_ = axes->box;
    else if (const auto around = bounds()) axes_box_ = axes_box(*around, axes_box_);
    if (wanted.empty()) return;
    const std::vector<Thing> things = things_of(items);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (std::find(wanted.begin(), wanted.end(), things[i].name) == wanted.end()) continue;
        const auto scale = scale_of(items[i].drawn);
        if (!scale || !scale->found) continue;
        std::array<float, 2> ends{};
        gpu::copy_to_host(ends.data(), scale->found->address(), sizeof ends);
        found_ranges_[things[i].name] = {ends[0], ends[1]};
    }
}

bool View::needs_names() const {
    const std::vector<ListItem>& items = list_.shown();
    return !settings_.empty() || std::any_of(items.begin(), items.end(), [](const ListItem& item) {
        return is_annotation(item.drawn);
    });
}

std::vector<ShownThing> View::shown_things(std::deque<Drawn>& changed, bool with_names) const {
    const std::vector<ListItem>& items = list_.shown();
    std::vector<Thing> things;
    if (with_names) things = things_of(items);
    std::vector<ShownThing> shown;
    shown.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Drawn* drawn = &items[i].drawn;
        std::string name = with_names ? std::move(things[i].name) : std::string{};
        if (const auto found = settings_.find(name); found != settings_.end()) {
            if (!found->second.is_shown) continue;
            drawn = &changed.emplace_back(restyled(*drawn, found->second));
        }
        shown.push_back({drawn, std::move(name)});
    }
    return shown;
}

std::optional<Picked> View::pick(glm::vec2 pixels) const {
    std::deque<Drawn> changed;
    PickPlace at{look(), pixels, {}};
    if (last_.placement) {
        at.element = last_.placement->element_at(pixels, last_.picture);
        if (last_.y_up) at.element->y = last_.picture.y - at.element->y;
    }
    return lathe::pick(shown_things(changed, true), at);
}

void View::draw_now(const Drawn& drawn) {
    note_space(is_in_space(drawn));
    Painter{*this, *scene_.renderers_}.draw(drawn);
}

void View::show() {
    std::deque<Drawn> changed;
    Painter{*this, *scene_.renderers_}.draw(shown_things(changed, needs_names()));
}

std::optional<std::array<int, 2>> View::element_at(glm::vec2 place) const {
    if (!last_.placement) return {};
    const glm::vec2 element =
        last_.placement->element_at(place * glm::vec2{last_.pixels}, last_.picture);
    if (element.x < 0 || element.y < 0 || element.x >= last_.picture.x ||
        element.y >= last_.picture.y)
        return {};
    return std::array{int(std::floor(element.x)), int(std::floor(element.y))};
}

} // namespace lathe
