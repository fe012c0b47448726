// SPDX-License-Identifier: MIT
// The styles of what is drawn. python/lathe/draw_styles.py checks what a script gives; here it is
// only converted.
#include "python/bind/scene/drawing.h"

#include "python/bind/bind.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

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

VolumeMode volume_mode_from(const std::string& name) {
    return name == "emission"  ? VolumeMode::emission
           : name == "surface" ? VolumeMode::surface
                               : VolumeMode::mip;
}

using Pair = std::array<float, 2>;
using Corner = std::array<float, 3>;

template <typename Range> std::optional<Range> range_of(const std::optional<Pair>& ends) {
    if (!ends) return {};
    return Range{(*ends)[0], (*ends)[1]};
}

} // namespace

glm::vec3 vec3_from(const std::array<float, 3>& c) { return {c[0], c[1], c[2]}; }
glm::vec4 vec4_from(const std::array<float, 4>& c) { return {c[0], c[1], c[2], c[3]}; }

void bind_volume_style(StudioClass& c) {
    py::class_<VolumeStyle>(c, "VolumeStyle", "How a volume is shown.")
        .def(py::init(
                 [](const std::string& mode, const std::string& colormap,
                    const std::optional<Pair>& range, const std::optional<Pair>& percentiles,
                    float opacity, float density, float level, const std::array<float, 4>& color,
                    const std::optional<std::array<Corner, 2>>& bounds, const Corner& spacing) {
                     VolumeStyle style{.mode = volume_mode_from(mode),
                                       .colormap = colormap,
                                       .range = range_of<ValueRange>(range),
                                       .percentiles = range_of<Percentiles>(percentiles),
                                       .opacity = opacity,
                                       .density = density,
                                       .level = level,
                                       .color = vec4_from(color),
                                       .box = {},
                                       .spacing = vec3_from(spacing)};
                     if (bounds) style.box = Box{vec3_from((*bounds)[0]), vec3_from((*bounds)[1])};
                     check(style);
                     return style;
                 }),
             py::kw_only(), py::arg("mode"), py::arg("colormap"), py::arg("range"),
             py::arg("percentiles"), py::arg("opacity"), py::arg("density"), py::arg("level"),
             py::arg("color"), py::arg("bounds"), py::arg("spacing"));
}

void bind_styles(StudioClass& c) {
    bind_volume_style(c);
    py::class_<PointsStyle>(c, "PointsStyle", "How points are drawn.")
        .def(py::init([](float size, bool world_size, const std::array<float, 4>& color,
                         float opacity, const std::string& blend, const std::string& colormap,
                         const std::optional<Pair>& range, const std::optional<Pair>& percentiles,
                         bool round, const std::optional<float>& radius) {
                 return PointsStyle{
                     .size = size,
                     .world_size = world_size,
                     .color = vec4_from(color),
                     .opacity = opacity,
                     .blend = blend_from(blend),
                     .round = round,
                     .radius = radius,
                     .colormap = colormap,
                     .range = range_of<ValueRange>(range).value_or(ValueRange{}),
                     .percentiles = range_of<Percentiles>(percentiles),
                 };
             }),
             py::kw_only(), py::arg("size"), py::arg("world_size"), py::arg("color"),
             py::arg("opacity"), py::arg("blend"), py::arg("colormap"), py::arg("range"),
             py::arg("percentiles"), py::arg("round"), py::arg("radius"));
    py::class_<MeshStyle>(c, "MeshStyle", "How a mesh is drawn.")
        .def(py::init([](const std::array<float, 4>& color, float opacity,
                         const std::string& colormap, const std::optional<Pair>& range,
                         const std::optional<Pair>& percentiles, bool smooth, bool wireframe) {
                 return MeshStyle{
                     .color = vec4_from(color),
                     .opacity = opacity,
                     .colormap = colormap,
                     .range = range_of<ValueRange>(range).value_or(ValueRange{}),
                     .percentiles = range_of<Percentiles>(percentiles),
                     .smooth = smooth,
                     .wireframe = wireframe,
                 };
             }),
             py::kw_only(), py::arg("color"), py::arg("opacity"), py::arg("colormap"),
             py::arg("range"), py::arg("percentiles"), py::arg("smooth"), py::arg("wireframe"));
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

} // namespace lathe::bind
