// SPDX-License-Identifier: MIT
// Key frames of cameras. The curves themselves are compared with SciPy's in
// tests/python/test_camera_values.py.
#include "engine/scene/camera_path.h"

#include "engine/scene/camera_line.h"

#include <glm/geometric.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace {

using namespace lathe;

OrbitCamera camera_at(float yaw, float distance) {
    OrbitCamera camera;
    camera.yaw = yaw;
    camera.distance = distance;
    return camera;
}

TEST(CameraPath, PassesItsKeysAndStaysAtItsEnds) {
    const CameraPath path{{{1, camera_at(0, 1)}, {2, camera_at(1, 4)}, {4, camera_at(2, 2)}}};
    EXPECT_EQ(path.begin(), 1);
    EXPECT_EQ(path.end(), 4);
    EXPECT_EQ(path.at(-5), camera_at(0, 1));
    EXPECT_EQ(path.at(9), camera_at(2, 2));
    EXPECT_NEAR(path.at(2).yaw, 1, 1e-6);
    EXPECT_NEAR(path.at(2).distance, 4, 1e-5);
    EXPECT_NEAR(path.at(3).yaw, 1.5, 1e-6); // at the same pitch: about the up axis, nearly
    for (int i = 0; i <= 300; ++i) EXPECT_LE(path.at(1 + i / 100.0).distance, 4.0001f);
    EXPECT_EQ(CameraPath({{3, camera_at(1, 2)}}).at(0), camera_at(1, 2));
}

TEST(CameraPath, ATurntableIsACircleAtOneSpeed) {
    for (const UpAxis up : {UpAxis::y, UpAxis::z}) {
        OrbitCamera camera = camera_at(0.3f, 5);
        camera.up = up;
        camera.pitch = 0.7f;
        const CameraPath path = CameraPath::turntable(camera, 10);
        for (int i = 0; i <= 40; ++i) {
            OrbitCamera expected = camera;
            expected.yaw += float(i) / 40 * 6.2831853f;
            EXPECT_NEAR(glm::length(path.at(i / 4.0).eye() - expected.eye()), 0, 1e-4) << i;
        }
    }
}

TEST(CameraPath, RefusesWhatIsNone) {
    EXPECT_THROW(CameraPath{{}}, std::invalid_argument);
    EXPECT_THROW((CameraPath{{{1, {}}, {1, {}}}}), std::invalid_argument);
    EXPECT_THROW((CameraPath{{{1, camera_at(0, 0)}}}), std::invalid_argument);
    EXPECT_THROW((void)CameraPath::turntable({}, 0), std::invalid_argument);
}

TEST(CameraLine, SaysWhatIsNotAsMade) {
    OrbitCamera camera;
    camera.distance = 0.1f;
    camera.target = {1, -2.5, 1e-5};
    EXPECT_EQ(to_python(camera),
              "lathe.Camera(target=(1, -2.5, 1e-05), distance=0.1, yaw=0.6, pitch=0.4)");
    camera.roll = 0.25f;
    camera.field_of_view = 1;
    camera.orthographic = true;
    camera.up = UpAxis::z;
    EXPECT_EQ(to_python(camera),
              "lathe.Camera(target=(1, -2.5, 1e-05), distance=0.1, yaw=0.6, pitch=0.4, roll=0.25, "
              "field_of_view=1, orthographic=True, up=\"z\")");
    EXPECT_EQ(to_python(PanZoomCamera{}), "lathe.PlaneCamera(center=(0, 0), height=2)");
}

} // namespace
