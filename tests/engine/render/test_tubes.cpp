// SPDX-License-Identifier: MIT
// Tubes and arrows: compared with rays that are followed here, in double, until a place is inside.
#include "engine/render/arrows.h"
#include "engine/render/tubes.h"

#include "engine/core/error.h"
#include "engine/scene/camera.h"
#include "fixture.h"

#include <glad/gl.h>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/vec3.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>

namespace {

using namespace lathe;
using namespace lathe::test;

constexpr int kPixels = 160;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Inside = std::function<bool(const glm::dvec3&)>;

/// Of balls whose middles and radii go evenly from one end to the other.
bool is_in_tube(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b, double ra,
                double rb) {
    const auto outside = [&](double s) {
        return glm::length(p - glm::mix(a, b, s)) - glm::mix(ra, rb, s);
    };
    double low = 0, high = 1; // outside() is convex
    for (int i = 0; i < 40; ++i) {
        const double first = low + (high - low) / 3, second = high - (high - low) / 3;
        (outside(first) < outside(second) ? high : low) =
            outside(first) < outside(second) ? second : first;
    }
    return outside((low + high) / 2) <= 0;
}

bool is_in_arrow(const glm::dvec3& p, const glm::dvec3& tail, const glm::dvec3& vector,
                 double shaft) {
    const double length = glm::length(vector);
    const glm::dvec3 axis = vector / length;
    const double height = glm::dot(p - tail, axis);
    const double away = glm::length(p - tail - height * axis);
    const double head = std::min(ArrowShape::head_length * shaft, ArrowShape::most_head * length);
    if (height < 0 || height > length) return false;
    if (height < length - head) return away <= shaft;
    return away <= double(ArrowShape::head_radius) * shaft * (length - height) / head;
}

struct RoundTest : RenderTest {
    OrbitCamera camera;
    double first = 1.5; ///< from the eye: where something may be
    ClipPlanes clip;

    /// Two of them, which leave less than half.
    void cut() {
        clip.planes[0] = glm::vec4{glm::normalize(glm::vec3{-0.5f, 0.3f, -1}), 0.05f};
        clip.planes[1] = glm::vec4{glm::normalize(glm::vec3{0.2f, 1, 0.1f}), 0.35f};
        clip.count = 2;
    }

    void begin() { start(kPixels, kPixels, true); }

    bool is_left(const glm::dvec3& p, const Inside& inside) const {
        for (int i = 0; i < clip.count; ++i) {
            const glm::dvec4 plane{clip.planes[std::size_t(i)]};
            if (plane.x * p.x + plane.y * p.y + plane.z * p.z + plane.w < 0) return false;
        }
        return inside(p);
    }
    /// Through the middle of a pixel: the first place inside, from near to far.
    std::optional<glm::dvec3> first_inside(int x, int y, const Inside& inside) const {
        const glm::dvec3 eye{camera.eye()};
        const glm::dvec3 ahead = glm::normalize(glm::dvec3{camera.target} - eye);
        const glm::dvec3 right = glm::normalize(glm::cross(ahead, glm::dvec3{0, 1, 0}));
        const double slope = std::tan(double(camera.field_of_view) / 2);
        const glm::dvec3 along =
            glm::normalize(ahead + slope * (2 * (x + 0.5) / kPixels - 1) * right +
                           slope * (1 - 2 * (y + 0.5) / kPixels) * glm::cross(right, ahead));
        constexpr double kStep = 0.01;
        for (double t = first; t < first + 3; t += kStep) {
            if (!is_left(eye + t * along, inside)) continue;
            double before = t - kStep, there = t;
            for (int i = 0; i < 40; ++i)
                (is_left(eye + (before + there) / 2 * along, inside) ? there : before) =
                    (before + there) / 2;
            return eye + there * along;
        }
        return {};
    }

