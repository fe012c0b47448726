// SPDX-License-Identifier: MIT
#include "gpu/array/layout.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>
#include <vector>

namespace lathe::gpu {

namespace {

/// Axes from the slowest in memory to the fastest, those of equal strides in their order.
std::array<std::size_t, Extents::kMost> axes_by_memory(const Layout& layout) {
    std::array<std::size_t, Extents::kMost> axes{};
    for (std::size_t k = 0; k < layout.shape.size(); ++k) axes[k] = k;
    std::stable_sort(axes.begin(), axes.begin() + layout.shape.size(),
                     [&](std::size_t a, std::size_t b) {
                         return std::abs(layout.strides[a]) > std::abs(layout.strides[b]);
                     });
    return axes;
}

/// The strides of `shape` where the axes [first, last) of `layout` are one run of memory.
bool split_run(const Layout& layout, std::size_t first, std::size_t last, Order order) {
    for (std::size_t k = first; k + 1 < last; ++k) {
        const bool joined = order == Order::c
                                ? layout.strides[k] == layout.shape[k + 1] * layout.strides[k + 1]
                                : layout.strides[k + 1] == layout.shape[k] * layout.strides[k];
        if (!joined) return false;
    }
    return true;
}

} // namespace

Extents::Extents(std::span<const std::int64_t> values) {
    if (values.size() > kMost)
        throw ShapeError{
            fmt::format("an array has at most {} dimensions, got {}", kMost, values.size())};
    count_ = values.size();
    std::copy_n(values.data(), count_, values_.data());
}

Extents::Extents(std::size_t count, std::int64_t value) {
    for (std::size_t k = 0; k < count; ++k) push_back(value);
}

void Extents::push_back(std::int64_t value) { insert(count_, value); }

void Extents::insert(std::size_t at, std::int64_t value) {
    if (count_ == kMost) throw ShapeError{fmt::format("an array has at most {} dimensions", kMost)};
    std::copy_backward(values_.data() + at, values_.data() + count_, values_.data() + count_ + 1);
    values_[at] = value;
    ++count_;
}

void Extents::erase(std::size_t at) noexcept {
    std::copy(values_.data() + at + 1, values_.data() + count_, values_.data() + at);
    --count_;
}

std::string to_string(const Extents& shape) {
    return fmt::format("({}{})", fmt::join(shape.begin(), shape.end(), ", "),
                       shape.size() == 1 ? "," : "");
}

std::int64_t count_of(const Extents& shape) {
    std::int64_t count = 1;
    bool overflow = false, none = false;
    for (const std::int64_t size : shape) {
        if (size < 0)
            throw ShapeError{
                fmt::format("negative dimensions are not allowed: {}", to_string(shape))};
        none = none || size == 0;
        overflow = overflow || __builtin_mul_overflow(count, size, &count);
    }
    if (overflow && !none) throw ShapeError{fmt::format("array is too big: {}", to_string(shape))};
    return none ? 0 : count;
}

std::size_t bytes_of(const Extents& shape, std::size_t item_bytes) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count_of(shape), static_cast<std::int64_t>(item_bytes), &bytes))
        throw ShapeError{fmt::format("array is too big: {}", to_string(shape))};
    return static_cast<std::size_t>(bytes);
}

Layout compact(const Extents& shape, std::size_t item_bytes, Order order) {
    Layout layout{shape, shape};
    const std::size_t axes = shape.size();
    auto stride = static_cast<std::int64_t>(item_bytes);
    for (std::size_t k = 0; k < axes; ++k) {
        const std::size_t axis = order == Order::c ? axes - 1 - k : k;
        layout.strides[axis] = stride;
        stride *= std::max<std::int64_t>(shape[axis], 1);
    }
    return layout;
}

Layout compact_like(const Layout& model, std::size_t item_bytes) {
    const auto axes = axes_by_memory(model);
    Layout layout{model.shape, model.shape};
    auto stride = static_cast<std::int64_t>(item_bytes);
    for (std::size_t k = model.shape.size(); k-- > 0;) {
        layout.strides[axes[k]] = stride;
        stride *= std::max<std::int64_t>(model.shape[axes[k]], 1);
    }
    return layout;
}

namespace {
bool is_contiguous(const Layout& layout, std::size_t item_bytes, Order order) noexcept {
    const std::size_t axes = layout.shape.size();
    auto stride = static_cast<std::int64_t>(item_bytes);
    bool contiguous = true;
    for (std::size_t k = 0; k < axes; ++k) {
        const std::size_t axis = order == Order::c ? axes - 1 - k : k;
        const std::int64_t size = layout.shape[axis];
        if (size == 0) return true;
        if (size != 1 && layout.strides[axis] != stride) contiguous = false;
        stride *= size;
    }
    return contiguous;
}
} // namespace

bool is_c_contiguous(const Layout& layout, std::size_t item_bytes) noexcept {
    return is_contiguous(layout, item_bytes, Order::c);
}

bool is_f_contiguous(const Layout& layout, std::size_t item_bytes) noexcept {
    return is_contiguous(layout, item_bytes, Order::f);
}

bool is_dense(const Layout& layout, std::size_t item_bytes) noexcept {
    const auto axes = axes_by_memory(layout);
    auto stride = static_cast<std::int64_t>(item_bytes);
    bool dense = true;
    for (std::size_t k = layout.shape.size(); k-- > 0;) {
        const std::int64_t size = layout.shape[axes[k]];
        if (size == 0) return true;
        if (size == 1) continue;
        if (layout.strides[axes[k]] != stride) dense = false;
        stride *= size;
    }
    return dense;
}

