// SPDX-License-Identifier: MIT
// Things: what a view shows, by name.
#include "scene_test.h"

#include "engine/app/input.h"
#include "tests/engine/lambert.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
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
    int compared = 0;
    for (int y = 12; y < 88; y += 3)
        for (int x = 12; x < 88; x += 3) {
            const double nx = ((x + 0.5) / 50 - 1) / 0.9, ny = (1 - (y + 0.5) / 50) / 0.9;
            if (nx * nx + ny * ny > 0.9) continue;
            const std::array n{nx, ny, std::sqrt(1 - nx * nx - ny * ny)};
            EXPECT_NEAR(color(image, x, y)[0], 255 * test::lambert(n), 2) << x << ' ' << y;
            ++compared;
        }
    EXPECT_GT(compared, 300);
}

TEST_F(ThingsTest, TheBoxAroundThemLeavesOutWhatIsNotFinite) {
    View& view = app->view();
    EXPECT_FALSE(view.bounds());
    std::vector<float> places;
    for (int i = 0; i < 3000; ++i) // many warps, blocks and a rest
        places.insert(places.end(), {float(i % 100) - 50, float(i) / 3000, -7});
    places.insert(places.end(), {NAN, 900, 900, 900, INFINITY, 900});
    const gpu::Array cloud = floats({3002, 3}, places), flat = floats({2, 2}, {0, 0, 60, -80});
    (void)shown([&] {
        view.points(cloud, {}, {}, "cloud");
        view.lines(flat, {}, {}, "flat");
    });
    const auto is = [](const std::optional<Box>& box, glm::dvec3 low, glm::dvec3 high) {
        return box && box->low == low && box->high == high;
    };
    EXPECT_TRUE(is(view.bounds("cloud"), {-50, 0, -7}, {49, 2999.0f / 3000, -7}));
    EXPECT_TRUE(is(view.bounds("flat"), {0, -80, 0}, {60, 0, 0}));
    EXPECT_TRUE(is(view.bounds(), {-50, -80, -7}, {60, 2999.0f / 3000, 0}));
    EXPECT_FALSE(view.bounds("no such"));
    const gpu::Array nowhere = floats({1, 3}, {0, NAN, 0});
    (void)shown([&] { view.points(nowhere); });
    EXPECT_FALSE(view.bounds());
    EXPECT_FALSE(view.fit());
    const gpu::Array ball = floats({1, 3}, {1, 2, 3});
    (void)shown([&] { view.points(ball, {.radius = 0.5f}); });
    EXPECT_TRUE(is(view.bounds(), {0.5f, 1.5f, 2.5f}, {1.5f, 2.5f, 3.5f}));
}

TEST_F(ThingsTest, AViewFitsWhatItFirstShowsInSpaceUnlessItsCameraWasMoved) {
    const auto& views = app->views(1, 2);
    views[1]->orbit_camera().distance = 7;
    const gpu::Array two = floats({2, 3}, {1000, 0, 0, 1000, 40, 0});
    const auto draw = [&] {
        for (const auto& view : views)
            view->points(two, {.size = 4, .color = {1, 1, 1, 1}, .blend = Blend::opaque});
    };
    const ImageData image = shown(draw);
    int bright = 0;
    for (int y = 0; y < 100; ++y)
        for (int x = 0; x < 49; ++x) bright += color(image, x, y)[0] > 200;
    EXPECT_GT(bright, 12); // both points are seen
    const OrbitCamera& camera = views[0]->orbit_camera();
    EXPECT_EQ(camera.target, (glm::dvec3{1000, 20, 0}));
    EXPECT_GT(camera.distance, 20);
    EXPECT_EQ(views[1]->orbit_camera().distance, 7);
    views[0]->orbit_camera().distance = 3; // as it was made, but it has looked
    (void)shown(draw);
    EXPECT_EQ(camera.distance, 3);
    EXPECT_TRUE(views[1]->fit("points"));
    EXPECT_EQ(views[1]->orbit_camera().target, camera.target);
}

TEST_F(ThingsTest, APlaneFits) {
    View& view = app->view();
    const gpu::Array flat = floats({2, 2}, {10, 0, 30, 4});
    const auto draw = [&] { view.points(flat); };
    (void)shown(draw);
    EXPECT_EQ(view.pan_zoom_camera().height, 2) << "a plane is shown as it was";
    EXPECT_TRUE(view.fit());
    EXPECT_EQ(view.pan_zoom_camera().center, (glm::dvec2{20, 2}));
    EXPECT_FLOAT_EQ(view.pan_zoom_camera().height, 21); // 5 % wider than 20
}

TEST_F(ThingsTest, APictureFitsWhereItIsDrawnFirst) {
    View& view = app->view();
    const gpu::Array picture = floats({2, 2}, {0, 1, 2, 3});
    (void)shown([&] { view.image(picture, {}, "heat"); });
    const PanZoomCamera made;
    for (const bool by_name : {false, true}) {
        view.pan_zoom_camera().center = {3, 1};
        view.pan_zoom_camera().height = 0.2f;
        EXPECT_TRUE(by_name ? view.fit("heat") : view.fit());
        EXPECT_EQ(view.pan_zoom_camera().center, made.center);
        EXPECT_EQ(view.pan_zoom_camera().height, made.height);
    }
    EXPECT_FALSE(view.fit("no such"));
}

TEST_F(ThingsTest, ArePickedByThePlace) {
    View& view = app->view();
    OrbitCamera& camera = view.orbit_camera();
    camera.yaw = camera.pitch = 0;
    camera.distance = 10;
    const gpu::Array balls = floats({2, 3}, {0, 0, 0, 0, 0, 2}), values = floats({2}, {5, 7});
    (void)shown([&] { view.points(balls, {.radius = 0.5f}, {.values = &values}, "balls"); });
    const auto picked = view.pick({50, 50});
    ASSERT_TRUE(picked);
    EXPECT_EQ(picked->item, "balls");
    EXPECT_EQ(picked->kind, "points");
    EXPECT_EQ(picked->index, std::vector<std::int64_t>{1});
    EXPECT_EQ(picked->value, std::vector<double>{7});
    EXPECT_NEAR(picked->position.z, 2.5f, 1e-4f);
    EXPECT_FALSE(view.pick({5, 5}));
    app->window().inject(MoveEvent{{50, 50}});
    (void)shown([&] { view.points(balls, {.radius = 0.5f}, {.values = &values}); });
    ASSERT_TRUE(app->picked());
    EXPECT_EQ(app->picked()->item, "points");
}

} // namespace
} // namespace lathe
