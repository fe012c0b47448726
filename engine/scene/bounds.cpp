// SPDX-License-Identifier: MIT
#include "engine/scene/bounds.h"

#include "engine/scene/far_places.h"
#include "engine/scene/painter.h"
#include "engine/scene/scene_kernel.h"
#include "gpu/array/array.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace lathe {

namespace {

/// Positions of a thing, with what lies around each.
struct Places {
    const DrawnMemory& positions;
    std::size_t count;
    int components;
    float margin = 0;
    CUdeviceptr sizes = 0; ///< the margin's, each
    int sizes_each = 1;
    bool is_end = false;     ///< of what has a size at the other end
    CUdeviceptr vectors = 0; ///< from them, times
    float scale = 1;
};

class Finder {
public:
    /// Of the thing that is the visitor's turn. Its positions count from near them.
    void look_at(const ShownThing& thing) {
        origin_ = thing.origin;
        near_.reset();
        const auto some = thing.float64 ? region_of_some(*thing.float64) : std::nullopt;
        if (!some) return;
        const glm::dvec3 origin = origin_near(*some, origin_);
        if (origin == origin_) return;
        origin_ = origin;
        near_ = gpu::Array::empty(DType::float32, thing.float64->shape());
        subtract_origin(*thing.float64, origin, *near_);
    }

    void operator()(const DrawnPoints& d) {
        const bool has_size = d.style.radius || d.style.world_size;
        const float radius = d.style.radius.value_or(d.style.size / 2);
        look({.positions = d.positions,
              .count = d.points.count,
              .components = d.points.components,
              .margin = has_size ? radius : 0,
              .sizes = has_size && d.points.radii ? d.radii.address() : 0});
    }
    void operator()(const DrawnLines& d) { look({d.positions, d.lines.count, d.lines.components}); }
    void operator()(const DrawnTubes& d) {
        look({.positions = d.positions,
              .count = d.tubes.count,
              .components = d.tubes.components,
              .margin = d.style.radius,
              .sizes = d.tubes.radii ? d.radii.address() : 0,
              .is_end = true});
    }
    void operator()(const DrawnArrows& d) {
        look({.positions = d.positions,
              .count = d.arrows.count,
              .components = d.arrows.components,
              .vectors = d.vectors.address(),
              .scale = d.style.scale});
    }
    void operator()(const DrawnMesh& d) {
        if (!d.mesh.instances) return look({d.vertices, d.mesh.vertex_count, 3});
        const MeshInstances& many = *d.mesh.instances;
        look({.positions = d.places,
              .count = many.count,
              .components = 3,
              .margin = d.style.scale * reach(d), // whichever way it turns
              .sizes = many.scales ? d.scales.address() : 0,
              .sizes_each = many.scales_are_of_axes ? 3 : 1});
    }
    void operator()(const DrawnImage& d) {
        if (!d.plane) return;
        const glm::dvec3 origin = d.plane->origin, right{d.plane->right}, up{d.plane->up};
        for (const glm::dvec3& corner : {origin, origin + right, origin + up, origin + right + up})
            add({corner, corner});
    }
    void operator()(const DrawnVolume& d) { add(d.box); }
    void operator()(const DrawnText& d) {
        const glm::dvec3 place = d.position - origin_; // of the world
        if (d.place != DrawnText::Place::tile) add({place, place});
    }
    template <class Other> void operator()(const Other&) {}
    std::optional<Box> box() const { return box_; }
    float reach(const DrawnMesh& d) {
        const auto own = box_of({d.vertices, d.mesh.vertex_count, 3}, d.vertices.address());
        return own ? float(glm::length(glm::max(glm::abs(own->low), glm::abs(own->high)))) : 0;
    }

private:
    void look(const Places& places) {
        if (const auto box = box_of(places, near_ ? near_->address() : places.positions.address()))
            add(*box);
    }
    /// Nothing where no place is finite.
    std::optional<Box> box_of(const Places& of, CUdeviceptr positions) {
        if (of.count == 0 || !of.positions.memory) return {};
        const gpu::ArrayKernel& kernel = scene_kernel("bounds.cu", "bounds");
        if (found_.size() == 0) found_ = gpu::Array::empty(DType::uint32, {6});
        const CUdeviceptr found = found_.address();
        gpu::fill_units(found, ~0u, 4, 3);
        gpu::fill_units(found + 12, 0, 4, 3);
        launch(kernel.kernel, {{kernel.blocks_for(of.count, 8)}, {kernel.threads}}, positions,
               of.sizes, of.vectors, found, std::int64_t(of.count), of.components, of.sizes_each,
               int(of.is_end), of.margin, of.scale);
        std::array<std::uint32_t, 6> codes{};
        gpu::copy_to_host(codes.data(), found, sizeof codes);
        if (codes[0] > codes[3]) return {};
        return Box{{from_ordered(codes[0]), from_ordered(codes[1]), from_ordered(codes[2])},
                   {from_ordered(codes[3]), from_ordered(codes[4]), from_ordered(codes[5])}};
    }
    void add(const Box& local) {
        const Box box{local.low + origin_, local.high + origin_};
        box_ = box_ ? Box{glm::min(box_->low, box.low), glm::max(box_->high, box.high)} : box;
    }

    gpu::Array found_;
    glm::dvec3 origin_{0, 0, 0};
    std::optional<gpu::Array> near_; ///< positions that count from there
    std::optional<Box> box_;
};

} // namespace

float reach_of(const DrawnMesh& drawn) { return Finder{}.reach(drawn); }

std::optional<Box> bounds_of(std::span<const ShownThing> things) {
    Finder finder;
    for (const ShownThing& each : things) {
        finder.look_at(each);
        std::visit(finder, *each.drawn);
    }
    return finder.box();
}

} // namespace lathe
