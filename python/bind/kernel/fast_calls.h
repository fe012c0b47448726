// SPDX-License-Identifier: MIT
// Calls of kernels in CPython's own calling convention, PEP 590: no tuple, no dictionary, no
// overload resolution. What is not plain goes on to those who know everything and say what is
// wrong.
#pragma once

#include "python/bind/kernel/kernel.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <optional>

namespace lathe::bind {

namespace py = pybind11;

using KernelClass = py::class_<PyKernel, std::shared_ptr<PyKernel>>;

/// To be passed to the py::class_ of kernels: room in the objects for the address that a call goes
/// to, and kernel[grid, block].
py::custom_type_setup with_fast_calls();
/// After all methods of Kernel are defined: takes the place of __call__, prepared_call and
/// prepared_async_call.
void add_fast_calls(KernelClass& kernel_class);

/// The same call by the way that knows everything.
PyObject* checked_call(PyObject* method, PyObject* self, PyObject* const* args, std::size_t count,
                       PyObject* keywords);
/// None, an exception (null), or nothing: then the checked way is to be taken.
std::optional<PyObject*> launched(PyKernel& kernel, LaunchRequest request,
                                  const GivenValues& values);

} // namespace lathe::bind
