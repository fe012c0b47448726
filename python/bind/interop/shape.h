// SPDX-License-Identifier: MIT
// Shapes and element types as Python gives them.
#pragma once

#include "engine/core/dtype.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h> // shapes are vectors: every file must cast them alike

#include <string>
#include <vector>

namespace lathe::bind {

namespace py = pybind11;

/// Of anything that NumPy takes for a dtype; throws TypeError where no kernel has such elements.
DType dtype_from(const py::object& numpy_dtype);
py::dtype numpy_dtype(DType dtype);

/// As Python writes it: "(3, 4)", "(3,)".
std::string shape_text(const std::vector<py::ssize_t>& shape);

} // namespace lathe::bind
