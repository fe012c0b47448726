// SPDX-License-Identifier: MIT
// Cameras against geometry worked out here, without their matrices' code.
#include "engine/scene/camera.h"

#include "engine/app/camera_drag.h"
#include "engine/app/input.h"

#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <glm/vec4.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace {

using namespace lathe;

constexpr Viewport kView{{100, 50}, {800, 400}};

glm::vec3 clip(const glm::mat4& m, glm::vec3 p) {
    const glm::vec4 c = m * glm::vec4{p, 1};
    return glm::vec3{c} / c.w;
}

void expect_near(glm::vec3 a, glm::vec3 b, float tolerance = 1e-4f) {
    EXPECT_NEAR(a.x, b.x, tolerance);
    EXPECT_NEAR(a.y, b.y, tolerance);
    EXPECT_NEAR(a.z, b.z, tolerance);
}

/// A pinhole camera in double precision: where p lies on the picture, -1…1.
std::array<double, 2> pinhole(const OrbitCamera& c, double aspect, std::array<double, 3> p) {
    const double sp = std::sin(double(c.pitch)), cp = std::cos(double(c.pitch));
    const double sy = std::sin(double(c.yaw)), cy = std::cos(double(c.yaw));
    std::array<double, 3> out, right, above;
    if (c.up == UpAxis::y) {
        out = {cp * sy, sp, cp * cy};
        right = {cy, 0, -sy};
        above = {-sp * sy, cp, -sp * cy};
    } else {
        out = {cp * cy, cp * sy, sp};
        right = {-sy, cy, 0};
        above = {-sp * cy, -sp * sy, cp};
    }
    double x = 0, y = 0, depth = c.distance;
    for (std::size_t i = 0; i < 3; ++i) {
        const double d = p[i] - double(c.target[int(i)]);
        x += d * right[i];
        y += d * above[i];
        depth -= d * out[i];
    }
    const double t = std::tan(double(c.field_of_view) / 2);
    return {x / (depth * t * aspect), y / (depth * t)};
}

TEST(OrbitCamera, ProjectsLikeAPinhole) {
    for (UpAxis up : {UpAxis::y, UpAxis::z})
        for (float yaw : {-2.0f, 0.3f, 1.7f})
            for (float pitch : {-1.2f, 0.0f, 0.9f}) {
                OrbitCamera camera;
                camera.up = up;
                camera.yaw = yaw;
                camera.pitch = pitch;
                camera.target = {1, -2, 0.5f};
                camera.distance = 7;
                const auto expected = pinhole(camera, 1.6, {1.4, -1.1, 0.2});
                const glm::vec3 got = clip(camera.view_projection(1.6f), {1.4f, -1.1f, 0.2f});
                EXPECT_NEAR(got.x, expected[0], 1e-5);
                EXPECT_NEAR(got.y, expected[1], 1e-5);
                EXPECT_NEAR(glm::length(camera.eye() - camera.target), 7, 1e-5);
            }
}

TEST(OrbitCamera, PlacesOfFloatsAreSeenAsInFloat) {
    std::mt19937 random{3};
    std::uniform_real_distribution<float> some{-50, 50};
    for (int i = 0; i < 1000; ++i) {
        OrbitCamera camera;
        const glm::vec3 target{some(random), some(random), some(random)};
        camera.target = target;
        camera.distance = 51 + some(random);
        camera.yaw = some(random);
        camera.pitch = some(random) / 40;
        const glm::vec3 eye = target + camera.distance * camera.axes()[2];
        const glm::mat4 turned{glm::transpose(camera.axes())};
        EXPECT_EQ(camera.view(), glm::translate(turned, -eye)) << i; // to the bit
    }
}

TEST(OrbitCamera, TargetIsInTheMiddleAndNearerThingsHaveLessDepth) {
    OrbitCamera camera;
    camera.target = {3, 4, 5};
    const glm::mat4 m = camera.view_projection(2);
    const glm::vec3 middle = clip(m, camera.target);
    EXPECT_NEAR(middle.x, 0, 1e-5);
    EXPECT_NEAR(middle.y, 0, 1e-5);
    const glm::vec3 nearer{camera.target + 0.3 * (camera.eye() - camera.target)};
    EXPECT_LT(clip(m, nearer).z, middle.z);
}

