// SPDX-License-Identifier: MIT
// Views and the things that they show.
#include "engine/scene/view.h"

#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/render/screenshot.h"
#include "python/bind/scene/drawing.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

using Pair = std::array<float, 2>;

const gpu::Array* optional_array(const py::object& array) {
    return array.is_none() ? nullptr : &array_of(array);
}

void draw_points(View& view, const py::object& positions, const py::object& values,
                 const py::object& colors, const py::object& radii, const PointsStyle& style,
                 const std::string& name) {
    view.points(array_of(positions), style,
                {optional_array(values), optional_array(colors), optional_array(radii)}, name);
}

void draw_lines(View& view, const py::object& positions, const py::object& values,
                const py::object& colors, const LinesStyle& style, const std::string& name) {
    view.lines(array_of(positions), style, {optional_array(values), optional_array(colors)}, name);
}

void draw_tubes(View& view, const py::object& positions, const py::object& values,
                const py::object& colors, const py::object& radii, const TubesStyle& style,
                const std::string& name) {
    view.tubes(array_of(positions), style,
               {optional_array(values), optional_array(colors), optional_array(radii)}, name);
}

void draw_arrows(View& view, const py::object& positions, const py::object& vectors,
                 const py::object& values, const py::object& colors, const ArrowsStyle& style,
                 const std::string& name) {
    view.arrows(array_of(positions), array_of(vectors), style,
                {optional_array(values), optional_array(colors)}, name);
}

void draw_mesh(View& view, const py::object& vertices, const py::object& triangles,
               const py::object& values, const py::object& colors, const py::object& normals,
               const py::object& texture, const py::object& texcoords, const MeshStyle& style,
               const std::string& name) {
    view.mesh(array_of(vertices), array_of(triangles), style,
              {optional_array(values), optional_array(colors), optional_array(normals),
               optional_array(texture), optional_array(texcoords)},
              name);
}

void draw_instances(View& view, const py::object& vertices, const py::object& triangles,
                    const py::object& positions, const py::object& values, const py::object& colors,
                    const py::object& normals, const py::object& turns, const py::object& scales,
                    const MeshStyle& style, const std::string& name) {
    view.instances(array_of(vertices), array_of(triangles), array_of(positions), style,
                   {optional_array(values), optional_array(colors), optional_array(normals),
                    optional_array(turns), optional_array(scales)},
                   name);
}

void draw_height_field(View& view, const py::object& heights, const py::object& values,
                       const py::object& colors, float scale,
                       const std::optional<std::array<Pair, 2>>& ground, bool by_height,
                       const MeshStyle& style, const std::string& name) {
    HeightField field{.scale = scale, .by_height = by_height};
    if (ground) {
        const auto& [low, high] = *ground;
        field.ground = HeightField::Ground{{low[0], low[1]}, {high[0], high[1]}};
    }
    view.height_field(array_of(heights), field, style,
                      {optional_array(values), optional_array(colors)}, name);
}

using Corner = std::array<double, 3>;

/// `plane`: the lower left corner, and the lower and the left side; None: not in space.
void draw_image(View& view, const py::object& array,
                const std::optional<std::array<Corner, 3>>& plane, const ImageStyle& style,
                const std::string& name) {
    if (!plane) return view.image(array_of(array), style, name);
    const auto& [origin, right, up] = *plane;
    view.image(array_of(array),
               {point_from(origin), glm::vec3{point_from(right)}, glm::vec3{point_from(up)}}, style,
               name);
}

/// At (x, y) in the plane, or (x, y, z) in space.
void draw_text(View& view, const std::string& text, const std::vector<double>& position, float size,
               const std::array<float, 4>& color, const Pair& anchor) {
    const TextStyle style{
        .size = size, .color = vec4_from(color), .anchor = {anchor[0], anchor[1]}};
    if (position.size() == 2) view.text(text, glm::dvec2{position[0], position[1]}, style);
    else view.text(text, glm::dvec3{position[0], position[1], position[2]}, style);
}

