// SPDX-License-Identifier: MIT
#include "engine/scene/camera.h"

#include "python/bind/bind.h"

#include <pybind11/stl.h>

#include <array>

namespace lathe::bind {

void bind_camera(py::module_& m) {
    py::class_<OrbitCamera>(m, "OrbitCamera",
                            "Looks at `target` from `distance`; angles in radians.")
        .def_property(
            "target",
            [](const OrbitCamera& c) {
                return std::array<float, 3>{c.target.x, c.target.y, c.target.z};
            },
            [](OrbitCamera& c, std::array<float, 3> t) {
                c.target = {t[0], t[1], t[2]};
                c.may_be_placed = false;
            })
        .def_property(
            "distance", [](const OrbitCamera& c) { return c.distance; },
            [](OrbitCamera& c, float distance) {
                c.distance = distance;
                c.may_be_placed = false;
            })
        .def_readwrite("yaw", &OrbitCamera::yaw, "About the up axis.")
        .def_readwrite("pitch", &OrbitCamera::pitch, "Above the ground.")
        .def_readwrite("field_of_view", &OrbitCamera::field_of_view, "Vertical.")
        .def_property(
            "up", [](const OrbitCamera& c) { return c.up == UpAxis::z ? "z" : "y"; },
            [](OrbitCamera& c, const std::string& axis) {
                if (axis != "y" && axis != "z") throw py::value_error("up is 'y' or 'z'");
                c.up = axis == "z" ? UpAxis::z : UpAxis::y;
            },
            "Axis that points up: 'y' or 'z'.");
    py::class_<PanZoomCamera>(m, "PanZoomCamera", "Looks straight onto a plane, x right and y up.")
        .def_property(
            "center",
            [](const PanZoomCamera& c) { return std::array<float, 2>{c.center.x, c.center.y}; },
            [](PanZoomCamera& c, std::array<float, 2> p) { c.center = {p[0], p[1]}; })
        .def_readwrite("height", &PanZoomCamera::height, "Plane units from bottom to top.");
}

} // namespace lathe::bind
