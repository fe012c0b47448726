// SPDX-License-Identifier: MIT
// Indexed drawing with vertex attributes, so that GL computes a shared vertex once. What belongs to
// faces, and the corners that edges need, the fragment shader reads by the number of its triangle.
#include "engine/render/mesh.h"

#include "engine/core/error.h"
#include "engine/render/draw_state.h"
#include "engine/render/features.h"
#include "engine/render/image_source.h"
#include "gl/buffer.h"

#include <glad/gl.h>

#include <fmt/core.h>
#include <glm/matrix.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace lathe {
namespace {

/// Bits of a program's and a vertex array's key.
enum MeshFeature : unsigned {
    kMeshValues = 1,
    kMeshColors = 2,
    kOfFaces = 4,
    kSmooth = 8,
    kEdges = 16,
    kRangeOfMesh = 32,
    kSolid = 64,
    kInstances = 128,
    kOfInstances = 256,
    kTurned = 512,
    kDirected = 1024,
    kScaled = 2048,
    kStretched = 4096,
    kContours = 8192,
    kPeel = 16384,
    kClippedMesh = 32768,
    kTextured = 65536,
    kLinear = 131072,
    kRepeated = 262144,
    kVector = 524288,
    kUnlit = 16777216
};

/// Between the last two: number of the texture's sampler, and its channels.
constexpr unsigned kSamplerBit = 20, kChannelsBit = 22;

constexpr std::array<const char*, 25> kMeshFeatureNames{
    "VALUES", "COLORS",  "OF_FACES", "SMOOTH",   "EDGES",    "FOUND_RANGE", "SOLID",
    "MANY",   nullptr,   "TURNED",   "DIRECTED", "SCALED",   "STRETCHED",   "CONTOURS",
    "PEEL",   "CLIPPED", "TEXTURED", "LINEAR",   "REPEATED", "VECTOR",      nullptr,
    nullptr,  nullptr,   nullptr,    "UNLIT"};
/// Those that say which buffers a vertex array has.
constexpr unsigned kMeshAttributes = kMeshValues | kMeshColors | kOfFaces | kSmooth | kInstances |
                                     kOfInstances | kTurned | kDirected | kScaled | kStretched |
                                     kContours | kTextured;

/// The texture units in mesh.frag; common.glsl has 1 and 2.
enum Unit : unsigned {
    kRangeUnit = 2,
    kFaceUnit = 3,
    kIndexUnit = 4,
    kPositionUnit = 5,
    kSolidUnit = 6,
    kNearerUnit = 7
};

constexpr std::size_t kMostVertices = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMostIndices = std::size_t(std::numeric_limits<GLsizei>::max());

struct Items {
    std::size_t count, bytes, offset;
    std::size_t unit = 4; ///< bytes of a number
    std::size_t end() const { return offset + count * bytes; }
};

void check_items(const char* what, const gl::Buffer& buffer, const Items& items) {
    if (items.offset % items.unit)
        throw Error{fmt::format("the {} of a mesh begin at {} bytes, no multiple of {}", what,
                                items.offset, items.unit)};
    if (items.end() > buffer.bytes())
        throw Error{fmt::format("{} {} of a mesh need {} bytes, the buffer has {}", items.count,
                                what, items.end(), buffer.bytes())};
}

Items vertices_of(const MeshData& data) { return {data.vertex_count, 12, data.vertex_offset}; }
Items triangles_of(const MeshData& data) { return {data.triangle_count, 12, data.triangle_offset}; }
std::size_t count_of(const MeshData& data, MeshPart part) {
    if (part == MeshPart::vertices) return data.vertex_count;
    if (part == MeshPart::triangles) return data.triangle_count;
    return data.instances ? data.instances->count : 0;
}
Items colors_of(const MeshData& data) {
    const std::size_t unit = data.colors_are_bytes ? 1 : 4;
    return {count_of(data, data.colors_of), 4 * unit, data.color_offset, unit};
}
Items values_of(const MeshData& data) {
    return {count_of(data, data.values_of), 4, data.value_offset};
}

void check(const MeshInstances& many) {
    if (!many.positions)
        throw Error{"instances of a mesh were drawn without a buffer of positions"};
    if (many.count > std::size_t(std::numeric_limits<GLsizei>::max()))
        throw Error{fmt::format("{} instances were to be drawn, one draw call takes {}", many.count,
                                std::numeric_limits<GLsizei>::max())};
    check_items("positions", *many.positions, {many.count, 12, many.offset});
    if (many.turns)
        check_items("turns", *many.turns,
                    {many.count, many.turns_are_directions ? 12u : 16u, many.turn_offset});
    if (many.scales)
        check_items("scales", *many.scales,
                    {many.count, many.scales_are_of_axes ? 12u : 4u, many.scale_offset});
}

void check(const MeshData& data) {
    if (!data.vertices || !data.triangles)
        throw Error{"a mesh was drawn without a buffer of vertices or of triangles"};
    if (data.triangle_count > kMostIndices / 3)
        throw Error{fmt::format("{} triangles were to be drawn, one draw call takes {}",
                                data.triangle_count, kMostIndices / 3)};
    check_items("vertices", *data.vertices, vertices_of(data));
    check_items("triangles", *data.triangles, triangles_of(data));
    if (data.texture) {
        if (!data.texcoords)
            throw Error{"a mesh with a texture was drawn without a buffer of texcoords"};
        if (data.texture->dtype == DType::complex64)
            throw Error{"the texture of a mesh is of real numbers, got complex64"};
        check_items("texcoords", *data.texcoords, {data.vertex_count, 8, data.texcoord_offset});
    } else if (data.colors) check_items("colours", *data.colors, colors_of(data));
    else if (data.values) check_items("values", *data.values, values_of(data));
    if (data.normals)
        check_items("normals", *data.normals, {data.vertex_count, 12, data.normal_offset});
    if (data.levels) check_items("levels", *data.levels, {data.vertex_count, 4, data.level_offset});
    if (data.instances) check(*data.instances);
}

unsigned features_of(MeshPart part) {
    return part == MeshPart::triangles ? kOfFaces : part == MeshPart::instances ? kOfInstances : 0u;
}

unsigned features_of(const MeshInstances& many) {
    unsigned features = kInstances;
    if (many.turns) features |= many.turns_are_directions ? kDirected : kTurned;
    if (many.scales) features |= many.scales_are_of_axes ? kStretched : kScaled;
    return features;
}

unsigned features_of(const MeshData& data, const MeshStyle& style) {
    unsigned features = 0;
    if (data.texture) {
        features |= kTextured | (style.texture_is_linear ? kLinear : 0u) |
                    (style.texture_repeats ? kRepeated : 0u) |
                    (data.texture->range && data.texture->channels == 1 ? kRangeOfMesh : 0u);
    } else if (data.colors) features |= kMeshColors | features_of(data.colors_of);
    else if (data.values) features |= kMeshValues | features_of(data.values_of);
    if (features & kMeshValues && data.range) features |= kRangeOfMesh;
    if (style.contours > 0 && data.levels) features |= kContours;
    if (style.smooth && data.normals) features |= kSmooth;
    if (!style.lit) features |= kUnlit;
    if (style.wireframe && style.edge_width > 0) features |= kEdges;
    if (data.instances) features |= features_of(*data.instances);
    return features | (is_solid(data, style) ? kSolid : 0u);
}

void set_colors(gl::Program& p, const MeshData& data, const MeshStyle& style, unsigned features) {
    const bool tinted = !(features & (kMeshColors | kMeshValues));
    const glm::vec4 tint = tinted ? style.color : glm::vec4{1};
    p.set("tint", tint.r, tint.g, tint.b, tint.a);
    p.set("opacity", style.opacity);
    if (features & kOfFaces) {
        const bool colors = features & kMeshColors;
        const Items items = colors ? colors_of(data) : values_of(data);
        (colors ? data.colors : data.values)
            ->bind_texels(kFaceUnit, items.unit == 1 ? GL_R8 : GL_R32F, items.end() / items.unit);
        p.set("first_of_faces", int(items.offset / items.unit));
    }
    if (!(features & kMeshValues)) return;
    if (features & kRangeOfMesh) data.range->bind_texels(kRangeUnit, GL_R32F, 2);
    else p.set("value_range", style.range.low, style.range.per_unit());
    Colormap::named(style.colormap).texture().bind(1);
}

void set_texture(gl::Program& p, const ImageSource& source, const MeshStyle& style) {
    set_image_source(source, p);
    const bool has_map = source.channels == 1;
    const ValueRange& range = has_map ? style.range : source.unless_given;
    if (!source.has_range) p.set("value_range", range.low, range.per_unit());
    if (has_map) Colormap::named(style.colormap).texture().bind(1);
}

unsigned features_of(const ImageSource& source) {
    const unsigned sampler = source.sampler[0] == 'i' ? 1 : source.sampler[0] == 'u' ? 2 : 0;
    return sampler << kSamplerBit | unsigned(source.channels - 1) << kChannelsBit |
           (source.vector ? kVector : 0u);
}

void set_edges(gl::Program& p, const MeshData& data, const MeshStyle& style, glm::vec2 size) {
    data.triangles->bind_texels(kIndexUnit, GL_R32UI, triangles_of(data).end() / 4);
    data.vertices->bind_texels(kPositionUnit, GL_R32F, vertices_of(data).end() / 4);
    p.set("first_index", int(data.triangle_offset / 4));
    p.set("first_number", int(data.vertex_offset / 4));
    p.set("half_size", size.x / 2, size.y / 2);
    p.set("edge_width", style.edge_width);
    const glm::vec4& ink = style.edge_color;
    p.set("edge_color", ink.r, ink.g, ink.b, ink.a);
}

void set_instances(gl::VertexArray& array, const MeshInstances& many) {
    array.set(4, *many.positions, {.components = 3, .offset = many.offset, .per_instance = true});
    if (many.turns)
        array.set(5, *many.turns,
                  {.components = many.turns_are_directions ? 3 : 4,
                   .offset = many.turn_offset,
                   .per_instance = true});
    if (many.scales)
        array.set(6, *many.scales,
                  {.components = many.scales_are_of_axes ? 3 : 1,
                   .offset = many.scale_offset,
                   .per_instance = true});
}

void draw_triangles(const MeshData& data) {
    const auto count = GLsizei(3 * data.triangle_count);
    const auto* first = reinterpret_cast<const void*>(data.triangle_offset);
    if (data.instances)
        glDrawElementsInstanced(GL_TRIANGLES, count, GL_UNSIGNED_INT, first,
                                GLsizei(data.instances->count));
    else glDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, first);
}

} // namespace

