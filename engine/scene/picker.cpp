// SPDX-License-Identifier: MIT
#include "engine/scene/picker.h"

#include "engine/render/look.h"
#include "engine/render/polylines.h"
#include "engine/scene/bounds.h"
#include "engine/scene/scene_kernel.h"
#include "engine/scene/volume.h"
#include "gl/texture.h"
#include "gpu/array/array.h"
#include "gpu/array/dtype_rules.h"
#include "gpu/array/elementwise.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/mat4x4.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace lathe {

namespace {

constexpr float kReach = 4; // pixels

/// As kernels/pick.cu has it.
struct Sight {
    std::array<float, 16> to_clip;
    std::array<float, 2> place, pixels;
    std::array<float, 3> from, along;
    float pixels_a_unit, reach;
    KernelClipPlanes clip;
};

std::array<float, 3> floats_of(const glm::dvec3& v) { return {float(v.x), float(v.y), float(v.z)}; }

struct Ray {
    glm::dvec3 from, along; ///< `from` is on the near plane; `along` has length 1

    glm::dvec3 at(double t) const { return from + t * along; }
    /// Where the planes leave the first of it.
    double begin(const ClipPlanes& clip) const {
        double begin = 0;
        for (int i = 0; i < clip.count; ++i) {
            const glm::dvec4& plane = clip.planes[std::size_t(i)];
            const double climb = glm::dot(glm::dvec3{plane}, along);
            if (climb > 0) begin = std::max(begin, -glm::dot(plane, glm::dvec4{from, 1}) / climb);
        }
        return begin;
    }
};

/// The place in clip coordinates, without depth.
glm::dvec2 clip_of(const PickPlace& place) {
    const glm::dvec2 part = glm::dvec2{place.pixels} / glm::dvec2{place.look.size};
    return {2 * part.x - 1, 1 - 2 * part.y};
}

Ray ray_through(const PickPlace& place, const glm::dmat4& from_clip) {
    const glm::dvec2 at = clip_of(place);
    const glm::dvec3 near = unproject(from_clip, {at, -1}), far = unproject(from_clip, {at, 1});
    return {near, glm::normalize(far - near)};
}

Sight sight_of(const PickPlace& place, const glm::mat4& to_clip, const Ray& ray) {
    const glm::vec2 size{place.look.size};
    Sight sight{};
    for (int i = 0; i < 16; ++i) sight.to_clip[std::size_t(i)] = to_clip[i / 4][i % 4];
    sight.place = {place.pixels.x, place.pixels.y};
    sight.pixels = {size.x, size.y};
    sight.from = floats_of(ray.from);
    sight.along = floats_of(ray.along);
    sight.pixels_a_unit = Look{to_clip}.scale * size.y / 2;
    sight.reach = kReach * place.scale;
    return sight;
}

/// What a kernel found of one thing.
struct Find {
    bool is_near; ///< not right there
    float order;  ///< depth, or pixels away
    std::int64_t index;
};

/// Some floats of an array.
std::vector<double> read_floats(const DrawnMemory& memory, std::int64_t first, std::size_t count) {
    std::array<float, 4> floats{};
    gpu::copy_to_host(floats.data(), memory.address() + std::size_t(first) * 4, count * 4);
    return {floats.begin(), floats.begin() + std::ptrdiff_t(count)};
}

/// Of one point of 2 to 4 floats.
glm::vec3 position_of(const DrawnMemory& positions, int components, std::int64_t index) {
    const std::vector<double> p =
        read_floats(positions, index * components, std::size_t(components));
    return {p[0], p[1], components > 2 ? p[2] : 0};
}

class Picker {
public:
    explicit Picker(const PickPlace& place) : place_{place} {}

    /// Places count from the thing's origin now.
    void look_at(const ShownThing& thing) {
        const DrawView look = thing.seen_by(place_.look);
        to_clip_ = look.to_clip();
        from_clip_ = from_clip_to_world(look.projection, look.view);
        ray_ = ray_through(place_, from_clip_);
        sight_ = sight_of(place_, to_clip_, ray_);
        sight_.clip = clip_ = look.clip;
    }
    const ClipPlanes& clip() const { return clip_; }

