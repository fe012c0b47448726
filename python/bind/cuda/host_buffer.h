// SPDX-License-Identifier: MIT
// Host memory of Python objects as copies see it.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>

namespace lathe::bind {

namespace py = pybind11;

/// An array's or a memoryview's, for messages.
inline std::string layout_text(const py::object& array) {
    return "shape " + py::str(array.attr("shape")).cast<std::string>() + ", strides " +
           py::str(array.attr("strides")).cast<std::string>();
}

/// A contiguous buffer of Python's, in C or Fortran order; holds the object's memory in place.
/// Made and destroyed with the GIL.
class HostBuffer {
public:
    /// Throws what the object says where it has no such buffer.
    HostBuffer(py::handle object, bool writable) {
        const int flags = writable ? PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE : PyBUF_ANY_CONTIGUOUS;
        if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw py::error_already_set();
    }
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;
    ~HostBuffer() { PyBuffer_Release(&view_); }

    void* data() const { return view_.buf; }
    std::size_t bytes() const { return static_cast<std::size_t>(view_.len); }
    bool is_writable() const { return view_.readonly == 0; }

private:
    Py_buffer view_{};
};

} // namespace lathe::bind
