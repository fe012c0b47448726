// SPDX-License-Identifier: MIT
// The drawing calls of a view: from arrays to what the list keeps.
#include "engine/scene/view.h"

#include "engine/interop/frame_map.h"
#include "engine/interop/texture.h"
#include "engine/scene/checks.h"
#include "engine/scene/far_places.h"
#include "engine/scene/scene.h"
#include "engine/scene/splatter.h"
#include "engine/scene/taken.h"
#include "engine/scene/volume.h"
#include "gpu/array/dtype_rules.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lathe {

namespace {

const std::shared_ptr<VolumeMarcher>* kept_of(const Drawn& drawn, const VolumeMarcher*) {
    const auto* volume = std::get_if<DrawnVolume>(&drawn);
    return volume ? &volume->marcher : nullptr;
}
const std::shared_ptr<Splatter>* kept_of(const Drawn& drawn, const Splatter*) {
    const auto* points = std::get_if<DrawnPoints>(&drawn);
    return points && points->splatter ? &points->splatter : nullptr;
}

/// What the thing at the same place among those of the last step has kept; a new one otherwise.
template <class Kept> std::shared_ptr<Kept> kept(const DrawList& list) {
    const Kept* const kind = nullptr;
    if (const std::vector<ListItem>* begun = list.begun()) {
        auto before = std::count_if(begun->begin(), begun->end(), [&](const ListItem& item) {
            return kept_of(item.drawn, kind) != nullptr;
        });
        for (const ListItem& item : list.shown())
            if (const auto* found = kept_of(item.drawn, kind); found && before-- == 0)
                return *found;
    }
    return std::make_shared<Kept>();
}

} // namespace

void View::image(const gpu::Array& array, const ImageStyle& style, std::string_view name) {
    draw_image(array, style, {}, name);
}

void View::image(const gpu::Array& array, const ImagePlane& plane, const ImageStyle& style,
                 std::string_view name) {
    draw_image(array, style, plane, name);
}

void View::draw_image(const gpu::Array& array, const ImageStyle& style,
                      const std::optional<ImagePlane>& plane, std::string_view name) {
    check_picture(array);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    const gpu::Array& shown = scene_.copies_.of(map, array);
    DrawnImage drawn{{}, style, {}, {}, plane};
    ItemOrigin origin;
    if (plane) {
        const glm::dvec3 right{plane->right}, up{plane->up};
        origin.place = origin_near({plane->origin + 0.5 * (right + up), glm::length(right + up)});
        drawn.plane->origin -= origin.place;
    }
    const PlaceInGl place = find_in_gl(shown, *map, drawn.elements);
    drawn.image = picture_of(shown, place);
    if (style.percentiles) {
        const gpu::Array& range = scene_.copies_.range(map, shown, *style.percentiles);
        drawn.image.range = find_in_gl(range, *map, drawn.range).buffer;
    } else if (!style.range) scene_.look_for_values_outside(array);
    add(std::move(drawn), name, {&array}, origin);
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
    if (of.values) check_items("values", *of.values, {count});
    if (of.radii) check_items("radii", *of.radii, {count});
    if (of.colors) check_item_colors(*of.colors, {count});
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    Taken take{scene_.copies_, map, origin_of(positions)};
    DrawnPoints drawn{.points = {},
                      .style = style,
                      .positions = {},
                      .values = {},
                      .range = {},
                      .colors = {},
                      .radii = {},
                      .call = 0,
                      .splatter = {}};
    PointsData& points = drawn.points;
    points.count = std::size_t(count);
    points.components = int(positions.shape()[1]);
    take.places(positions, drawn.positions, points.positions, points.offset);
    if (of.values) take.values(*of.values, style.percentiles, drawn, points);
    if (of.colors) take.colors(*of.colors, drawn, points);
    if (of.radii) {
        take.floats(*of.radii, drawn.radii, points.radii, points.radius_offset);
        if (!style.radius) drawn.style.radius = 1;
    }
    if (Splatter::is_for(points.count, drawn.style)) {
        drawn.call = next_call();
        drawn.splatter = kept<Splatter>(list_);
    }
    add(std::move(drawn), name, {&positions, of.values, of.colors, of.radii}, take.origin);
}

namespace {

/// Of lines and tubes: what is joined, and its colours.
template <class Drawn, class Data>
void take_lines(Taken& take, const gpu::Array& positions, const PerPoint& of, Drawn& drawn,
                Data& data) {
    const gpu::Extents& shape = positions.shape();
    gpu::Extents items = shape;
    items.erase(items.size() - 1);
    if (of.values) check_items("values", *of.values, items);
    if (of.radii) check_items("radii", *of.radii, items);
    if (of.colors) check_item_colors(*of.colors, items);
    data.points_a_line = std::size_t(items.back());
    data.count = items.size() > 1 ? std::size_t(items[0]) * data.points_a_line : data.points_a_line;
    data.components = int(shape.back());
    if (data.count == 0) return;
    take.places(positions, drawn.positions, data.positions, data.offset);
    if (of.values) take.values(*of.values, drawn.style.percentiles, drawn.colors, data.colors);
    if (of.colors) take.colors(*of.colors, drawn.colors, data.colors);
}

} // namespace

