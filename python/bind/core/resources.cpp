// SPDX-License-Identifier: MIT
#include "engine/core/resources.h"

#include "engine/core/library.h"
#include "engine/core/process.h"
#include "python/bind/bind.h"

#include <pybind11/stl/filesystem.h>

#include <fmt/core.h>

namespace lathe::bind {

void bind_resources(py::module_& m) {
    m.def("resource_root", &resource_root, "Folder that holds shaders/, assets/ and apps/.");
    m.def("set_resource_root", &set_resource_root, py::arg("root"),
          "Names the folder that resource_root() answers where LATHE_ROOT is not set.");
    m.def("set_library_hint", &set_library_hint, py::arg("folder"),
          "A site-packages folder that libraries are looked for below, before others.");
    m.def("keep_freed_memory", &keep_freed_memory,
          "The C library keeps what compiles give back, up to 256 MiB, for the next one. For\n"
          "Lathe's own programs: it counts for the whole process.");
    m.def("return_freed_memory", &return_freed_memory,
          "Gives the system the pages that the C library keeps free.");
    m.def("cache_directory", &cache_directory, "Folder of compiled kernels and autosaves.");
    m.def("program_exists", &program_exists, py::arg("program"), "Whether PATH has a program.");
}

} // namespace lathe::bind
