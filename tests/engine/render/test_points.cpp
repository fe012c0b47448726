// SPDX-License-Identifier: MIT
#include "engine/render/points.h"

#include "engine/core/error.h"
#include "engine/scene/camera.h"
#include "fixture.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace {

using namespace lathe;
using namespace lathe::test;

using PointsTest = RenderTest;
constexpr glm::mat4 kIdentity{1};

/// Clip coordinates of the middle of a pixel.
glm::vec2 clip_of(int x, int y, glm::vec2 size) {
    return {(float(x) + 0.5f) / size.x * 2 - 1, 1 - (float(y) + 0.5f) / size.y * 2};
}

PointsStyle pixels(glm::vec4 color = {1, 1, 1, 1}) {
    PointsStyle style;
    style.size = 1;
    style.color = color;
    return style;
}

TEST_F(PointsTest, OnePixelPointsColourExactlyTheirPixels) {
    start(32, 16);
    const std::vector<std::array<int, 2>> places{{0, 0}, {31, 15}, {5, 3}, {20, 9}};
    std::vector<float> positions;
    for (auto [x, y] : places) {
        const glm::vec2 p = clip_of(x, y, size());
        positions.insert(positions.end(), {p.x, p.y});
    }
    const gl::Buffer buffer = buffer_of(positions);
    PointsRenderer{}.draw({.positions = &buffer, .count = 4, .components = 2},
                          pixels({1, 0.2f, 0, 1}), kIdentity, size());
    finish();
    int lit = 0;
    for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 32; ++x)
            if (at(x, y) != kBlack) {
                ++lit;
                EXPECT_EQ(at(x, y), (Rgb8{255, 51, 0}));
            }
    EXPECT_EQ(lit, 4);
    for (auto [x, y] : places) EXPECT_EQ(at(x, y), (Rgb8{255, 51, 0}));
}

TEST_F(PointsTest, OffsetAndComponentsFindThePositions) {
    start(16, 16);
    const glm::vec2 p = clip_of(3, 4, size()), q = clip_of(12, 9, size());
    constexpr float kJunk = 7;
    struct Case {
        std::vector<float> floats;
        int components;
        std::size_t offset;
    };
    const Case cases[] = {
        {{p.x, p.y, 0, q.x, q.y, 0}, 3, 0},
        {{p.x, p.y, 0, kJunk, q.x, q.y, 0, kJunk}, 4, 0},
        {{kJunk, kJunk, p.x, p.y, q.x, q.y, kJunk}, 2, 8},
    };
    for (const Case& c : cases) {
        target.clear({0, 0, 0, 1});
        const gl::Buffer buffer = buffer_of(c.floats);
        PointsRenderer{}.draw(
            {.positions = &buffer, .count = 2, .components = c.components, .offset = c.offset},
            pixels(), kIdentity, size());
        finish();
        EXPECT_EQ(at(3, 4), kWhite);
        EXPECT_EQ(at(12, 9), kWhite);
    }
}

TEST_F(PointsTest, ValuesGoThroughTheColormap) {
    start(5, 1);
    const std::vector<float> values{-10, 0, 2, 5, std::numeric_limits<float>::quiet_NaN()};
    std::vector<float> positions;
    for (int i = 0; i < 5; ++i) {
        const glm::vec2 p = clip_of(i, 0, size());
        positions.insert(positions.end(), {p.x, p.y, 0});
    }
    const gl::Buffer buffer = buffer_of(positions), scalars = buffer_of(values);
    PointsStyle style = pixels();
    style.colormap = "plasma";
    style.range.high = 4;
    PointsRenderer{}.draw({.positions = &buffer, .count = 5, .values = &scalars}, style, kIdentity,
                          size());
    finish();
    const Colormap& map = Colormap::named("plasma");
    EXPECT_EQ(at(0, 0), map(0));
    EXPECT_EQ(at(1, 0), map(0));
    EXPECT_EQ(at(2, 0), map(0.5f));
    EXPECT_EQ(at(3, 0), map(1));
    EXPECT_EQ(at(4, 0), kMagenta);
}

