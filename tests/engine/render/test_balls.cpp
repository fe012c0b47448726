// SPDX-License-Identifier: MIT
// Opaque round points of world size are balls: compared with rays traced here, in double.
#include "engine/render/points.h"

#include "engine/render/lines.h"
#include "engine/scene/camera.h"
#include "fixture.h"

#include <glad/gl.h>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <glm/vec3.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace {

using namespace lathe;
using namespace lathe::test;

constexpr int kSide = 200;

struct Ray {
    glm::dvec3 from, along; ///< along has length 1
};

/// Through the middle of a pixel, from the way the cameras are described: no matrix of theirs.
Ray ray_of(const OrbitCamera& camera, double x, double y) {
    const glm::dvec3 eye{camera.eye()};
    const glm::dvec3 ahead = glm::normalize(glm::dvec3{camera.target} - eye);
    const glm::dvec3 right = glm::normalize(glm::cross(ahead, glm::dvec3{0, 1, 0}));
    const double slope = std::tan(double(camera.field_of_view) / 2);
    return {eye, glm::normalize(ahead + slope * (2 * x / kSide - 1) * right +
                                slope * (1 - 2 * y / kSide) * glm::cross(right, ahead))};
}

Ray ray_of(const PanZoomCamera& camera, double x, double y) {
    const glm::dvec2 half{double(camera.height) / 2};
    const glm::dvec2 p =
        glm::dvec2{camera.center} + half * glm::dvec2{2 * x / kSide - 1, 1 - 2 * y / kSide};
    return {{p, 1e3}, {0, 0, -1}};
}

struct Ball {
    glm::vec3 middle;
    Rgb8 color;
};

struct BallsTest : RenderTest {
    struct Hit {
        std::size_t ball;
        glm::dvec3 place;
    };
    std::vector<Ball> balls;
    double radius = 0;
    ClipPlanes clip;

    /// The part of a ray that the planes leave.
    std::array<double, 2> left(const Ray& ray) const {
        std::array<double, 2> ends{0, 1e30};
        for (int i = 0; i < clip.count; ++i) {
            const glm::dvec4 plane{clip.planes[std::size_t(i)]};
            const double there = -glm::dot(plane, glm::dvec4{ray.from, 1}) /
                                 glm::dot(plane, glm::dvec4{ray.along, 0});
            if (glm::dot(plane, glm::dvec4{ray.along, 0}) > 0) ends[0] = std::max(ends[0], there);
            else ends[1] = std::min(ends[1], there);
        }
        return ends;
    }

    std::optional<Hit> first_hit(const Ray& ray) const {
        std::optional<Hit> first;
        double nearest = 1e30;
        for (std::size_t i = 0; i < balls.size(); ++i) {
            const glm::dvec3 to = glm::dvec3{balls[i].middle} - ray.from;
            const double middle = glm::dot(to, ray.along);
            const double under = radius * radius - (glm::dot(to, to) - middle * middle);
            const double root = std::sqrt(std::max(under, 0.0));
            const auto [begin, end] = left(ray);
            const double there = middle - root < 0 ? -1 : std::max(middle - root, begin);
            if (under < 0 || there < 0 || there >= nearest) continue;
            if (there > std::min(middle + root, end)) continue;
            nearest = there;
            first = Hit{i, ray.from + nearest * ray.along};
        }
        return first;
    }

    void draw(const glm::mat4& view_projection) {
        std::vector<float> places;
        std::vector<std::uint8_t> colors;
        for (const Ball& ball : balls) {
            places.insert(places.end(), {ball.middle.x, ball.middle.y, ball.middle.z});
            colors.insert(colors.end(), {ball.color.r, ball.color.g, ball.color.b, 255});
        }
        const gl::Buffer positions = buffer_of(places), tints = buffer_of(colors);
        PointsStyle style;
        style.size = float(2 * radius);
        style.world_size = true;
        style.blend = Blend::opaque;
        start(kSide, kSide, true);
        PointsRenderer{}.draw({.positions = &positions, .count = balls.size(), .colors = &tints},
                              style, view_projection, size(), clip);
        finish();
    }

