// SPDX-License-Identifier: MIT
// a[...] : integers, slices of any step, Ellipsis and None give views, as NumPy's; assignments to
// them write by strides. Indices that are arrays go to lathe.array.indexing.
#include "gpu/array/elementwise.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/array/operands.h"
#include "python/bind/bind.h"

#include <fmt/format.h>

#include <optional>

namespace lathe::bind {

namespace {

/// The entries of an index: those of a tuple, or itself.
struct Entries {
    explicit Entries(PyObject* index) : index_{index}, is_tuple_{PyTuple_Check(index) != 0} {}
    Py_ssize_t size() const { return is_tuple_ ? PyTuple_GET_SIZE(index_) : 1; }
    PyObject* operator[](Py_ssize_t k) const {
        return is_tuple_ ? PyTuple_GET_ITEM(index_, k) : index_;
    }

private:
    PyObject* index_;
    bool is_tuple_;
};

bool is_integer(PyObject* entry) {
    return PyIndex_Check(entry) && !PyBool_Check(entry) && !is_gpu_array(entry) &&
           !PySequence_Check(entry); // arrays of NumPy say that they are indices
}

/// A layout within that of an array.
struct Part {
    gpu::Layout layout;
    std::int64_t offset = 0; ///< bytes
};

void take_integer(Part& part, const gpu::Layout& of, std::size_t axis, PyObject* entry) {
    const Py_ssize_t given = PyNumber_AsSsize_t(entry, PyExc_IndexError);
    if (given == -1 && PyErr_Occurred()) throw py::error_already_set();
    const std::int64_t size = of.shape[axis], at = given < 0 ? given + size : given;
    if (at < 0 || at >= size)
        throw py::index_error(
            fmt::format("index {} is out of bounds for axis {} with size {}", given, axis, size));
    part.offset += at * of.strides[axis];
}

void take_slice(Part& part, const gpu::Layout& of, std::size_t axis, PyObject* entry) {
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(entry, &start, &stop, &step) < 0) throw py::error_already_set();
    const Py_ssize_t length = PySlice_AdjustIndices(of.shape[axis], &start, &stop, step);
    if (length > 0) part.offset += start * of.strides[axis];
    part.layout.shape.push_back(length);
    part.layout.strides.push_back(step * of.strides[axis]);
}

/// The view that an index names; empty where an entry is an array, a list or a bool.
std::optional<Part> part_of(const gpu::Layout& of, const Entries& entries) {
    std::size_t axes = 0;
    bool has_ellipsis = false;
    for (Py_ssize_t k = 0; k < entries.size(); ++k) {
        PyObject* const entry = entries[k];
        if (entry == Py_Ellipsis) {
            if (has_ellipsis)
                throw py::index_error("an index can only have a single ellipsis ('...')");
            has_ellipsis = true;
        } else if (PySlice_Check(entry) || is_integer(entry)) {
            ++axes;
        } else if (entry != Py_None) {
            return std::nullopt;
        }
    }
    if (axes > of.shape.size())
        throw py::index_error(
            fmt::format("too many indices for array: array is {}-dimensional, but {} were indexed",
                        of.shape.size(), axes));
    Part part;
    std::size_t axis = 0;
    const auto keep_axes = [&](std::size_t count) {
        for (; count > 0; --count, ++axis) {
            part.layout.shape.push_back(of.shape[axis]);
            part.layout.strides.push_back(of.strides[axis]);
        }
    };
    for (Py_ssize_t k = 0; k < entries.size(); ++k) {
        PyObject* const entry = entries[k];
        if (entry == Py_Ellipsis) {
            keep_axes(of.shape.size() - axes);
        } else if (entry == Py_None) {
            part.layout.shape.push_back(1);
            part.layout.strides.push_back(0);
        } else if (PySlice_Check(entry)) {
            take_slice(part, of, axis++, entry);
        } else {
            take_integer(part, of, axis++, entry);
        }
    }
    keep_axes(of.shape.size() - axis);
    return part;
}

py::object advanced(const char* function) {
    return py::module_::import("lathe.array.indexing").attr(function);
}

PyObject* get(PyObject* object, PyObject* index) {
    try {
        const gpu::Array& array = with_memory(object);
        const std::optional<Part> part = part_of(array.layout(), Entries{index});
        if (!part)
            return advanced("take_index")(py::handle{object}, py::handle{index}).release().ptr();
        return wrap_view(array.view(array.type(), part->layout, part->offset), object)
            .release()
            .ptr();
    } catch (...) { return raise_in_python(std::current_exception()); }
}

void assign_part(gpu::Array target, PyObject* object, PyObject* value) {
    Operand operand;
    const bool is_structure = !target.type().dtype;
    if (!read_operand(value, operand) || (is_structure && !operand.array)) {
        advanced("assign_host")(wrap_view(std::move(target), object), py::handle{value});
        return;
    }
    if (operand.array) {
        gpu::assign(target, settled(value));
        return;
    }
    const DType dtype = target.dtype("a number's assignment");
    if (operand.type.dtype >= DType::complex64 && gpu::kind_of(dtype) != gpu::Kind::complex)
        throw py::type_error(
            fmt::format("a complex number cannot be assigned to an array of {}", name_of(dtype)));
    gpu::assign(target, number_of(operand, dtype));
}

int set(PyObject* object, PyObject* index, PyObject* value) {
    try {
        if (!value) throw py::type_error("elements of an array cannot be deleted");
        const gpu::Array& array = settled(object);
        const std::optional<Part> part = part_of(array.layout(), Entries{index});
        if (part) assign_part(array.view(array.type(), part->layout, part->offset), object, value);
        else advanced("put_index")(py::handle{object}, py::handle{index}, py::handle{value});
        return 0;
    } catch (...) {
        raise_in_python(std::current_exception());
        return -1;
    }
}

Py_ssize_t length(PyObject* object) {
    const gpu::Array& array = self_of(object).array;
    if (array.dimensions() != 0) return array.shape()[0];
    PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    return -1;
}

} // namespace

void add_subscripts(std::vector<PyType_Slot>& slots) {
    slots.push_back({Py_mp_subscript, reinterpret_cast<void*>(&get)});
    slots.push_back({Py_mp_ass_subscript, reinterpret_cast<void*>(&set)});
    slots.push_back({Py_mp_length, reinterpret_cast<void*>(&length)});
}

} // namespace lathe::bind
