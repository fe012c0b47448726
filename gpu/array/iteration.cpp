// SPDX-License-Identifier: MIT
#include "gpu/array/iteration.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace lathe::gpu {

namespace {

using Axes = std::array<std::size_t, Extents::kMost>;

/// Whether axis `a` is slower than `b` by the first operand that can tell; nothing says so: false.
bool is_slower(std::span<const Layout* const> operands, std::size_t a, std::size_t b) {
    for (const Layout* each : operands) {
        const std::int64_t x = std::abs(each->strides[a]), y = std::abs(each->strides[b]);
        if (x != 0 && y != 0 && x != y) return x > y;
    }
    return false;
}

/// The same where no operand says otherwise: C order wins, as in NumPy's results.
bool is_slower_to_all(std::span<const Layout* const> operands, std::size_t a, std::size_t b) {
    bool slower = false;
    for (const Layout* each : operands) {
        const std::int64_t x = std::abs(each->strides[a]), y = std::abs(each->strides[b]);
        if (x == 0 || y == 0) continue;
        if (x <= y) return false;
        slower = true;
    }
    return slower;
}

/// Slowest first. An insertion sort: what is_slower says need not be transitive.
template <class IsSlower>
Axes sorted_axes(std::span<const Layout* const> operands, std::size_t count, IsSlower is_slower) {
    Axes axes{};
    for (std::size_t k = 0; k < count; ++k) {
        std::size_t at = k;
        while (at > 0 && is_slower(operands, k, axes[at - 1])) {
            axes[at] = axes[at - 1];
            --at;
        }
        axes[at] = k;
    }
    return axes;
}

/// Whether the axis at the end of `it` and one of `size` and these strides are one.
bool joins(const Iteration& it, std::span<const Layout* const> operands, std::size_t axis,
           std::int64_t size, bool turned) {
    const std::size_t last = it.shape.size() - 1;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const std::int64_t stride =
            turned ? -operands[k]->strides[axis] : operands[k]->strides[axis];
        if (it.strides[k][last] != stride * size) return false;
    }
    return true;
}

} // namespace

Iteration plan(const Extents& shape, std::span<const Layout* const> operands) {
    Iteration it;
    it.count = count_of(shape);
    const Axes axes = sorted_axes(operands, shape.size(), is_slower);
    for (std::size_t place = 0; place < shape.size(); ++place) {
        const std::size_t axis = axes[place];
        const std::int64_t size = shape[axis];
        if (size == 1) continue;
        const bool turned = operands[0]->strides[axis] < 0;
        const bool joined = !it.shape.empty() && joins(it, operands, axis, size, turned);
        if (joined) it.shape[it.shape.size() - 1] *= size;
        else it.shape.push_back(size);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const std::int64_t stride = operands[k]->strides[axis];
            if (turned) it.offsets[k] += (size - 1) * stride;
            const std::int64_t forward = turned ? -stride : stride;
            if (joined) it.strides[k][it.shape.size() - 1] = forward;
            else it.strides[k].push_back(forward);
        }
    }
    return it;
}

bool Iteration::is_flat(std::span<const std::size_t> item_bytes) const noexcept {
    if (shape.size() > 1) return false;
    if (shape.empty()) return true;
    for (std::size_t k = 0; k < item_bytes.size(); ++k)
        if (strides[k][0] != 0 && strides[k][0] != static_cast<std::int64_t>(item_bytes[k]))
            return false;
    return true;
}

bool Iteration::is_narrow() const noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (count > most) return false;
    for (const Extents& each : strides) {
        std::int64_t farthest = 0;
        for (std::size_t axis = 0; axis < each.size(); ++axis)
            farthest += std::abs(each[axis]) * (shape[axis] - 1);
        if (farthest > most) return false;
    }
    return true;
}

Layout result_layout(const Extents& shape, std::span<const Layout* const> operands,
                     std::size_t item_bytes) {
    const Axes axes = sorted_axes(operands, shape.size(), is_slower_to_all);
    Layout layout{shape, shape};
    auto stride = static_cast<std::int64_t>(item_bytes);
    for (std::size_t place = shape.size(); place-- > 0;) {
        layout.strides[axes[place]] = stride;
        stride *= std::max<std::int64_t>(shape[axes[place]], 1);
    }
    return layout;
}

} // namespace lathe::gpu