    /// Which ball each pixel shows, and how deep it lies there; a pixel at an edge or a seam may
    /// fall to either side.
    template <class Camera> void compare(const Camera& camera) {
        const glm::mat4 view_projection = camera.view_projection(1);
        draw(view_projection);
        std::vector<float> depth(std::size_t{kSide} * kSide);
        glReadPixels(0, 0, kSide, kSide, GL_DEPTH_COMPONENT, GL_FLOAT, depth.data());
        int lit = 0, wrong = 0;
        double deepest_error = 0;
        for (int y = 0; y < kSide; ++y)
            for (int x = 0; x < kSide; ++x) {
                const auto hit = first_hit(ray_of(camera, x + 0.5, y + 0.5));
                lit += hit.has_value();
                const Rgb8 seen = at(x, y);
                const bool same = hit ? is_of(seen, balls[hit->ball].color) : seen == kBlack;
                wrong += !same;
                if (!same || !hit) continue;
                const glm::dvec4 place = glm::dmat4{view_projection} * glm::dvec4{hit->place, 1};
                const double expected = place.z / place.w / 2 + 0.5;
                // In steps of the balls' radius, as the depth buffer has them here.
                const glm::dvec4 further =
                    glm::dmat4{view_projection} *
                    glm::dvec4{hit->place + radius * ray_of(camera, x + 0.5, y + 0.5).along, 1};
                const double step = (further.z / further.w - place.z / place.w) / 2;
                const double found = depth[std::size_t(kSide - 1 - y) * kSide + std::size_t(x)];
                deepest_error = std::max(deepest_error, std::abs(found - expected) / step);
            }
        EXPECT_GT(lit, 1500);
        EXPECT_LT(wrong, 40); // of a few hundred pixels at edges and seams
        EXPECT_LT(deepest_error, 0.06);
    }

    /// The same hue, whatever the light.
    static bool is_of(Rgb8 seen, Rgb8 ball) {
        return (seen.r > 20) == (ball.r > 0) && (seen.g > 20) == (ball.g > 0) &&
               (seen.b > 20) == (ball.b > 0);
    }
};

constexpr Rgb8 kRed{255, 0, 0}, kBlue{0, 0, 255}, kGreen{0, 255, 0};

TEST_F(BallsTest, CutEachOtherWhereTheyShouldInPerspective) {
    balls = {{{-0.2f, 0, 0}, kRed}, {{0.25f, 0.1f, 0.2f}, kBlue}, {{0, -0.3f, 0.35f}, kGreen}};
    radius = 0.45;
    for (float distance : {1.6f, 3.0f}) {
        OrbitCamera camera;
        camera.distance = distance;
        compare(camera);
        std::reverse(balls.begin(), balls.end());
        compare(camera);
    }
}

TEST_F(BallsTest, CutEachOtherWhereTheyShouldInAnOrthographicView) {
    for (float scale : {1.0f, 20.0f}) {
        balls = {{scale * glm::vec3{-0.2f, 0, 0}, kRed},
                 {scale * glm::vec3{0.25f, 0.1f, 0.2f}, kBlue},
                 {scale * glm::vec3{0, -0.3f, 0.35f}, kGreen}};
        radius = 0.45 * double(scale);
        PanZoomCamera camera;
        camera.height = 2 * scale;
        camera.center = scale * glm::vec2{0.1f, -0.05f};
        compare(camera);
        std::reverse(balls.begin(), balls.end());
        compare(camera);
    }
}

TEST_F(BallsTest, AreSolidWhereTheyAreCut) {
    balls = {{{-0.2f, 0, 0}, kRed}, {{0.75f, 0.1f, 0.2f}, kBlue}, {{0, -0.93f, 0.35f}, kGreen}};
    radius = 0.45;
    clip.planes[0] = glm::vec4{glm::normalize(glm::vec3{-0.3f, 0.2f, -1}), 0.1f};
    clip.planes[1] = glm::vec4{glm::normalize(glm::vec3{0.2f, 1, 0.1f}), 0.85f};
    clip.count = 2;
    OrbitCamera camera;
    camera.distance = 3.4f;
    compare(camera);
    PanZoomCamera flat;
    flat.height = 2.6f;
    compare(flat);
}

TEST_F(BallsTest, LookLongAtTheEdgeOfAWideView) {
    OrbitCamera camera;
    camera.yaw = camera.pitch = 0;
    camera.field_of_view = 2;
    balls = {{{3.4f, 0, 0}, kRed}, {{-3.4f, 3, 0}, kBlue}, {{0, 0, 1.5f}, kGreen}};
    radius = 1.2;
    compare(camera);
}

TEST_F(BallsTest, BesideAndBehindTheEye) {
    OrbitCamera camera;
    camera.yaw = camera.pitch = 0;     // the eye is at z = 3 and looks down −z
    balls = {{{1.5f, 0, 3.1f}, kRed}}; // its middle lies behind the eye, its flank in the view
    radius = 1.45;
    compare(camera);
    balls = {{{0, 0, 5}, kRed}};
    radius = 0.5;
    draw(camera.view_projection(1));
    for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) ASSERT_EQ(at(x, y), kBlack);
}

TEST_F(BallsTest, LightFallsFromTheViewersSide) {
    balls = {{{0, 0, 0}, kWhite}};
    radius = 0.8;
    OrbitCamera camera;
    draw(camera.view_projection(1));
    int brightest = 0;
    for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) brightest = std::max(brightest, int(at(x, y).r));
    EXPECT_GE(brightest, 250); // the colour itself, where the light falls straight
    EXPECT_GT(at(85, 85).r, at(135, 135).r + 40);
    EXPECT_GT(at(135, 135).r, 60); // no part is lost in the dark
}

} // namespace
