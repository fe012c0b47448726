// SPDX-License-Identifier: MIT
#include "engine/scene/checks.h"

#include "gpu/array/dtype_rules.h"
#include "gpu/array/layout.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string_view>

namespace lathe {

namespace {

[[noreturn]] void refuse(std::string_view wanted, const gpu::Array& array) {
    throw gpu::ShapeError{
        fmt::format("{}, got an array of shape {}", wanted, gpu::to_string(array.shape()))};
}

bool is_complex(const gpu::Array& array) {
    return gpu::kind_of(array.dtype("drawing")) == gpu::Kind::complex;
}

void require_real(const char* what, const gpu::Array& array) {
    if (is_complex(array))
        throw gpu::TypeError{
            fmt::format("{} are real numbers, got {}", what, name_of(array.dtype(what)))};
}

void require_color_type(const gpu::Array& colors) {
    const DType dtype = colors.dtype("colors");
    if (dtype != DType::uint8 && gpu::kind_of(dtype) != gpu::Kind::floating)
        throw gpu::TypeError{fmt::format("colors are uint8 or floats, got {}", name_of(dtype))};
}

bool is_threes(const gpu::Array& array) { return array.dimensions() == 2 && array.shape()[1] == 3; }

bool is_column(const gpu::Extents& shape, std::int64_t count) {
    return shape == gpu::Extents{count} || shape == gpu::Extents{count, 1};
}

} // namespace

void check_picture(const gpu::Array& array) {
    const gpu::Extents& shape = array.shape();
    const bool has_channels = shape.size() == 3 && shape[2] >= 1 && shape[2] <= 4;
    if (array.size() == 0 || (shape.size() != 2 && !has_channels))
        refuse("a picture is (height, width) or (height, width, 1 to 4)", array);
    if (is_complex(array) && has_channels && shape[2] > 1)
        refuse("a picture of complex numbers is (height, width)", array);
}

void check_texture(const gpu::Array* texture, const gpu::Array* texcoords, std::int64_t vertices) {
    if (!texture && !texcoords) return;
    if (!texture || !texcoords)
        throw gpu::ShapeError{texture ? "a texture needs texcoords, one pair a vertex"
                                      : "texcoords belong to a texture, which is not given"};
    const gpu::Extents& shape = texture->shape();
    const bool has_channels = shape.size() == 3 && shape[2] >= 1 && shape[2] <= 4;
    if (texture->size() == 0 || (shape.size() != 2 && !has_channels))
        refuse("a texture is (height, width) or (height, width, 1 to 4)", *texture);
    require_real("a texture", *texture);
    if (texcoords->shape() != gpu::Extents{vertices, 2})
        refuse(fmt::format("texcoords of {} vertices are ({}, 2)", vertices, vertices), *texcoords);
    require_real("texcoords", *texcoords);
}

void check_positions(const gpu::Array& positions) {
    const gpu::Extents& shape = positions.shape();
    if (shape.size() != 2 || shape[0] == 0 || shape[1] < 2 || shape[1] > 4)
        refuse("positions are (n, 2 to 4)", positions);
    require_real("positions", positions);
}

void check_lines(const gpu::Array& positions) {
    const gpu::Extents& shape = positions.shape();
    const bool has_axes = shape.size() == 2 || shape.size() == 3;
    if (!has_axes || shape.back() < 2 || shape.back() > 4)
        refuse("positions are (n, 2 to 4), or of several lines (lines, n, 2 to 4)", positions);
    require_real("positions", positions);
}

void check_arrows(const gpu::Array& positions, const gpu::Array& vectors) {
    const gpu::Extents& shape = positions.shape();
    if (shape.size() != 2 || shape[1] < 2 || shape[1] > 4)
        refuse("positions are (n, 2 to 4)", positions);
    require_real("positions", positions);
    if (vectors.shape() != shape)
        refuse(fmt::format("vectors have the shape of their positions, {}", gpu::to_string(shape)),
               vectors);
    require_real("vectors", vectors);
}

void check_items(const char* what, const gpu::Array& numbers, const gpu::Extents& items) {
    const bool is_column = items.size() == 1 && numbers.shape() == gpu::Extents{items[0], 1};
    if (numbers.shape() != items && !is_column)
        refuse(fmt::format("{} are {}, one each", what, gpu::to_string(items)), numbers);
    require_real(what, numbers);
}

void check_item_colors(const gpu::Array& colors, const gpu::Extents& items) {
    gpu::Extents shape = items;
    shape.push_back(4);
    if (colors.shape() != shape)
        refuse(fmt::format("colors are {}", gpu::to_string(shape)), colors);
    require_color_type(colors);
}

void check_heights(const gpu::Array& heights) {
    const gpu::Extents& shape = heights.shape();
    if (shape.size() != 2 || shape[0] < 2 || shape[1] < 2)
        refuse("heights are (rows, columns), 2 of each at least", heights);
    if (heights.size() > std::numeric_limits<std::int32_t>::max() / 3)
        refuse("a height field has less than 2^31 / 3 heights", heights);
    require_real("heights", heights);
}

void check_instances(const gpu::Array& positions, const gpu::Array* turns,
                     const gpu::Array* scales) {
    if (!is_threes(positions)) refuse("positions of instances are (n, 3)", positions);
    require_real("positions", positions);
    const std::int64_t count = positions.shape()[0];
    const auto is = [&](const gpu::Array& array, std::int64_t each) {
        return array.shape() == gpu::Extents{count, each};
    };
    if (turns) {
        if (!is(*turns, 3) && !is(*turns, 4))
            refuse(fmt::format("turns are ({0}, 4) quaternions or ({0}, 3) directions", count),
                   *turns);
        require_real("turns", *turns);
    }
    if (scales) {
        if (!is_column(scales->shape(), count) && !is(*scales, 3))
            refuse(fmt::format("scales are ({0},), or ({0}, 3) along the mesh's axes", count),
                   *scales);
        require_real("scales", *scales);
    }
}

void check_volume(const gpu::Array& array) {
    const gpu::Extents& shape = array.shape();
    if (array.size() == 0 || shape.size() != 3) refuse("a volume is (depth, height, width)", array);
    if (array.size() > std::numeric_limits<std::int32_t>::max())
        refuse("a volume has less than 2^31 voxels", array);
    require_real("a volume's values", array);
}

void check_mesh(const gpu::Array& vertices, const gpu::Array& triangles) {
    if (!is_threes(vertices)) refuse("vertices are (n, 3)", vertices);
    require_real("vertices", vertices);
    if (!is_threes(triangles)) refuse("triangles are (m, 3)", triangles);
    const DType dtype = triangles.dtype("triangles");
    if (!gpu::is_integer(dtype))
        throw gpu::TypeError{
            fmt::format("triangles are integers, numbers of vertices, got {}", name_of(dtype))};
}

void check_mesh_values(const gpu::Array& values, std::int64_t vertices, std::int64_t triangles) {
    if (!is_column(values.shape(), vertices) && !is_column(values.shape(), triangles))
        refuse(fmt::format("values are ({},), one a vertex, or ({},), one a triangle", vertices,
                           triangles),
               values);
    require_real("values", values);
}

void check_mesh_colors(const gpu::Array& colors, std::int64_t vertices, std::int64_t triangles) {
    if (colors.shape() != gpu::Extents{vertices, 4} && colors.shape() != gpu::Extents{triangles, 4})
        refuse(fmt::format("colors are ({}, 4), one a vertex, or ({}, 4), one a triangle", vertices,
                           triangles),
               colors);
    require_color_type(colors);
}

void check_normals(const gpu::Array& normals, std::int64_t vertices) {
    if (normals.shape() != gpu::Extents{vertices, 3})
        refuse(fmt::format("normals are ({}, 3), one a vertex", vertices), normals);
    require_real("normals", normals);
}

} // namespace lathe
