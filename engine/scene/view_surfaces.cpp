// SPDX-License-Identifier: MIT
// The drawing calls of a view that show triangles.
#include "engine/interop/frame_map.h"
#include "engine/scene/checks.h"
#include "engine/scene/far_places.h"
#include "engine/scene/scene.h"
#include "engine/scene/taken.h"
#include "engine/scene/view.h"

#include <glm/geometric.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace lathe {

namespace {

/// Numbers of vertices as they are, or else as int32.
DType drawn_as_indices(const gpu::Array& triangles) {
    return triangles.type().dtype == DType::uint32 ? DType::uint32 : DType::int32;
}

/// Vertices, triangles and normals. Returns the triangles as they are drawn.
const gpu::Array& take_surface(Taken& take, const gpu::Array& vertices, const gpu::Array& triangles,
                               const gpu::Array* normals, DrawnMesh& drawn) {
    MeshData& mesh = drawn.mesh;
    const gpu::Array& places =
        take.places(vertices, drawn.vertices, mesh.vertices, mesh.vertex_offset);
    const gpu::Array& corners = take.copies.of(take.map, triangles, drawn_as_indices(triangles));
    take.find(corners, drawn.triangles, mesh.triangles, mesh.triangle_offset);
    if (normals) take.floats(*normals, drawn.normals, mesh.normals, mesh.normal_offset);
    else if (drawn.style.smooth)
        take.find(take.copies.normals(take.map, places, corners), drawn.normals, mesh.normals,
                  mesh.normal_offset);
    drawn.style.smooth = drawn.style.smooth || normals;
    return corners;
}

void take_texture(const Taken& take, const gpu::Array& texture, const gpu::Array& texcoords,
                  DrawnMesh& drawn) {
    MeshData& mesh = drawn.mesh;
    take.floats(texcoords, drawn.texcoords, mesh.texcoords, mesh.texcoord_offset);
    const gpu::Array& shown = take.copies.of(take.map, texture);
    mesh.texture = picture_of(shown, find_in_gl(shown, *take.map, drawn.texture));
    if (mesh.texture->channels != 1 || !drawn.style.percentiles) return;
    const gpu::Array& range = take.copies.range(take.map, shown, *drawn.style.percentiles);
    mesh.texture->range = find_in_gl(range, *take.map, drawn.range).buffer;
}

} // namespace

void View::mesh(const gpu::Array& vertices, const gpu::Array& triangles, const MeshStyle& style,
                const PerVertex& of, std::string_view name) {
    check_mesh(vertices, triangles);
    const std::int64_t count = vertices.shape()[0], faces = triangles.shape()[0];
    if (of.values) check_mesh_values(*of.values, count, faces);
    if (of.colors) check_mesh_colors(*of.colors, count, faces);
    if (of.normals) check_normals(*of.normals, count);
    check_texture(of.texture, of.texcoords, count);
    DrawnMesh drawn{.style = style};
    MeshData& mesh = drawn.mesh;
    mesh.vertex_count = std::size_t(count);
    mesh.triangle_count = std::size_t(faces);
    if (count == 0 || faces == 0) return add(std::move(drawn), name);

    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    Taken take{scene_.copies_, map, origin_of(vertices)};
    scene_.look_for_indices_outside(take_surface(take, vertices, triangles, of.normals, drawn),
                                    count);
    if (of.values) {
        take.values(*of.values, style.percentiles, drawn, mesh);
        if (of.values->shape()[0] != count) mesh.values_of = MeshPart::triangles;
        else {
            drawn.levels = drawn.values;
            mesh.levels = mesh.values;
            mesh.level_offset = mesh.value_offset;
        }
    }
    if (of.colors) {
        take.colors(*of.colors, drawn, mesh);
        if (of.colors->shape()[0] != count) mesh.colors_of = MeshPart::triangles;
    }
    if (of.texture) take_texture(take, *of.texture, *of.texcoords, drawn);
    const auto of_faces = [&](const gpu::Array* array) {
        return array && array->shape()[0] != count ? array : nullptr;
    };
    add(std::move(drawn), name, {&triangles, of_faces(of.values), of_faces(of.colors)},
        take.origin);
}

