// SPDX-License-Identifier: MIT
// Calls of Function in CPython's own calling convention, PEP 590: no tuple, no dictionary, no
// overload resolution. What is not plain goes on to the methods that pybind11 bound.
#pragma once

#include <pybind11/pybind11.h>

namespace lathe::bind {

namespace py = pybind11;

/// To be passed to py::class_: makes room in the objects for the address that a call goes to.
py::custom_type_setup with_fast_calls();
/// After all methods of Function are defined: takes the place of __call__, prepared_call and
/// prepared_async_call.
void add_fast_calls(py::handle function_class);

} // namespace lathe::bind