    /// Of the thing that it looks at; nothing where it is elsewhere.
    std::optional<Find> operator()(const DrawnPoints& d) {
        const PointsStyle style = resolved(d.style);
        const bool is_opaque = style.blend == Blend::opaque;
        if (style.opacity <= 0) return {};
        auto found =
            find("pick_points", d.points.count, is_opaque, d.positions.address(),
                 d.points.radii ? d.radii.address() : 0, out(), std::int64_t(d.points.count),
                 d.points.components, style.size, int(style.world_size), int(are_balls(style)),
                 int(style.round), int(is_opaque), sight_);
        if (found && !found->is_near && !is_opaque && d.points.components > 2)
            found->order = depth_of(position_of(d.positions, d.points.components, found->index));
        return found;
    }
    std::optional<Find> operator()(const DrawnLines& d) {
        const Polylines lines = polylines_of(d.lines, d.style);
        const std::size_t segments = lines.segment_count();
        if (d.style.opacity <= 0) return {};
        return find("pick_lines", segments, d.lines.components > 2, d.positions.address(), out(),
                    std::int64_t(segments), segments_of(lines, d.lines.components), d.style.width,
                    sight_);
    }
    std::optional<Find> operator()(const DrawnTubes& d) {
        const Polylines lines = polylines_of(d.tubes, d.style);
        const std::size_t segments = lines.segment_count();
        return find("pick_tubes", segments, d.tubes.components > 2, d.positions.address(),
                    d.tubes.radii ? d.radii.address() : 0, out(), std::int64_t(segments),
                    segments_of(lines, d.tubes.components), d.style.radius, d.style.least_radius,
                    sight_);
    }
    std::optional<Find> operator()(const DrawnArrows& d) {
        using Shape = ArrowShape;
        return find(
            "pick_arrows", d.arrows.count, d.arrows.components > 2, d.positions.address(),
            d.vectors.address(), out(), std::int64_t(d.arrows.count), d.arrows.components,
            d.style.scale, d.style.radius, d.style.least_radius,
            glm::vec4{Shape::slimness, Shape::head_radius, Shape::head_length, Shape::most_head},
            sight_);
    }
    std::optional<Find> operator()(const DrawnMesh& d) {
        const std::size_t faces = d.mesh.triangle_count;
        if (d.style.opacity <= 0) return {};
        if (!d.mesh.instances)
            return find("pick_mesh", faces, true, d.vertices.address(), d.triangles.address(),
                        out(), std::int64_t(d.mesh.vertex_count), std::int64_t(faces), sight_);
        const MeshInstances& many = *d.mesh.instances;
        if (faces == 0) return {};
        const int turns_each = !many.turns ? 0 : many.turns_are_directions ? 3 : 4;
        const int scales_each = !many.scales ? 0 : many.scales_are_of_axes ? 3 : 1;
        return find("pick_instances", many.count, true, d.vertices.address(), d.triangles.address(),
                    d.places.address(), d.turns.address(), d.scales.address(), out(),
                    std::int64_t(d.mesh.vertex_count), std::int64_t(faces),
                    std::int64_t(many.count), turns_each, many.up_axis, scales_each, d.style.scale,
                    reach_of(d), sight_);
    }
    std::optional<Find> operator()(const DrawnImage& d) const {
        if (d.style.opacity <= 0) return {};
        if (d.plane) return in_plane(d);
        return in_picture(d.image.height, d.image.width);
    }
    std::optional<Find> operator()(const DrawnTexture& d) const {
        return in_picture(d.texture->height(), d.texture->width());
    }
    std::optional<Find> operator()(const DrawnVolume& d) const {
        const glm::ivec2 from_top{glm::floor(place_.pixels)};
        const auto depth = d.marcher->depth_at({from_top.x, place_.look.size.y - 1 - from_top.y});
        if (!depth) return {};
        return Find{false, *depth, 0};
    }
    template <class Other> std::optional<Find> operator()(const Other&) const { return {}; }

