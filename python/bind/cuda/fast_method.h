// SPDX-License-Identifier: MIT
// Methods in the place of those that pybind11 bound: they take plain values without its dispatch,
// and leave all others to the bound ones, which know everything and say what is wrong.
#pragma once

#include "python/bind/cuda/stream.h"

#include <pybind11/pybind11.h>

#include <cstddef>

namespace lathe::bind {

namespace py = pybind11;

/// What METH_FASTCALL | METH_KEYWORDS calls.
using FastMethod = PyObject* (*)(PyObject* self, PyObject* const* args, Py_ssize_t count,
                                 PyObject* keywords);

/// Puts `method` in the place of one that was bound, with its documentation. Returns that one, a
/// reference held until the process ends.
PyObject* replace_method(py::handle type, const char* name, FastMethod method);

/// The same call of another callable, with `self` before the arguments.
PyObject* call_instead(PyObject* callable, PyObject* self, PyObject* const* args, std::size_t count,
                       PyObject* keywords);

/// None (null) or a Stream; false for all else.
bool to_stream(PyObject* value, const PyStream*& to);

} // namespace lathe::bind