void View::lines(const gpu::Array& positions, const LinesStyle& style, const PerPoint& of,
                 std::string_view name) {
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    check_lines(positions);
    Taken take{scene_.copies_, map, origin_of(positions)};
    DrawnLines drawn{{}, style, {}, {}};
    take_lines(take, positions, {of.values, of.colors}, drawn, drawn.lines);
    add(std::move(drawn), name, {&positions, of.values, of.colors}, take.origin);
}

void View::tubes(const gpu::Array& positions, const TubesStyle& style, const PerPoint& of,
                 std::string_view name) {
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    check_lines(positions);
    Taken take{scene_.copies_, map, origin_of(positions)};
    DrawnTubes drawn{{}, style, {}, {}, {}};
    take_lines(take, positions, of, drawn, drawn.tubes);
    if (of.radii && drawn.tubes.count > 0)
        take.floats(*of.radii, drawn.radii, drawn.tubes.radii, drawn.tubes.radius_offset);
    add(std::move(drawn), name, {&positions, of.values, of.colors, of.radii}, take.origin);
}

void View::arrows(const gpu::Array& positions, const gpu::Array& vectors, const ArrowsStyle& style,
                  const PerPoint& of, std::string_view name) {
    check_arrows(positions, vectors);
    const gpu::Extents& shape = positions.shape();
    if (of.values) check_items("values", *of.values, {shape[0]});
    if (of.colors) check_item_colors(*of.colors, {shape[0]});
    DrawnArrows drawn{{}, style, {}, {}, {}};
    ArrowsData& arrows = drawn.arrows;
    arrows.count = std::size_t(shape[0]);
    arrows.components = int(shape[1]);
    if (arrows.count == 0) return add(std::move(drawn), name);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    Taken take{scene_.copies_, map, origin_of(positions)};
    take.places(positions, drawn.positions, arrows.positions, arrows.offset);
    take.floats(vectors, drawn.vectors, arrows.vectors, arrows.vector_offset);
    if (of.values) take.values(*of.values, style.percentiles, drawn.colors, arrows.colors);
    if (of.colors) take.colors(*of.colors, drawn.colors, arrows.colors);
    add(std::move(drawn), name, {&positions, &vectors, of.values, of.colors}, take.origin);
}

void View::volume(const gpu::Array& array, const VolumeStyle& style, std::string_view name) {
    const gpu::Extents& shape = array.shape();
    check_volume(array);
    check(style);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    const gpu::Array& shown = scene_.copies_.of(map, array);
    DrawnVolume drawn{.voxels = {},
                      .range = {},
                      .dtype = *shown.type().dtype,
                      .cells = {int(shape[2]), int(shape[1]), int(shape[0])},
                      .style = style,
                      .box = {},
                      .call = next_call(),
                      .marcher = kept<VolumeMarcher>(list_)};
    drawn.box = box_of(style, drawn.cells);
    ItemOrigin origin;
    origin.place = origin_near({drawn.box.middle(), glm::length(drawn.box.size())});
    drawn.box = {drawn.box.low - origin.place, drawn.box.high - origin.place};
    (void)find_in_gl(shown, *map, drawn.voxels);
    if (style.percentiles)
        (void)find_in_gl(scene_.copies_.range(map, shown, *style.percentiles), *map, drawn.range);
    add(std::move(drawn), name, {&array}, origin);
}

void View::text(std::string_view text, glm::dvec2 position, const TextStyle& style) {
    add(DrawnText{std::string{text}, {position.x, position.y, 0}, DrawnText::Place::plane, style});
}

void View::text(std::string_view text, glm::dvec3 position, const TextStyle& style) {
    add(DrawnText{std::string{text}, position, DrawnText::Place::space, style});
}

void View::title(std::string_view text, const TextStyle& style) {
    DrawnText drawn{std::string{text}, {0.5, 0, 0}, DrawnText::Place::tile, style};
    drawn.style.anchor = {0.5f, -0.4f}; // a part of its height below the edge
    add(std::move(drawn));
}

void View::axes(const AxesStyle& style) { add(DrawnAxes{style}); }

void View::colorbar(std::string_view thing, const ColorbarStyle& style) {
    add(DrawnColorbar{std::string{thing}, style});
}

void View::legend(const LegendStyle& style) { add(DrawnLegend{style}); }
void View::scale_bar(const ScaleBarStyle& style) { add(DrawnScaleBar{style}); }

void View::add(Drawn&& drawn, std::string_view name,
               std::initializer_list<const gpu::Array*> arrays, const ItemOrigin& origin) {
    if (!is_shown_) return;
    ListItem item{std::move(drawn), std::string{name}};
    item.origin = origin;
    item.arrays.reserve(arrays.size());
    for (const gpu::Array* const each : arrays)
        if (each) item.arrays.emplace_back(*each);
    list_.add(std::move(item));
}

} // namespace lathe