bool is_solid(const MeshData& data, const MeshStyle& style) {
    return style.opacity >= 1 && (data.texture || data.values || data.colors || style.color.a >= 1);
}

gl::VertexArray& MeshRenderer::array(const MeshData& data, unsigned features) {
    const bool of_vertices = !(features & kOfFaces);
    const bool of_instances = features & kOfInstances;
    gl::VertexArray& array = arrays_[features & kMeshAttributes];
    array.set_elements(*data.triangles);
    array.set(0, *data.vertices, {.components = 3, .offset = data.vertex_offset});
    if (of_vertices && features & kMeshValues)
        array.set(1, *data.values,
                  {.components = 1, .offset = data.value_offset, .per_instance = of_instances});
    if (of_vertices && features & kMeshColors)
        array.set(2, *data.colors,
                  {.components = 4,
                   .type = data.colors_are_bytes ? gl::Component::uint8 : gl::Component::float32,
                   .offset = data.color_offset,
                   .normalized = data.colors_are_bytes,
                   .per_instance = of_instances});
    if (features & kSmooth)
        array.set(3, *data.normals, {.components = 3, .offset = data.normal_offset});
    if (features & kContours)
        array.set(7, *data.levels, {.components = 1, .offset = data.level_offset});
    if (features & kTextured)
        array.set(8, *data.texcoords, {.components = 2, .offset = data.texcoord_offset});
    if (data.instances) set_instances(array, *data.instances);
    return array;
}

