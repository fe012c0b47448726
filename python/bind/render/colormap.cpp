// SPDX-License-Identifier: MIT
#include "engine/render/colormap.h"

#include "python/bind/bind.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace lathe::bind {

void bind_colormap(py::module_& m) {
    m.def("colormap_names", &colormap_names,
          "Names that `colormap=` takes, sorted; each also with \"_r\" behind it, reversed.");
    m.def("is_colormap", &is_colormap, py::arg("name"));
    m.def(
        "define_colormap",
        [](std::string name, const std::vector<std::array<float, 3>>& colors) {
            define_colormap(std::move(name), colors);
        },
        py::arg("name"), py::arg("colors"));
    m.def(
        "colormap_table",
        [](const std::string& name) {
            const auto& table = Colormap::named(name).table();
            py::array_t<std::uint8_t> out({256, 3});
            for (py::ssize_t i = 0; i < 256; ++i) {
                out.mutable_at(i, 0) = table[std::size_t(i)].r;
                out.mutable_at(i, 1) = table[std::size_t(i)].g;
                out.mutable_at(i, 2) = table[std::size_t(i)].b;
            }
            return out;
        },
        py::arg("name"), "The 256 colours of a colormap, (256, 3) uint8.");
}

} // namespace lathe::bind
