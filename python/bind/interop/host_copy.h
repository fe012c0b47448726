// SPDX-License-Identifier: MIT
// NumPy's side of copies between the host and an App's arrays and textures.
#pragma once

#include "python/bind/interop/shape.h"

#include <vector>

namespace lathe::bind {

/// `out`, or a new array where it is None. Throws ValueError for an `out` of another shape or
/// dtype, one that is not C-contiguous or cannot be written.
py::array host_result(const py::object& out, const std::vector<py::ssize_t>& shape, DType dtype);
/// What NumPy makes an array of, as a C-contiguous one of this shape and dtype; throws what NumPy
/// throws where it does not broadcast.
py::array host_values(const py::object& value, const std::vector<py::ssize_t>& shape, DType dtype);

} // namespace lathe::bind