TEST(OrbitCamera, PanKeepsTheTargetPlaneUnderTheMouse) {
    OrbitCamera camera;
    const glm::vec3 thing = camera.target;
    const glm::vec2 drag{37, -21};
    camera.pan(drag, kView);
    const glm::vec3 c = clip(camera.view_projection(kView.aspect()), thing);
    EXPECT_NEAR((c.x / 2) * kView.size.x, drag.x, 1e-2);
    EXPECT_NEAR((-c.y / 2) * kView.size.y, drag.y, 1e-2);
}

TEST(OrbitCamera, PitchStopsBeforeThePole) {
    OrbitCamera camera;
    camera.turn({0, 100000}, kView);
    EXPECT_LT(camera.pitch, 1.5708f);
    const glm::vec3 c = clip(camera.view_projection(1), camera.target);
    EXPECT_TRUE(std::isfinite(c.x) && std::isfinite(c.y));
    camera.zoom(1);
    EXPECT_NEAR(camera.distance, 3 / 1.1f, 1e-5);
}

TEST(OrbitCamera, DragTurnsOnlyWhereItBeganInTheViewport) {
    OrbitCamera camera;
    CameraDrag drag;
    InputState input;
    const auto frame = [&](std::initializer_list<InputEvent> events) {
        input.begin_frame();
        for (const InputEvent& e : events) input.handle(e);
        return drag.move(camera, input, kView);
    };
    const float yaw = camera.yaw;
    EXPECT_FALSE(frame({MoveEvent{{10, 10}}, ButtonEvent{}})); // outside
    EXPECT_FALSE(frame({MoveEvent{{400, 200}}}));
    EXPECT_EQ(camera.yaw, yaw);
    frame({ButtonEvent{MouseButton::left, false, 0}});
    EXPECT_FALSE(frame({ButtonEvent{}}));
    EXPECT_TRUE(frame({MoveEvent{{500, 200}}})); // 100 of 400 pixels: an eighth of a turn
    EXPECT_NEAR(camera.yaw, yaw - 3.14159265f / 4, 1e-5);
    EXPECT_TRUE(frame({MoveEvent{{10, 10}}})); // goes on outside
    frame({ButtonEvent{MouseButton::left, false, 0}});
    EXPECT_FALSE(frame({MoveEvent{{500, 200}}}));
    input.mouse_captured = true;
    frame({ButtonEvent{}});
    EXPECT_FALSE(frame({MoveEvent{{600, 200}}}));
    EXPECT_FALSE(frame({WheelEvent{{0, 1}}}));
}

TEST(OrbitCamera, APressRightAfterADragIsANewOne) {
    OrbitCamera camera;
    CameraDrag drag;
    InputState input;
    const auto frame = [&](std::initializer_list<InputEvent> events, bool captured = false) {
        input.begin_frame();
        for (const InputEvent& e : events) input.handle(e);
        input.mouse_captured = captured;
        return drag.move(camera, input, kView);
    };
    frame({MoveEvent{{400, 200}}, ButtonEvent{}});
    EXPECT_TRUE(frame({MoveEvent{{500, 200}}, ButtonEvent{MouseButton::left, false}}));
    frame({ButtonEvent{}}, true);
    EXPECT_FALSE(frame({MoveEvent{{400, 200}}})) << "a panel has this press";
}

TEST(OrbitCamera, ADragWithinOneFrameTurnsByItsOwnWay) {
    OrbitCamera camera;
    CameraDrag drag;
    InputState input;
    const float yaw = camera.yaw;
    const glm::dvec3 target = camera.target;
    input.begin_frame();
    for (const InputEvent& e : std::initializer_list<InputEvent>{
             MoveEvent{{120, 60}}, MoveEvent{{400, 200}}, ButtonEvent{}, MoveEvent{{500, 200}},
             ButtonEvent{MouseButton::left, false, 0}, MoveEvent{{10, 10}}})
        input.handle(e);
    EXPECT_TRUE(drag.move(camera, input, kView));
    EXPECT_NEAR(camera.yaw, yaw - 3.14159265f / 4, 1e-5);
    EXPECT_EQ(camera.target, target);
    input.begin_frame();
    input.handle(MoveEvent{{500, 200}});
    EXPECT_FALSE(drag.move(camera, input, kView));
}

