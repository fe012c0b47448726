// SPDX-License-Identifier: MIT
#include "python/bind/kernel/launch_shape.h"

#include <fmt/format.h>

#include <limits>
#include <string>

namespace lathe::bind {

gpu::Dim3 dim3_from(py::handle value, const char* what) {
    gpu::Dim3 out;
    const auto size = [&](py::handle item) {
        py::ssize_t n = 0;
        if (!PyIndex_Check(item.ptr()) || PyBool_Check(item.ptr()) ||
            ((n = PyNumber_AsSsize_t(item.ptr(), nullptr)) < 1) ||
            n > std::numeric_limits<int>::max()) {
            PyErr_Clear(); // of what is no integer after all
            throw py::value_error(
                fmt::format("{} must be one to three integers of at least 1, got {}", what,
                            py::repr(value).cast<std::string>()));
        }
        return unsigned(n);
    };
    if (!py::isinstance<py::tuple>(value) && !py::isinstance<py::list>(value)) {
        out.x = size(value);
        return out;
    }
    const auto items = py::reinterpret_borrow<py::sequence>(value);
    if (items.size() < 1 || items.size() > 3) (void)size(value);
    unsigned* axes[] = {&out.x, &out.y, &out.z};
    for (std::size_t i = 0; i < items.size(); ++i) *axes[i] = size(py::object(items[i]));
    return out;
}

bool to_unsigned(PyObject* value, unsigned& to) {
    if (!PyLong_CheckExact(value)) return false;
    int overflow = 0;
    const long number = PyLong_AsLongAndOverflow(value, &overflow);
    if (overflow || number < 0 || number > long{std::numeric_limits<unsigned>::max()}) return false;
    to = static_cast<unsigned>(number);
    return true;
}

bool to_dim3(PyObject* value, KnownShape& last, gpu::Dim3& to) {
    if (value == last.tuple.ptr()) {
        to = last.shape;
        return true;
    }
    if (!PyTuple_CheckExact(value)) return false;
    const Py_ssize_t size = PyTuple_GET_SIZE(value);
    unsigned* const all[] = {&to.x, &to.y, &to.z};
    if (size < 1 || size > 3) return false;
    for (Py_ssize_t k = 0; k < size; ++k)
        if (!to_unsigned(PyTuple_GET_ITEM(value, k), *all[k]) || *all[k] == 0) return false;
    last = {py::reinterpret_borrow<py::object>(value), to};
    return true;
}

bool to_bytes(PyObject* value, std::size_t& to) {
    unsigned bytes = 0;
    if (!to_unsigned(value, bytes)) return false;
    to = bytes;
    return true;
}

} // namespace lathe::bind