using Color = std::array<float, 4>;

void draw_axes(View& view, const std::array<std::string, 3>& labels,
               const std::optional<std::pair<Corner, Corner>>& box, bool grid, float size,
               const Color& color) {
    AxesStyle style{.labels = labels, .grid = grid, .size = size, .color = vec4_from(color)};
    if (box) style.box = Box{point_from(box->first), point_from(box->second)};
    view.axes(style);
}

void draw_scale_bar_of(View& view, const std::string& unit, double per_unit, float size,
                       const Color& color) {
    view.scale_bar({.unit = unit, .per_unit = per_unit, .size = size, .color = vec4_from(color)});
}

void bind_annotations(py::class_<View, std::shared_ptr<View>>& c) {
    c.def("axes", &draw_axes, py::arg("labels"), py::arg("box"), py::arg("grid"), py::arg("size"),
          py::arg("color"));
    c.def(
        "colorbar",
        [](View& view, const std::string& thing, const std::string& label, float size,
           const Color& color) {
            view.colorbar(thing, {.label = label, .size = size, .color = vec4_from(color)});
        },
        py::arg("thing"), py::arg("label"), py::arg("size"), py::arg("color"));
    c.def(
        "legend",
        [](View& view, float size, const Color& color) {
            view.legend({.size = size, .color = vec4_from(color)});
        },
        py::arg("size"), py::arg("color"));
    c.def("scale_bar", &draw_scale_bar_of, py::arg("unit"), py::arg("per_unit"), py::arg("size"),
          py::arg("color"));
}

using ClipPlaneParts = std::tuple<Corner, Corner, bool>; // origin, normal, active

void bind_clipping(py::class_<View, std::shared_ptr<View>>& c) {
    c.def(
         "set_clip_plane",
         [](View& view, const std::string& name, const Corner& origin, const Corner& normal,
            bool active) {
             view.clipping().set(name, {point_from(origin), glm::vec3{point_from(normal)}, active});
         },
         py::arg("name"), py::arg("origin"), py::arg("normal"), py::arg("active"))
        .def(
            "clip_plane",
            [](const View& view, const std::string& name) -> std::optional<ClipPlaneParts> {
                const ClipPlane* found = view.clipping().find(name);
                if (!found) return {};
                const auto& [o, n, active] = *found;
                return ClipPlaneParts{{o.x, o.y, o.z}, {n.x, n.y, n.z}, active};
            },
            py::arg("name"), "(origin, normal, active); None where there is none of that name.")
        .def(
            "remove_clip_plane",
            [](View& view, const std::string& name) { return view.clipping().remove(name); },
            py::arg("name"))
        .def("clip_plane_names", [](const View& view) {
            std::vector<std::string> names;
            for (const auto& [name, plane] : view.clipping().planes()) names.push_back(name);
            return names;
        });
}

void set_light(View& view, float occlusion, float radius, float ground) {
    view.set_lighting({.occlusion = occlusion, .occlusion_radius = radius, .ground = ground});
}

void use_camera(View& view, const std::string& name) {
    if (name == "orbit") view.use_camera(Camera::orbit);
    else if (name == "trackball") view.use_camera(Camera::orbit, Steering::trackball);
    else if (name == "fly") view.use_camera(Camera::orbit, Steering::fly);
    else if (name == "pan_zoom") view.use_camera(Camera::pan_zoom);
    else
        throw py::value_error("camera is 'orbit', 'trackball', 'fly' or 'pan_zoom', got '" + name +
                              "'");
}

/// None, a number or a tuple.
template <class Number> py::object one_or_all(const std::vector<Number>& numbers) {
    if (numbers.empty()) return py::none();
    if (numbers.size() == 1) return py::cast(numbers[0]);
    return py::tuple(py::cast(numbers));
}

using Indices = std::vector<std::pair<std::string, py::object>>;
Indices indices_of(const std::vector<Selected>& selected) {
    Indices all;
    for (const Selected& each : selected) all.emplace_back(each.item, wrap_array(each.indices));
    return all;
}

