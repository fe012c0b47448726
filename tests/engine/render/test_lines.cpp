// SPDX-License-Identifier: MIT
#include "engine/render/lines.h"

#include "engine/core/error.h"
#include "engine/render/points.h"
#include "engine/scene/camera.h"
#include "fixture.h"

#include <glad/gl.h>

#include <gmock/gmock.h>

#include <limits>
#include <utility>

namespace {

using namespace lathe;
using namespace lathe::test;

using LinesTest = RenderTest;
constexpr glm::mat4 kNoTransform{1};

LinesStyle white(float width) { return {.color = {1, 1, 1, 1}, .width = width}; }

TEST_F(LinesTest, HorizontalLineIsAsWideAsAsked) {
    const gl::Buffer ends = buffer_of(std::vector<float>{-0.5f, 0, 0, 0.5f, 0, 0});
    LinesRenderer lines;
    for (float width : {1.0f, 2.0f, 5.0f}) {
        start(40, 20);
        lines.draw({.positions = &ends, .count = 2}, white(width), kNoTransform, size());
        finish();
        for (int x = 0; x < 40; ++x) {
            double cover = 0;
            for (int y = 0; y < 20; ++y) cover += at(x, y).r / 255.0;
            EXPECT_NEAR(cover, x >= 10 && x < 30 ? width : 0, 0.02) << x;
        }
    }
}

TEST_F(LinesTest, InSpaceWhatStandsInFrontHidesThem) {
    // Depth of clip space: a ball of 9 pixels at 0; lines behind it at 0.5, before it at -0.5.
    const gl::Buffer ball = buffer_of(std::vector<float>{0, 0, 0});
    PointsStyle red;
    red.size = 9;
    red.blend = Blend::opaque;
    red.color = {1, 0, 0, 1};
    for (float depth : {0.5f, -0.5f}) {
        const gl::Buffer ends = buffer_of(std::vector<float>{-1, 0, depth, 1, 0, depth});
        for (bool line_first : {false, true}) {
            start(33, 33, true);
            const auto line = [&] {
                LinesRenderer{}.draw({.positions = &ends, .count = 2}, white(3), kNoTransform,
                                     size());
            };
            if (line_first) line();
            PointsRenderer{}.draw({.positions = &ball, .count = 1, .components = 3}, red,
                                  kNoTransform, size());
            if (!line_first) line();
            finish();
            EXPECT_EQ(at(16, 16).g > 128, depth < 0) << depth << line_first;
            EXPECT_GT(at(3, 16).g, 128);
        }
    }
}

TEST_F(LinesTest, SlantedLineKeepsItsWidth) {
    const gl::Buffer ends = buffer_of(std::vector<float>{-2, -1, 2, 1});
    start(100, 100);
    LinesRenderer{}.draw({.positions = &ends, .count = 2, .components = 2}, white(3), kNoTransform,
                         size());
    finish();
    double cover = 0; // across a column the width is 3 / cos(slope), slope atan(1/2)
    for (int y = 0; y < 100; ++y) cover += at(50, y).r / 255.0;
    EXPECT_NEAR(cover, 3 * std::sqrt(1.25), 0.1);
}

TEST_F(LinesTest, PolylineSegmentsAndClosedJoinWhatTheySay) {
    const std::vector<float> square{-0.5f, -0.5f, 0.5f, -0.5f, 0.5f, 0.5f, -0.5f, 0.5f};
    const gl::Buffer corners = buffer_of(square);
    LinesRenderer lines;
    const auto sides = [&](const LinesStyle& style) {
        const LinesData data{.positions = &corners, .count = 4, .components = 2};
        start(40, 40);
        lines.draw(data, style, kNoTransform, size());
        finish();
        return std::array{at(20, 30).r > 200, at(30, 20).r > 200, at(20, 10).r > 200,
                          at(10, 20).r > 200}; // bottom, right, top, left
    };
    LinesStyle thick = white(2), closed = thick, segments = thick;
    closed.closed = segments.segments = true;
    EXPECT_EQ(sides(thick), (std::array{true, true, true, false}));
    EXPECT_EQ(sides(closed), (std::array{true, true, true, true}));
    EXPECT_EQ(sides(segments), (std::array{true, false, true, false}));
}

TEST_F(LinesTest, FadeDimsTheBeginning) {
    const gl::Buffer ends = buffer_of(std::vector<float>{-1, 0, 1, 0});
    start(100, 11);
    LinesStyle style = white(3);
    style.fade = 1;
    LinesRenderer{}.draw({.positions = &ends, .count = 2, .components = 2}, style, kNoTransform,
                         size());
    finish();
    for (int x = 0; x < 100; ++x) EXPECT_NEAR(int(at(x, 5).r), (x + 0.5) / 100 * 255, 3);
}

TEST_F(LinesTest, ALinePastTheEyeDoesNotFlipOver) {
    OrbitCamera camera;
    camera.yaw = camera.pitch = 0; // the eye is at z = 3 and looks down −z
    const gl::Buffer ends = buffer_of(std::vector<float>{0, -0.3f, 0, 0, -0.3f, 50});
    start(100, 100);
    LinesRenderer{}.draw({.positions = &ends, .count = 2}, white(2), camera.view_projection(1),
                         size());
    finish();
    int above = 0, below = 0;
    for (int y = 0; y < 100; ++y) (y < 50 ? above : below) += at(50, y).r > 128;
    EXPECT_EQ(above, 0);
    EXPECT_GT(below, 20);
}

/// While it lives GL says that shaders read `texels` of a buffer, and that buffers have `bytes`.
class PretendedSizes {
public:
    PretendedSizes(GLint texels, GLint64 bytes) {
        most_texels = texels;
        buffer_bytes = bytes;
        real_integer = std::exchange(glad_glGetIntegerv, [](GLenum name, GLint* value) {
            if (name == GL_MAX_TEXTURE_BUFFER_SIZE) *value = most_texels;
            else real_integer(name, value);
        });
        real_bytes = std::exchange(glad_glGetNamedBufferParameteri64v,
                                   [](GLuint, GLenum, GLint64* value) { *value = buffer_bytes; });
    }
    ~PretendedSizes() {
        glad_glGetIntegerv = real_integer;
        glad_glGetNamedBufferParameteri64v = real_bytes;
    }

private:
    static inline GLint most_texels;
    static inline GLint64 buffer_bytes;
    static inline PFNGLGETINTEGERVPROC real_integer;
    static inline PFNGLGETNAMEDBUFFERPARAMETERI64VPROC real_bytes;
};

TEST_F(LinesTest, MorePointsThanThisGlReadsAreRefused) {
    start(4, 4);
    const gl::Buffer buffer{48};
    const PretendedSizes sizes{9, 48};
    LinesRenderer lines;
    EXPECT_NO_THROW(lines.draw({.positions = &buffer, .count = 3}, {}, kNoTransform, size()));
    const auto refused = testing::ThrowsMessage<lathe::Error>(
        "12 elements are too many for this GL, which reads 9 of a buffer");
    const auto draw = [&](const LinesData& data) { lines.draw(data, {}, kNoTransform, size()); };
    EXPECT_THAT([&] { draw({.positions = &buffer, .count = 4}); }, refused);
    EXPECT_THAT([&] { draw({.positions = &buffer, .count = 3, .offset = 12}); }, refused);
    finish();
}

TEST_F(LinesTest, MoreSegmentsThanADrawCallTakesAreRefused) {
    start(4, 4);
    const gl::Buffer real{48};
    constexpr GLint kMost = std::numeric_limits<GLint>::max();
    const PretendedSizes sizes{kMost, GLint64{8} << 30};
    const gl::Buffer huge = gl::Buffer::wrap(real.id());
    const LinesData data{.positions = &huge, .count = kMost / 6 + 1, .components = 2};
    LinesStyle style;
    style.closed = true;
    EXPECT_THAT([&] { LinesRenderer{}.draw(data, style, kNoTransform, size()); },
                testing::ThrowsMessage<lathe::Error>(
                    "357913942 line segments were to be drawn, one draw call takes 357913941"));
    finish();
}

TEST_F(LinesTest, WhatCannotBeDrawnIsNamed) {
    start(4, 4);
    const gl::Buffer buffer{36};
    LinesRenderer lines;
    EXPECT_THROW(lines.draw({.positions = &buffer, .count = 4}, {}, kNoTransform, size()),
                 lathe::Error);
    EXPECT_THROW(
        lines.draw({.positions = &buffer, .count = 2, .offset = 3}, {}, kNoTransform, size()),
        lathe::Error);
    EXPECT_THROW(lines.draw({.count = 2}, {}, kNoTransform, size()), lathe::Error);
    EXPECT_NO_THROW(lines.draw({.count = 1}, {}, kNoTransform, size()));
}

} // namespace
