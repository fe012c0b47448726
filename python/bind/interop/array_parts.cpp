// SPDX-License-Identifier: MIT
// Arrays over the memory of another: contiguous parts, other shapes, other element types.
#include "python/bind/interop/array.h"

#include <fmt/format.h>

#include <utility>

namespace lathe::bind {

// Leading integers, then at most one slice of step 1, then everything: what stays contiguous.
Array Array::part(const py::object& index) const {
    const py::tuple given =
        py::isinstance<py::tuple>(index) ? py::tuple(index) : py::make_tuple(index);
    const auto refuse = [&]() -> py::index_error {
        return py::index_error(
            fmt::format("[{}] of {} is not one contiguous part; take .get()[...] for a copy",
                        py::repr(index).cast<std::string>(), repr()));
    };
    if (given.size() > shape_.size()) throw refuse();
    std::vector<py::ssize_t> shape;
    std::size_t first = 0;
    std::size_t stride = count_;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
        const py::ssize_t n = shape_[axis];
        stride = n ? stride / std::size_t(n) : 0;
        if (axis >= given.size()) {
            shape.push_back(n);
            continue;
        }
        const py::object item = given[axis];
        if (py::isinstance<py::slice>(item)) {
            py::ssize_t start = 0, stop = 0, step = 0, length = 0;
            if (!item.cast<py::slice>().compute(n, &start, &stop, &step, &length))
                throw py::error_already_set();
            // Behind an axis that is kept, only whole ones stay in one piece.
            if (step != 1 || (!shape.empty() && length != n)) throw refuse();
            first += std::size_t(start) * stride;
            shape.push_back(length);
        } else if (PyIndex_Check(item.ptr()) && !py::isinstance<py::bool_>(item)) {
            if (!shape.empty()) throw refuse();
            py::ssize_t i = PyNumber_AsSsize_t(item.ptr(), PyExc_IndexError);
            if (i == -1 && PyErr_Occurred()) throw py::error_already_set();
            const py::ssize_t at = i < 0 ? i + n : i;
            if (at < 0 || at >= n)
                throw py::index_error(
                    fmt::format("index {} is out of bounds for axis {} with size {}", i, axis, n));
            first += std::size_t(at) * stride;
        } else {
            throw refuse();
        }
    }
    return with(std::move(shape), dtype_, offset_ + first * item_bytes(dtype_));
}

Array Array::reshape(std::vector<py::ssize_t> shape) const {
    std::size_t known = 1;
    py::ssize_t* open = nullptr;
    for (py::ssize_t& n : shape) {
        if (n == -1 && !open) open = &n;
        else known *= std::size_t(n);
    }
    if (open && known) *open = py::ssize_t(count_ / known);
    if (count_of(shape, item_bytes(dtype_)) != count_)
        throw py::value_error(fmt::format("cannot reshape {} to {}", repr(), shape_text(shape)));
    return with(std::move(shape), dtype_, offset_);
}

Array Array::view(DType dtype) const {
    std::vector<py::ssize_t> shape = shape_;
    const std::size_t item = item_bytes(dtype);
    const std::size_t row = (shape.empty() ? 1 : std::size_t(shape.back())) * item_bytes(dtype_);
    if (row % item || (shape.empty() && item != item_bytes(dtype_)))
        throw py::value_error(fmt::format("cannot view {} as {}", repr(), name_of(dtype)));
    if (!shape.empty()) shape.back() = py::ssize_t(row / item);
    return with(std::move(shape), dtype, offset_);
}

} // namespace lathe::bind
