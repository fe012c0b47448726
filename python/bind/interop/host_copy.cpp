// SPDX-License-Identifier: MIT
#include "python/bind/interop/host_copy.h"

#include <fmt/format.h>

namespace lathe::bind {

py::array host_result(const py::object& out, const std::vector<py::ssize_t>& shape, DType dtype) {
    if (out.is_none()) return {numpy_dtype(dtype), shape};
    auto result = py::cast<py::array>(out);
    const std::vector<py::ssize_t> given(result.shape(), result.shape() + result.ndim());
    if (!result.dtype().is(numpy_dtype(dtype)) || given != shape ||
        !(result.flags() & py::array::c_style) || !result.writeable())
        throw py::value_error(
            fmt::format("out must be a writable C-contiguous {} array of shape {}", name_of(dtype),
                        shape_text(shape)));
    return result;
}

py::array host_values(const py::object& value, const std::vector<py::ssize_t>& shape, DType dtype) {
    const auto numpy = py::module_::import("numpy");
    const py::object host = numpy.attr("asarray")(value, py::arg("dtype") = numpy_dtype(dtype));
    return numpy.attr("ascontiguousarray")(numpy.attr("broadcast_to")(host, shape))
        .cast<py::array>();
}

} // namespace lathe::bind
