// SPDX-License-Identifier: MIT
// Planes, pictures on meshes and shadows from C++. What they look like in all cases is in
// tests/python: test_clipping.py, test_mesh_textures.py and test_lighting.py.
#include "engine/scene/clipping.h"

#include "scene_test.h"

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace {

using namespace lathe;
using namespace lathe::test;

class ClippingTest : public SceneTest {
protected:
    ClippingTest() : SceneTest(120, 80) {}

    /// Two spheres, seen from the side of z.
    ImageData balls() {
        OrbitCamera& camera = app->view().orbit_camera();
        camera.yaw = camera.pitch = 0;
        const gpu::Array places = floats({2, 3}, {-0.6f, 0, 0, 0.6f, 0, 0});
        return shown([&] { app->points(places, {.radius = 0.4f}, {}, "balls"); });
    }
    std::array<bool, 2> are_seen() {
        const ImageData image = balls();
        return {!is_dark(color(image, 39, 40)), !is_dark(color(image, 80, 40))};
    }
};

TEST_F(ClippingTest, PlanesCutMovePauseAndGo) {
    using Seen = std::array<bool, 2>;
    View& view = app->view();
    EXPECT_EQ(are_seen(), (Seen{true, true}));
    view.clip({0, 0, 0}, {-5, 0, 0});
    EXPECT_EQ(are_seen(), (Seen{true, false}));
    EXPECT_FALSE(view.pick({80, 40}).has_value());
    EXPECT_EQ(view.pick({39, 40})->index[0], 0);
    view.clip({0, 0, 0}, {1, 0, 0}); // the same plane
    EXPECT_EQ(are_seen(), (Seen{false, true}));
    view.settings("balls").is_clipped = false;
    EXPECT_EQ(are_seen(), (Seen{true, true}));
    view.settings("balls").is_clipped = true;
    ClipPlane plane = *view.clipping().find("clip");
    plane.is_active = false;
    view.clipping().set("clip", plane);
    EXPECT_EQ(are_seen(), (Seen{true, true}));
    view.clip({0, 0, 0}, {1, 0, 0});
    view.clip({0, 0, 0}, {-1, 0, 0}, "other");
    EXPECT_EQ(are_seen(), (Seen{false, false}));
    EXPECT_TRUE(view.clipping().remove("clip"));
    EXPECT_FALSE(view.clipping().remove("clip"));
    EXPECT_EQ(are_seen(), (Seen{true, false}));
}

TEST_F(ClippingTest, WhatIsNoPlaneOrLightIsNamed) {
    View& view = app->view();
    EXPECT_THROW(view.clip({0, 0, 0}, {0, 0, 0}), std::invalid_argument);
    EXPECT_THROW(view.clip({std::numeric_limits<float>::infinity(), 0, 0}, {1, 0, 0}),
                 std::invalid_argument);
    for (int i = 0; i < ClipPlanes::kMost; ++i) view.clip({0, 0, 0}, {1, 0, 0}, std::to_string(i));
    EXPECT_THROW(view.clip({0, 0, 0}, {1, 0, 0}, "one more"), std::invalid_argument);
    EXPECT_THROW(view.set_lighting({.occlusion = -1}), std::invalid_argument);
    EXPECT_EQ(view.lighting(), Lighting{});
}

TEST_F(ClippingTest, AMeshShowsAPicture) {
    OrbitCamera& camera = app->view().orbit_camera();
    camera.yaw = camera.pitch = 0;
    const gpu::Array corners = floats({4, 3}, {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0}),
                     picture = floats({1, 2, 3}, {1, 0, 0, 0, 0, 1}),
                     places = floats({4, 2}, {0, 0, 1, 0, 1, 1, 0, 1}),
                     few = floats({3, 2}, {0, 0, 1, 0, 1, 1});
    const gpu::Array halves = app->array<int>({2, 3}, std::vector<int>{0, 1, 2, 0, 2, 3});
    const ImageData image = shown([&] {
        app->view().mesh(corners, halves, {.texture_is_linear = false},
                         {.texture = &picture, .texcoords = &places});
        EXPECT_THROW(app->view().mesh(corners, halves, {}, {.texture = &picture}), gpu::ShapeError);
        EXPECT_THROW(
            app->view().mesh(corners, halves, {}, {.texture = &picture, .texcoords = &few}),
            gpu::ShapeError);
    });
    const auto left = color(image, 50, 40), right = color(image, 70, 40);
    EXPECT_GT(left[0], 200);
    EXPECT_LT(left[2], 5);
    EXPECT_GT(right[2], 200);
    EXPECT_EQ(app->view().pick({70, 40})->value, (std::vector<double>{0, 0, 1}));
}

TEST_F(ClippingTest, AGroundIsBelowAndHasAShadow) {
    app->view().set_lighting({.ground = 1});
    OrbitCamera& camera = app->view().orbit_camera();
    (void)balls();
    camera.pitch = 0.5f;
    const gpu::Array places = floats({1, 3}, {0, 0, 0});
    const auto draw = [&] { app->points(places, {.radius = 0.4f}); };
    (void)shown(draw);
    const ImageData image = shown(draw);
    const auto at = [&](const glm::vec3& place) {
        const DrawView look = app->view().look();
        const glm::vec4 clip = look.projection * (look.view * glm::vec4{place, 1});
        return color(image, int(60 + 60 * clip.x / clip.w), int(40 - 40 * clip.y / clip.w))[0];
    };
    EXPECT_LT(at({0.2f, -0.4f, 0.25f}), at({0.75f, -0.4f, 0.25f}));
}

} // namespace
