// SPDX-License-Identifier: MIT
// Grids, blocks and bytes of shared memory as Python gives them: quickly where they are plain, else
// checked.
#pragma once

#include "gpu/launch.h"

#include <pybind11/pybind11.h>

#include <cstddef>

namespace lathe::bind {

namespace py = pybind11;

/// The last tuple that was read as a grid or block: loops give the same one each time.
struct KnownShape {
    py::object tuple;
    gpu::Dim3 shape;
};

/// An int or a tuple of one to three ints, each at least 1.
gpu::Dim3 dim3_from(py::handle value, const char* what);

// False: not plain, nothing is said.

bool to_unsigned(PyObject* value, unsigned& to);
/// A tuple of one to three ints, each at least 1.
bool to_dim3(PyObject* value, KnownShape& last, gpu::Dim3& to);
bool to_bytes(PyObject* value, std::size_t& to);

} // namespace lathe::bind
