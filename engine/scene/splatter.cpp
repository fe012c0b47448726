// SPDX-License-Identifier: MIT
#include "engine/scene/splatter.h"

#include "engine/render/look.h"
#include "engine/scene/scene_kernel.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

#include <glm/mat4x4.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace lathe {

namespace {

constexpr std::size_t kFewPoints = 20'000; // OpenGL is as fast

/// As kernels/splat.cu has it.
struct Splat {
    glm::mat4 to_clip;
    glm::vec4 eye, tint;
    glm::vec3 up;              // grows upwards on the screen
    glm::vec3 near[3], far[3]; // of the ray at clip (a, b): row 0 + a row 1 + b row 2
    float size, pixels_a_unit, low, per_unit;
    glm::ivec2 tile;
    int is_world, is_ball, is_round, colors_are_bytes;
    KernelClipPlanes clip;
};
static_assert(std::is_trivially_copyable_v<Splat>);

/// Points of a plane of equal depth are linear in clip x and y.
void set_plane(glm::vec3 (&rows)[3], const glm::dmat4& from_clip, double depth) {
    const glm::dvec3 middle = unproject(from_clip, {0, 0, depth});
    rows[0] = middle;
    rows[1] = unproject(from_clip, {1, 0, depth}) - middle;
    rows[2] = unproject(from_clip, {0, 1, depth}) - middle;
}

Splat splat_of(const DrawnPoints& drawn, const DrawView& from) {
    const PointsStyle style = resolved(drawn.style);
    const glm::mat4 to_clip = from.projection * from.view;
    const Look look{to_clip};
    const bool is_tinted = !drawn.points.colors && !drawn.points.values;
    Splat of{};
    of.to_clip = to_clip;
    of.eye = look.eye;
    of.tint = is_tinted ? style.color : glm::vec4{1};
    of.tint.a *= style.opacity;
    of.up = {to_clip[0][1], to_clip[1][1], to_clip[2][1]};
    const glm::dmat4 from_clip = from_clip_to_world(from.projection, from.view);
    set_plane(of.near, from_clip, -1);
    set_plane(of.far, from_clip, 1);
    of.size = style.size;
    of.pixels_a_unit = look.scale * float(from.size.y) / 2;
    of.low = style.range.low;
    of.per_unit = style.range.per_unit();
    of.tile = from.size;
    of.is_world = style.world_size;
    of.is_ball = are_balls(style);
    of.is_round = style.round && (style.world_size || style.size > 1.5f);
    of.clip = from.clip;
    of.colors_are_bytes = drawn.points.colors_are_bytes;
    return of;
}

} // namespace

bool Splatter::is_for(std::size_t count, const PointsStyle& style) {
    return count >= kFewPoints && (style.radius || style.blend == Blend::opaque);
}

void Splatter::splat(const DrawnPoints& drawn, const DrawView& from,
                     const std::shared_ptr<FrameMap>& map) {
    const PointsData& points = drawn.points;
    Key key{drawn.call,
            drawn.style,
            from,
            points.values != nullptr,
            points.colors != nullptr,
            points.range != nullptr};
    if (key == key_ && colors_.has(drawn.style.colormap)) return;
    key_ = {}; // unless all goes well
    layer_.keep_room(from.size, map);
    layer_.set_part({0, 0}, from.size);
    colors_.keep(drawn.style.colormap);
    const auto pixels = std::int64_t(from.size.x) * from.size.y;
    if (nearest_.size() != pixels) nearest_ = gpu::Array::empty(DType::uint64, {pixels});
    gpu::fill_units(nearest_.address(), ~0u, 4, 2 * std::size_t(pixels));
    const Splat of = splat_of(drawn, from);
    const gpu::ArrayKernel& splat = scene_kernel("splat.cu", "splat");
    launch(splat.kernel, {{splat.blocks_for(points.count, 4)}, {splat.threads}},
           drawn.positions.address(), points.radii ? drawn.radii.address() : 0, nearest_.address(),
           std::int64_t(points.count), points.components, of);
    const gpu::ArrayKernel& color = scene_kernel("splat.cu", "color");
    launch(color.kernel, {{color.blocks_for(std::uint64_t(pixels), 4)}, {color.threads}},
           nearest_.address(), drawn.positions.address(), points.radii ? drawn.radii.address() : 0,
           key.has_values ? drawn.values.address() : 0, key.has_colors ? drawn.colors.address() : 0,
           key.has_range ? drawn.range.address() : 0, colors_.address(), layer_.colors(),
           layer_.depths(), pixels, points.components, of);
    key_ = std::move(key);
}

} // namespace lathe
