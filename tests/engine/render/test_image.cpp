// SPDX-License-Identifier: MIT
#include "engine/render/image.h"

#include "engine/core/error.h"
#include "fixture.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace {

using namespace lathe;
using namespace lathe::test;

using ImageTest = RenderTest;

ImagePlacement whole(const gl::Framebuffer& f) { return {{0, 0}, {f.width(), f.height()}}; }

TEST_F(ImageTest, FloatsGoThroughTheColormapEachToItsSquare) {
    const std::vector<float> values{-1, 0, 0.25f, 0.5f, 0.75f, 1, 2, 0.1f};
    const gl::Buffer buffer = buffer_of(values);
    const Colormap& map = Colormap::named("viridis");
    start(4 * 8, 2 * 8);
    ImageRenderer renderer;
    renderer.draw(ImageBuffer{.buffer = &buffer, .height = 2, .width = 4}, {}, whole(target),
                  size());
    finish();
    for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 32; ++x)
            ASSERT_EQ(at(x, y), map(values[std::size_t(y / 8 * 4 + x / 8)])) << x << ", " << y;
}

TEST_F(ImageTest, EveryTypeIsReadExactly) {
    const auto check = [&](auto example, DType dtype, double scale) {
        using T = decltype(example);
        const std::vector<T> values{T(0), T(1), T(50), T(100), T(3), T(77)};
        const gl::Buffer buffer = buffer_of(values);
        start(6, 1);
        ImageRenderer{}.draw(
            ImageBuffer{.buffer = &buffer, .dtype = dtype, .height = 1, .width = 6},
            {.range = {{0, float(scale)}}, .colormap = "gray"}, whole(target), size());
        finish();
        for (int x = 0; x < 6; ++x)
            EXPECT_EQ(at(x, 0),
                      Colormap::named("gray")(float(double(values[std::size_t(x)]) / scale)))
                << name_of(dtype) << " " << x;
    };
    check(float{}, DType::float32, 100);
    check(std::uint8_t{}, DType::uint8, 100);
    check(std::int8_t{}, DType::int8, 100);
    check(std::uint16_t{}, DType::uint16, 100);
    check(std::int16_t{}, DType::int16, 100);
    check(std::uint32_t{}, DType::uint32, 100);
    check(std::int32_t{}, DType::int32, 100);
}

TEST_F(ImageTest, HalfFloatsAndNegativeRange) {
    const std::vector<std::uint16_t> halves{0xBC00, 0x0000, 0x3C00}; // -1, 0, 1
    const gl::Buffer buffer = buffer_of(halves);
    start(3, 1);
    ImageRenderer{}.draw(
        ImageBuffer{.buffer = &buffer, .dtype = DType::float16, .height = 1, .width = 3},
        {.range = {{-1, 1}}, .colormap = "coolwarm"}, whole(target), size());
    finish();
    const Colormap& map = Colormap::named("coolwarm");
    EXPECT_EQ(at(0, 0), map(0));
    EXPECT_EQ(at(1, 0), map(0.5f));
    EXPECT_EQ(at(2, 0), map(1));
}

TEST_F(ImageTest, ColoursOfTwoThreeAndFourChannels) {
    const std::vector<std::uint8_t> rgba{10, 20, 30, 0, 40, 50, 60, 0, 70, 80, 90, 0};
    const std::vector<std::uint8_t> rgb{10, 20, 30, 40, 50, 60, 70, 80, 90};
    const std::vector<float> floats{10, 20, 30, 40, 50, 60, 70, 80, 90};
    const std::vector<std::uint8_t> rg{10, 20, 40, 50, 70, 80};
    struct Case {
        gl::Buffer buffer;
        DType dtype;
        int channels;
    };
    Case cases[] = {{buffer_of(rgba), DType::uint8, 4},
                    {buffer_of(rgb), DType::uint8, 3},
                    {buffer_of(floats), DType::float32, 3},
                    {buffer_of(rg), DType::uint8, 2}};
    for (const Case& c : cases) {
        start(3, 1);
        ImageRenderer{}.draw(ImageBuffer{.buffer = &c.buffer,
                                         .dtype = c.dtype,
                                         .height = 1,
                                         .width = 3,
                                         .channels = c.channels},
                             {.range = {{0, 255}}}, whole(target), size());
        finish();
        for (int x = 0; x < 3; ++x) {
            const auto v = std::uint8_t(10 + 30 * x);
            EXPECT_EQ(at(x, 0),
                      (Rgb8{v, std::uint8_t(v + 10), std::uint8_t(c.channels == 2 ? 0 : v + 20)}))
                << c.channels << " channels of " << name_of(c.dtype);
        }
        EXPECT_EQ(int(picture.at(0, 0)[3]), 255); // the picture stays opaque
    }
}