gl::Program& MeshRenderer::program(unsigned features, const ImageSource* texture) {
    if (!texture)
        return program_of(programs_, features, "mesh.vert", "mesh.frag", kMeshFeatureNames);
    auto it = programs_.find(features);
    if (it != programs_.end()) return it->second;
    std::vector<std::string> defines = defines_of(features, kMeshFeatureNames);
    add_defines(*texture, defines);
    return programs_.emplace(features, gl::Program{"mesh.vert", "mesh.frag", defines})
        .first->second;
}

void MeshRenderer::draw(const MeshData& data, const MeshStyle& style, const glm::mat4& view,
                        const glm::mat4& projection, glm::vec2 framebuffer_size,
                        const ClipPlanes& clip, const PeelPass* peel) {
    if (data.triangle_count == 0 || data.vertex_count == 0) return;
    if (data.instances && data.instances->count == 0) return;
    check(data);
    std::optional<ImageSource> texture;
    if (data.texture) texture = bind_image(*data.texture);
    const unsigned features = features_of(data, style) | (texture ? features_of(*texture) : 0u) |
                              (peel ? kPeel : 0u) | (clip.count > 0 ? kClippedMesh : 0u);
    gl::Program& p = program(features, texture ? &*texture : nullptr);
    gl::VertexArray& array = this->array(data, features);
    p.set_matrix("view", &view[0][0]);
    p.set_matrix("projection", &projection[0][0]);
    p.set("count", unsigned(std::min(data.vertex_count, kMostVertices)));
    p.set("scale", style.scale);
    if (data.instances) {
        const int up = data.instances->up_axis;
        p.set("up", up == 0 ? 1.0f : 0.0f, up == 1 ? 1.0f : 0.0f, up == 2 ? 1.0f : 0.0f, 0.0f);
    }
    set_colors(p, data, style, features);
    if (texture) set_texture(p, *texture, style);
    if (clip.count > 0) set_clip_planes(clip, glm::inverse(glm::dmat4{view}), p);
    if (features & kContours) set_contours(style, p);
    if (features & kEdges) set_edges(p, data, style, framebuffer_size);
    if (peel) {
        peel->solid.bind(kSolidUnit);
        peel->nearer.bind(kNearerUnit);
        p.set("peel_corner", peel->corner.x, peel->corner.y);
    }
    const bool one_by_one = features & (kSolid | kPeel); // the nearest stays
    const DrawState state{one_by_one ? Mix::none : Mix::over, true, one_by_one};
    p.use();
    array.bind();
    if (one_by_one) return draw_triangles(data);
    glEnable(GL_CULL_FACE);
    for (const GLenum left_out : {GL_FRONT, GL_BACK}) { // the second is GL's own state
        glCullFace(left_out);
        draw_triangles(data);
    }
    glDisable(GL_CULL_FACE);
}

} // namespace lathe