    /// On the ray.
    glm::dvec3 at_depth(float depth) const {
        return unproject(from_clip_, {clip_of(place_), depth});
    }

    float depth_of(const glm::vec3& position) const {
        const glm::vec4 clip = to_clip_ * glm::vec4{position, 1};
        return clip.z / clip.w;
    }
    const Ray& ray() const { return ray_; }
    float pixels_a_unit() const { return sight_.pixels_a_unit; }
    float w_of(const glm::vec3& position) const { return (to_clip_ * glm::vec4{position, 1}).w; }

private:
    CUdeviceptr out() {
        if (found_.size() == 0) found_ = gpu::Array::empty(DType::uint64, {1});
        return found_.address();
    }

    /// `has_depth`: the order of what lies right there is its depth; otherwise that is 0.
    template <class... Arguments>
    std::optional<Find> find(const char* entry, std::size_t items, bool has_depth,
                             const Arguments&... arguments) {
        if (items == 0) return {};
        const gpu::ArrayKernel& kernel = scene_kernel("pick.cu", entry);
        gpu::fill_units(out(), ~0u, 4, 2);
        launch(kernel.kernel, {{kernel.blocks_for(items, 4)}, {kernel.threads}}, arguments...);
        std::uint64_t key = 0;
        gpu::copy_to_host(&key, out(), sizeof key);
        if (key == std::numeric_limits<std::uint64_t>::max()) return {};
        const bool is_near = key >> 63;
        const auto order = std::uint32_t(key >> 32) & 0x7fffffffu;
        return Find{is_near,
                    is_near     ? float(order) / 4096
                    : has_depth ? from_ordered(order << 1)
                                : 0,
                    std::int64_t(key & 0xffffffffu)};
    }

    /// The element that the ray goes through.
    std::optional<Find> in_plane(const DrawnImage& d) const {
        const glm::dvec3 origin = d.plane->origin, right{d.plane->right}, up{d.plane->up};
        const glm::dvec3 normal = glm::cross(right, up);
        const double area = glm::dot(normal, normal);
        const double t = glm::dot(origin - ray_.from, normal) / glm::dot(ray_.along, normal);
        const glm::dvec3 there = ray_.from + t * ray_.along - origin;
        const double x = glm::dot(glm::cross(there, up), normal) / area,
                     y = glm::dot(glm::cross(right, there), normal) / area;
        if (!(t >= 0 && x >= 0 && x < 1 && y > 0 && y <= 1)) return {};
        if (clip_.clips(ray_.from + t * ray_.along)) return {};
        const double from_top = d.style.y_up ? y : 1 - y;
        const auto column = std::int64_t(x * d.image.width),
                   row = std::min(std::int64_t(from_top * d.image.height),
                                  std::int64_t(d.image.height) - 1);
        return Find{false, depth_of(ray_.at(t)), row * d.image.width + column};
    }

    std::optional<Find> in_picture(int height, int width) const {
        if (!place_.element) return {};
        const auto column = std::int64_t(std::floor(place_.element->x)),
                   row = std::int64_t(std::floor(place_.element->y));
        if (column < 0 || row < 0 || column >= width || row >= height) return {};
        return Find{false, 0, row * width + column};
    }

