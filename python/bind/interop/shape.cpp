// SPDX-License-Identifier: MIT
#include "python/bind/interop/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

namespace lathe::bind {

DType dtype_from(const py::object& object) {
    const auto dtype = py::dtype::from_args(object);
    const auto name = dtype.attr("name").cast<std::string>();
    const auto found = dtype_from_name(name);
    if (!found || !dtype.attr("isnative").cast<bool>())
        throw py::type_error(fmt::format(
            "dtype {} cannot live on the device; known are bool, int8 to int64, uint8 to uint64, "
            "float16 to float64, complex64 and complex128",
            py::repr(dtype).cast<std::string>()));
    return *found;
}

py::dtype numpy_dtype(DType dtype) { return py::dtype(std::string{typestr_of(dtype)}); }

std::string shape_text(const std::vector<py::ssize_t>& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

} // namespace lathe::bind
