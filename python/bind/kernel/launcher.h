// SPDX-License-Identifier: MIT
// kernel[grid, block] and kernel.over(shape): a launch whose values are still to come, written by
// hand against CPython's own interface, since loops make one for each launch.
#pragma once

#include "python/bind/kernel/fast_calls.h"

#include <pybind11/pybind11.h>

namespace lathe::bind {

/// kernel[grid, block] and kernel[grid, block, shared_bytes]: what mp_subscript calls.
PyObject* launcher_at(PyObject* kernel, PyObject* index);
/// Adds the type Launcher, and over() to kernels.
void add_launchers(py::module_& m, KernelClass& kernel_class);

} // namespace lathe::bind