    const PickPlace& place_;
    glm::mat4 to_clip_{1};
    glm::dmat4 from_clip_{1};
    Ray ray_{};
    Sight sight_{};
    ClipPlanes clip_;
    gpu::Array found_;
};

/// Some elements of any type, as doubles; both parts of a complex one.
std::vector<double> read_elements(const DrawnMemory& memory, DType dtype, std::int64_t first,
                                  std::int64_t count) {
    const auto item = std::int64_t(item_bytes(dtype));
    const CUdeviceptr from = memory.address() + std::size_t(first * item);
    if (gpu::kind_of(dtype) == gpu::Kind::complex) {
        std::array<float, 2> both{};
        gpu::copy_to_host(both.data(), from, sizeof both);
        return {double(both[0]), double(both[1])};
    }
    const gpu::Array elements =
        gpu::Array::over(from, dtype, gpu::compact({count}, std::size_t(item)), memory.owner);
    gpu::Array numbers = gpu::Array::empty(DType::float64, {count});
    gpu::assign(numbers, elements);
    std::vector<double> values(std::size_t(count), 0);
    gpu::copy_to_host(values.data(), numbers.address(), numbers.bytes());
    return values;
}

std::array<std::uint32_t, 3> vertices_of(const DrawnMesh& d, std::int64_t face) {
    std::array<std::uint32_t, 3> vertices{};
    gpu::copy_to_host(vertices.data(), d.triangles.address() + std::size_t(face) * 12,
                      sizeof vertices);
    return vertices;
}

std::array<glm::dvec3, 3> corners_of(const DrawnMesh& d, std::int64_t face) {
    std::array<glm::dvec3, 3> corners;
    const std::array<std::uint32_t, 3> vertices = vertices_of(d, face);
    for (std::size_t k = 0; k < 3; ++k)
        corners[k] = glm::dvec3{position_of(d.vertices, 3, vertices[k])};
    return corners;
}

/// How much each corner of a triangle counts at a place of it.
glm::dvec3 weights_in(const DrawnMesh& d, std::int64_t face, const glm::dvec3& p) {
    const auto [a, b, c] = corners_of(d, face);
    const glm::dvec3 normal = glm::cross(b - a, c - a);
    const double area = glm::dot(normal, normal);
    if (area == 0) return {1, 0, 0};
    const double of_b = glm::dot(glm::cross(p - a, c - a), normal) / area,
                 of_c = glm::dot(glm::cross(b - a, p - a), normal) / area;
    return {1 - of_b - of_c, of_b, of_c};
}

/// The channels of the texture's element at a place of a triangle.
std::vector<double> texel_in(const DrawnMesh& d, std::int64_t face, const glm::dvec3& place) {
    const ImageBuffer& picture = *d.mesh.texture;
    const std::array<std::uint32_t, 3> corners = vertices_of(d, face);
    const glm::dvec3 weights = weights_in(d, face, place);
    glm::dvec2 at{0, 0};
    for (int k = 0; k < 3; ++k) {
        const std::vector<double> uv = read_floats(d.texcoords, 2 * std::int64_t(corners[k]), 2);
        at += weights[k] * glm::dvec2{uv[0], uv[1]};
    }
    const auto index = [&](double part, int count) {
        const auto whole = std::int64_t(std::floor(std::clamp(part, -1e9, 1e9) * count));
        if (!d.style.texture_repeats) return std::clamp(whole, std::int64_t{0}, count - 1l);
        return (whole % count + count) % count;
    };
    const std::int64_t row = index(1 - at.y, picture.height), column = index(at.x, picture.width);
    return read_elements(d.texture, picture.dtype,
                         (row * picture.width + column) * picture.channels, picture.channels);
}

/// Of a triangle, blended from its corners.
std::vector<double> value_in(const DrawnMesh& d, std::int64_t face, const glm::dvec3& place) {
    if (d.mesh.texture) return texel_in(d, face, place);
    if (!d.mesh.values) return {};
    if (d.mesh.values_of == MeshPart::triangles) return read_floats(d.values, face, 1);
    const std::array<std::uint32_t, 3> corners = vertices_of(d, face);
    const glm::dvec3 weights = weights_in(d, face, place);
    const auto value = [&](int k) { return read_floats(d.values, corners[std::size_t(k)], 1)[0]; };
    return {weights.x * value(0) + weights.y * value(1) + weights.z * value(2)};
}

/// The nearer place where a ray meets what planes leave of a sphere; its middle where it passes by.
glm::dvec3 on_sphere(const Ray& ray, const ClipPlanes& clip, const glm::dvec3& middle,
                     double radius) {
    const glm::dvec3 to = middle - ray.from;
    const double t = glm::dot(to, ray.along);
    const double under = radius * radius - glm::dot(to, to) + t * t;
    return under < 0 ? middle : ray.at(std::max(t - std::sqrt(under), ray.begin(clip)));
}

glm::dvec3 in_triangle(const Ray& ray, const DrawnMesh& d, std::int64_t face) {
    const auto [a, b, c] = corners_of(d, face);
    const glm::dvec3 normal = glm::cross(b - a, c - a);
    return ray.at(glm::dot(a - ray.from, normal) / glm::dot(ray.along, normal));
}

/// The place of a segment that is nearest to a ray.
glm::dvec3 on_segment(const Ray& ray, const glm::dvec3& begin, const glm::dvec3& end) {
    const glm::dvec3 u = end - begin, w = begin - ray.from;
    const glm::dvec3 across = u - glm::dot(u, ray.along) * ray.along;
    const double square = glm::dot(across, across);
    const double t = square > 0 ? std::clamp(-glm::dot(w, across) / square, 0.0, 1.0) : 0;
    return begin + t * u;
}

/// The part of a segment that planes leave, from 0 to 1.
glm::dvec2 left_of_segment(const ClipPlanes& clip, const glm::dvec3& begin, const glm::dvec3& end) {
    glm::dvec2 part{0, 1};
    for (int i = 0; i < clip.count; ++i) {
        const glm::dvec4& plane = clip.planes[std::size_t(i)];
        const double height = glm::dot(plane, glm::dvec4{begin, 1}),
                     climb = glm::dot(glm::dvec3{plane}, end - begin);
        if (climb > 0) part.x = std::max(part.x, -height / climb);
        else if (climb < 0) part.y = std::min(part.y, -height / climb);
    }
    return glm::max(part, glm::dvec2{0, std::min(part.x, 1.0)});
}

/// Fills in what was found.
struct Describe {
    const Find& found;
    const PickPlace& place;
    const Picker& picker;
    Picked& picked;

