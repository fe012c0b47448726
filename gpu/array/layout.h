// SPDX-License-Identifier: MIT
// Where the elements of an array lie: shape and strides, and what views make of them. Sizes count
// elements, strides bytes, as in NumPy. No memory is touched here.
#pragma once

#include "engine/core/api.h"
#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace lathe::gpu {

/// Shapes that do not fit each other, or an axis that is not there.
class LATHE_API ShapeError : public lathe::Error {
    using Error::Error;
};

/// One number for each axis, at most kMost of them. Copies take as long as there are numbers.
class LATHE_API Extents {
public:
    static constexpr std::size_t kMost = 32;

    Extents() = default;
    Extents(std::initializer_list<std::int64_t> values)
        : Extents{std::span{values.begin(), values.size()}} {}
    /// Throws ShapeError beyond kMost.
    explicit Extents(std::span<const std::int64_t> values);
    Extents(std::size_t count, std::int64_t value);
    Extents(const Extents& other) noexcept { *this = other; }
    Extents& operator=(const Extents& other) noexcept {
        count_ = other.count_;
        std::copy_n(other.values_.data(), count_, values_.data());
        return *this;
    }

    std::size_t size() const noexcept { return count_; }
    bool empty() const noexcept { return count_ == 0; }
    std::int64_t operator[](std::size_t k) const noexcept { return values_[k]; }
    std::int64_t& operator[](std::size_t k) noexcept { return values_[k]; }
    const std::int64_t* begin() const noexcept { return values_.data(); }
    const std::int64_t* end() const noexcept { return values_.data() + count_; }
    std::int64_t back() const noexcept { return values_[count_ - 1]; }
    void push_back(std::int64_t value);
    void insert(std::size_t at, std::int64_t value);
    void erase(std::size_t at) noexcept;
    bool operator==(const Extents& other) const noexcept {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

private:
    std::size_t count_ = 0;
    std::array<std::int64_t, kMost> values_;
};

enum class Order { c, f };

struct Layout {
    Extents shape;
    Extents strides; ///< bytes
    bool operator==(const Layout&) const = default;
};

/// "(3, 4)", "(3,)", "()".
LATHE_API std::string to_string(const Extents& shape);
/// Elements of a shape. Throws ShapeError for negative sizes and beyond 2^63 - 1.
LATHE_API std::int64_t count_of(const Extents& shape);
/// Of all elements; throws as count_of.
LATHE_API std::size_t bytes_of(const Extents& shape, std::size_t item_bytes);

/// Without gaps: last axis fastest (c) or first (f).
LATHE_API Layout compact(const Extents& shape, std::size_t item_bytes, Order order = Order::c);
/// Without gaps, the axes by memory as `model` has them: NumPy's order "K".
LATHE_API Layout compact_like(const Layout& model, std::size_t item_bytes);
/// NumPy's flags: axes of one element may have any stride, arrays without elements are both.
LATHE_API bool is_c_contiguous(const Layout& layout, std::size_t item_bytes) noexcept;
LATHE_API bool is_f_contiguous(const Layout& layout, std::size_t item_bytes) noexcept;
/// Whether the elements fill their memory, in whatever order of axes.
LATHE_API bool is_dense(const Layout& layout, std::size_t item_bytes) noexcept;

/// NumPy's broadcasting of two shapes; throws ShapeError: "operands could not be broadcast together
/// with shapes (3,) (4,)".
LATHE_API Extents broadcast_shapes(const Extents& a, const Extents& b);
/// The same elements seen with a larger shape: new axes and those of one element get stride 0.
/// Throws ShapeError where they do not fit.
LATHE_API Layout broadcast_to(const Layout& layout, const Extents& shape);

/// The same elements in another shape without a copy; empty where that needs one. One size may be
/// -1. Throws ShapeError: "cannot reshape array of size 12 into shape (5,)".
LATHE_API std::optional<Layout> reshape(const Layout& layout, const Extents& shape,
                                        std::size_t item_bytes, Order order = Order::c);
/// `shape` with its -1 replaced; throws as reshape does.
LATHE_API Extents complete_shape(const Extents& shape, std::int64_t count);
/// Axes in another order; negative ones count from the end. Throws ShapeError unless each is there
/// once.
LATHE_API Layout transpose(const Layout& layout, std::span<const std::int64_t> axes);
/// This axis as the last one, the others in their order.
LATHE_API Layout with_axis_last(const Layout& layout, std::size_t axis);
LATHE_API Layout reverse_axes(const Layout& layout);

/// `axis` from 0 to dimensions - 1; throws ShapeError: "axis 3 is out of bounds for array of
/// dimension 2".
LATHE_API std::size_t checked_axis(std::int64_t axis, std::size_t dimensions);

/// Bytes that the elements touch, relative to the first element's address.
struct Reach {
    std::int64_t begin = 0; ///< 0 or below
    std::int64_t end = 0;   ///< one beyond the last byte
};
LATHE_API Reach reach_of(const Layout& layout, std::size_t item_bytes) noexcept;

} // namespace lathe::gpu