TEST(OrbitCamera, RollTurnsThePictureClockwise) {
    OrbitCamera camera;
    const glm::vec3 place = glm::vec3{camera.target} + 0.2f * camera.axes()[1]; // above the middle
    camera.roll = 0.5f;
    const glm::vec3 got = clip(camera.view_projection(1), place);
    const double long_way = 0.2 / (3 * std::tan(0.4));
    EXPECT_NEAR(got.x, long_way * std::sin(0.5), 1e-5);
    EXPECT_NEAR(got.y, long_way * std::cos(0.5), 1e-5);
}

TEST(OrbitCamera, OrthographicRaysAreParallel) {
    OrbitCamera camera;
    camera.orthographic = true;
    camera.target = {1, 2, 3};
    const glm::mat3 axes = camera.axes();
    const double half = 3 * std::tan(0.4);
    EXPECT_NEAR(camera.height(), 2 * half, 1e-5);
    for (const float deep : {-250.0f, -2.0f, 0.0f, 5.0f, 250.0f}) { // also behind the eye
        const glm::vec3 place = glm::vec3{camera.target} + axes * glm::vec3{0.5f, -0.25f, deep};
        const glm::vec3 got = clip(camera.view_projection(1.6f), place);
        EXPECT_NEAR(got.x, 0.5 / (1.6 * half), 1e-4);
        EXPECT_NEAR(got.y, -0.25 / half, 1e-4);
        EXPECT_NEAR(got.z, -deep / 300, 1e-5);
    }
}

TEST(OrbitCamera, AxesSayYawPitchAndRoll) {
    for (const UpAxis up : {UpAxis::y, UpAxis::z})
        for (const float pitch : {-1.5707963f, -1.0f, 0.0f, 1.5f, 1.5707963f})
            for (const float roll : {-3.0f, 0.0f, 1.2f}) {
                OrbitCamera camera, other;
                camera.up = other.up = up;
                camera.yaw = 2.5f;
                camera.pitch = pitch;
                camera.roll = roll;
                other.set_axes(camera.axes());
                for (int i = 0; i < 3; ++i) expect_near(other.axes()[i], camera.axes()[i], 1e-5f);
                if (std::abs(pitch) < 1.51f)
                    expect_near({other.yaw, other.pitch, other.roll}, {2.5f, pitch, roll}, 1e-5f);
            }
}

TEST(OrbitCamera, ATrackballTurnsOverThePoles) {
    OrbitCamera camera;
    const glm::mat3 before = camera.axes();
    for (int i = 1; i <= 16; ++i) { // an eighth of a turn each
        camera.turn_freely({0, 100}, kView);
        const float angle = float(i) * 3.14159265f / 4;
        expect_near(camera.axes()[0], before[0], 1e-5f);
        expect_near(camera.axes()[2], std::cos(angle) * before[2] + std::sin(angle) * before[1],
                    1e-5f);
    }
    camera.turn_freely({100, 0}, kView);
    expect_near(camera.axes()[1], before[1], 1e-5f);
    EXPECT_NEAR(glm::dot(camera.axes()[2], before[0]), -std::sqrt(0.5), 1e-5);
}

TEST(OrbitCamera, ATurnFollowsTheMouseThoughThePictureIsTilted) {
    OrbitCamera level, tilted;
    tilted.roll = 3.14159265f / 2; // clockwise: what was right is below
    level.turn({100, 0}, kView);
    tilted.turn({0, 100}, kView);
    EXPECT_NEAR(tilted.yaw, level.yaw, 1e-5);
    EXPECT_NEAR(tilted.pitch, level.pitch, 1e-5);
}

TEST(OrbitCamera, AFlightGoesWhereItLooks) {
    OrbitCamera camera;
    CameraDrag drag;
    InputState input;
    const auto frame = [&](std::initializer_list<InputEvent> events, double seconds) {
        input.begin_frame();
        for (const InputEvent& e : events) input.handle(e);
        return drag.move(camera, input, kView, {Steering::fly, seconds});
    };
    const glm::vec3 eye = camera.eye();
    EXPECT_FALSE(frame({KeyEvent{.key = Key::w}}, 0.1)); // the mouse is elsewhere
    EXPECT_TRUE(frame({MoveEvent{{400, 200}}}, 0.1));
    expect_near(camera.eye(), eye - 0.3f * camera.axes()[2]); // of 3 a second
    EXPECT_TRUE(frame({KeyEvent{.key = Key::d}, KeyEvent{.key = Key::w, .down = false}}, 10));
    expect_near(camera.eye(), eye - 0.3f * camera.axes()[2] + 0.3f * camera.axes()[0]);
    frame({KeyEvent{.key = Key::d, .down = false}}, 0.1);
    const glm::vec3 here = camera.eye(), ahead = -camera.axes()[2];
    EXPECT_TRUE(frame({ButtonEvent{}, MoveEvent{{500, 200}}}, 0.1));
    expect_near(camera.eye(), here);
    EXPECT_GT(glm::dot(-camera.axes()[2], glm::cross(ahead, glm::vec3{0, 1, 0})), 0); // right
    EXPECT_TRUE(frame({WheelEvent{{0, -1}}}, 0.1));
    expect_near(camera.eye(), here);
    EXPECT_NEAR(camera.distance, 3.3, 1e-5);
    input.keyboard_captured = true;
    EXPECT_FALSE(frame({KeyEvent{.key = Key::w}}, 0.1));
    input.keyboard_captured = false;
    EXPECT_FALSE(frame({KeyEvent{.key = Key::left_control, .modifiers = kControl}}, 0.1));
}

