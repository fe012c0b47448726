// SPDX-License-Identifier: MIT
// What an App draws: arrays as points, lines and pictures, cameras and screenshots.
// python/lathe/draw.py checks what a script gives; here it is only converted.
#include "python/bind/ui/draw.h"

#include "python/bind/app/screenshot.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/interop/texture.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace lathe::bind {

namespace {

Blend blend_from(const std::string& name) {
    if (name == "opaque") return Blend::opaque;
    if (name == "alpha") return Blend::alpha;
    if (name == "additive") return Blend::additive;
    throw py::value_error(fmt::format("blend is opaque, alpha or additive, got '{}'", name));
}

glm::vec4 vec4_from(const std::array<float, 4>& c) { return {c[0], c[1], c[2], c[3]}; }

void draw_points(Studio& e, const py::object& positions, const py::object& values,
                 const py::object& colors, float size, bool world_size,
                 const std::array<float, 4>& color, float opacity, const std::string& blend,
                 const std::string& colormap, float low, float high, bool round) {
    PointsStyle style;
    style.size = size;
    style.world_size = world_size;
    style.color = vec4_from(color);
    style.opacity = opacity;
    style.blend = blend_from(blend);
    style.round = round;
    style.colormap = colormap;
    style.value_min = low;
    style.value_max = high;
    const auto optional = [](const py::object& array) {
        return array.is_none() ? nullptr : &array_of(array);
    };
    e.points(array_of(positions), style, optional(values), optional(colors));
}

void draw_lines(Studio& e, const py::object& positions, const std::array<float, 4>& color,
                float fade, bool segments, bool closed) {
    e.lines(array_of(positions), {.color = vec4_from(color), .fade = fade}, segments, closed);
}

ImageStyle image_style(const std::string& colormap, float low, float high, float gamma, bool smooth,
                       bool y_up, float opacity) {
    ImageStyle style;
    style.value_min = low;
    style.value_max = high;
    style.gamma = gamma;
    style.linear = smooth;
    style.y_up = y_up;
    style.colormap = colormap;
    style.opacity = opacity;
    return style;
}

void draw_image(Studio& e, const py::object& array, const std::string& colormap, float low,
                float high, float gamma, bool smooth, bool y_up, float opacity) {
    e.image(array_of(array), image_style(colormap, low, high, gamma, smooth, y_up, opacity));
}

void draw_texture(Studio& e, const Texture& texture, const std::string& colormap, float low,
                  float high, float gamma, bool smooth, bool y_up, float opacity) {
    const float unit = texture.dtype() == DType::uint8 ? 1.0f / 255 : 1; // GL reads bytes as 0 to 1
    e.image(texture.storage(), texture.gl_texture(),
            image_style(colormap, low * unit, high * unit, gamma, smooth, y_up, opacity));
}

} // namespace

void bind_drawing(py::class_<Studio, std::shared_ptr<Studio>>& c) {
    c.def("points", &draw_points, py::arg("positions"), py::arg("values") = py::none(),
          py::arg("colors") = py::none(), py::arg("size") = 3.0f, py::arg("world_size") = false,
          py::arg("color") = std::array<float, 4>{0.95f, 0.80f, 0.55f, 1.0f},
          py::arg("opacity") = 1.0f, py::arg("blend") = "alpha", py::arg("colormap") = "viridis",
          py::arg("low") = 0.0f, py::arg("high") = 1.0f, py::arg("round") = true,
          "Into the drawing list: App.points.");
    c.def("lines", &draw_lines, py::arg("positions"),
          py::arg("color") = std::array<float, 4>{0.6f, 0.65f, 0.7f, 1.0f}, py::arg("fade") = 0.0f,
          py::arg("segments") = false, py::arg("closed") = false,
          "Into the drawing list: App.lines.");
    c.def("image", &draw_texture, py::arg("array"), py::arg("colormap") = "viridis",
          py::arg("low") = 0.0f, py::arg("high") = 1.0f, py::arg("gamma") = 1.0f,
          py::arg("smooth") = false, py::arg("y_up") = false, py::arg("opacity") = 1.0f);
    c.def("image", &draw_image, py::arg("array"), py::arg("colormap") = "viridis",
          py::arg("low") = 0.0f, py::arg("high") = 1.0f, py::arg("gamma") = 1.0f,
          py::arg("smooth") = false, py::arg("y_up") = false, py::arg("opacity") = 1.0f,
          "Into the drawing list: App.image.");
    c.def("begin_step", &Studio::begin_step,
          "What is drawn from now on takes the place of the list when the step ends.");
    c.def("drop_step", &Studio::drop_step, "The step failed: the drawing before it stays.");
    c.def("draw", &Studio::draw, py::call_guard<py::gil_scoped_release>(),
          "Draws the list, once a frame; end_frame does it, too. What it throws empties the list.");
    c.def(
        "drawn_memory",
        [](Studio& e, const py::object& shape, const py::object& dtype) {
            return wrap_array(e.drawn_memory(dtype_from(dtype), to_extents(shape, "shape")));
        },
        py::arg("shape"), py::arg("dtype"),
        "An array, contents undefined, for a copy that this step draws.");
    c.def_property_readonly(
        "element_under_mouse",
        [](Studio& e) -> std::optional<std::pair<int, int>> {
            const auto at = e.element_under_mouse();
            if (!at) return {};
            return std::pair{(*at)[0], (*at)[1]};
        },
        "(column, row) of the picture drawn last, or None.");
    c.def(
        "set_background", [](Studio& e, std::array<float, 4> c4) { e.set_background(c4); },
        py::arg("rgba"));
    c.def(
        "use_camera",
        [](Studio& e, const std::string& name) {
            if (name != "orbit" && name != "pan_zoom")
                throw py::value_error("camera is 'orbit' or 'pan_zoom', got '" + name + "'");
            e.use_camera(name == "orbit" ? Camera::orbit : Camera::pan_zoom);
        },
        py::arg("name"), "'orbit' or 'pan_zoom': what the mouse moves.");
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
}

} // namespace lathe::bind