    /// Pixels where the two differ in what is seen, and the greatest difference in depth.
    void compare(int rays, const Inside& inside) {
        std::vector<float> depths(std::size_t{kPixels} * kPixels);
        glReadPixels(0, 0, kPixels, kPixels, GL_DEPTH_COMPONENT, GL_FLOAT, depths.data());
        std::mt19937 random{7};
        std::uniform_int_distribution<int> pixel{0, kPixels - 1};
        const glm::dmat4 to_clip{camera.view_projection(1)};
        int seen = 0, wrong = 0;
        std::vector<double> errors;
        for (int i = 0; i < rays; ++i) {
            const int x = pixel(random), y = pixel(random);
            const auto there = first_inside(x, y, inside);
            const bool is_seen = !(at(x, y) == kBlack);
            seen += is_seen;
            wrong += is_seen != there.has_value();
            if (!is_seen || !there) continue;
            const glm::dvec4 place = to_clip * glm::dvec4{*there, 1};
            const double depth = depths[std::size_t(kPixels - 1 - y) * kPixels + std::size_t(x)];
            errors.push_back(std::abs(2 * depth - 1 - place.z / place.w));
        }
        std::sort(errors.begin(), errors.end());
        EXPECT_GT(seen, 100);
        EXPECT_LE(wrong, 5);                               // at edges
        EXPECT_LT(errors[errors.size() * 98 / 100], 2e-6); // beside edges of the solid itself
    }
};

TEST_F(RoundTest, TubesAreBallsThatMoveAlongTheirSegmentsAlsoWhereTheyAreCut) {
    const glm::vec3 points[]{{-0.8f, -0.5f, 0.2f}, {0.1f, 0.7f, -0.3f}, {0.8f, -0.4f, 0.4f}};
    const float sizes[]{0.3f, 0.08f, 0.2f};
    const gl::Buffer positions = buffer_of(std::vector<glm::vec3>{points, points + 3}),
                     radii = buffer_of(std::vector<float>{sizes, sizes + 3});
    TubesStyle style;
    style.radius = 0.9f;
    for (const bool is_cut : {false, true}) {
        if (is_cut) cut();
        begin();
        TubesRenderer{}.draw({.positions = &positions, .count = 3, .radii = &radii}, style,
                             camera.view(), camera.projection(1), size(), clip);
        finish();
        compare(is_cut ? 1400 : 700, [&](const glm::dvec3& p) {
            for (int i = 0; i < 2; ++i)
                if (is_in_tube(p, points[i], points[i + 1], 0.9 * double(sizes[i]),
                               0.9 * double(sizes[i + 1])))
                    return true;
            return false;
        });
    }
}

TEST_F(RoundTest, OneBallMayHoldTheOther) {
    const glm::vec3 points[]{{0, 0, 0}, {0.2f, 0.1f, 0}};
    const gl::Buffer positions = buffer_of(std::vector<glm::vec3>{points, points + 2}),
                     radii = buffer_of(std::vector<float>{0.8f, 0.1f});
    begin();
    TubesStyle style;
    style.radius = 1;
    TubesRenderer{}.draw({.positions = &positions, .count = 2, .radii = &radii}, style,
                         camera.view(), camera.projection(1), size());
    finish();
    compare(700,
            [&](const glm::dvec3& p) { return is_in_tube(p, points[0], points[1], 0.8, 0.1); });
}

TEST_F(RoundTest, ArrowsAreShaftsWithCones) {
    const glm::vec3 tails[]{{-0.9f, -0.6f, 0}, {0.2f, -0.5f, -0.5f}, {0.4f, 0.3f, 0.9f}};
    const glm::vec3 vectors[]{{1.4f, 1.2f, 0.3f}, {0.3f, 0.2f, 0.9f}, {-0.2f, 0.3f, -0.9f}};
    const gl::Buffer from = buffer_of(std::vector<glm::vec3>{tails, tails + 3}),
                     along = buffer_of(std::vector<glm::vec3>{vectors, vectors + 3});
    const ArrowsData data{.positions = &from, .vectors = &along, .count = 3};
    for (const float radius : {0.0f, 0.09f, 0.12f}) {
        if (radius > 0.1f) cut();
        begin();
        ArrowsStyle style;
        style.scale = 0.8f;
        style.radius = radius;
        ArrowsRenderer{}.draw(data, style, camera.view(), camera.projection(1), size(), clip);
        finish();
        compare(5000, [&](const glm::dvec3& p) {
            for (int i = 0; i < 3; ++i) {
                const glm::dvec3 vector = 0.8 * glm::dvec3{vectors[i]};
                const double shaft = radius > 0
                                         ? double(radius)
                                         : double(ArrowShape::slimness) * glm::length(vector);
                if (is_in_arrow(p, tails[i], vector, shaft)) return true;
            }
            return false;
        });
    }
}

TEST_F(RoundTest, TheyAreSeenFromWithinTheirBoxes) {
    // The eye is beside the thin end of a long cone, well within the box that the thick end needs,
    // which goes on behind the eye.
    camera.yaw = camera.pitch = 0;
    camera.distance = 1;
    const glm::vec3 points[]{{0.6f, 0, 2}, {-0.1f, 0, -2}};
    const gl::Buffer positions = buffer_of(std::vector<glm::vec3>{points, points + 2}),
                     radii = buffer_of(std::vector<float>{0.02f, 0.6f});
    begin();
    TubesStyle style;
    style.radius = 1;
    TubesRenderer{}.draw({.positions = &positions, .count = 2, .radii = &radii}, style,
                         camera.view(), camera.projection(1), size());
    finish();
    first = 0.01;
    compare(700, [&](const glm::dvec3& p) {
        return is_in_tube(p, points[0], points[1], double(0.02f), double(0.6f));
    });
}

/// Parallel to the picture, seen by the plane's camera.
struct FlatRoundTest : RenderTest {
    PanZoomCamera camera; // 2 units high