    void operator()(const DrawnPoints& d) const {
        picked.index = {found.index};
        picked.position = position_of(d.positions, d.points.components, found.index);
        picked.element = picked.position;
        if (d.points.values) picked.value = read_floats(d.values, found.index, 1);
        if (!d.style.radius || found.is_near) return;
        const float own =
            *d.style.radius * (d.points.radii ? float(read_floats(d.radii, found.index, 1)[0]) : 1);
        const float pixel = picker.w_of(picked.position) / picker.pixels_a_unit();
        picked.position =
            on_sphere(picker.ray(), picker.clip(), picked.position, std::max(own, pixel / 2));
    }
    void operator()(const DrawnLines& d) const {
        along_segment(polylines_of(d.lines, d.style), d.positions, d.lines.components, d.colors,
                      d.lines.colors);
    }
    void operator()(const DrawnTubes& d) const {
        along_segment(polylines_of(d.tubes, d.style), d.positions, d.tubes.components, d.colors,
                      d.tubes.colors);
        if (!found.is_near) picked.position = picker.at_depth(found.order);
    }
    void operator()(const DrawnArrows& d) const {
        picked.index = {found.index};
        picked.element = position_of(d.positions, d.arrows.components, found.index);
        picked.position = found.is_near ? *picked.element : picker.at_depth(found.order);
        if (d.arrows.colors.values) picked.value = read_floats(d.colors.values, found.index, 1);
    }
    void operator()(const DrawnMesh& d) const {
        if (d.mesh.instances) {
            picked.index = {found.index};
            picked.position = picker.at_depth(found.order);
            if (d.mesh.values) picked.value = read_floats(d.values, found.index, 1);
            return;
        }
        picked.position = in_triangle(picker.ray(), d, found.index);
        if (d.grid) return in_grid(d, *d.grid);
        picked.index = {found.index};
        picked.value = value_in(d, found.index, picked.position);
    }
    void operator()(const DrawnImage& d) const {
        in_picture(d.image.width);
        if (d.plane) picked.position = picker.at_depth(found.order);
        picked.value = read_elements(d.elements, d.image.dtype, found.index * d.image.channels,
                                     d.image.channels);
    }
    void operator()(const DrawnTexture& d) const { in_picture(d.texture->width()); }
    void operator()(const DrawnVolume& d) const {
        picked.position = picker.at_depth(found.order);
        const glm::dvec3 cells{d.cells};
        const glm::dvec3 at = (picked.position - d.box.low) / d.box.size() * cells;
        const glm::ivec3 voxel{glm::clamp(glm::floor(at), glm::dvec3{0}, cells - 1.0)};
        picked.index = {voxel.z, voxel.y, voxel.x};
        const std::int64_t index =
            (std::int64_t(voxel.z) * d.cells.y + voxel.y) * d.cells.x + voxel.x;
        picked.value = read_elements(d.voxels, d.dtype, index, 1);
    }
    template <class Other> void operator()(const Other&) const {}

