// SPDX-License-Identifier: MIT
// `a @ b` and `a @= b`, for the table of operators.
#pragma once

#include <pybind11/pybind11.h>

namespace lathe::bind {

/// New references; NotImplemented unless both are arrays of the device.
PyObject* multiply_matrices(PyObject* a, PyObject* b);
PyObject* multiply_matrices_in_place(PyObject* a, PyObject* b);

} // namespace lathe::bind
