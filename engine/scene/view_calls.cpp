// SPDX-License-Identifier: MIT
// The drawing calls of a view: from arrays to what the list keeps.
#include "engine/scene/view.h"

#include "engine/core/error.h"
#include "engine/interop/frame_map.h"
#include "engine/interop/shared_array.h"
#include "engine/interop/texture.h"
#include "engine/scene/checks.h"
#include "engine/scene/scene.h"
#include "engine/scene/splatter.h"
#include "engine/scene/volume.h"
#include "gpu/array/dtype_rules.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
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

/// How the arrays of one call get to OpenGL.
struct Taken {
    DrawnCopies& copies;
    const std::shared_ptr<FrameMap>& map;

    /// As float32, where `data` and `memory` say.
    const gpu::Array& floats(const gpu::Array& array, DrawnMemory& memory,
                             const gl::Buffer*& buffer, std::size_t& offset) const {
        const gpu::Array& taken = copies.of(map, array, DType::float32);
        find(taken, *map, memory, buffer, offset);
        return taken;
    }
    /// Of points and meshes.
    template <class Thing, class Data>
    void values(const gpu::Array& array, Thing& drawn, Data& data) const {
        const gpu::Array& levels = floats(array, drawn.values, data.values, data.value_offset);
        if (!drawn.style.percentiles) return;
        const gpu::Array& range = copies.range(map, levels, *drawn.style.percentiles);
        data.range = find(range, *map, drawn.range).buffer;
    }
    template <class Thing, class Data>
    void colors(const gpu::Array& array, Thing& drawn, Data& data) const {
        data.colors_are_bytes = array.type().dtype == DType::uint8;
        const DType dtype = data.colors_are_bytes ? DType::uint8 : DType::float32;
        find(copies.of(map, array, dtype), *map, drawn.colors, data.colors, data.color_offset);
    }
};

/// Numbers of vertices as they are, or else as int32.
DType drawn_as_indices(const gpu::Array& triangles) {
    return triangles.type().dtype == DType::uint32 ? DType::uint32 : DType::int32;
}

/// A number that no other call has.
std::uint64_t next_call() {
    static std::atomic<std::uint64_t> calls = 0;
    return ++calls;
}

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
    const Taken take{scene_.copies_, map};
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
    take.floats(positions, drawn.positions, points.positions, points.offset);
    if (of.values) take.values(*of.values, drawn, points);
    if (of.colors) take.colors(*of.colors, drawn, points);
    if (of.radii) {
        take.floats(*of.radii, drawn.radii, points.radii, points.radius_offset);
        if (!style.radius) drawn.style.radius = 1;
    }
    if (Splatter::is_for(points.count, drawn.style)) {
        drawn.call = next_call();
        drawn.splatter = kept<Splatter>(list_);
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
    const Taken take{copies, map};
    const gpu::Array& places =
        take.floats(vertices, drawn.vertices, mesh.vertices, mesh.vertex_offset);
    const gpu::Array& corners = copies.of(map, triangles, drawn_as_indices(triangles));
    scene_.look_for_indices_outside(corners, count);
    find(corners, *map, drawn.triangles, mesh.triangles, mesh.triangle_offset);
    if (of.normals) take.floats(*of.normals, drawn.normals, mesh.normals, mesh.normal_offset);
    else if (style.smooth)
        find(copies.normals(map, places, corners), *map, drawn.normals, mesh.normals,
             mesh.normal_offset);
    drawn.style.smooth = style.smooth || of.normals;
    if (of.values) {
        take.values(*of.values, drawn, mesh);
        mesh.values_are_of_faces = of.values->shape()[0] != count;
    }
    if (of.colors) {
        take.colors(*of.colors, drawn, mesh);
        mesh.colors_are_of_faces = of.colors->shape()[0] != count;
    }
    add(std::move(drawn), name);
}

void View::lines(const gpu::Array& positions, const LinesStyle& style, std::string_view name) {
    check_positions(positions);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    DrawnLines drawn{{}, style, {}};
    LinesData& lines = drawn.lines;
    lines.count = std::size_t(positions.shape()[0]);
    lines.components = int(positions.shape()[1]);
    Taken{scene_.copies_, map}.floats(positions, drawn.positions, lines.positions, lines.offset);
    add(std::move(drawn), name);
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
    (void)find(shown, *map, drawn.voxels);
    if (style.percentiles)
        (void)find(scene_.copies_.range(map, shown, *style.percentiles), *map, drawn.range);
    add(std::move(drawn), name);
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

void View::axes(const AxesStyle& style) { add(DrawnAxes{style}); }

void View::colorbar(std::string_view thing, const ColorbarStyle& style) {
    add(DrawnColorbar{std::string{thing}, style});
}

void View::legend(const LegendStyle& style) { add(DrawnLegend{style}); }
void View::scale_bar(const ScaleBarStyle& style) { add(DrawnScaleBar{style}); }

void View::add(Drawn&& drawn, std::string_view name) {
    if (is_shown_) list_.add({std::move(drawn), std::string{name}});
}

} // namespace lathe
