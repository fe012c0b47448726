// SPDX-License-Identifier: MIT
// What an App draws: arrays as points, lines and pictures, cameras and screenshots.
// python/lathe/draw.py checks what a script gives; here it is only converted.
#include "python/bind/ui/draw.h"

#include "python/bind/app/python_call.h"
#include "python/bind/app/screenshot.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/interop/shape.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

Blend blend_from(const std::string& name) {
    if (name == "opaque") return Blend::opaque;
    if (name == "alpha") return Blend::alpha;
    if (name == "additive") return Blend::additive;
    throw py::value_error(fmt::format("blend is opaque, alpha or additive, got '{}'", name));
}

ComplexAs complex_as_from(const std::string& name) {
    return name == "phase"   ? ComplexAs::phase
           : name == "color" ? ComplexAs::color
                             : ComplexAs::magnitude;
}

/// (4, 4) float32 for column vectors, as NumPy multiplies: matrix @ position.
py::array_t<float> to_numpy(const glm::mat4& matrix) {
    py::array_t<float> rows({4, 4});
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column)
            rows.mutable_at(row, column) = matrix[column][row];
    return rows;
}

void bind_own_drawing(py::class_<Studio, std::shared_ptr<Studio>>& c) {
    py::class_<DrawView>(c, "DrawView", "How an App looks at the scene.")
        .def_property_readonly(
            "view", [](const DrawView& v) { return to_numpy(v.view); },
            "World to eye space, (4, 4) float32 for column vectors.")
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

glm::vec4 vec4_from(const std::array<float, 4>& c) { return {c[0], c[1], c[2], c[3]}; }

using Pair = std::array<float, 2>;

template <typename Range> std::optional<Range> range_of(const std::optional<Pair>& ends) {
    if (!ends) return {};
    return Range{(*ends)[0], (*ends)[1]};
}

void bind_styles(py::class_<Studio, std::shared_ptr<Studio>>& c) {
    py::class_<PointsStyle>(c, "PointsStyle", "How points are drawn.")
        .def(py::init([](float size, bool world_size, const std::array<float, 4>& color,
                         float opacity, const std::string& blend, const std::string& colormap,
                         const std::optional<Pair>& range, const std::optional<Pair>& percentiles,
                         bool round) {
                 return PointsStyle{
                     .size = size,
                     .world_size = world_size,
                     .color = vec4_from(color),
                     .opacity = opacity,
                     .blend = blend_from(blend),
                     .round = round,
                     .colormap = colormap,
                     .range = range_of<ValueRange>(range).value_or(ValueRange{}),
                     .percentiles = range_of<Percentiles>(percentiles),
                 };
             }),
             py::kw_only(), py::arg("size"), py::arg("world_size"), py::arg("color"),
             py::arg("opacity"), py::arg("blend"), py::arg("colormap"), py::arg("range"),
             py::arg("percentiles"), py::arg("round"));
    py::class_<ImageStyle>(c, "ImageStyle", "How a picture is drawn.")
        .def(py::init([](const std::string& colormap, const std::optional<Pair>& range,
                         const std::optional<Pair>& percentiles, const std::string& complex_as,
                         float gamma, bool smooth, bool y_up, float opacity) {
                 return ImageStyle{
                     .range = range_of<ValueRange>(range),
                     .percentiles = range_of<Percentiles>(percentiles),
                     .gamma = gamma,
                     .linear = smooth,
                     .y_up = y_up,
                     .colormap = colormap,
                     .opacity = opacity,
                     .complex_as = complex_as_from(complex_as),
                 };
             }),
             py::kw_only(), py::arg("colormap"), py::arg("range"), py::arg("percentiles"),
             py::arg("complex_as"), py::arg("gamma"), py::arg("smooth"), py::arg("y_up"),
             py::arg("opacity"));
}

void draw_points(View& view, const py::object& positions, const py::object& values,
                 const py::object& colors, const PointsStyle& style) {
    const auto optional = [](const py::object& array) {
        return array.is_none() ? nullptr : &array_of(array);
    };
    view.points(array_of(positions), style, optional(values), optional(colors));
}

void draw_lines(View& view, const py::object& positions, const std::array<float, 4>& color,
                float fade, bool segments, bool closed) {
    view.lines(array_of(positions), {.color = vec4_from(color), .fade = fade}, segments, closed);
}

/// At (x, y) in the plane, or (x, y, z) in space.
void draw_text(View& view, const std::string& text, const std::vector<float>& position, float size,
               const std::array<float, 4>& color, const Pair& anchor) {
    const TextStyle style{
        .size = size, .color = vec4_from(color), .anchor = {anchor[0], anchor[1]}};
    if (position.size() == 2) view.text(text, glm::vec2{position[0], position[1]}, style);
    else view.text(text, glm::vec3{position[0], position[1], position[2]}, style);
}

void use_camera(View& view, const std::string& name) {
    if (name != "orbit" && name != "pan_zoom")
        throw py::value_error("camera is 'orbit' or 'pan_zoom', got '" + name + "'");
    view.use_camera(name == "orbit" ? Camera::orbit : Camera::pan_zoom);
}

void bind_view(py::class_<Studio, std::shared_ptr<Studio>>& c) {
    constexpr auto inside = py::return_value_policy::reference_internal;
    py::class_<View, std::shared_ptr<View>>(c, "View", "Must not outlive its Studio.")
        .def("points", &draw_points, py::arg("positions"), py::arg("values"), py::arg("colors"),
             py::arg("style"), "Into the drawing list: App.points.")
        .def("lines", &draw_lines, py::arg("positions"), py::arg("color"), py::arg("fade"),
             py::arg("segments"), py::arg("closed"), "Into the drawing list: App.lines.")
        .def(
            "image",
            [](View& view, const py::object& array, const ImageStyle& style) {
                view.image(array_of(array), style);
            },
            py::arg("array"), py::arg("style"), "Into the drawing list: App.image.")
        .def(
            "image_of_texture",
            [](View& view, const Texture& texture, const ImageStyle& style) {
                view.image(texture, style);
            },
            py::arg("texture"), py::arg("style"))
        .def("text", &draw_text, py::arg("text"), py::arg("position"), py::arg("size"),
             py::arg("color"), py::arg("anchor"), "Into the drawing list: App.text.")
        .def(
            "title",
            [](View& view, const std::string& text, float size, const std::array<float, 4>& color) {
                view.title(text, {.size = size, .color = vec4_from(color)});
            },
            py::arg("text"), py::arg("size"), py::arg("color"))
        .def("use_camera", &use_camera, py::arg("name"),
             "'orbit' or 'pan_zoom': what the mouse moves.")
        .def_property_readonly(
            "orbit_camera", [](View& view) { return &view.orbit_camera(); }, inside)
        .def_property_readonly(
            "pan_zoom_camera", [](View& view) { return &view.pan_zoom_camera(); }, inside)
        .def_property_readonly(
            "tile",
            [](const View& view) {
                const Viewport& tile = view.tile();
                return std::tuple{tile.origin.x, tile.origin.y, tile.size.x, tile.size.y};
            },
            "Left, top, width and height in the whole picture, of 1.");
    c.def_property_readonly("views", [](Studio& e) { return e.views(); });
    c.def(
        "set_views", [](Studio& e, int rows, int columns) { return e.views(rows, columns); },
        py::arg("rows"), py::arg("columns"));
}

} // namespace

void bind_drawing(py::class_<Studio, std::shared_ptr<Studio>>& c) {
    bind_styles(c);
    bind_view(c);
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
    bind_own_drawing(c);
}

} // namespace lathe::bind
