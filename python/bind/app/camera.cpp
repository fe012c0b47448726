// SPDX-License-Identifier: MIT
#include "engine/scene/camera.h"

#include "engine/scene/camera_line.h"
#include "engine/scene/camera_path.h"

#include "python/bind/bind.h"
#include "python/bind/scene/drawing.h"

#include <pybind11/stl.h>

#include <glm/geometric.hpp>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

UpAxis up_from(const std::string& axis) {
    if (axis != "y" && axis != "z") throw py::value_error("up is 'y' or 'z', got '" + axis + "'");
    return axis == "z" ? UpAxis::z : UpAxis::y;
}

std::array<double, 3> array_from(const glm::dvec3& v) { return {v.x, v.y, v.z}; }

/// The roll stays.
void set_direction(OrbitCamera& c, const std::array<double, 3>& direction) {
    const glm::dvec3 eye = c.eye();
    const glm::vec3 along{point_from(direction)};
    const float length = glm::length(along);
    if (!(length > 0) || !std::isfinite(length))
        throw py::value_error("a direction is three numbers, not all of them 0");
    const glm::vec3 outward = -along / length;
    const float roll = c.roll;
    c.set_axes({{0, 0, 0}, {0, 0, 0}, outward});
    c.roll = roll;
    c.target += eye - c.eye();
    c.may_be_placed = false;
}

} // namespace

void bind_camera(py::module_& m) {
    py::class_<OrbitCamera>(m, "OrbitCamera",
                            "Looks at `target` from `distance`; angles in radians.")
        .def(
            py::init([](const std::array<double, 3>& target, float distance, float yaw, float pitch,
                        float roll, float field_of_view, bool orthographic, const std::string& up) {
                OrbitCamera camera;
                camera.target = point_from(target);
                camera.distance = distance;
                camera.yaw = yaw;
                camera.pitch = pitch;
                camera.roll = roll;
                camera.field_of_view = field_of_view;
                camera.orthographic = orthographic;
                camera.up = up_from(up);
                camera.may_be_placed = false;
                return camera;
            }),
            py::kw_only(), py::arg("target"), py::arg("distance"), py::arg("yaw"), py::arg("pitch"),
            py::arg("roll"), py::arg("field_of_view"), py::arg("orthographic"), py::arg("up"))
        .def("__repr__", [](const OrbitCamera& c) { return to_python(c); })
        .def_property(
            "target", [](const OrbitCamera& c) { return array_from(c.target); },
            [](OrbitCamera& c, const std::array<double, 3>& t) {
                c.target = point_from(t);
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
        .def_readwrite("roll", &OrbitCamera::roll, "The picture is turned clockwise so far.")
        .def_readwrite("field_of_view", &OrbitCamera::field_of_view, "Vertical.")
        .def_readwrite("orthographic", &OrbitCamera::orthographic,
                       "Parallel rays; what is seen is as high as it is at the target.")
        .def_property_readonly("height", &OrbitCamera::height,
                               "Units from the bottom to the top, as far away as the target.")
        .def_property(
            "eye", [](const OrbitCamera& c) { return array_from(c.eye()); },
            [](OrbitCamera& c, const std::array<double, 3>& place) {
                c.target += point_from(place) - c.eye();
                c.may_be_placed = false;
            },
            "Its place. Set, it moves the target, too: the direction stays.")
        .def_property(
            "direction", [](const OrbitCamera& c) { return array_from(glm::dvec3{-c.axes()[2]}); },
            &set_direction,
            "Where it looks, of length 1. Set, of any length, it moves the target: the eye stays.")
        .def_property(
            "up", [](const OrbitCamera& c) { return c.up == UpAxis::z ? "z" : "y"; },
            [](OrbitCamera& c, const std::string& axis) { c.up = up_from(axis); },
            "Axis that points up: 'y' or 'z'.");
    py::class_<CameraPath>(m, "CameraPath", "Through key frames: lathe.CameraPath.")
        .def(py::init([](const std::vector<std::pair<double, OrbitCamera>>& keys) {
                 std::vector<CameraKey> all;
                 for (const auto& [seconds, camera] : keys) all.push_back({seconds, camera});
                 return CameraPath{std::move(all)};
             }),
             py::arg("keys"))
        .def_static("turntable", &CameraPath::turntable, py::arg("camera"), py::arg("seconds"))
        .def("at", &CameraPath::at, py::arg("seconds"))
        .def_property_readonly("begin", &CameraPath::begin)
        .def_property_readonly("end", &CameraPath::end);
    py::class_<PanZoomCamera>(m, "PanZoomCamera", "Looks straight onto a plane, x right and y up.")
        .def(py::init([](const std::array<double, 2>& center, float height) {
                 PanZoomCamera camera;
                 camera.center = {center[0], center[1]};
                 camera.height = height;
                 return camera;
             }),
             py::kw_only(), py::arg("center"), py::arg("height"))
        .def("__repr__", [](const PanZoomCamera& c) { return to_python(c); })
        .def_property(
            "center",
            [](const PanZoomCamera& c) { return std::array<double, 2>{c.center.x, c.center.y}; },
            [](PanZoomCamera& c, std::array<double, 2> p) { c.center = {p[0], p[1]}; })
        .def_readwrite("height", &PanZoomCamera::height, "Plane units from bottom to top.");
}

} // namespace lathe::bind