Extents broadcast_shapes(const Extents& a, const Extents& b) {
    const Extents& longer = a.size() >= b.size() ? a : b;
    const Extents& shorter = a.size() >= b.size() ? b : a;
    Extents shape = longer;
    const std::size_t shift = longer.size() - shorter.size();
    for (std::size_t k = 0; k < shorter.size(); ++k) {
        const std::int64_t x = longer[shift + k], y = shorter[k];
        if (x != y && x != 1 && y != 1)
            throw ShapeError{
                fmt::format("operands could not be broadcast together with shapes {} {}",
                            to_string(a), to_string(b))};
        shape[shift + k] = x == 1 ? y : x;
    }
    return shape;
}

Layout broadcast_to(const Layout& layout, const Extents& shape) {
    if (layout.shape == shape) return layout;
    const std::size_t axes = layout.shape.size();
    Layout result{shape, Extents(shape.size(), 0)};
    bool fits = axes <= shape.size();
    for (std::size_t k = 0; fits && k < axes; ++k) {
        const std::size_t at = shape.size() - axes + k;
        fits = layout.shape[k] == shape[at] || layout.shape[k] == 1;
        result.strides[at] = layout.shape[k] == 1 ? 0 : layout.strides[k];
    }
    if (!fits)
        throw ShapeError{fmt::format("could not broadcast input array from shape {} into shape {}",
                                     to_string(layout.shape), to_string(shape))};
    return result;
}

Extents complete_shape(const Extents& shape, std::int64_t count) {
    Extents complete = shape;
    std::size_t unknown = shape.size();
    std::int64_t known = 1;
    bool fits = true;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (shape[k] == -1) {
            if (unknown != shape.size()) throw ShapeError{"can only specify one unknown dimension"};
            unknown = k;
        } else {
            fits = fits && shape[k] >= 0 && !__builtin_mul_overflow(known, shape[k], &known);
        }
    }
    if (fits && unknown != shape.size()) {
        fits = known != 0 && count % known == 0;
        if (fits) complete[unknown] = count / known;
    } else {
        fits = fits && known == count;
    }
    if (!fits)
        throw ShapeError{
            fmt::format("cannot reshape array of size {} into shape {}", count, to_string(shape))};
    return complete;
}

// Walks both shapes at once: runs of old axes and of new ones with equally many elements.
std::optional<Layout> reshape(const Layout& layout, const Extents& shape, std::size_t item_bytes,
                              Order order) {
    const std::int64_t count = count_of(layout.shape);
    const Extents wanted = complete_shape(shape, count);
    if (count == 0) return compact(wanted, item_bytes, order);
    Layout old;
    for (std::size_t k = 0; k < layout.shape.size(); ++k)
        if (layout.shape[k] != 1) {
            old.shape.push_back(layout.shape[k]);
            old.strides.push_back(layout.strides[k]);
        }
    Layout result{wanted, Extents(wanted.size(), static_cast<std::int64_t>(item_bytes))};
    std::size_t from = 0, to = 0;
    while (from < old.shape.size() && to < wanted.size()) {
        std::size_t from_end = from + 1, to_end = to + 1;
        std::int64_t old_count = old.shape[from], new_count = wanted[to];
        while (old_count != new_count) {
            if (old_count < new_count) old_count *= old.shape[from_end++];
            else new_count *= wanted[to_end++];
        }
        if (!split_run(old, from, from_end, order)) return std::nullopt;
        std::int64_t stride = order == Order::c ? old.strides[from_end - 1] : old.strides[from];
        for (std::size_t k = to; k < to_end; ++k) {
            const std::size_t axis = order == Order::c ? to_end - 1 - (k - to) : k;
            result.strides[axis] = stride;
            stride *= wanted[axis];
        }
        from = from_end;
        to = to_end;
    }
    return result;
}

Layout transpose(const Layout& layout, std::span<const std::int64_t> axes) {
    if (axes.size() != layout.shape.size())
        throw ShapeError{fmt::format("axes don't match array: {} axes for {} dimensions",
                                     axes.size(), layout.shape.size())};
    Layout result;
    std::array<bool, Extents::kMost> used{};
    for (const std::int64_t axis : axes) {
        const std::size_t k = checked_axis(axis, layout.shape.size());
        if (std::exchange(used[k], true)) throw ShapeError{"repeated axis in transpose"};
        result.shape.push_back(layout.shape[k]);
        result.strides.push_back(layout.strides[k]);
    }
    return result;
}

Layout with_axis_last(const Layout& layout, std::size_t axis) {
    std::vector<std::int64_t> axes;
    for (std::size_t k = 0; k < layout.shape.size(); ++k)
        if (k != axis) axes.push_back(static_cast<std::int64_t>(k));
    axes.push_back(static_cast<std::int64_t>(axis));
    return transpose(layout, axes);
}

Layout reverse_axes(const Layout& layout) {
    Layout result;
    for (std::size_t k = layout.shape.size(); k-- > 0;) {
        result.shape.push_back(layout.shape[k]);
        result.strides.push_back(layout.strides[k]);
    }
    return result;
}

std::size_t checked_axis(std::int64_t axis, std::size_t dimensions) {
    const auto count = static_cast<std::int64_t>(dimensions);
    if (axis < -count || axis >= count)
        throw ShapeError{
            fmt::format("axis {} is out of bounds for array of dimension {}", axis, dimensions)};
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

Reach reach_of(const Layout& layout, std::size_t item_bytes) noexcept {
    Reach reach{0, static_cast<std::int64_t>(item_bytes)};
    for (std::size_t k = 0; k < layout.shape.size(); ++k) {
        if (layout.shape[k] == 0) return {};
        const std::int64_t last = (layout.shape[k] - 1) * layout.strides[k];
        (last < 0 ? reach.begin : reach.end) += last;
    }
    return reach;
}

} // namespace lathe::gpu