TEST_F(ImageTest, TheOffsetIsKept) {
    const std::vector<std::uint8_t> bytes{9, 9, 9, 1, 2, 3, 4, 5, 6, 9, 9};
    const gl::Buffer buffer = buffer_of(bytes);
    start(3, 2);
    ImageRenderer{}.draw(
        ImageBuffer{.buffer = &buffer, .dtype = DType::uint8, .height = 2, .width = 3, .offset = 3},
        {.range = {{0, 6}}, .colormap = "gray"}, whole(target), size());
    finish();
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(at(i % 3, i / 3), Colormap::named("gray")(float(i + 1) / 6)) << i;
}

TEST_F(ImageTest, YUpTurnsItOver) {
    const gl::Buffer buffer = buffer_of(std::vector<float>{0, 1});
    start(1, 2);
    ImageRenderer{}.draw(ImageBuffer{.buffer = &buffer, .height = 2, .width = 1},
                         {.y_up = true, .colormap = "gray"}, whole(target), size());
    finish();
    EXPECT_EQ(at(0, 0), kWhite);
    EXPECT_EQ(at(0, 1), kBlack);
}

TEST_F(ImageTest, NotANumberIsMagentaAndInfinityCyan) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    const gl::Buffer buffer =
        buffer_of(std::vector<float>{std::numeric_limits<float>::quiet_NaN(), kInf, -kInf, 0.5f});
    start(4, 1);
    ImageRenderer{}.draw(ImageBuffer{.buffer = &buffer, .height = 1, .width = 4},
                         {.colormap = "gray"}, whole(target), size());
    finish();
    EXPECT_EQ(at(0, 0), kMagenta);
    EXPECT_EQ(at(1, 0), kCyan);
    EXPECT_EQ(at(2, 0), kCyan);
    EXPECT_EQ(at(3, 0), (Rgb8{128, 128, 128}));
}

TEST_F(ImageTest, LinearInterpolatesBetweenMiddlesAndAveragesWhereShrunk) {
    const gl::Buffer two = buffer_of(std::vector<float>{0, 1});
    start(8, 1);
    ImageRenderer renderer;
    renderer.draw(ImageBuffer{.buffer = &two, .height = 1, .width = 2},
                  {.linear = true, .colormap = "gray"}, whole(target), size());
    finish();
    // Middles lie at pixels 2 and 6; pixel x's middle is x + 0.5.
    for (int x = 0; x < 8; ++x) {
        const double t = std::clamp((x + 0.5 - 2) / 4, 0.0, 1.0);
        EXPECT_NEAR(int(at(x, 0).r), std::floor(t * 256), 1.01) << x;
    }
    std::vector<float> checks(64);
    for (std::size_t i = 0; i < 64; ++i) checks[i] = float((i + i / 8) % 2);
    const gl::Buffer board = buffer_of(checks);
    start(2, 2); // 4 × 4 elements a pixel, half of them 1
    renderer.draw(ImageBuffer{.buffer = &board, .height = 8, .width = 8},
                  {.linear = true, .colormap = "gray"}, whole(target), size());
    finish();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(at(i % 2, i / 2), (Rgb8{128, 128, 128}));
}

TEST_F(ImageTest, GammaAndOpacity) {
    const gl::Buffer buffer = buffer_of(std::vector<float>{0.25f});
    start(1, 1);
    ImageRenderer renderer;
    const ImageBuffer image{.buffer = &buffer, .height = 1, .width = 1};
    renderer.draw(image, {.gamma = 2, .colormap = "gray"}, whole(target), size());
    finish();
    EXPECT_NEAR(int(at(0, 0).r), 128, 1); // √0.25
    start(1, 1);
    target.clear({1, 1, 1, 1});
    const gl::Buffer black = buffer_of(std::vector<std::uint8_t>{0, 0, 0, 64}); // 64 means nothing
    renderer.draw(
        ImageBuffer{
            .buffer = &black, .dtype = DType::uint8, .height = 1, .width = 1, .channels = 4},
        {.range = {{0, 255}}, .opacity = 0.5f}, whole(target), size());
    finish();
    EXPECT_NEAR(int(at(0, 0).r), 128, 1);
    EXPECT_EQ(int(picture.at(0, 0)[3]), 255);
}

