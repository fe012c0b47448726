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
           : name == "slices"  ? VolumeMode::slices
                               : VolumeMode::mip;
}

using Pair = std::array<float, 2>;
using Corner = std::array<double, 3>;

/// The keyword arguments that make a style: all of them, of the types that the stub says.
class Given {
public:
    explicit Given(const py::kwargs& arguments) : arguments_{arguments} {}

    float number(const char* name) const { return arguments_[name].cast<float>(); }
    bool flag(const char* name) const { return arguments_[name].cast<bool>(); }
    std::string text(const char* name) const { return arguments_[name].cast<std::string>(); }
    glm::vec4 color(const char* name) const {
        return vec4_from(arguments_[name].cast<std::array<float, 4>>());
    }
    glm::vec3 point(const char* name) const {
        return glm::vec3{point_from(arguments_[name].cast<Corner>())};
    }
    std::optional<float> number_or_none(const char* name) const {
        return arguments_[name].cast<std::optional<float>>();
    }
    std::optional<std::array<Corner, 2>> corners(const char* name) const {
        return arguments_[name].cast<std::optional<std::array<Corner, 2>>>();
    }
    std::optional<ValueRange> range() const { return ends<ValueRange>("range"); }
    std::optional<Percentiles> percentiles() const { return ends<Percentiles>("percentiles"); }

private:
    template <class Range> std::optional<Range> ends(const char* name) const {
        const auto both = arguments_[name].cast<std::optional<Pair>>();
        if (!both) return {};
        return Range{(*both)[0], (*both)[1]};
    }
    const py::kwargs& arguments_;
};

VolumeStyle volume_style_from(const Given& given) {
    VolumeStyle style{.mode = volume_mode_from(given.text("mode")),
                      .colormap = given.text("colormap"),
                      .range = given.range(),
                      .percentiles = given.percentiles(),
                      .opacity = given.number("opacity"),
                      .density = given.number("density"),
                      .level = given.number("level"),
                      .color = given.color("color"),
                      .box = {},
                      .spacing = given.point("spacing"),
                      .slices = given.point("slices")};
    if (const auto bounds = given.corners("bounds"))
        style.box = Box{point_from((*bounds)[0]), point_from((*bounds)[1])};
    check(style);
    return style;
}

PointsStyle points_style_from(const Given& given) {
    return {.size = given.number("size"),
            .world_size = given.flag("world_size"),
            .color = given.color("color"),
            .opacity = given.number("opacity"),
            .blend = blend_from(given.text("blend")),
            .round = given.flag("round"),
            .radius = given.number_or_none("radius"),
            .colormap = given.text("colormap"),
            .range = given.range().value_or(ValueRange{}),
            .percentiles = given.percentiles()};
}

LinesStyle lines_style_from(const Given& given) {
    return {.color = given.color("color"),
            .opacity = given.number("opacity"),
            .width = given.number("width"),
            .fade = given.number("fade"),
            .colormap = given.text("colormap"),
            .range = given.range().value_or(ValueRange{}),
            .percentiles = given.percentiles(),
            .segments = given.flag("segments"),
            .closed = given.flag("closed")};
}

TubesStyle tubes_style_from(const Given& given) {
    return {.radius = given.number("radius"),
            .color = given.color("color"),
            .segments = given.flag("segments"),
            .closed = given.flag("closed"),
            .colormap = given.text("colormap"),
            .range = given.range().value_or(ValueRange{}),
            .percentiles = given.percentiles()};
}

ArrowsStyle arrows_style_from(const Given& given) {
    return {.scale = given.number("scale"),
            .radius = given.number("radius"),
            .color = given.color("color"),
            .colormap = given.text("colormap"),
            .range = given.range().value_or(ValueRange{}),
            .percentiles = given.percentiles()};
}

MeshStyle mesh_style_from(const Given& given) {
    return {.color = given.color("color"),
            .opacity = given.number("opacity"),
            .colormap = given.text("colormap"),
            .range = given.range().value_or(ValueRange{}),
            .percentiles = given.percentiles(),
            .smooth = given.flag("smooth"),
            .lit = given.flag("lit"),
            .wireframe = given.flag("wireframe"),
            .contours = given.number("contours"),
            .scale = given.number("scale"),
            .texture_is_linear = given.flag("texture_is_linear"),
            .texture_repeats = given.flag("texture_repeats")};
}

ImageStyle image_style_from(const Given& given) {
    return {.range = given.range(),
            .percentiles = given.percentiles(),
            .gamma = given.number("gamma"),
            .linear = given.flag("smooth"),
            .y_up = given.flag("y_up"),
            .colormap = given.text("colormap"),
            .opacity = given.number("opacity"),
            .complex_as = complex_as_from(given.text("complex_as")),
            .contours = given.number("contours")};
}

template <class Style>
void bind_style(StudioClass& c, const char* name, Style (*make)(const Given&)) {
    py::class_<Style>(c, name).def(
        py::init([make](const py::kwargs& arguments) { return make(Given{arguments}); }));
}

} // namespace

glm::dvec3 point_from(const std::array<double, 3>& c) { return {c[0], c[1], c[2]}; }
glm::vec4 vec4_from(const std::array<float, 4>& c) { return {c[0], c[1], c[2], c[3]}; }

void bind_styles(StudioClass& c) {
    bind_style(c, "VolumeStyle", &volume_style_from);
    bind_style(c, "PointsStyle", &points_style_from);
    bind_style(c, "LinesStyle", &lines_style_from);
    bind_style(c, "TubesStyle", &tubes_style_from);
    bind_style(c, "ArrowsStyle", &arrows_style_from);
    bind_style(c, "MeshStyle", &mesh_style_from);
    bind_style(c, "ImageStyle", &image_style_from);
}

} // namespace lathe::bind