    /// The number of the segment's first point, of one line, or of the line and in it; the place of
    /// the segment that is nearest to the ray.
    void along_segment(const Polylines& lines, const DrawnMemory& positions, int components,
                       const DrawnColors& memory, const ItemColors& colors) const {
        const auto points = std::int64_t(lines.points_a_line);
        const std::int64_t begin = found.index;
        const std::int64_t line = begin / points * points, end = line + (begin - line + 1) % points;
        if (lines.lines() > 1) picked.index = {begin / points, begin % points};
        else picked.index = {begin};
        const glm::dvec3 a{position_of(positions, components, begin)},
            b{position_of(positions, components, end)};
        const glm::dvec2 left = left_of_segment(picker.clip(), a, b);
        picked.position = on_segment(picker.ray(), glm::mix(a, b, left.x), glm::mix(a, b, left.y));
        if (!colors.values) return;
        const double length = glm::length(b - a);
        const double part = length > 0 ? glm::length(picked.position - a) / length : 0;
        picked.value = {(1 - part) * read_floats(memory.values, begin, 1)[0] +
                        part * read_floats(memory.values, end, 1)[0]};
    }

    /// The nearest height.
    void in_grid(const DrawnMesh& d, const Grid& grid) const {
        const glm::vec3 there{picked.position - glm::dvec3{grid.origin}};
        const auto nearest = [&](const glm::vec3& step, int count) {
            const float at = glm::dot(there, step) / glm::dot(step, step);
            return std::int64_t(std::clamp(std::lround(at), 0l, long(count - 1)));
        };
        const std::int64_t row = nearest(grid.down, grid.rows),
                           column = nearest(grid.right, grid.columns);
        picked.index = {row, column};
        if (d.mesh.values) picked.value = read_floats(d.values, row * grid.columns + column, 1);
    }

    void in_picture(std::int64_t width) const {
        picked.index = {found.index / width, found.index % width};
        if (!place.element) return;
        picked.position = {place.element->x, place.element->y, 0};
    }
};

} // namespace

std::optional<Picked> pick(std::span<const ShownThing> things, const PickPlace& place) {
    Picker picker{place};
    std::optional<Find> best;
    const ShownThing* chosen = nullptr;
    for (const ShownThing& each : things) {
        picker.look_at(each);
        const std::optional<Find> found = std::visit(picker, *each.drawn);
        if (!found) continue;
        // What is near gives way to what is right there; of the same depth the last is in front.
        const bool is_before =
            !best ||
            (found->is_near != best->is_near ? best->is_near : found->order <= best->order);
        if (!is_before) continue;
        best = found;
        chosen = &each;
    }
    if (!best) return {};
    picker.look_at(*chosen);
    Picked picked{chosen->name, kind_of(*chosen->drawn), {}, {}, {}};
    std::visit(Describe{*best, place, picker, picked}, *chosen->drawn);
    picked.position += chosen->origin;
    if (picked.element) *picked.element += chosen->origin;
    for (const gpu::ArrayPlace& array : chosen->arrays)
        if ((picked.thread = gpu::thread_of(array, picked.index))) break;
    return picked;
}

SightLine sight_line(const PickPlace& place) {
    const DrawView& look = place.look;
    const Ray ray = ray_through(place, from_clip_to_world(look.projection, look.view));
    return {ray.from, ray.along};
}

} // namespace lathe