TEST(PanZoomCamera, TheScreenFindsThePlane) {
    PanZoomCamera camera;
    camera.center = {5, -3};
    camera.height = 8;
    // 400 pixels show 8 units; the viewport's middle is (500, 250).
    const glm::vec2 p = camera.to_plane({550, 200}, kView);
    EXPECT_NEAR(p.x, 6, 1e-5);
    EXPECT_NEAR(p.y, -2, 1e-5);
    expect_near(clip(camera.view_projection(2), {p, 0}), {0.125f, 0.25f, 0});
}

TEST(PanZoomCamera, DepthFollowsTheMagnification) {
    PanZoomCamera camera;
    for (float height : {1e-3f, 2.0f, 1e6f}) { // what is as deep as the view is high is seen
        camera.height = height;
        const float before = clip(camera.view_projection(1), {0, 0, height}).z;
        const float behind = clip(camera.view_projection(1), {0, 0, -height}).z;
        EXPECT_GT(before, -1);
        EXPECT_LT(before, 0); // nearer
        EXPECT_NEAR(behind, -before, 1e-6);
    }
}

TEST(PanZoomCamera, ZoomKeepsThePointUnderTheCursor) {
    PanZoomCamera camera;
    const glm::vec2 cursor{700, 100};
    const glm::vec2 before = camera.to_plane(cursor, kView);
    camera.zoom(5, cursor, kView);
    const glm::vec2 after = camera.to_plane(cursor, kView);
    EXPECT_NEAR(camera.height, 2 / std::pow(1.1, 5), 1e-5);
    EXPECT_NEAR(before.x, after.x, 1e-5);
    EXPECT_NEAR(before.y, after.y, 1e-5);
}

TEST(PanZoomCamera, DragMovesThePlaneWithTheMouse) {
    PanZoomCamera camera;
    const glm::vec2 before = camera.to_plane({300, 200}, kView);
    camera.pan({40, 30}, kView);
    const glm::vec2 after = camera.to_plane({340, 230}, kView);
    EXPECT_NEAR(before.x, after.x, 1e-5);
    EXPECT_NEAR(before.y, after.y, 1e-5);
}

TEST(OrbitCamera, FitsABallIntoTheNarrowerSide) {
    int rounds = 0;
    for (const float aspect : {0.5f, 1.0f, 2.0f, 0.5f, 2.0f}) {
        OrbitCamera camera;
        camera.orthographic = rounds++ > 2;
        camera.fit({5, 6, 7}, 2, aspect);
        EXPECT_EQ(camera.target, (glm::dvec3{5, 6, 7}));
        const glm::mat4 view = camera.view(), projection = camera.projection(aspect);
        // The farthest places of the ball's outline stay within, and one of them is near the edge.
        float widest = 0;
        for (int i = 0; i < 720; ++i) {
            const float turn = float(i) * 3.14159265f / 360;
            for (int j = -40; j <= 40; ++j) {
                const float depth = float(j) / 40, side = std::sqrt(1 - depth * depth);
                const glm::vec4 at =
                    view * glm::vec4{camera.target, 1} +
                    2.0f * glm::vec4{side * std::cos(turn), side * std::sin(turn), depth, 0};
                const glm::vec4 clip = projection * at;
                widest = std::max({widest, std::abs(clip.x / clip.w), std::abs(clip.y / clip.w)});
            }
        }
        EXPECT_LT(widest, 1);
        EXPECT_GT(widest, 0.9f);
    }
}

} // namespace
