// SPDX-License-Identifier: MIT
// Things: what a view shows, by name.
#include "scene_test.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace lathe {
namespace {

class ThingsTest : public test::SceneTest {
protected:
    ThingsTest() : SceneTest{100, 100} {}
};

TEST_F(ThingsTest, AreListedHiddenAndRestyled) {
    View& view = app->view();
    const gpu::Array place = floats({1, 2}, {0, 0});
    const auto draw = [&] {
        view.points(place, {.size = 20, .color = {1, 1, 1, 1}, .blend = Blend::opaque}, {}, "dot");
    };
    EXPECT_EQ(color(shown(draw), 50, 50), (std::array{255, 255, 255}));
    const std::vector<Thing> things = view.things();
    ASSERT_EQ(things.size(), 1u);
    EXPECT_EQ(things[0].name, "dot");
    EXPECT_EQ(things[0].kind, "points");
    EXPECT_EQ(things[0].count, 1u);
    view.settings("dot").color = glm::vec4{0, 1, 0, 1};
    view.settings("dot").size = 40.0f;
    const ImageData green = shown(draw);
    EXPECT_EQ(color(green, 50, 50), (std::array{0, 255, 0}));
    EXPECT_EQ(color(green, 67, 50), (std::array{0, 255, 0}));
    view.settings("dot").is_shown = false;
    EXPECT_TRUE(is_dark(color(shown(draw), 50, 50)));
    view.settings("dot") = {};
    EXPECT_EQ(color(shown(draw), 50, 50), (std::array{255, 255, 255}));
}

TEST_F(ThingsTest, WhatIsSolidIsDrawnBeforeWhatIsBlendedOverIt) {
    View& view = app->view();
    OrbitCamera& camera = view.orbit_camera();
    camera.yaw = camera.pitch = 0; // the eye is at z = 3
    const gpu::Array ball = floats({1, 3}, {0, 0, 0});
    const gpu::Array before = floats({2, 3}, {-1, 0, 1, 1, 0, 1});
    const gpu::Array behind = floats({2, 3}, {-1, 0, -1, 1, 0, -1});
    const auto seen = [&](const gpu::Array& line) {
        return color(shown([&] {
                         view.lines(line, {.color = {1, 0, 0, 1}, .width = 6}); // listed first
                         view.points(ball, {.color = {0, 0, 1, 1}, .radius = 0.5f});
                     }),
                     50, 50);
    };
    EXPECT_EQ(seen(before), (std::array{255, 0, 0}));
    EXPECT_LT(seen(behind)[0], 10);
    EXPECT_GT(seen(behind)[2], 150);
}

TEST_F(ThingsTest, SpheresAreLitAsLambertSays) {
    View& view = app->view();
    OrbitCamera& camera = view.orbit_camera();
    camera.yaw = camera.pitch = 0;
    camera.distance = 1000;
    camera.field_of_view = 2 * std::atan(1.0f / 1000); // from -1 to 1, nearly parallel rays
    const gpu::Array ball = floats({1, 3}, {0, 0, 0});
    const ImageData image =
        shown([&] { view.points(ball, {.color = {1, 1, 1, 1}, .radius = 0.9f}); });
    // shaders/light.glsl, in other words: two lights and a sky, adding up linearly.
    const auto unit = [](std::array<double, 3> v) {
        const double length = std::hypot(v[0], v[1], v[2]);
        return std::array{v[0] / length, v[1] / length, v[2] / length};
    };
    const auto dot = [](const auto& a, const auto& b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    };
    const auto key = unit({-0.45, 0.55, 0.9}), fill = unit({0.8, -0.1, 0.5});
    int compared = 0;
    for (int y = 12; y < 88; y += 3)
        for (int x = 12; x < 88; x += 3) {
            const double nx = ((x + 0.5) / 50 - 1) / 0.9, ny = (1 - (y + 0.5) / 50) / 0.9;
            if (nx * nx + ny * ny > 0.9) continue;
            const std::array n{nx, ny, std::sqrt(1 - nx * nx - ny * ny)};
            const double light = 0.86 * std::max(dot(n, key), 0.0) +
                                 0.12 * std::max(dot(n, fill), 0.0) + 0.096 + 0.064 * ny;
            EXPECT_NEAR(color(image, x, y)[0], 255 * std::pow(std::min(light, 1.0), 1 / 2.2), 2)
                << x << ' ' << y;
            ++compared;
        }
    EXPECT_GT(compared, 300);
}

} // namespace
} // namespace lathe