void View::instances(const gpu::Array& vertices, const gpu::Array& triangles,
                     const gpu::Array& positions, const MeshStyle& style, const PerInstance& of,
                     std::string_view name) {
    check_mesh(vertices, triangles);
    check_instances(positions, of.turns, of.scales);
    const std::int64_t count = positions.shape()[0];
    if (of.values) check_items("values", *of.values, {count});
    if (of.colors) check_item_colors(*of.colors, {count});
    DrawnMesh drawn{.style = style};
    MeshData& mesh = drawn.mesh;
    mesh.vertex_count = std::size_t(vertices.shape()[0]);
    mesh.triangle_count = std::size_t(triangles.shape()[0]);
    MeshInstances& many = mesh.instances.emplace();
    many.count = std::size_t(count);
    if (mesh.vertex_count == 0 || mesh.triangle_count == 0 || many.count == 0)
        return add(std::move(drawn), name);

    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    Taken take{scene_.copies_, map};
    scene_.look_for_indices_outside(take_surface(take, vertices, triangles, of.normals, drawn),
                                    std::int64_t(mesh.vertex_count));
    Taken take_places{scene_.copies_, map, origin_of(positions)};
    take_places.places(positions, drawn.places, many.positions, many.offset);
    if (of.turns) {
        take.floats(*of.turns, drawn.turns, many.turns, many.turn_offset);
        many.turns_are_directions = of.turns->shape()[1] == 3;
        many.up_axis = state_.orbit.up == UpAxis::y ? 1 : 2;
    }
    if (of.scales) {
        take.floats(*of.scales, drawn.scales, many.scales, many.scale_offset);
        many.scales_are_of_axes = of.scales->dimensions() == 2 && of.scales->shape()[1] == 3;
    }
    mesh.values_of = mesh.colors_of = MeshPart::instances;
    if (of.values) take.values(*of.values, style.percentiles, drawn, mesh);
    if (of.colors) take.colors(*of.colors, drawn, mesh);
    add(std::move(drawn), name, {&positions, of.values, of.colors, of.turns, of.scales},
        take_places.origin);
}

void View::height_field(const gpu::Array& heights, const HeightField& field, const MeshStyle& style,
                        const PerVertex& of, std::string_view name) {
    check_heights(heights);
    const gpu::Extents& shape = heights.shape();
    if (of.values) check_items("values", *of.values, shape);
    if (of.colors) check_item_colors(*of.colors, shape);
    const std::shared_ptr<FrameMap> map = scene_.services_.map();
    Taken take{scene_.copies_, map};
    DrawnMesh drawn{.style = style};
    drawn.style.smooth = true;
    HeightField here = field;
    ItemOrigin origin;
    if (here.ground) {
        auto& [low, high] = *here.ground;
        const bool is_y_up = state_.orbit.up == UpAxis::y;
        const auto in_space = [&](const glm::dvec2& at) {
            return is_y_up ? glm::dvec3{at.x, 0, at.y} : glm::dvec3{at.x, at.y, 0};
        };
        origin.place = origin_near({in_space(0.5 * (low + high)), glm::length(high - low)});
        const glm::dvec2 moved{origin.place.x, is_y_up ? origin.place.z : origin.place.y};
        low -= moved;
        high -= moved;
    }
    drawn.grid = grid_of(here, int(shape[0]), int(shape[1]), state_.orbit.up);
    MeshData& mesh = drawn.mesh;
    const gpu::Array& levels = take.floats(heights, drawn.levels, mesh.levels, mesh.level_offset);
    const GridMesh grid = scene_.copies_.height_field(map, levels, *drawn.grid);
    mesh.vertex_count = std::size_t(shape[0] * shape[1]);
    mesh.triangle_count = std::size_t(grid.triangles.shape()[0]);
    take_surface(take, grid.vertices, grid.triangles, nullptr, drawn);
    const gpu::Array& shown =
        of.values ? take.floats(*of.values, drawn.levels, mesh.levels, mesh.level_offset) : levels;
    if (of.colors) take.colors(*of.colors, drawn, mesh);
    else if (of.values || field.by_height) take.values(shown, style.percentiles, drawn, mesh);
    add(std::move(drawn), name, {&heights, of.values, of.colors}, origin);
}

} // namespace lathe