TEST_F(PointsTest, ColoursOfBytesAndFloats) {
    start(2, 1);
    const glm::vec2 p = clip_of(0, 0, size()), q = clip_of(1, 0, size());
    const gl::Buffer positions = buffer_of(std::vector<float>{p.x, p.y, 0, q.x, q.y, 0});
    const gl::Buffer bytes = buffer_of(std::vector<std::uint8_t>{255, 0, 0, 255, 0, 102, 255, 255});
    const gl::Buffer floats = buffer_of(std::vector<float>{1, 0, 0, 1, 0, 0.4f, 1, 1});
    PointsRenderer renderer;
    for (const auto* colors : {&bytes, &floats}) {
        target.clear({0, 0, 0, 1});
        renderer.draw({.positions = &positions,
                       .count = 2,
                       .colors = colors,
                       .colors_are_bytes = colors == &bytes},
                      pixels(), kIdentity, size());
        finish();
        EXPECT_EQ(at(0, 0), (Rgb8{255, 0, 0}));
        EXPECT_EQ(at(1, 0), (Rgb8{0, 102, 255}));
    }
}

TEST_F(PointsTest, AdditiveLightAddsUpAndTheSurfaceStaysOpaque) {
    start(3, 3);
    const glm::vec2 p = clip_of(1, 1, size());
    const gl::Buffer three = buffer_of(std::vector<float>{p.x, p.y, p.x, p.y, p.x, p.y});
    PointsStyle style = pixels({0.2f, 0.1f, 0, 1});
    style.blend = Blend::additive;
    PointsRenderer{}.draw({.positions = &three, .count = 3, .components = 2}, style, kIdentity,
                          size());
    finish();
    EXPECT_NEAR(int(at(1, 1).r), 153, 2);
    EXPECT_NEAR(int(at(1, 1).g), 77, 2);
    EXPECT_EQ(int(picture.at(1, 1)[3]), 255);
    EXPECT_EQ(at(0, 0), kBlack);
}

TEST_F(PointsTest, RoundPointsHaveTheAreaOfADiscAndSoftEdges) {
    for (float diameter : {4.0f, 9.0f, 24.0f}) {
        start(40, 40);
        const gl::Buffer middle = buffer_of(std::vector<float>{0, 0});
        PointsStyle style = pixels();
        style.size = diameter;
        PointsRenderer{}.draw({.positions = &middle, .count = 1, .components = 2}, style, kIdentity,
                              size());
        finish();
        double area = 0;
        bool soft = false;
        for (int y = 0; y < 40; ++y)
            for (int x = 0; x < 40; ++x) {
                area += at(x, y).r / 255.0;
                soft |= at(x, y).r > 30 && at(x, y).r < 220;
                EXPECT_EQ(at(x, y), at(39 - x, y)); // even about the middle
                EXPECT_EQ(at(x, y), at(x, 39 - y));
            }
        const double expected = 3.14159265 / 4 * diameter * diameter;
        EXPECT_NEAR(area / expected, 1, 0.06) << diameter;
        EXPECT_TRUE(soft);
        EXPECT_EQ(at(20, 20), kWhite);
    }
}

TEST_F(PointsTest, WorldSizeFollowsThePerspective) {
    start(200, 100);
    OrbitCamera camera;
    camera.yaw = camera.pitch = 0;
    const gl::Buffer origin = buffer_of(std::vector<float>{0, 0, 0});
    PointsStyle style = pixels();
    style.world_size = true;
    style.size = 0.4f;
    PointsRenderer renderer;
    for (float distance : {2.0f, 4.0f}) {
        target.clear({0, 0, 0, 1});
        camera.distance = distance;
        renderer.draw({.positions = &origin, .count = 1}, style, camera.view_projection(2), size());
        finish();
        double width = 0;
        for (int x = 0; x < 200; ++x) width += (at(x, 49).r + at(x, 50).r) / 510.0;
        const double expected = 0.4 / distance / std::tan(0.4) / 2 * 100;
        EXPECT_NEAR(width, expected, 0.35) << distance;
    }
    style.size = 1e-4f; // far below a pixel: a dim pixel, not nothing and not a bright one
    target.clear({0, 0, 0, 1});
    renderer.draw({.positions = &origin, .count = 1}, style, camera.view_projection(2), size());
    finish();
    for (int x = 95; x < 105; ++x) EXPECT_LT(int(at(x, 50).r), 20);
}

/// Pixels of a row that are lit, soft ones in part.
double lit_width(const PointsTest& test, int y) {
    double width = 0;
    for (int x = 0; x < test.target.width(); ++x) width += test.at(x, y).r / 255.0;
    return width;
}

