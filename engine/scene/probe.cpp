// SPDX-License-Identifier: MIT
#include "engine/scene/probe.h"

#include "gpu/array/dtype_rules.h"
#include "gpu/array/elementwise.h"
#include "gpu/memory.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <variant>

namespace lathe {

namespace {

constexpr std::int64_t kFirstRoom = 1024; // steps

/// Where the value of an element is; nothing where the thing has none such.
struct FindElement {
    std::int64_t index;

    std::optional<gpu::Array> operator()(const DrawnPoints& d) const {
        if (!d.points.values) return {};
        return in(d.values, DType::float32, std::int64_t(d.points.count), 1);
    }
    std::optional<gpu::Array> operator()(const DrawnMesh& d) const {
        if (!d.mesh.values) return {};
        const std::size_t count = d.mesh.values_of == MeshPart::triangles ? d.mesh.triangle_count
                                  : d.mesh.values_of == MeshPart::instances
                                      ? d.mesh.instances->count
                                      : d.mesh.vertex_count;
        return in(d.values, DType::float32, std::int64_t(count), 1);
    }
    std::optional<gpu::Array> operator()(const DrawnLines& d) const {
        return of_items(d.lines.colors, d.colors, d.lines.count);
    }
    std::optional<gpu::Array> operator()(const DrawnTubes& d) const {
        return of_items(d.tubes.colors, d.colors, d.tubes.count);
    }
    std::optional<gpu::Array> operator()(const DrawnArrows& d) const {
        return of_items(d.arrows.colors, d.colors, d.arrows.count);
    }
    std::optional<gpu::Array> operator()(const DrawnImage& d) const {
        return in(d.elements, d.image.dtype, std::int64_t(d.image.height) * d.image.width,
                  d.image.channels);
    }
    std::optional<gpu::Array> operator()(const DrawnVolume& d) const {
        return in(d.voxels, d.dtype, std::int64_t(d.cells.x) * d.cells.y * d.cells.z, 1);
    }
    template <class Other> std::optional<gpu::Array> operator()(const Other&) const { return {}; }

private:
    std::optional<gpu::Array> of_items(const ItemColors& colors, const DrawnColors& memory,
                                       std::size_t count) const {
        if (!colors.values) return {};
        return in(memory.values, DType::float32, std::int64_t(count), 1);
    }
    std::optional<gpu::Array> in(const DrawnMemory& memory, DType dtype, std::int64_t count,
                                 std::int64_t stride) const {
        if (index < 0 || index >= count || gpu::kind_of(dtype) == gpu::Kind::complex) return {};
        const std::size_t bytes = item_bytes(dtype);
        return gpu::Array::over(memory.address() + std::size_t(index * stride) * bytes, dtype,
                                gpu::compact({1}, bytes), memory.owner);
    }
};

gpu::Array part_of(const gpu::Array& memory, std::size_t first, std::size_t count) {
    return memory.view(memory.type(), gpu::compact({std::int64_t(count)}, sizeof(double)),
                       std::int64_t(first * sizeof(double)));
}

} // namespace

void Probe::record(const Drawn* drawn) {
    if (std::int64_t(steps_) == memory_.size()) {
        gpu::Array more =
            gpu::Array::empty(DType::float64, {std::max(kFirstRoom, 2 * memory_.size())});
        if (steps_ > 0) {
            gpu::Array before = part_of(more, 0, steps_);
            gpu::assign(before, memory_);
        }
        memory_ = more;
    }
    const std::optional<gpu::Array> value =
        drawn ? std::visit(FindElement{index_}, *drawn) : std::nullopt;
    gpu::Array to = part_of(memory_, steps_, 1);
    if (value) gpu::assign(to, *value);
    else
        gpu::assign(to, gpu::make_scalar(DType::float64, std::numeric_limits<double>::quiet_NaN()));
    ++steps_;
}

std::vector<double> Probe::values(std::size_t most) const {
    std::vector<double> all(std::min(most, steps_));
    if (all.empty()) return all;
    const gpu::Array last = part_of(memory_, steps_ - all.size(), all.size());
    gpu::copy_to_host(all.data(), last.address(), last.bytes());
    return all;
}

} // namespace lathe
