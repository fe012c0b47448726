// SPDX-License-Identifier: MIT
// Python functions that C++ keeps and calls.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

namespace lathe::bind {

namespace py = pybind11;

/// A function that takes the GIL, calls `function` and says whether the result is true; destroyed
/// with the GIL held, whoever does.
template <class... Arguments> auto python_call_with(const py::function& function) {
    struct Kept {
        py::function call;
        ~Kept() {
            if (!Py_IsInitialized()) {
                call.release();
                return;
            }
            const py::gil_scoped_acquire acquire;
            call = py::function();
        }
    };
    auto kept = std::make_shared<Kept>(Kept{function});
    return [kept](const Arguments&... arguments) {
        const py::gil_scoped_acquire acquire;
        const py::object result = kept->call(arguments...);
        return PyObject_IsTrue(result.ptr()) == 1;
    };
}
inline auto python_call(const py::function& function) { return python_call_with<>(function); }

} // namespace lathe::bind
