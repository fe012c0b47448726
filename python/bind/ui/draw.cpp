// SPDX-License-Identifier: MIT
// What an App draws: arrays as points, lines and pictures, cameras and screenshots.
// python/lathe/draw.py checks what a script gives at its call; here it is only converted.
#include "python/bind/ui/draw.h"

#include "engine/interop/shared_array.h"
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

/// An array that drawable.py has found to be the App's, or has made one of it.
struct Drawn {
    Drawn(Studio& e, py::handle object) : array{array_of(object)} {
        const auto place = place_in_gl(array, *e.frame_map());
        if (!place || !array.type().dtype)
            throw py::value_error("an array of another App, or one that is not in C order");
        buffer = place->buffer;
        offset = place->offset_bytes;
    }
    DType dtype() const { return *array.type().dtype; }
    int size(std::size_t axis) const { return int(array.shape()[axis]); }

    const gpu::Array& array;
    const gl::Buffer* buffer;
    std::size_t offset;
};

void draw_points(Studio& e, const py::object& positions, const py::object& values,
                 const py::object& colors, float size, bool world_size,
                 const std::array<float, 4>& color, float opacity, const std::string& blend,
                 const std::string& colormap, float low, float high, bool round) {
    const Drawn places{e, positions};
    PointsData data;
    data.positions = places.buffer;
    data.count = std::size_t(places.size(0));
    data.components = places.size(1);
    data.offset = places.offset;
    if (!values.is_none()) {
        const Drawn levels{e, values};
        data.values = levels.buffer;
        data.value_offset = levels.offset;
    }
    if (!colors.is_none()) {
        const Drawn tints{e, colors};
        data.colors = tints.buffer;
        data.color_offset = tints.offset;
        data.colors_are_bytes = tints.dtype() == DType::uint8;
    }
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
    py::gil_scoped_release release;
    e.draw_points(data, style);
}

void draw_lines(Studio& e, const py::object& positions, const std::array<float, 4>& color,
                float fade, bool segments, bool closed) {
    const Drawn places{e, positions};
    LinesData data;
    data.positions = places.buffer;
    data.count = std::size_t(places.size(0));
    data.components = places.size(1);
    data.offset = places.offset;
    data.segments = segments;
    data.closed = closed;
    py::gil_scoped_release release;
    e.draw_lines(data, {.color = vec4_from(color), .fade = fade});
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
    const Drawn pixels{e, array};
    ImageBuffer image;
    image.buffer = pixels.buffer;
    image.dtype = pixels.dtype();
    image.height = pixels.size(0);
    image.width = pixels.size(1);
    image.channels = pixels.array.dimensions() == 3 ? pixels.size(2) : 1;
    image.offset = pixels.offset;
    const ImageStyle style = image_style(colormap, low, high, gamma, smooth, y_up, opacity);
    py::gil_scoped_release release;
    e.draw_image(image, style);
}

void draw_texture(Studio& e, const Texture& texture, const std::string& colormap, float low,
                  float high, float gamma, bool smooth, bool y_up, float opacity) {
    const float unit = texture.dtype() == DType::uint8 ? 1.0f / 255 : 1; // GL reads bytes as 0 to 1
    const ImageStyle style =
        image_style(colormap, low * unit, high * unit, gamma, smooth, y_up, opacity);
    const gl::Texture& shown = texture.gl_texture();
    py::gil_scoped_release release;
    e.draw_image(shown, style);
}

} // namespace

void bind_drawing(py::class_<Studio, std::shared_ptr<Studio>>& c) {
    c.def("draw_points", &draw_points, py::arg("positions"), py::arg("values") = py::none(),
          py::arg("colors") = py::none(), py::arg("size") = 3.0f, py::arg("world_size") = false,
          py::arg("color") = std::array<float, 4>{0.95f, 0.80f, 0.55f, 1.0f},
          py::arg("opacity") = 1.0f, py::arg("blend") = "alpha", py::arg("colormap") = "viridis",
          py::arg("low") = 0.0f, py::arg("high") = 1.0f, py::arg("round") = true,
          "In a frame: App.points.");
    c.def("draw_lines", &draw_lines, py::arg("positions"),
          py::arg("color") = std::array<float, 4>{0.6f, 0.65f, 0.7f, 1.0f}, py::arg("fade") = 0.0f,
          py::arg("segments") = false, py::arg("closed") = false, "In a frame: App.lines.");
    c.def("draw_image", &draw_texture, py::arg("array"), py::arg("colormap") = "viridis",
          py::arg("low") = 0.0f, py::arg("high") = 1.0f, py::arg("gamma") = 1.0f,
          py::arg("smooth") = false, py::arg("y_up") = false, py::arg("opacity") = 1.0f);
    c.def("draw_image", &draw_image, py::arg("array"), py::arg("colormap") = "viridis",
          py::arg("low") = 0.0f, py::arg("high") = 1.0f, py::arg("gamma") = 1.0f,
          py::arg("smooth") = false, py::arg("y_up") = false, py::arg("opacity") = 1.0f,
          "In a frame: App.image.");
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