void bind_picked(StudioClass& c) {
    py::class_<Picked>(c, "Picked", "What lies under a place of a view.")
        .def_readonly("item", &Picked::item)
        .def_property_readonly("kind", [](const Picked& p) { return std::string{p.kind}; })
        .def_property_readonly("index", [](const Picked& p) { return one_or_all(p.index); })
        .def_property_readonly("value", [](const Picked& p) { return one_or_all(p.value); })
        .def_property_readonly(
            "position",
            [](const Picked& p) { return Corner{p.position.x, p.position.y, p.position.z}; })
        .def_property_readonly("thread", [](const Picked& p) {
            using Index = std::array<unsigned, 3>;
            const auto index = [](const gpu::Dim3& d) { return Index{d.x, d.y, d.z}; };
            return p.thread ? std::optional{std::tuple{p.thread->kernel, index(p.thread->block),
                                                       index(p.thread->thread)}}
                            : std::nullopt;
        });
    c.def_property_readonly(
        "selected", [](Studio& e) { return indices_of(e.selected()); },
        "(thing, int64 indices) of each.");
    c.def_property_readonly("picked", [](Studio& e) { return e.picked(); });
}

void bind_probe(StudioClass& c) {
    py::class_<Grip> grip(c, "Grip", "An element that the mouse has hold of.");
    grip.def_readonly("item", &Grip::item);
    grip.def_property_readonly("index", [](const Grip& g) { return one_or_all(g.index); });
    const auto add_place = [&](const char* name, glm::dvec3 Grip::* member) {
        grip.def_property_readonly(name, [member](const Grip& g) {
            const glm::dvec3& at = g.*member;
            return std::tuple{at.x, at.y, at.z};
        });
    };
    add_place("position", &Grip::position);
    add_place("target", &Grip::target);
    add_place("along", &Grip::along);
    py::class_<Probe, std::shared_ptr<Probe>>(c, "Probe", "Records a value in each step.")
        .def_property_readonly("thing", &Probe::item)
        .def_property_readonly("index", &Probe::index)
        .def_property_readonly("steps", &Probe::steps)
        .def("values", [](const Probe& p) {
            const std::vector<double> values = [&] {
                const py::gil_scoped_release others_run; // it waits for the device
                return p.values(p.steps());
            }();
            return py::array_t<double>{py::ssize_t(values.size()), values.data()};
        });
}

void bind_thing(StudioClass& c) {
    // As attributes of one object, so that a setting is None where the call decides.
    py::class_<ThingSettings>(c, "ThingSettings", "How a thing is shown.")
        .def_readwrite("shown", &ThingSettings::is_shown)
        .def_readwrite("clipped", &ThingSettings::is_clipped)
        .def_readwrite("opacity", &ThingSettings::opacity)
        .def_readwrite("size", &ThingSettings::size)
        .def_readwrite("colormap", &ThingSettings::colormap)
        .def_property(
            "color",
            [](const ThingSettings& s) {
                return s.color ? std::optional{std::array<float, 4>{s.color->r, s.color->g,
                                                                    s.color->b, s.color->a}}
                               : std::nullopt;
            },
            [](ThingSettings& s, const std::optional<std::array<float, 4>>& rgba) {
                s.color = rgba ? std::optional{vec4_from(*rgba)} : std::nullopt;
            })
        .def_property(
            "range",
            [](const ThingSettings& s) {
                return s.range ? std::optional{Pair{s.range->low, s.range->high}} : std::nullopt;
            },
            [](ThingSettings& s, const std::optional<Pair>& ends) {
                s.range = ends ? std::optional{ValueRange{(*ends)[0], (*ends)[1]}} : std::nullopt;
            });
}

