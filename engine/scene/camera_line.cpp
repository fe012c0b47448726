// SPDX-License-Identifier: MIT
#include "engine/scene/camera_line.h"

#include "engine/scene/view.h"

#include <fmt/format.h>

#include <cmath>
#include <variant>

namespace lathe {

std::string to_python(const OrbitCamera& camera) {
    const OrbitCamera made;
    std::string line = fmt::format(
        "lathe.Camera(target=({}, {}, {}), distance={}, yaw={}, pitch={}", camera.target.x,
        camera.target.y, camera.target.z, camera.distance, camera.yaw, camera.pitch);
    if (camera.roll != made.roll) line += fmt::format(", roll={}", camera.roll);
    if (camera.field_of_view != made.field_of_view)
        line += fmt::format(", field_of_view={}", camera.field_of_view);
    if (camera.orthographic) line += ", orthographic=True";
    if (camera.up != made.up) line += ", up=\"z\"";
    return line + ")";
}

std::string to_python(const PanZoomCamera& camera) {
    return fmt::format("lathe.PlaneCamera(center=({}, {}), height={})", camera.center.x,
                       camera.center.y, camera.height);
}

std::string camera_line(View& view) {
    const auto camera = view.used_camera();
    return view.script_name() +
           ".camera = " + std::visit([](const auto& each) { return to_python(each); }, camera);
}

std::string fit_line(const View& view, std::string_view thing) {
    const std::string argument = thing.empty() ? "" : fmt::format("\"{}\"", thing);
    return fmt::format("{}.fit({})", view.script_name(), argument);
}

} // namespace lathe