    void draw(const TubesData& data, const TubesStyle& style) {
        start(100, 100, true);
        TubesRenderer{}.draw(data, style, camera.view(), camera.projection(1), size());
        finish();
    }
    int lit() const {
        int pixels = 0;
        for (int y = 0; y < 100; ++y)
            for (int x = 0; x < 100; ++x) pixels += !(at(x, y) == kBlack);
        return pixels;
    }
};

TEST_F(FlatRoundTest, SegmentsRingsAndSeveralLines) {
    // The corners of a square.
    const gl::Buffer corners =
        buffer_of(std::vector<float>{-0.5f, -0.5f, 0.5f, -0.5f, 0.5f, 0.5f, -0.5f, 0.5f});
    TubesData data{.positions = &corners, .count = 4, .components = 2};
    TubesStyle style;
    style.radius = 0.05f;
    const auto sides = [&] {
        draw(data, style);
        const auto is_lit = [&](int x, int y) { return !(at(x, y) == kBlack); };
        return std::array{is_lit(50, 75), is_lit(75, 50), is_lit(50, 25), is_lit(25, 50)};
    };
    EXPECT_EQ(sides(), (std::array{true, true, true, false}));
    style.closed = true;
    EXPECT_EQ(sides(), (std::array{true, true, true, true}));
    style = {.radius = 0.05f, .segments = true};
    EXPECT_EQ(sides(), (std::array{true, false, true, false}));
    style.segments = false;
    data.points_a_line = 2;
    EXPECT_EQ(sides(), (std::array{true, false, true, false}));
}

TEST_F(FlatRoundTest, ValuesAreBlendedAlongASegment) {
    const gl::Buffer ends = buffer_of(std::vector<float>{-1, 0, 1, 0});
    const gl::Buffer values = buffer_of(std::vector<float>{0, 1});
    TubesStyle style;
    style.radius = 0.2f;
    style.colormap = "gray";
    draw({.positions = &ends, .count = 2, .components = 2, .colors = {.values = &values}}, style);
    // The light is the same along the middle.
    const double full = at(99, 50).r / 0.995;
    for (int x = 1; x < 99; ++x) EXPECT_NEAR(at(x, 50).r / full, (x + 0.5) / 100, 0.01) << x;
}

TEST_F(FlatRoundTest, WhatHasNoSizeOrPlaceIsNotDrawn) {
    const gl::Buffer ends = buffer_of(std::vector<float>{-0.5f, 0, 0.5f, 0});
    const gl::Buffer broken = buffer_of(std::vector<float>{-0.5f, kNan, 0.5f, 0});
    const auto pixels = [&](const gl::Buffer& positions, std::vector<float> sizes) {
        const gl::Buffer radii = buffer_of(sizes);
        draw({.positions = &positions, .count = 2, .components = 2, .radii = &radii},
             {.radius = 1});
        return lit();
    };
    EXPECT_GT(pixels(ends, {0.1f, 0}), 200);
    EXPECT_EQ(pixels(ends, {0, 0}), 0);
    EXPECT_EQ(pixels(ends, {0.1f, -0.1f}), 0);
    EXPECT_EQ(pixels(ends, {kNan, 0.1f}), 0);
    EXPECT_EQ(pixels(broken, {0.1f, 0.1f}), 0);
    const gl::Buffer in_a_row = buffer_of(std::vector<float>{-0.5f, 0.01f, 0.5f, 0.01f});
    EXPECT_NEAR(pixels(in_a_row, {1e-6f, 1e-6f}), 50, 4); // a pixel thick
    EXPECT_GE(pixels(ends, {1e-6f, 1e-6f}), 50);          // between two rows
}

TEST_F(FlatRoundTest, WhatCannotBeDrawnIsNamed) {
    const gl::Buffer small{12};
    start(4, 4, true);
    const glm::mat4 none{1};
    const auto tubes = [&](const TubesData& data) {
        TubesRenderer{}.draw(data, {}, none, none, size());
    };
    const auto arrows = [&](const ArrowsData& data) {
        ArrowsRenderer{}.draw(data, {}, none, none, size());
    };
    EXPECT_THROW(tubes({.positions = &small, .count = 2}), lathe::Error);
    EXPECT_THROW(tubes({.count = 2}), lathe::Error);
    EXPECT_THROW(tubes({.positions = &small, .count = 2, .components = 1}), lathe::Error);
    EXPECT_NO_THROW(tubes({.count = 1}));
    EXPECT_THROW(arrows({.positions = &small, .count = 1}), lathe::Error);
    EXPECT_THROW(arrows({.positions = &small, .vectors = &small, .count = 2}), lathe::Error);
    EXPECT_NO_THROW(arrows({}));
}

} // namespace
