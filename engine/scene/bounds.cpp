// SPDX-License-Identifier: MIT
#include "engine/scene/bounds.h"

#include "engine/scene/scene_kernel.h"
#include "gpu/array/array.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

#include <glm/common.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace lathe {

namespace {

/// Each thing's box, grown by `margin` there.
class Finder {
public:
    void operator()(const DrawnPoints& d) {
        const bool has_size = d.style.radius || d.style.world_size;
        const float radius = d.style.radius.value_or(d.style.size / 2);
        look(d.positions, d.points.count, d.points.components,
             has_size && !d.points.radii ? radius : 0);
    }
    void operator()(const DrawnLines& d) {
        look(d.positions, d.lines.count, d.lines.components, 0);
    }
    void operator()(const DrawnMesh& d) { look(d.vertices, d.mesh.vertex_count, 3, 0); }
    void operator()(const DrawnVolume& d) { add(d.box); }
    void operator()(const DrawnText& d) {
        if (d.place != DrawnText::Place::tile) add({d.position, d.position});
    }
    template <class Other> void operator()(const Other&) {}
    std::optional<Box> box() const { return box_; }

private:
    void look(const DrawnMemory& positions, std::size_t count, int components, float margin) {
        if (count == 0 || !positions.memory) return;
        const gpu::ArrayKernel& kernel = scene_kernel("bounds.cu", "bounds");
        if (found_.size() == 0) found_ = gpu::Array::empty(DType::uint32, {6});
        const CUdeviceptr found = found_.address();
        gpu::fill_units(found, ~0u, 4, 3);
        gpu::fill_units(found + 12, 0, 4, 3);
        launch(kernel.kernel, {{kernel.blocks_for(count, 8)}, {kernel.threads}},
               positions.address(), found, std::int64_t(count), components);
        std::array<std::uint32_t, 6> codes{};
        gpu::copy_to_host(codes.data(), found, sizeof codes);
        if (codes[0] > codes[3]) return; // none is finite
        Box box{{from_ordered(codes[0]), from_ordered(codes[1]), from_ordered(codes[2])},
                {from_ordered(codes[3]), from_ordered(codes[4]), from_ordered(codes[5])}};
        box.low -= margin;
        box.high += margin;
        add(box);
    }
    void add(const Box& box) {
        box_ = box_ ? Box{glm::min(box_->low, box.low), glm::max(box_->high, box.high)} : box;
    }

    gpu::Array found_;
    std::optional<Box> box_;
};

} // namespace

std::optional<Box> bounds_of(std::span<const Drawn* const> things) {
    Finder finder;
    for (const Drawn* each : things) std::visit(finder, *each);
    return finder.box();
}

} // namespace lathe