TEST_F(ImageTest, TexturesShowTheSameAsBuffers) {
    std::vector<float> values(35);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(float(i));
    const gl::Buffer buffer = buffer_of(values);
    gl::Texture texture{7, 5, gl::Format::r32f};
    texture.upload(std::as_bytes(std::span{values}));
    ImageRenderer renderer;
    for (bool linear : {false, true}) {
        const ImageStyle style{.range = {{-1, 1}}, .linear = linear};
        start(70, 50);
        renderer.draw(texture, style, whole(target), size());
        finish();
        const ImageData from_texture = picture;
        start(70, 50);
        renderer.draw(ImageBuffer{.buffer = &buffer, .height = 5, .width = 7}, style, whole(target),
                      size());
        finish();
        EXPECT_EQ(picture, from_texture);
    }
    gl::Texture colors{2, 1, gl::Format::rgba8};
    const std::vector<std::uint8_t> texels{1, 2, 3, 0, 200, 100, 50, 0};
    colors.upload(std::as_bytes(std::span{texels}));
    start(2, 1);
    renderer.draw(colors, {}, whole(target), size());
    finish();
    EXPECT_EQ(at(0, 0), (Rgb8{1, 2, 3}));
    EXPECT_EQ(at(1, 0), (Rgb8{200, 100, 50}));
}

TEST_F(ImageTest, FitKeepsTheShapeAndSquaresLieWhereItSays) {
    const gl::Buffer buffer = buffer_of(std::vector<float>{1, 1, 1, 1});
    start(100, 60);
    const auto placement = ImagePlacement::fit({2, 2}, size());
    EXPECT_EQ(placement.origin, (glm::vec2{20, 0}));
    EXPECT_EQ(placement.size, (glm::vec2{60, 60}));
    ImageRenderer renderer;
    renderer.draw(ImageBuffer{.buffer = &buffer, .height = 2, .width = 2}, {.colormap = "gray"},
                  placement, size());
    finish();
    for (int x = 0; x < 100; ++x) EXPECT_EQ(at(x, 30), x >= 20 && x < 80 ? kWhite : kBlack) << x;

    const auto zoomed = ImagePlacement::fit({2, 2}, size(), 4, {0.25f, 0.75f});
    EXPECT_EQ(zoomed.element_at({50, 30}, {2, 2}), (glm::vec2{0.5f, 1.5f}));
}

TEST_F(ImageTest, WhatCannotBeShownIsNamed) {
    const gl::Buffer buffer{64};
    start(8, 8);
    ImageRenderer renderer;
    const auto message = [&](ImageBuffer image) -> std::string {
        try {
            renderer.draw(image, {}, whole(target), size());
        } catch (const lathe::Error& e) { return e.what(); }
        return "no error";
    };
    EXPECT_THAT(message({.buffer = &buffer, .dtype = DType::float64, .height = 2, .width = 2}),
                testing::HasSubstr("float64"));
    EXPECT_THAT(message({.buffer = &buffer, .height = 5, .width = 4}),
                testing::HasSubstr("shape (5, 4, 1) float32 needs 80 bytes, the buffer has 64"));
    EXPECT_THAT(message({.buffer = &buffer, .height = 0, .width = 4}),
                testing::HasSubstr("cannot be shown"));
    EXPECT_THAT(message({.buffer = &buffer, .height = 1, .width = 1, .channels = 5}),
                testing::HasSubstr("cannot be shown"));
    EXPECT_THAT(message({.buffer = &buffer, .height = 2, .width = 2, .offset = 2}),
                testing::HasSubstr("does not suit"));
    EXPECT_THAT(message({.height = 1, .width = 1}), testing::HasSubstr("without a buffer"));
}

} // namespace
