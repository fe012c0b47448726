// SPDX-License-Identifier: MIT
// Python functions that C++ keeps and calls.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

namespace lathe::bind {

namespace py = pybind11;

/// Of Python, destroyed with the GIL held, whoever does.
struct KeptFunction {
    py::function call;
    explicit KeptFunction(py::function function) : call{std::move(function)} {}
    KeptFunction(const KeptFunction&) = delete;
    KeptFunction& operator=(const KeptFunction&) = delete;
    ~KeptFunction() {
        if (!Py_IsInitialized()) {
            call.release();
            return;
        }
        const py::gil_scoped_acquire acquire;
        call = py::function();
    }
};

/// A function that takes the GIL, calls `function` and gives what it returns.
template <class Result, class... Arguments> auto python_function(const py::function& function) {
    return [kept = std::make_shared<KeptFunction>(function)](const Arguments&... arguments) {
        const py::gil_scoped_acquire acquire;
        return kept->call(arguments...).template cast<Result>();
    };
}

/// The same, which says whether the result is true.
template <class... Arguments> auto python_call_with(const py::function& function) {
    return [kept = std::make_shared<KeptFunction>(function)](const Arguments&... arguments) {
        const py::gil_scoped_acquire acquire;
        const py::object result = kept->call(arguments...);
        return PyObject_IsTrue(result.ptr()) == 1;
    };
}
inline auto python_call(const py::function& function) { return python_call_with<>(function); }

} // namespace lathe::bind
