// SPDX-License-Identifier: MIT
// What an App has of drawing besides its views: own drawing, and pictures of the result.
#include "python/bind/scene/drawing.h"

#include "python/bind/app/python_call.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/interop/shape.h"
#include "python/bind/render/screenshot.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <filesystem>
#include <utility>

namespace lathe::bind {

namespace {

/// (4, 4) float32 for column vectors, as NumPy multiplies: matrix @ position.
py::array_t<float> to_numpy(const glm::mat4& matrix) {
    py::array_t<float> rows({4, 4});
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column)
            rows.mutable_at(row, column) = matrix[column][row];
    return rows;
}

void bind_own_drawing(StudioClass& c) {
    py::class_<DrawView>(c, "DrawView", "How an App looks at the scene.")
        .def_property_readonly(
            "view", [](const DrawView& v) { return to_numpy(v.view); },
            "World to eye space, (4, 4) float32 for column vectors; near the origin only.")
        .def(
            "view_from",
            [](const DrawView& v, const std::array<double, 3>& origin) {
                return to_numpy(v.from(point_from(origin)).view);
            },
            py::arg("origin"),
            "The same for places that count from `origin`, in the world: with all digits there.")
        .def_property_readonly(
            "eye",
            [](const DrawView& v) { return std::array<double, 3>{v.eye.x, v.eye.y, v.eye.z}; },
            "Where eye space has its origin, in the world.")
        .def_property_readonly(
            "projection", [](const DrawView& v) { return to_numpy(v.projection); },
            "Eye to clip space.")
        .def_property_readonly(
            "size", [](const DrawView& v) { return std::pair{v.size.x, v.size.y}; },
            "Width and height of the picture in pixels.");
    c.def(
        "on_draw",
        [](Studio& e, const py::function& draw) { e.on_draw(python_call_with<DrawView>(draw)); },
        py::arg("draw"), "Own GL drawing, in each frame.");
    c.def(
        "gl_buffer",
        [](Studio& e, const py::object& array) { return e.gl_buffer(array_of(array)); },
        py::arg("array"), "(name of the buffer, offset in bytes).");
}

} // namespace

void bind_drawing(StudioClass& c) {
    bind_styles(c);
    bind_views(c);
    c.def(
        "drawn_memory",
        [](Studio& e, const py::object& shape, const py::object& dtype) {
            return wrap_array(e.drawn_memory(dtype_from(dtype), to_extents(shape, "shape")));
        },
        py::arg("shape"), py::arg("dtype"),
        "An array, contents undefined, for a copy that this step draws.");
    c.def(
        "set_background", [](Studio& e, std::array<float, 4> c4) { e.set_background(c4); },
        py::arg("rgba"));
    c.def(
        "screenshot",
        [](Studio& e, bool with_ui) {
            ImageData image;
            {
                py::gil_scoped_release release;
                image = e.screenshot(with_ui);
            }
            return to_numpy(image);
        },
        py::arg("with_ui") = false, "(height, width, 3) uint8 of the last finished frame.");
    c.def(
        "still",
        [](Studio& e, int width, int height, int samples, bool transparent) {
            return to_numpy(e.still({width, height, samples, transparent}));
        },
        py::arg("width"), py::arg("height"), py::arg("samples"), py::arg("transparent"));
    c.def(
        "save_svg",
        [](Studio& e, const std::filesystem::path& file, int width, int height, int samples,
           bool transparent) { e.save_svg(file, {width, height, samples, transparent}); },
        py::arg("file"), py::arg("width"), py::arg("height"), py::arg("samples"),
        py::arg("transparent"));
    bind_own_drawing(c);
}

} // namespace lathe::bind
