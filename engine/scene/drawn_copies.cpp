// SPDX-License-Identifier: MIT
#include "engine/scene/drawn_copies.h"

#include "engine/scene/far_places.h"
#include "engine/scene/mesh_kernels.h"
#include "gpu/array/dtype_rules.h"
#include "gpu/array/elementwise.h"
#include "gpu/array/operations.h"
#include "gpu/array/reduction.h"
#include "gpu/array/sort.h"
#include "gpu/memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace lathe {

namespace {

/// As which OpenGL can draw elements.
DType drawn_as(DType dtype) {
    if (gpu::kind_of(dtype) == gpu::Kind::complex) return DType::complex64;
    return item_bytes(dtype) > 4 ? DType::float32 : dtype;
}

/// Percentiles are those of so many elements at most, evenly taken.
constexpr std::int64_t kMostSorted = 1 << 16;

gpu::Array magnitudes(const gpu::Array& array) {
    if (gpu::kind_of(array.dtype("drawing")) != gpu::Kind::complex) return array;
    const std::array<gpu::Input, 1> inputs{array};
    const std::array<gpu::InputType, 1> types{gpu::InputType{*array.type().dtype}};
    return gpu::run(gpu::resolve(gpu::operation("absolute"), types), inputs)[0];
}

/// One element of a row.
gpu::Array element(const gpu::Array& row, std::int64_t at) {
    return row.view(row.type(), {{}, {}}, at * row.strides()[0]);
}

/// Some of the elements, sorted.
gpu::Array sorted_sample(const gpu::Array& values) {
    const gpu::Array whole = values.is_c_contiguous() ? values : gpu::copy(values, gpu::Order::c);
    const std::int64_t step = (whole.size() + kMostSorted - 1) / kMostSorted;
    const std::int64_t count = (whole.size() + step - 1) / step;
    const auto bytes = static_cast<std::int64_t>(whole.type().bytes);
    return gpu::sort(gpu::copy(whole.view(whole.type(), {{count}, {step * bytes}})), 0);
}

/// Into two floats.
void find_range(const gpu::Array& values, const Percentiles& percentiles, const gpu::Array& to) {
    gpu::Array low = element(to, 0), high = element(to, 1);
    const gpu::Array of = magnitudes(values);
    const bool has_least = percentiles.low <= 0, has_greatest = percentiles.high >= 100;
    if (has_least) gpu::reduce(gpu::Reduction::fmin, of, {.out = &low});
    if (has_greatest) gpu::reduce(gpu::Reduction::fmax, of, {.out = &high});
    if (has_least && has_greatest) return;
    const gpu::Array sorted = sorted_sample(of);
    const auto at = [&](float percent) {
        return std::int64_t(std::lround(double(percent) / 100 * double(sorted.size() - 1)));
    };
    if (!has_least) gpu::assign(low, element(sorted, at(percentiles.low)));
    if (!has_greatest) gpu::assign(high, element(sorted, at(percentiles.high)));
}

} // namespace

void DrawnCopies::begin_step() {
    now_.copies.resize(now_.used);
    std::swap(now_, before_);
    now_.used = 0;
}

std::size_t DrawnCopies::held_bytes() const noexcept {
    std::size_t sum = 0;
    for (const OfAStep* step : {&now_, &before_})
        for (const gpu::Array& copy : step->copies) sum += copy.bytes();
    return sum;
}

void DrawnCopies::clear() { now_ = before_ = {}; }

gpu::Array& DrawnCopies::memory(const std::shared_ptr<FrameMap>& map, DType dtype,
                                const gpu::Extents& shape) {
    const std::size_t at = now_.used++;
    if (at == now_.copies.size()) now_.copies.emplace_back();
    gpu::Array& copy = now_.copies[at];
    if (copy.shape() != shape || copy.type() != gpu::ElementType{dtype})
        copy = make_shared_array(map, dtype, shape);
    return copy;
}

const gpu::Array& DrawnCopies::of(const std::shared_ptr<FrameMap>& map, const gpu::Array& array,
                                  std::optional<DType> as) {
    const DType dtype = array.dtype("drawing"), drawn = as ? *as : drawn_as(dtype);
    if (dtype == drawn && place_in_gl(array, *map)) {
        const bool is_copy =
            std::any_of(now_.copies.begin(), now_.copies.end(),
                        [&](const auto& copy) { return copy.owner() == array.owner(); });
        if (!is_copy) bytes_.in_place += array.bytes();
        return array;
    }
    gpu::Array& copy = memory(map, drawn, array.shape());
    gpu::assign(copy, array);
    bytes_.copied += copy.bytes();
    return copy;
}

const gpu::Array& DrawnCopies::places(const std::shared_ptr<FrameMap>& map,
                                      const gpu::Array& positions, const glm::dvec3& origin) {
    const auto before = now_.origins.find(now_.used);
    if (before != now_.origins.end() && before->second != origin && now_.used < now_.copies.size())
        now_.copies[now_.used] = {};
    now_.origins[now_.used] = origin;
    if (origin == glm::dvec3{0}) return of(map, positions, DType::float32);
    gpu::Array& copy = memory(map, DType::float32, positions.shape());
    subtract_origin(positions, origin, copy);
    bytes_.copied += copy.bytes();
    return copy;
}

gpu::Array DrawnCopies::upload(const std::shared_ptr<FrameMap>& map, DType dtype,
                               const gpu::Extents& shape) {
    gpu::Array& copy = memory(map, dtype, shape);
    bytes_.uploaded += copy.bytes();
    return copy;
}

const gpu::Array& DrawnCopies::range(const std::shared_ptr<FrameMap>& map, const gpu::Array& values,
                                     const Percentiles& percentiles) {
    const gpu::Array& found = memory(map, DType::float32, {2});
    find_range(values, percentiles, found);
    return found;
}

const gpu::Array& DrawnCopies::normals(const std::shared_ptr<FrameMap>& map,
                                       const gpu::Array& vertices, const gpu::Array& triangles) {
    const gpu::Array& sums = memory(map, DType::float32, vertices.shape());
    add_normals(vertices, triangles, sums);
    return sums;
}

GridMesh DrawnCopies::height_field(const std::shared_ptr<FrameMap>& map, const gpu::Array& heights,
                                   const Grid& grid) {
    const std::int64_t rows = grid.rows, columns = grid.columns;
    const gpu::Array& vertices = memory(map, DType::float32, {rows * columns, 3});
    const gpu::Array& triangles = memory(map, DType::uint32, {2 * (rows - 1) * (columns - 1), 3});
    spread_heights(heights, grid, vertices, triangles);
    return {vertices, triangles};
}

std::optional<std::array<float, 2>> least_and_greatest(const gpu::Array& values) {
    const gpu::Array found = gpu::Array::empty(DType::float32, {2});
    find_range(values, {}, found);
    std::array<float, 2> both{};
    gpu::copy_to_host(both.data(), found.address(), sizeof both);
    if (!std::isfinite(both[0]) && !std::isfinite(both[1])) return {};
    return both;
}

} // namespace lathe
