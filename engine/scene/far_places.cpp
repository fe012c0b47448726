// SPDX-License-Identifier: MIT
#include "engine/scene/far_places.h"

#include "engine/scene/scene_kernel.h"
#include "gpu/array/elementwise.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

#include <glm/common.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lathe {

namespace {

/// An origin is kept up to so many reaches away. An error is then 4e-6 of the reach: less than a
/// hundredth of a pixel.
constexpr double kFarthest = 64;
constexpr std::int64_t kLookedAt = 8; // rows

double longest_side(const glm::dvec3& v) {
    return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
}

bool has_place(const glm::dvec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Row `index` of all axes but the last.
glm::dvec3 row_of(const gpu::Array& positions, std::int64_t index) {
    const gpu::Extents &shape = positions.shape(), &strides = positions.strides();
    std::int64_t offset = 0;
    for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
        offset += index % shape[axis] * strides[axis];
        index /= shape[axis];
    }
    glm::dvec3 row{0, 0, 0};
    const int count = std::min(int(shape.back()), 3);
    const bool is_compact = strides.back() == sizeof(double);
    if (is_compact)
        gpu::copy_to_host(&row[0], positions.address() + CUdeviceptr(offset),
                          std::size_t(count) * sizeof(double));
    for (int k = 0; k < count && !is_compact; ++k)
        gpu::copy_to_host(&row[k], positions.address() + CUdeviceptr(offset + k * strides.back()),
                          sizeof(double));
    return row;
}

} // namespace

glm::dvec3 origin_near(const Region& region, const glm::dvec3& kept) {
    const auto& [middle, reach] = region;
    if (!has_place(middle) || !std::isfinite(reach)) return kept;
    if (longest_side(middle - kept) <= kFarthest * reach) return kept;
    const double step = std::exp2(std::ceil(std::log2(std::max(reach, 1e-300))));
    const glm::dvec3 snapped = glm::round(middle / step) * step;
    return has_place(snapped) ? snapped : middle;
}

std::optional<Region> region_of_some(const gpu::Array& positions) {
    const std::int64_t rows =
        positions.size() / std::max(positions.shape().back(), std::int64_t{1});
    const std::int64_t count = std::min(rows, kLookedAt);
    std::optional<std::array<glm::dvec3, 2>> box;
    for (std::int64_t i = 0; i < count; ++i) {
        const glm::dvec3 row = row_of(positions, count > 1 ? i * (rows - 1) / (count - 1) : 0);
        if (!has_place(row)) continue;
        box = box ? std::array{glm::min((*box)[0], row), glm::max((*box)[1], row)}
                  : std::array{row, row};
    }
    if (!box) return {};
    const double extent = longest_side((*box)[1] - (*box)[0]);
    return Region{0.5 * ((*box)[0] + (*box)[1]), extent > 0 ? extent : 1};
}

void subtract_origin(const gpu::Array& positions, const glm::dvec3& origin, const gpu::Array& to) {
    const gpu::Array from =
        positions.is_c_contiguous() ? positions : gpu::copy(positions, gpu::Order::c);
    const gpu::ArrayKernel& kernel = scene_kernel("far.cu", "subtract_origin");
    const std::int64_t count = from.size() / from.shape().back();
    if (count == 0) return;
    gpu::launch(kernel.kernel,
                {{kernel.blocks_for(std::uint64_t(count), 4)},
                 {kernel.threads},
                 0,
                 gpu::StreamView::legacy()},
                from.address(), to.address(), count, int(from.shape().back()), origin);
}

} // namespace lathe
