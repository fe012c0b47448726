// SPDX-License-Identifier: MIT
// Volumes: what rays see of an array of three axes.
#include "scene_test.h"

#include "gpu/array/elementwise.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

namespace lathe {
namespace {

constexpr int kSide = 120; // pixels of the picture

class VolumesTest : public test::SceneTest {
protected:
    VolumesTest() : SceneTest{kSide, kSide} {}
    void SetUp() override {
        SceneTest::SetUp();
        if (!IsSkipped()) look_along_z();
    }
    /// From far away: -1.2 to 1.2 in x and y, nearly parallel rays.
    void look_along_z() {
        OrbitCamera& camera = app->view().orbit_camera();
        camera.yaw = camera.pitch = 0;
        camera.distance = 1000;
        camera.field_of_view = 2 * std::atan(1.2f / 1000);
    }
    ImageData volume(const gpu::Array& array, const VolumeStyle& style) {
        return shown([&] { app->view().volume(array, style); });
    }
    /// Red of the pixel at world (x, y).
    static int at(const ImageData& image, double x, double y) {
        return color(image, int(std::floor((x / 1.2 + 1) / 2 * kSide)),
                     int(std::floor((1 - y / 1.2) / 2 * kSide)))[0];
    }
    gpu::Array filled(const gpu::Extents& shape, double value) {
        gpu::Array array = app->array<float>(shape);
        gpu::assign(array, gpu::make_scalar(DType::float32, value));
        return array;
    }
    /// 1 minus the distance to the middle of a cube from -1 to 1.
    gpu::Array ball(int side) {
        std::vector<float> values;
        const auto middle = [&](int i) { return float(2 * i + 1) / float(side) - 1; };
        for (int z = 0; z < side; ++z)
            for (int y = 0; y < side; ++y)
                for (int x = 0; x < side; ++x)
                    values.push_back(1 - std::hypot(middle(x), middle(y), middle(z)));
        return floats({side, side, side}, values);
    }
};

// A voxel's middle is that of a pixel and the place of a step, and what is blended is no greater.
TEST_F(VolumesTest, TheGreatestOfEachColumn) {
    constexpr int kDeep = 7, kHigh = 8, kWide = 20;
    std::vector<float> values;
    std::uint32_t random = 1;
    for (int i = 0; i < kDeep * kHigh * kWide; ++i)
        values.push_back(0.1f + 0.9f * float((random = random * 1664525 + 1013904223) >> 8) /
                                    float(1 << 24));
    const ImageData image = volume(floats({kDeep, kHigh, kWide}, values), {.colormap = "gray"});
    const double cell = 2.0 / kWide; // the longest side is that of x
    for (int y = 0; y < kHigh; ++y)
        for (int x = 0; x < kWide; ++x) {
            float most = 0;
            for (int z = 0; z < kDeep; ++z)
                most = std::max(most, values[std::size_t((z * kHigh + y) * kWide + x)]);
            const int seen = at(image, (x + 0.5) * cell - 1, (y + 0.5) * cell - kHigh * cell / 2);
            EXPECT_NEAR(seen, 255 * most, 1.5) << x << ' ' << y;
        }
}

// Between rays that lie two pixels apart, most pixels are blended; the greater of two Gaussian
// functions has a crease.
TEST_F(VolumesTest, EveryPixelOfASmoothPictureIsAsItsOwnRayWouldSayIt) {
    constexpr int kCells = 40;
    const auto blob = [](double x, double y, double z, double peak, double width) {
        return peak * std::exp(-(x * x + y * y + z * z) / (2 * width * width));
    };
    const auto field = [&](double x, double y, double z) {
        return std::max(blob(x + 0.4, y, z + 0.6, 0.9, 0.3),
                        blob(x - 0.3, y - 0.1, z - 0.6, 0.7, 0.25));
    };
    const auto middle = [](int i) { return (2 * i + 1) / double(kCells) - 1; };
    std::vector<float> values;
    for (int z = 0; z < kCells; ++z)
        for (int y = 0; y < kCells; ++y)
            for (int x = 0; x < kCells; ++x)
                values.push_back(float(field(middle(x), middle(y), middle(z))));
    const ImageData image = volume(floats({kCells, kCells, kCells}, values), {.colormap = "gray"});
    const auto place = [](int pixel) { return (pixel + 0.5) / kSide * 2.4 - 1.2; };
    for (int j = 0; j < kSide; ++j)
        for (int i = 0; i < kSide; ++i) {
            const double x = place(i), y = -place(j);
            if (std::abs(x) > 0.97 || std::abs(y) > 0.97) continue;
            const double most = std::max(field(x, y, -0.6), field(x, y, 0.6));
            if (most < 0.07) continue; // seen through
            EXPECT_NEAR(color(image, i, j)[0], 255 * most, 3) << i << ' ' << j;
        }
}

TEST_F(VolumesTest, FogLetsThroughWhatExpSays) {
    app->set_background({1, 1, 1, 1});
    const gpu::Array full = filled({16, 16, 16}, 1);
    const std::array<float, 3> black{0, 0, 0};
    define_colormap("nothing", std::array{black, black});
    for (const float density : {0.3f, 1.5f})
        for (const float length : {2.0f, 0.7f}) {
            VolumeStyle style{.mode = VolumeMode::emission, .colormap = "nothing"};
            style.density = density;
            style.box = Box{{-1, -1, -length / 2}, {1, 1, length / 2}};
            const double through = 255 * std::exp(-density * length);
            EXPECT_NEAR(at(volume(full, style), 0.03, -0.2), through, 2) << density << length;
            style.opacity = 0.5f;
            EXPECT_NEAR(at(volume(full, style), 0.03, -0.2), (255 + through) / 2, 2);
        }
    EXPECT_EQ(at(volume(full, {.mode = VolumeMode::emission, .density = 0}), 0, 0), 255);
}

TEST_F(VolumesTest, ASurfaceIsABallThatIsLit) {
    VolumeStyle style{.mode = VolumeMode::surface, .level = 0.4f, .color = {1, 1, 1, 1}};
    const ImageData image = volume(ball(48), style);
    // shaders/light.glsl, in other words.
    const auto unit = [](std::array<double, 3> v) {
        const double length = std::hypot(v[0], v[1], v[2]);
        return std::array{v[0] / length, v[1] / length, v[2] / length};
    };
    const auto dot = [](const auto& a, const auto& b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    };
    const auto key = unit({-0.45, 0.55, 0.9}), fill = unit({0.8, -0.1, 0.5});
    int inside = 0;
    for (int j = 0; j < kSide; ++j)
        for (int i = 0; i < kSide; ++i) {
            inside += !is_dark(color(image, i, j));
            const double x = (2 * (i + 0.5) / kSide - 1) * 2, y = (1 - 2 * (j + 0.5) / kSide) * 2;
            if (x * x + y * y > 0.85) continue; // of a ball of radius 0.6, as 1
            const std::array n{x, y, std::sqrt(1 - x * x - y * y)};
            const double light = 0.86 * std::max(dot(n, key), 0.0) +
                                 0.12 * std::max(dot(n, fill), 0.0) + 0.096 + 0.064 * n[1];
            EXPECT_NEAR(color(image, i, j)[0], 255 * std::pow(std::min(light, 1.0), 1 / 2.2), 5)
                << x << ' ' << y;
        }
    EXPECT_NEAR(inside, 3.14159 * 0.36 * kSide * kSide / 5.76, 40);
}

TEST_F(VolumesTest, WhatLiesBeforeAVolumeHidesItAndTheRestIsCovered) {
    const gpu::Array cloud = ball(32);
    app->view().orbit_camera().distance = 4; // for a depth buffer of a thousandth
    app->view().orbit_camera().field_of_view = 0.6f;
    const auto seen = [&](VolumeMode mode, float z) {
        const gpu::Array place = floats({1, 3}, {0, 0, z});
        const ImageData image = shown([&] {
            VolumeStyle style{.mode = mode, .colormap = "gray", .color = {1, 1, 1, 1}};
            style.density = 40;
            app->view().volume(cloud, style); // listed first
            app->view().points(place, {.color = {1, 0, 0, 1}, .radius = 0.05f});
        });
        const std::array<int, 3> c = color(image, kSide / 2, kSide / 2);
        return c[0] > 100 && c[1] < 30; // red
    };
    for (const VolumeMode mode : {VolumeMode::mip, VolumeMode::emission, VolumeMode::surface}) {
        EXPECT_TRUE(seen(mode, 1.2f)) << int(mode);
        EXPECT_FALSE(seen(mode, -1.2f)) << int(mode);
    }
    EXPECT_TRUE(seen(VolumeMode::surface, 0.55f)); // the surface is at 0.5
    EXPECT_FALSE(seen(VolumeMode::surface, 0.4f));
    EXPECT_TRUE(seen(VolumeMode::mip, 0.15f)); // the maximum is in the middle
    EXPECT_FALSE(seen(VolumeMode::mip, -0.15f));
}

TEST_F(VolumesTest, AreThingsWithABox) {
    View& view = app->view();
    const gpu::Array full = filled({4, 8, 16}, 1);
    const auto draw = [&] { view.volume(full, {.colormap = "gray"}, "fog"); };
    EXPECT_EQ(at(shown(draw), 0, 0), 255);
    const std::vector<Thing> things = view.things();
    ASSERT_EQ(things.size(), 1u);
    EXPECT_EQ(things[0].kind, "volume");
    EXPECT_EQ(things[0].count, 512u);
    const std::optional<Box> box = view.bounds("fog");
    ASSERT_TRUE(box);
    EXPECT_EQ(*box, (Box{{-1, -0.5f, -0.25f}, {1, 0.5f, 0.25f}}));
    view.settings("fog").range = ValueRange{0, 2};
    EXPECT_NEAR(at(shown(draw), 0, 0), 128, 1);
    view.settings("fog").opacity = 0.0f;
    EXPECT_TRUE(is_dark(color(shown(draw), kSide / 2, kSide / 2)));
    view.settings("fog") = {.is_shown = false};
    EXPECT_TRUE(is_dark(color(shown(draw), kSide / 2, kSide / 2)));
    (void)shown([&] { view.volume(full, {.spacing = {1, 2, 8}}); });
    EXPECT_EQ(*view.bounds(), (Box{{-0.5f, -0.5f, -1}, {0.5f, 0.5f, 1}}));
}

TEST_F(VolumesTest, AFrameWithoutAStepShowsTheNewCamera) {
    const gpu::Array full = filled({4, 4, 4}, 1);
    (void)shown([&] { app->view().volume(full, {.colormap = "gray"}); });
    app->view().orbit_camera().target = {1, 0, 0};
    EXPECT_TRUE(app->begin_frame());
    app->end_frame();
    const ImageData image = app->screenshot();
    EXPECT_EQ(at(image, -0.5, 0), 255);
    EXPECT_TRUE(is_dark(color(image, kSide - 20, kSide / 2)));
}

TEST_F(VolumesTest, AreSeenInEveryViewAndFromInside) {
    const auto& views = app->views(1, 2);
    const gpu::Array full = filled({4, 4, 4}, 1);
    views[0]->orbit_camera().distance = 0.5f; // the eye is within the box
    views[0]->orbit_camera().field_of_view = 0.8f;
    views[1]->orbit_camera() = views[0]->orbit_camera();
    views[1]->orbit_camera().distance = 50; // as large as two pixels
    const ImageData image = shown([&] {
        for (const auto& view : views) view->volume(full, {.colormap = "gray"});
    });
    EXPECT_EQ(color(image, 2, 2)[0], 255);
    EXPECT_EQ(color(image, kSide / 4, kSide / 2)[0], 255);
    EXPECT_TRUE(is_dark(color(image, kSide / 2 + 4, 4)));
}

TEST_F(VolumesTest, WhatIsNoVolumeIsRefused) {
    View& view = app->view();
    EXPECT_THROW(view.volume(floats({2, 2}, {0, 0, 0, 0})), gpu::ShapeError);
    EXPECT_THROW(view.volume(app->array<float>({2, 0, 2})), gpu::ShapeError);
    const gpu::Array full = filled({2, 2, 2}, 1);
    for (const float wrong : {-1.0f, std::numeric_limits<float>::quiet_NaN()}) {
        EXPECT_THROW(view.volume(full, {.density = wrong}), std::invalid_argument);
        EXPECT_THROW(view.volume(full, {.spacing = {1, wrong, 1}}), std::invalid_argument);
    }
    EXPECT_THROW(view.volume(full, {.box = Box{{0, 0, 0}, {1, 0, 1}}}), std::invalid_argument);
}

TEST_F(VolumesTest, WhileTheCameraMovesRaysMayStandApart) {
    AppConfig moving = config();
    moving.moving_rays = 4;
    app = std::make_unique<App>(std::move(moving));
    const gpu::Array values = ball(24);
    const VolumeStyle style{.colormap = "gray"};
    // Squares of 4 pixels from the bottom left that have one colour.
    const auto even_squares = [](const ImageData& image) {
        int even = 0;
        for (int y = 0; y < kSide; y += 4)
            for (int x = 0; x < kSide; x += 4) {
                bool same = true;
                for (int i = 1; i < 16; ++i)
                    same = same && color(image, x + i % 4, y + i / 4) == color(image, x, y);
                even += same;
            }
        return even;
    };
    constexpr int kSquares = kSide * kSide / 16;
    (void)volume(values, style);
    app->view().orbit_camera().yaw = 0.3f;
    EXPECT_EQ(even_squares(volume(values, style)), kSquares);
    const ImageData still = volume(values, style);
    EXPECT_LT(even_squares(still), kSquares * 9 / 10);

    app = std::make_unique<App>(config());
    app->view().orbit_camera().yaw = 0.3f;
    const gpu::Array same = ball(24);
    (void)volume(same, style);
    EXPECT_EQ(volume(same, style).bytes, still.bytes);
}

} // namespace
} // namespace lathe