/// Of what has views: a Studio, and its further windows.
template <class Owner, class Class> void bind_tiles(Class& c) {
    c.def_property_readonly("views", [](Owner& e) { return e.views(); });
    c.def(
        "set_views", [](Owner& e, int rows, int columns) { return e.views(rows, columns); },
        py::arg("rows"), py::arg("columns"));
    c.def(
        "set_mosaic",
        [](Owner& e, std::string_view letters) {
            std::vector<std::pair<std::string, std::shared_ptr<View>>> views;
            for (auto& [letter, view] : e.mosaic(letters))
                views.emplace_back(std::string{letter}, std::move(view));
            return views;
        },
        py::arg("letters"));
    c.def(
        "add_inset",
        [](Owner& e, const View& on, float left, float top, float width, float height) {
            return e.inset(on, {{left, top}, {width, height}});
        },
        py::arg("on"), py::arg("left"), py::arg("top"), py::arg("width"), py::arg("height"));
}

} // namespace

void bind_views(StudioClass& c) {
    bind_thing(c);
    bind_picked(c);
    bind_probe(c);
    constexpr auto inside = py::return_value_policy::reference_internal;
    py::class_<View, std::shared_ptr<View>> v(c, "View", "Must not outlive its Studio.");
    bind_annotations(v);
    bind_clipping(v);
    v.def("points", &draw_points, py::arg("positions"), py::arg("values"), py::arg("colors"),
          py::arg("radii"), py::arg("style"), py::arg("name"), "Into the drawing list: App.points.")
        .def("lines", &draw_lines, py::arg("positions"), py::arg("values"), py::arg("colors"),
             py::arg("style"), py::arg("name"), "Into the drawing list: App.lines.")
        .def("tubes", &draw_tubes, py::arg("positions"), py::arg("values"), py::arg("colors"),
             py::arg("radii"), py::arg("style"), py::arg("name"),
             "Into the drawing list: App.tubes.")
        .def("arrows", &draw_arrows, py::arg("positions"), py::arg("vectors"), py::arg("values"),
             py::arg("colors"), py::arg("style"), py::arg("name"),
             "Into the drawing list: App.arrows.")
        .def("mesh", &draw_mesh, py::arg("vertices"), py::arg("triangles"), py::arg("values"),
             py::arg("colors"), py::arg("normals"), py::arg("texture"), py::arg("texcoords"),
             py::arg("style"), py::arg("name"), "Into the drawing list: App.mesh.")
        .def("instances", &draw_instances, py::arg("vertices"), py::arg("triangles"),
             py::arg("positions"), py::arg("values"), py::arg("colors"), py::arg("normals"),
             py::arg("turns"), py::arg("scales"), py::arg("style"), py::arg("name"),
             "Into the drawing list: App.instances.")
        .def("height_field", &draw_height_field, py::arg("heights"), py::arg("values"),
             py::arg("colors"), py::arg("scale"), py::arg("ground"), py::arg("by_height"),
             py::arg("style"), py::arg("name"), "Into the drawing list: App.height_field.")
        .def("image", &draw_image, py::arg("array"), py::arg("plane"), py::arg("style"),
             py::arg("name"), "Into the drawing list: App.image.")
        .def(
            "image_of_texture",
            [](View& view, const Texture& texture, const ImageStyle& style,
               const std::string& name) { view.image(texture, style, name); },
            py::arg("texture"), py::arg("style"), py::arg("name"))
        .def(
            "volume",
            [](View& view, const py::object& array, const VolumeStyle& style,
               const std::string& name) { view.volume(array_of(array), style, name); },
            py::arg("array"), py::arg("style"), py::arg("name"),
            "Into the drawing list: App.volume.")
        .def("text", &draw_text, py::arg("text"), py::arg("position"), py::arg("size"),
             py::arg("color"), py::arg("anchor"), "Into the drawing list: App.text.")
        .def(
            "title",
            [](View& view, const std::string& text, float size, const std::array<float, 4>& color) {
                view.title(text, {.size = size, .color = vec4_from(color)});
            },
            py::arg("text"), py::arg("size"), py::arg("color"))
        .def(
            "things",
            [](const View& view) {
                std::vector<std::tuple<std::string, std::string, std::size_t>> things;
                for (const Thing& thing : view.things())
                    things.emplace_back(thing.name, std::string{thing.kind}, thing.count);
                return things;
            },
            "(name, kind, count) of each.")
        .def(
            "settings", [](View& view, const std::string& name) { return &view.settings(name); },
            py::arg("name"), inside)
        .def(
            "bounds",
            [](const View& view, const std::optional<std::string>& name) {
                const std::optional<Box> box = name ? view.bounds(*name) : view.bounds();
                return box ? std::optional{std::pair{Corner{box->low.x, box->low.y, box->low.z},
                                                     Corner{box->high.x, box->high.y, box->high.z}}}
                           : std::nullopt;
            },
            py::arg("name"), "(lowest corner, highest corner).")
        .def(
            "not_finite",
            [](const View& view, const std::string& name) {
                const NotFinite found = view.not_finite(name);
                return std::pair{found.nan, found.infinite};
            },
            py::arg("name"), "(elements with a NaN, others with an infinite number).")
        .def(
            "fit",
            [](View& view, const std::optional<std::string>& name) {
                return name ? view.fit(*name) : view.fit();
            },
            py::arg("name"))
        .def(
            "pick", [](const View& view, float x, float y) { return view.pick({x, y}); },
            py::arg("x"), py::arg("y"))
        .def(
            "sight_line",
            [](const View& view, float x, float y) -> std::optional<std::pair<Corner, Corner>> {
                const auto line = view.sight_line({x, y});
                if (!line) return {};
                const auto corner = [](const glm::dvec3& a) { return Corner{a.x, a.y, a.z}; };
                return std::pair{corner(line->origin), corner(line->direction)};
            },
            py::arg("x"), py::arg("y"))
        .def("grip", &View::grip, py::arg("name"))
        .def(
            "select",
            [](const View& view, float x0, float y0, float x1, float y1) {
                return indices_of(view.select({x0, y0}, {x1, y1}));
            },
            py::arg("x0"), py::arg("y0"), py::arg("x1"), py::arg("y1"),
            "(thing, int64 indices) of each.")
        .def("set_light", &set_light, py::arg("occlusion"), py::arg("radius"), py::arg("ground"))
        .def("probe", &View::probe, py::arg("thing"), py::arg("index"))
        .def(
            "link",
            [](View& view, View* other) {
                if (other) view.link(*other);
                else view.unlink();
            },
            py::arg("other").none(true), "Of another's cameras, or of its own again.")
        .def("fly_to", &View::fly_to, py::arg("camera"), py::arg("seconds"))
        .def("use_camera", &use_camera, py::arg("name"),
             "'orbit', 'trackball', 'fly' or 'pan_zoom': what the mouse moves, and how.")
        .def_property("camera", &View::used_camera, &View::set_camera,
                      "A copy of the camera that is used.")
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
            "Left, top, width and height in the whole picture, of 1.")
        .def_property_readonly("is_inset", &View::is_inset);
    bind_tiles<Studio>(c);
    py::class_<SideWindow> w(c, "SideWindow", "Must not outlive its Studio.");
    bind_tiles<SideWindow>(w);
    w.def_property_readonly("title", &SideWindow::title)
        .def_property_readonly("is_open", &SideWindow::is_open)
        .def("close", &SideWindow::close)
        .def_property_readonly("size", &SideWindow::size)
        .def_property_readonly("input", &SideWindow::window, inside)
        .def_property_readonly("picked", &SideWindow::picked)
        .def_property_readonly("selected",
                               [](const SideWindow& e) { return indices_of(e.selected()); })
        .def("screenshot", [](SideWindow& e) { return to_numpy(e.screenshot()); });
    c.def("open_window", &Studio::open_window, py::arg("title"), py::arg("width"),
          py::arg("height"), inside);
}

} // namespace lathe::bind
