// SPDX-License-Identifier: MIT
// Cameras as Python that makes them again, to be pasted into a script.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/camera.h"

#include <string>
#include <string_view>

namespace lathe {

class View;

/// "lathe.Camera(target=(0, 0, 0), distance=3, yaw=0.6, pitch=0.4)" and what else is not as it is
/// made: the same floats when they are read again.
LATHE_API std::string to_python(const OrbitCamera& camera);
/// "lathe.PlaneCamera(center=(0, 0), height=2)".
LATHE_API std::string to_python(const PanZoomCamera& camera);
/// "app.view.camera = lathe.Camera(…)", of the camera that the view uses.
LATHE_API std::string camera_line(View& view);
/// "app.view.fit()", or with the name of one thing "app.view.fit("points")".
LATHE_API std::string fit_line(const View& view, std::string_view thing = {});

} // namespace lathe