TEST_F(PointsTest, NoSizeIsTooLarge) {
    constexpr int kHeight = 400;
    OrbitCamera camera;
    camera.distance = 3;
    const gl::Buffer origin = buffer_of(std::vector<float>{0, 0, 0});
    PointsStyle style = pixels();
    PointsRenderer renderer;
    for (float diameter : {65.0f, 197.0f, 390.0f}) {
        start(kHeight, kHeight);
        style.size = diameter;
        renderer.draw({.positions = &origin, .count = 1}, style, kIdentity, size());
        finish();
        EXPECT_NEAR(lit_width(*this, kHeight / 2), diameter, 0.3);
    }
    style.world_size = true;
    style.size = 1.25f;
    start(kHeight, kHeight);
    renderer.draw({.positions = &origin, .count = 1}, style, camera.view_projection(1), size());
    finish();
    const double pixels_a_slope = kHeight / (2 * std::tan(0.4));
    EXPECT_NEAR(lit_width(*this, kHeight / 2), 1.25 / 3 * pixels_a_slope, 0.3);
}

TEST_F(PointsTest, PointsAreDrawnWhoseMiddleLeftTheView) {
    constexpr int kSide = 100;
    constexpr float kOut = 4; // pixels from the edge to the middle
    OrbitCamera camera;
    camera.yaw = camera.pitch = 0;
    for (float diameter : {10.0f, 20.0f, 80.0f})
        for (bool world : {false, true})
            for (Blend blend : {Blend::alpha, Blend::opaque}) {
                const float unit =
                    world ? 2 * camera.distance * std::tan(0.4f) / kSide : 2.0f / kSide;
                const float from_middle = (kSide / 2 + kOut) * unit;
                const gl::Buffer places = buffer_of(std::vector<float>{
                    -from_middle, 0, 0, from_middle, 0, 0, 0, -from_middle, 0, 0, from_middle, 0});
                PointsStyle style = pixels();
                style.size = world ? diameter * unit : diameter;
                style.world_size = world;
                style.blend = blend;
                start(kSide, kSide, true);
                PointsRenderer{}.draw({.positions = &places, .count = 4}, style,
                                      world ? camera.view_projection(1) : kIdentity, size());
                finish();
                const int inside = int(diameter / 2 - kOut);
                constexpr int kMiddle = kSide / 2, kLast = kSide - 1;
                const auto lit = [&](int depth) { // left, right, top, bottom
                    return std::array{
                        at(depth, kMiddle) != kBlack, at(kLast - depth, kMiddle) != kBlack,
                        at(kMiddle, depth) != kBlack, at(kMiddle, kLast - depth) != kBlack};
                };
                EXPECT_THAT(lit(inside - 1), testing::Each(true)) << diameter << world;
                if (diameter < 80) {
                    EXPECT_THAT(lit(inside + 2), testing::Each(false)) << diameter << world;
                }
            }
}

TEST_F(PointsTest, OpaquePointsHideThoseBehindWhateverTheOrder) {
    const std::array<std::uint8_t, 4> red{255, 0, 0, 255}, blue{0, 0, 255, 255};
    for (bool near_first : {true, false}) {
        start(20, 20, true);
        const float z[2] = {near_first ? -0.5f : 0.5f, near_first ? 0.5f : -0.5f};
        const gl::Buffer positions = buffer_of(std::vector<float>{0, 0, z[0], 0, 0, z[1]});
        std::vector<std::uint8_t> colors;
        for (int i = 0; i < 2; ++i)
            for (std::uint8_t c : z[i] < 0 ? red : blue) colors.push_back(c);
        const gl::Buffer tints = buffer_of(colors);
        PointsStyle style = pixels();
        style.size = 10;
        style.blend = Blend::opaque;
        PointsRenderer{}.draw({.positions = &positions, .count = 2, .colors = &tints}, style,
                              kIdentity, size());
        finish();
        EXPECT_EQ(at(10, 10), (Rgb8{255, 0, 0}));
    }
}

TEST_F(PointsTest, WhatCannotBeDrawnIsNamed) {
    start(4, 4);
    const gl::Buffer buffer{36};
    PointsRenderer renderer;
    const auto message = [&](PointsData data) -> std::string {
        try {
            renderer.draw(data, {}, kIdentity, size());
        } catch (const lathe::Error& e) { return e.what(); }
        return "no error";
    };
    EXPECT_EQ(message({.positions = &buffer, .count = 3}), "no error");
    EXPECT_EQ(message({.positions = nullptr, .count = 0}), "no error");
    EXPECT_THAT(message({.positions = &buffer, .count = 4}),
                testing::HasSubstr("4 points need 48 bytes of positions, the buffer has 36"));
    EXPECT_THAT(message({.positions = &buffer, .count = 3, .colors = &buffer, .color_offset = 28}),
                testing::HasSubstr("colours"));
    EXPECT_THAT(message({.positions = &buffer, .count = 1, .components = 1}),
                testing::HasSubstr("2, 3 or 4 components"));
    EXPECT_THAT(message({.count = 1}), testing::HasSubstr("without a buffer"));
}

} // namespace
