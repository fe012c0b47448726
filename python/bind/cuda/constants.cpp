// SPDX-License-Identifier: MIT
#include "python/bind/cuda/constants.h"

#include <fmt/format.h>

#include <cctype>

namespace lathe::bind {

namespace py = pybind11;

py::object constants(const char* name) {
    return py::module_::import("lathe.cuda.constants").attr(name);
}

int constant_of_attribute(const char* constants, const char* owner, const std::string& name) {
    std::string upper = name;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const py::object all = bind::constants(constants);
    if (name.starts_with("_") || !py::hasattr(all, upper.c_str()))
        throw py::attribute_error(fmt::format("a {} has no attribute '{}': nor has {} '{}'", owner,
                                              name, constants, upper));
    return all.attr(upper.c_str()).cast<int>();
}

} // namespace lathe::bind
