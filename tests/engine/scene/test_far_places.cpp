// SPDX-License-Identifier: MIT
// Positions of float64 far from the world's origin look, and are picked, as near it.
#include "scene_test.h"

#include "engine/scene/camera_line.h"
#include "gpu/array/elementwise.h"

#include <glm/geometric.hpp>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

namespace lathe {
namespace {

const glm::dvec3 kFar{1e7, -2e7, 3e7};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class FarPlacesTest : public test::SceneTest {
protected:
    FarPlacesTest() : SceneTest{160, 120} {}

    /// Rows of `components` numbers, the first three of each moved.
    gpu::Array places(std::vector<double> values, int components, const glm::dvec3& shift) {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (const int k = int(i) % components; k < 3) values[i] += shift[k];
        return app->array<double>({std::int64_t(values.size()) / components, components},
                                  std::span{values});
    }
    void look_at(const glm::dvec3& target) {
        OrbitCamera& camera = app->view().orbit_camera();
        camera = OrbitCamera{};
        camera.target = target;
        camera.distance = 0.02f;
        camera.may_be_placed = false;
    }
    /// Of every kind, a few millimetres large.
    void draw(const glm::dvec3& at) {
        View& view = app->view();
        view.points(places({0.004, 0.001, 0, -0.004, 0.001, 0.001}, 3, at),
                    {.color = {1, 0.3f, 0.2f, 1}, .radius = 0.001f}, {}, "balls");
        view.points(places({0.002, 0.004, 0, 0.003, 0.0045, 0}, 3, at),
                    {.size = 4, .color = {1, 1, 1, 1}, .blend = Blend::opaque});
        view.lines(places({-0.006, -0.004, 0, 0.006, -0.003, 0.002}, 3, at), {.width = 3}, {},
                   "line");
        view.tubes(places({-0.005, 0.004, 0, 0.001, 0.003, 0, 0.001, 0, 0.002}, 3, at),
                   {.radius = 0.0004f});
        view.arrows(places({0, -0.002, 0}, 3, at), floats({1, 3}, {0.003f, 0.001f, 0.001f}), {});
        const gpu::Array corners =
            places({-0.002, -0.002, 0, 0.001, -0.002, 0.001, -0.001, 0.001, 0}, 3, at);
        view.mesh(corners, triangle(), {.color = {0.2f, 0.7f, 0.3f, 1}}, {}, "face");
        view.instances(floats({3, 3}, {0, 0, 0, 0.001f, 0, 0, 0, 0.001f, 0}), triangle(),
                       places({0.005, -0.002, 0, 0.0055, -0.001, 0.001}, 3, at), {}, {}, "many");
        view.image(checks(),
                   {at + glm::dvec3{-0.007, -0.005, -0.003}, {0.004f, 0, 0}, {0, 0.003f, 0}});
        view.volume(block(),
                    {.mode = VolumeMode::surface,
                     .box = Box{at + glm::dvec3{0.002, -0.006, -0.004},
                                at + glm::dvec3{0.004, -0.004, -0.002}}},
                    "block");
        view.text("here", at + glm::dvec3{0.003, 0.006, 0});
    }
    gpu::Array triangle() {
        const std::vector<std::int32_t> corners{0, 1, 2};
        return app->array<std::int32_t>({1, 3}, std::span{corners});
    }
    gpu::Array checks() { return floats({2, 2}, {0, 1, 1, 0.3f}); }
    /// A kernel of ones in zeros.
    gpu::Array block() {
        std::vector<float> values(64, 0.0f);
        for (const std::size_t i : {21u, 22u, 25u, 26u, 37u, 38u, 41u, 42u}) values[i] = 1;
        return floats({4, 4, 4}, values);
    }

    /// Edges may fall on the other side of a pixel's middle: float32 rounds places within
    /// millimetres at 1e-10, which is a ten thousandth of a pixel.
    static void expect_equal(const ImageData& a, const ImageData& b) {
        ASSERT_EQ(a.bytes.size(), b.bytes.size());
        int others = 0, bright = 0;
        for (std::size_t i = 0; i < a.bytes.size(); ++i) {
            others += std::abs(int(a.bytes[i]) - int(b.bytes[i])) > 2;
            bright += int(a.bytes[i]) > 60;
        }
        EXPECT_LE(others, int(a.bytes.size()) / 2000);
        EXPECT_GT(bright, int(a.bytes.size()) / 40) << "something is seen";
    }
};

TEST_F(FarPlacesTest, ASceneLooksAsAtTheOrigin) {
    app->view().set_lighting({.occlusion = 0.6f, .ground = 0.5f});
    const auto picture = [&](const glm::dvec3& at) {
        look_at(at);
        return shown([&] { draw(at); });
    };
    expect_equal(picture({0, 0, 0}), picture(kFar));
    const auto cut = [&](const glm::dvec3& at) {
        app->view().clip(at + glm::dvec3{0.0003, 0, 0}, {1, 0.2f, 0});
        return picture(at);
    };
    expect_equal(cut({0, 0, 0}), cut(kFar));
}

TEST_F(FarPlacesTest, SplatsLookAsAtTheOrigin) {
    std::mt19937 random{1};
    std::normal_distribution<double> normal{0, 0.002};
    std::vector<double> cloud(90'000);
    for (double& each : cloud) each = normal(random);
    const auto picture = [&](const glm::dvec3& at) {
        look_at(at);
        const ImageData image = shown([&] {
            app->view().points(places(cloud, 3, at), {.color = {1, 1, 1, 1}, .radius = 2e-4f});
        });
        EXPECT_TRUE(app->view().things()[0].by_kernels);
        return image;
    };
    expect_equal(picture({0, 0, 0}), picture(kFar));
}

TEST_F(FarPlacesTest, PicksAndSelectionsAndBoundsCountInTheWorld) {
    View& view = app->view();
    std::vector<glm::dvec3> found;
    for (const glm::dvec3& at : {glm::dvec3{0, 0, 0}, kFar}) {
        look_at(at);
        view.orbit_camera().yaw = view.orbit_camera().pitch = 0;
        (void)shown([&] { draw(at); });
        const double pixels = 60 / (std::tan(0.4) * 0.02); // of a unit: 120 are the height
        const auto pixel = [&](double x, double y) {
            return glm::vec2{80 + x * pixels, 60 - y * pixels};
        };
        for (const auto& [x, y, item] :
             {std::tuple{0.004, 0.001, "balls"}, std::tuple{-0.0006, -0.001, "face"},
              std::tuple{0.0, -0.0035, "line"}, std::tuple{0.0052, -0.0017, "many"},
              std::tuple{0.0026, -0.00435, "block"}}) {
            const std::optional<Picked> picked = view.pick(pixel(x, y));
            ASSERT_TRUE(picked) << item;
            EXPECT_EQ(picked->item, item);
            found.push_back(picked->position - at);
        }
        const std::vector<Selected> selected = view.select(pixel(0.003, 0.002), pixel(0.005, 0));
        ASSERT_EQ(selected.size(), 1u);
        EXPECT_EQ(selected[0].item, "balls");
        const std::optional<Box> ball = view.bounds("balls");
        ASSERT_TRUE(ball);
        EXPECT_LT(glm::length(ball->low - at - glm::dvec3{-0.005, 0, -0.001}), 1e-8);
        EXPECT_LT(glm::length(ball->high - at - glm::dvec3{0.005, 0.002, 0.002}), 1e-8);
    }
    for (std::size_t i = 0; i < 5; ++i) // the last two have the digits of their depth
        EXPECT_LT(glm::length(found[i] - found[i + 5]), i < 3 ? 1e-7 : 5e-6) << i;
    const glm::dvec3 ball{0.004, 0.001, 0}, eye{0, 0, 0.02};
    EXPECT_LT(glm::length(found[0] - ball - 0.001 * glm::normalize(eye - ball)), 1e-7);
}

TEST_F(FarPlacesTest, ACameraFindsThemByItself) {
    View& view = app->view();
    (void)shown([&] {
        view.lines(places({0, 0, 0, 0.003, 0.001, 0.002}, 3, kFar));
        view.points(places({kNan, kNan, kNan, 0.001, 0.002, 0}, 3, kFar));
    });
    const OrbitCamera& camera = view.orbit_camera();
    EXPECT_LT(glm::length(camera.target - kFar - glm::dvec3{0.0015, 0.001, 0.001}), 1e-8);
    EXPECT_LT(camera.distance, 0.02f);
    EXPECT_GT(camera.distance, 0.001f);
}

TEST_F(FarPlacesTest, ThingsOfBothKindsShareASpace) {
    View& view = app->view();
    const glm::dvec3 at{256, 0, 0}; // far enough for an origin, near enough for float32
    look_at(at);
    view.orbit_camera().distance = 3;
    const auto picture = [&](const gpu::Array& dot) {
        return shown([&] { view.points(dot, {.color = {1, 1, 1, 1}, .radius = 1.0f}); });
    };
    const gpu::Array dot = floats({1, 3}, {float(at.x), 0.25f, 0});
    expect_equal(picture(dot), picture(places({0, 0.25, 0}, 3, at)));
}

TEST_F(FarPlacesTest, APlaneHasDetailsAtABillion) {
    View& view = app->view();
    std::vector<ImageData> pictures;
    for (const glm::dvec3& at : {glm::dvec3{0, 0, 0}, glm::dvec3{1e9, -1e9, 0}}) {
        const gpu::Array dots = places({0, 0, 0.001, 0.002, -0.003, 0.001, 0.004, -0.002}, 2, at);
        const auto draw = [&] {
            view.points(dots, {.size = 24, .color = {1, 1, 1, 1}, .blend = Blend::opaque}, {},
                        "dots");
            view.lines(dots, {.width = 2});
        };
        view.pan_zoom_camera() = PanZoomCamera{};
        (void)shown(draw);
        EXPECT_TRUE(view.fit());
        EXPECT_NEAR(view.pan_zoom_camera().center.x - at.x, 0.0005, 2e-6);
        EXPECT_NEAR(view.pan_zoom_camera().center.y - at.y, 0, 2e-6);
        view.pan_zoom_camera().center = glm::dvec2{at};
        view.pan_zoom_camera().height = 0.008f;
        pictures.push_back(shown(draw));
        const std::optional<Picked> picked = view.pick({80 + 0.001 * 15000, 60 - 0.002 * 15000});
        ASSERT_TRUE(picked);
        EXPECT_EQ(picked->index, std::vector<std::int64_t>{1});
        EXPECT_NEAR(picked->position.x - at.x, 0.001, 1e-6);
        EXPECT_NEAR(picked->position.y - at.y, 0.002, 1e-6);
    }
    expect_equal(pictures[0], pictures[1]);
    EXPECT_EQ(to_python(view.pan_zoom_camera()),
              "lathe.PlaneCamera(center=(1000000000, -1000000000), height=0.008)");
    view.pan_zoom_camera().center.x += 0.0015;
    EXPECT_EQ(to_python(view.pan_zoom_camera()),
              "lathe.PlaneCamera(center=(1000000000.0015, -1000000000), height=0.008)");
}

TEST_F(FarPlacesTest, ACameraMayGoElsewhereWithoutAStep) {
    View& view = app->view();
    const auto frame = [&](bool with_step, const gpu::Array& dots) {
        EXPECT_TRUE(app->begin_frame());
        if (with_step) {
            app->begin_step();
            view.points(dots, {.color = {1, 1, 1, 1}, .radius = 0.003f});
            view.lines(dots, {.width = 2});
        }
        app->end_frame();
        return app->screenshot();
    };
    // Twice the same, ten million apart.
    const gpu::Array dots =
        places({0, 0, 0, 0.003, 0.005, 0.001, 1e7, 0, 0, 1e7 + 0.003, 0.005, 0.001, 1e7, 0.001, 0},
               3, kFar);
    look_at(kFar);
    const ImageData here = frame(true, dots);
    look_at(kFar + glm::dvec3{1e7, 0, 0});
    const ImageData there = frame(false, dots);
    expect_equal(there, frame(true, dots));
    look_at(kFar);
    expect_equal(here, frame(false, dots));
}

TEST_F(FarPlacesTest, OtherArraysAreTakenToo) {
    View& view = app->view();
    const gpu::Array wide = places({0.001, 0.001, 0, 7, 0.003, 0.002, 0.001, 7}, 4, {});
    gpu::Array moved = gpu::Array::empty(DType::float64, {2, 4});
    gpu::assign(moved, wide);
    const gpu::Array part = moved.view(moved.type(), {{2, 3}, {32, 8}}); // strided
    look_at({0, 0, 0});
    (void)shown([&] { view.points(part, {.color = {1, 1, 1, 1}, .radius = 0.001f}, {}, "part"); });
    const std::optional<Box> box = view.bounds();
    ASSERT_TRUE(box);
    EXPECT_LT(glm::length(box->high - glm::dvec3{0.004, 0.003, 0.002}), 1e-8);
}

} // namespace
} // namespace lathe
