// SPDX-License-Identifier: MIT
#include "engine/scene/drawn_values.h"

#include "engine/scene/scene_kernel.h"
#include "gpu/array/dtype_rules.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

#include <fmt/format.h>

#include <cstddef>
#include <variant>

namespace lathe {

namespace {

DrawnValues over(const DrawnMemory& memory, DType dtype, std::size_t count, int channels) {
    const std::size_t bytes = item_bytes(dtype);
    return {gpu::Array::over(memory.address(), dtype,
                             gpu::compact({std::int64_t(count) * channels}, bytes), memory.owner),
            channels};
}

std::optional<DrawnValues> of_items(const ItemColors& colors, const DrawnColors& memory,
                                    std::size_t count) {
    if (!colors.values) return {};
    return over(memory.values, DType::float32, count, 1);
}

struct FindValues {
    std::optional<DrawnValues> operator()(const DrawnPoints& d) const {
        if (!d.points.values) return {};
        return over(d.values, DType::float32, d.points.count, 1);
    }
    std::optional<DrawnValues> operator()(const DrawnMesh& d) const {
        if (!d.mesh.values) return {};
        const std::size_t count = d.mesh.values_of == MeshPart::triangles ? d.mesh.triangle_count
                                  : d.mesh.values_of == MeshPart::instances
                                      ? d.mesh.instances->count
                                      : d.mesh.vertex_count;
        return over(d.values, DType::float32, count, 1);
    }
    std::optional<DrawnValues> operator()(const DrawnLines& d) const {
        return of_items(d.lines.colors, d.colors, d.lines.count);
    }
    std::optional<DrawnValues> operator()(const DrawnTubes& d) const {
        return of_items(d.tubes.colors, d.colors, d.tubes.count);
    }
    std::optional<DrawnValues> operator()(const DrawnArrows& d) const {
        return of_items(d.arrows.colors, d.colors, d.arrows.count);
    }
    std::optional<DrawnValues> operator()(const DrawnImage& d) const {
        return over(d.elements, d.image.dtype,
                    std::size_t(d.image.height) * std::size_t(d.image.width), d.image.channels);
    }
    std::optional<DrawnValues> operator()(const DrawnVolume& d) const {
        return over(d.voxels, d.dtype,
                    std::size_t(d.cells.x) * std::size_t(d.cells.y) * std::size_t(d.cells.z), 1);
    }
    template <class Other> std::optional<DrawnValues> operator()(const Other&) const { return {}; }
};

} // namespace

std::optional<DrawnValues> values_of(const Drawn& drawn) { return std::visit(FindValues{}, drawn); }

NotFinite count_not_finite(const DrawnValues& values) {
    const gpu::Array& numbers = values.numbers;
    const DType dtype = *numbers.type().dtype;
    const bool is_complex = gpu::kind_of(dtype) == gpu::Kind::complex;
    const bool has_them = is_complex || gpu::kind_of(dtype) == gpu::Kind::floating;
    if (!has_them || numbers.size() == 0) return {};
    const DType part = dtype == DType::complex64    ? DType::float32
                       : dtype == DType::complex128 ? DType::float64
                                                    : dtype;
    const std::string prelude = fmt::format(
        "{}typedef {} Value;\n", part == DType::float16 ? "#include <lathe_half.hpp>\n" : "",
        gpu::kernel_type(part));
    const gpu::ArrayKernel& kernel = scene_kernel("values.cu", "count_not_finite", 128, prelude);
    const gpu::Array counts = gpu::Array::empty(DType::uint64, {2});
    gpu::fill_units(counts.address(), 0, 1, counts.bytes());
    const int parts = values.channels * (is_complex ? 2 : 1);
    const std::int64_t elements = numbers.size() / values.channels;
    gpu::launch(kernel.kernel,
                {{kernel.blocks_for(std::uint64_t(elements), 8)},
                 {kernel.threads},
                 0,
                 gpu::StreamView::legacy()},
                numbers.address(), elements, parts, counts.address());
    NotFinite found;
    gpu::copy_to_host(&found, counts.address(), sizeof found);
    return found;
}

} // namespace lathe
