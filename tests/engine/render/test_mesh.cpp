// SPDX-License-Identifier: MIT
#include "engine/render/mesh.h"

#include "engine/core/error.h"
#include "engine/scene/camera.h"
#include "fixture.h"
#include "gl/saved_state.h"
#include "tests/engine/lambert.h"

#include <glad/gl.h>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/matrix.hpp>
#include <glm/vec3.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

namespace {

using namespace lathe;
using namespace lathe::test;

using Numbers = std::vector<float>;
using Indices = std::vector<std::uint32_t>;

MeshStyle white() { return {.color = {1, 1, 1, 1}}; }

/// What a white face looks like whose normal that is.
int brightness(glm::vec3 normal) {
    return int(std::lround(255 * lambert(unit({normal.x, normal.y, normal.z}))));
}

class MeshTest : public RenderTest {
protected:
    /// The plane's camera, for what is seen from z: x and y from -1 to 1.
    void draw(const MeshData& data, const MeshStyle& style) {
        const PanZoomCamera camera;
        renderer.draw(data, style, camera.view(), camera.projection(size().x / size().y), size());
    }
    /// A picture of its own.
    ImageData drawn(const MeshData& data, const MeshStyle& style, int side = 100) {
        start(side, side, true);
        draw(data, style);
        finish();
        return picture;
    }
    /// The plane's point in the middle of a pixel.
    glm::vec2 plane(int x, int y) const {
        return {(float(x) + 0.5f) / size().x * 2 - 1, 1 - (float(y) + 0.5f) / size().y * 2};
    }

    MeshRenderer renderer;
};

MeshData mesh_of(const gl::Buffer& vertices, std::size_t count, const gl::Buffer& triangles,
                 std::size_t faces) {
    return {.vertices = &vertices,
            .vertex_count = count,
            .triangles = &triangles,
            .triangle_count = faces};
}

/// Twice the area, positive where b lies counter-clockwise.
float cross2(glm::vec2 a, glm::vec2 b) { return a.x * b.y - a.y * b.x; }

/// Two triangles that fill a picture of the plane's camera.
const Numbers kSquare{-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
const Indices kHalves{0, 1, 2, 0, 2, 3}; // right and below, left and above

TEST_F(MeshTest, ATriangleCoversItsArea) {
    std::mt19937 random{7};
    std::uniform_real_distribution<float> in_view{-0.95f, 0.95f};
    const gl::Buffer triangle = buffer_of(Indices{0, 1, 2});
    for (int k = 0; k < 12; ++k) {
        Numbers places;
        for (int i = 0; i < 3; ++i)
            places.insert(places.end(), {in_view(random), in_view(random), in_view(random)});
        const gl::Buffer vertices = buffer_of(places);
        (void)drawn(mesh_of(vertices, 3, triangle, 1), white(), 200);
        int covered = 0;
        for (int y = 0; y < 200; ++y)
            for (int x = 0; x < 200; ++x) covered += at(x, y) != kBlack;
        const glm::vec2 a{places[0], places[1]}, b{places[3], places[4]}, c{places[6], places[7]};
        const float area = std::abs(cross2(b - a, c - a)) / 2 * 100 * 100;
        const float around = (glm::length(b - a) + glm::length(c - b) + glm::length(a - c)) * 100;
        EXPECT_NEAR(float(covered), area, 2 + around * 0.05f) << k;
    }
}

TEST_F(MeshTest, ATiltedFaceIsLitAsLambertSaysFromBothSides) {
    OrbitCamera camera;
    camera.yaw = camera.pitch = 0; // eye space has the axes of the world
    const glm::vec3 normals[] = {{0, 0, 1},        {0.5f, 0.2f, 1}, {-1, 0.7f, 0.8f},
                                 {0.1f, -1, 0.9f}, {1, 0.3f, 0.6f}, {-0.4f, -0.6f, 1}};
    for (const glm::vec3 normal : normals)
        for (const Indices& order : {Indices{0, 1, 2}, Indices{0, 2, 1}}) {
            const glm::vec3 along = glm::normalize(glm::cross(glm::vec3{0, 1, 0}, normal));
            const glm::vec3 up = glm::normalize(glm::cross(normal, along));
            Numbers places;
            for (const glm::vec3 p : {-along - up, along - up, 1.5f * up})
                places.insert(places.end(), {p.x, p.y, p.z});
            const gl::Buffer vertices = buffer_of(places), triangle = buffer_of(order);
            start(60, 60, true);
            renderer.draw(mesh_of(vertices, 3, triangle, 1), white(), camera.view(),
                          camera.projection(1), size());
            finish();
            for (const auto& [x, y] : {std::pair{30, 30}, {28, 33}, {31, 25}}) {
                EXPECT_NEAR(int(at(x, y).r), brightness(normal), 1) << x << ' ' << y;
                EXPECT_EQ(at(x, y).r, at(x, y).b);
            }
        }
}

TEST_F(MeshTest, NormalsOfVerticesBendTheLightWhateverSideTheyPointTo) {
    const glm::vec3 left = glm::normalize(glm::vec3{-0.8f, 0.1f, 0.6f}),
                    right = glm::normalize(glm::vec3{0.7f, 0.3f, 0.6f});
    const gl::Buffer vertices = buffer_of(kSquare), triangles = buffer_of(kHalves);
    MeshData data = mesh_of(vertices, 4, triangles, 2);
    MeshStyle smooth = white();
    smooth.smooth = true;
    for (const float length : {1.0f, -1.0f, 1e-25f, -1e30f}) {
        Numbers directions;
        for (const glm::vec3 n : {left, right, right, left})
            for (int k = 0; k < 3; ++k) directions.push_back(n[k] * length);
        const gl::Buffer normals = buffer_of(directions);
        data.normals = &normals;
        (void)drawn(data, smooth);
        for (int x = 2; x < 100; x += 5)
            EXPECT_NEAR(int(at(x, 40).r),
                        brightness(glm::mix(left, right, (plane(x, 40).x + 1) / 2)), 1)
                << x << ' ' << length;
    }
    const gl::Buffer none{4 * 12}; // all are 0: the face's own
    data.normals = &none;
    (void)drawn(data, smooth);
    EXPECT_NEAR(int(at(50, 50).r), brightness({0, 0, 1}), 1);
}

TEST_F(MeshTest, WhatIsNotLitHasItsOwnColours) {
    const gl::Buffer triangles = buffer_of(kHalves);
    for (const float slope : {0.0f, 0.9f}) { // however the faces are turned
        const gl::Buffer vertices =
            buffer_of(Numbers{-1, -1, -slope, 1, -1, slope, 1, 1, slope, -1, 1, -slope});
        const MeshStyle style{.color = {0.2f, 0.6f, 1, 1}, .lit = false};
        (void)drawn(mesh_of(vertices, 4, triangles, 2), style);
        for (int x = 5; x < 100; x += 30) {
            EXPECT_EQ(int(at(x, 40).r), 51);
            EXPECT_EQ(int(at(x, 40).g), 153);
            EXPECT_EQ(int(at(x, 40).b), 255);
        }
    }
}

TEST_F(MeshTest, CrossingTrianglesAreCutAlongTheirLine) {
    const auto red_depth = [](glm::vec2 p) { return 0.5f * p.x + 0.2f * p.y; };
    const auto blue_depth = [](glm::vec2 p) { return 0.1f - 0.3f * p.x; };
    Numbers places;
    for (const bool red : {true, false})
        for (const glm::vec2 p : {glm::vec2{-3, -2}, {3, -2}, {0, 4}})
            places.insert(places.end(), {p.x, p.y, red ? red_depth(p) : blue_depth(p)});
    const gl::Buffer vertices = buffer_of(places);
    std::vector<float> tones;
    for (int i = 0; i < 6; ++i) tones.insert(tones.end(), {i < 3 ? 1.f : 0.f, 0, i / 3 * 1.f, 1});
    const gl::Buffer colors = buffer_of(tones);
    for (const Indices& order : {Indices{0, 1, 2, 3, 4, 5}, Indices{3, 4, 5, 0, 1, 2}}) {
        const gl::Buffer triangles = buffer_of(order);
        MeshData data = mesh_of(vertices, 6, triangles, 2);
        data.colors = &colors;
        data.colors_are_bytes = false;
        (void)drawn(data, {});
        for (int y = 0; y < 100; ++y)
            for (int x = 0; x < 100; ++x) {
                const glm::vec2 p = plane(x, y);
                const float before = red_depth(p) - blue_depth(p); // 0.8 a unit across the cut
                if (std::abs(before) < 0.9f * 0.02f) continue;     // a pixel
                EXPECT_EQ(at(x, y).r > 0, before > 0) << x << ' ' << y;
                EXPECT_EQ(at(x, y).b > 0, before < 0) << x << ' ' << y;
            }
    }
}

TEST_F(MeshTest, ValuesOfVerticesAndOfFacesGoThroughTheColormap) {
    const double light = lambert({0, 0, 1});
    const auto lit = [&](Rgb8 c) {
        return std::array{int(std::lround(c.r * light)), int(std::lround(c.g * light)),
                          int(std::lround(c.b * light))};
    };
    const auto near = [&](int x, int y, Rgb8 wanted, int by) {
        const std::array want = lit(wanted);
        EXPECT_NEAR(int(at(x, y).r), want[0], by) << x << ' ' << y;
        EXPECT_NEAR(int(at(x, y).g), want[1], by) << x << ' ' << y;
        EXPECT_NEAR(int(at(x, y).b), want[2], by) << x << ' ' << y;
    };
    const gl::Buffer vertices = buffer_of(kSquare), triangles = buffer_of(kHalves);
    MeshData data = mesh_of(vertices, 4, triangles, 2);
    MeshStyle style;
    style.range = {-1, 3};
    const Colormap& map = Colormap::named("viridis");
    const gl::Buffer of_vertices = buffer_of(Numbers{-1, 3, 3, -1});
    data.values = &of_vertices;
    (void)drawn(data, style);
    for (int x = 0; x < 100; x += 7) near(x, 31, map((plane(x, 31).x + 1) / 2), 4);

    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const gl::Buffer of_faces = buffer_of(Numbers{9, 1, kNan});
    data.values = &of_faces;
    data.value_offset = 4;
    data.values_of = MeshPart::triangles;
    (void)drawn(data, style);
    near(70, 80, map(0.5f), 1);
    near(30, 20, kMagenta, 1);

    const gl::Buffer found = buffer_of(Numbers{1, 5});
    data.range = &found;
    (void)drawn(data, style);
    near(70, 80, map(0), 1);

    const gl::Buffer odd = buffer_of(std::vector<std::uint8_t>{7, 255, 0, 0, 0, 0, 102, 255, 255});
    data.colors = &odd; // win over the values
    data.color_offset = 1;
    data.colors_of = MeshPart::triangles;
    (void)drawn(data, style);
    near(70, 80, {255, 0, 0}, 1);
    near(30, 20, {0, 102, 255}, 1);
    const gl::Buffer floats = buffer_of(Numbers{0, 0.4f, 1, 1, 1, 0, 0, 1});
    data.colors = &floats;
    data.color_offset = 0;
    data.colors_are_bytes = false;
    (void)drawn(data, style);
    near(70, 80, {0, 102, 255}, 1);
    near(30, 20, {255, 0, 0}, 1);
}

TEST_F(MeshTest, EdgesCoverWhatLiesWithinHalfTheirWidth) {
    OrbitCamera camera;
    camera.yaw = 0.4f;
    camera.pitch = 0.3f;
    const Numbers places{-1, -0.6f, 0.2f, 1.1f, -0.4f, 0.5f, 0.2f, 1, -0.3f};
    const gl::Buffer vertices = buffer_of(places), triangle = buffer_of(Indices{0, 1, 2});
    for (const float width : {1.0f, 4.0f}) {
        start(160, 120, true);
        MeshStyle style = white();
        renderer.draw(mesh_of(vertices, 3, triangle, 1), style, camera.view(),
                      camera.projection(4.0f / 3), size());
        finish();
        const ImageData plain = picture;
        style.wireframe = true;
        style.edge_color = {1, 0, 0, 1};
        style.edge_width = width;
        renderer.draw(mesh_of(vertices, 3, triangle, 1), style, camera.view(),
                      camera.projection(4.0f / 3), size());
        finish();
        glm::vec2 corners[3];
        for (int k = 0; k < 3; ++k) {
            const glm::vec4 clip =
                camera.view_projection(4.0f / 3) *
                glm::vec4{places[3 * k], places[3 * k + 1], places[3 * k + 2], 1};
            corners[k] = {(clip.x / clip.w + 1) * 80, (1 - clip.y / clip.w) * 60};
        }
        int inside = 0;
        for (int y = 0; y < 120; ++y)
            for (int x = 0; x < 160; ++x) {
                const double face = int(plain.at(x, y)[1]);
                if (face == 0) {
                    EXPECT_EQ(at(x, y), kBlack);
                    continue;
                }
                ++inside;
                float nearest = 1e9f;
                for (int k = 0; k < 3; ++k) {
                    const glm::vec2 a = corners[k], along = corners[(k + 1) % 3] - a;
                    const glm::vec2 to = glm::vec2{float(x) + 0.5f, float(y) + 0.5f} - a;
                    nearest = std::min(nearest, std::abs(cross2(along, to)) / glm::length(along));
                }
                const double ink = std::clamp(0.5 * width + 0.5 - double(nearest), 0.0, 1.0);
                EXPECT_NEAR(int(at(x, y).g), face * (1 - ink), 3) << x << ' ' << y;
                EXPECT_NEAR(int(at(x, y).r), face * (1 - ink) + 255 * ink, 3) << x << ' ' << y;
            }
        EXPECT_GT(inside, 2000);
    }
}

// A floor that reaches from before the eye to behind it, whose side runs along the view.
TEST_F(MeshTest, AnEdgePastTheEyeStaysInItsPlace) {
    OrbitCamera camera;
    camera.yaw = camera.pitch = 0; // the eye is at z = 3 and looks down -z
    const gl::Buffer vertices = buffer_of(Numbers{0, -0.3f, -60, 0, -0.3f, 60, 90, -0.3f, 60});
    const gl::Buffer triangle = buffer_of(Indices{0, 1, 2});
    MeshStyle style = white();
    style.wireframe = true;
    style.edge_color = {1, 0, 0, 1};
    style.edge_width = 4;
    start(100, 100, true);
    renderer.draw(mesh_of(vertices, 3, triangle, 1), style, camera.view(), camera.projection(1),
                  size());
    finish();
    for (int y = 60; y < 100; y += 3) {
        EXPECT_EQ(at(49, y), kBlack) << y;
        EXPECT_EQ(at(50, y), (Rgb8{255, 0, 0})) << y;
        EXPECT_GT(int(at(56, y).g), 100) << y;
    }
}

TEST_F(MeshTest, EdgesOfTrianglesSmallerThanTheyAreDoNotDarkenThem) {
    constexpr int kSquares = 200; // squares in a picture of 100 pixels
    Numbers places;
    Indices corners;
    for (int i = 0; i <= kSquares; ++i)
        for (int j = 0; j <= kSquares; ++j)
            places.insert(places.end(),
                          {2.0f * float(j) / kSquares - 1, 2.0f * float(i) / kSquares - 1, 0});
    for (std::uint32_t i = 0; i < kSquares; ++i)
        for (std::uint32_t j = 0; j < kSquares; ++j) {
            const std::uint32_t a = i * (kSquares + 1) + j, b = a + kSquares + 1;
            corners.insert(corners.end(), {a, a + 1, b, b, a + 1, b + 1});
        }
    const gl::Buffer vertices = buffer_of(places), triangles = buffer_of(corners);
    MeshStyle style = white();
    style.wireframe = true;
    (void)drawn(mesh_of(vertices, places.size() / 3, triangles, corners.size() / 3), style);
    for (int k = 0; k < 100; k += 7) EXPECT_GT(int(at(k, k).r), 200);
}

TEST_F(MeshTest, ATriangleWithAVertexThatIsNotThereIsNotDrawn) {
    const gl::Buffer vertices = buffer_of(kSquare);
    const gl::Buffer normals = buffer_of(Numbers{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
    const gl::Buffer values = buffer_of(Numbers{0, 0.5f, 1, 0.3f});
    const gl::Buffer of_faces = buffer_of(Numbers{0, 0, 3, 0, 0});
    const gl::Buffer good = buffer_of(Indices{0, 1, 2});
    for (const std::uint32_t wrong :
         {4u, 5u, 1000u, 1u << 30, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
        const gl::Buffer mixed =
            buffer_of(Indices{0, 1, wrong, wrong, 2, 3, 0, 1, 2, wrong, wrong, wrong, 0, wrong, 2});
        for (const bool wireframe : {false, true})
            for (const float opacity : {1.0f, 0.5f}) {
                MeshStyle style;
                style.smooth = true;
                style.wireframe = wireframe;
                style.opacity = opacity;
                MeshData data = mesh_of(vertices, 4, good, 1);
                data.values = &values;
                data.normals = &normals;
                const ImageData one = drawn(data, style);
                data.triangles = &mixed;
                data.triangle_count = 5;
                const ImageData all = drawn(data, style);
                EXPECT_EQ(all.bytes, one.bytes) << wrong << wireframe << opacity;
                EXPECT_NE(at(70, 80), kBlack);
                EXPECT_EQ(at(30, 20), kBlack);
                data.values = &of_faces;
                data.values_of = MeshPart::triangles;
                style.range = {0, 5};
                (void)drawn(data, style);
                EXPECT_GT(int(at(70, 80).g), int(at(70, 80).r) + 20) << "the third's: green";
            }
    }
}

TEST_F(MeshTest, TheRestartIndexOfAnotherProgramShiftsNoTriangles) {
    const gl::Buffer vertices = buffer_of(kSquare);
    const gl::Buffer triangles = buffer_of(Indices{0xffffffffu, 3, 3, 0, 1, 2});
    start(100, 100, true);
    glEnable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
    {
        const gl::SavedState theirs;
        gl::set_expected_state();
        target.bind();
        draw(mesh_of(vertices, 4, triangles, 2), white());
    }
    EXPECT_TRUE(glIsEnabled(GL_PRIMITIVE_RESTART_FIXED_INDEX));
    glDisable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
    finish();
    EXPECT_NE(at(70, 80), kBlack);
    EXPECT_EQ(at(30, 20), kBlack);
}

TEST_F(MeshTest, OffsetsFindWhatLiesInTheMiddleOfABuffer) {
    const auto behind = [](auto values, std::size_t junk) {
        values.insert(values.begin(), junk, decltype(values.front() + 0)(3));
        return buffer_of(values);
    };
    const Numbers levels{0, 0.5f, 1, 0.3f}, directions{0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1};
    const gl::Buffer vertices = buffer_of(kSquare), triangles = buffer_of(kHalves),
                     values = buffer_of(levels), normals = buffer_of(directions);
    const gl::Buffer far_vertices = behind(kSquare, 5), far_triangles = behind(kHalves, 2),
                     far_values = behind(levels, 1), far_normals = behind(directions, 7);
    MeshStyle style;
    style.smooth = style.wireframe = true;
    MeshData data = mesh_of(vertices, 4, triangles, 2);
    data.values = &values;
    data.normals = &normals;
    const ImageData near = drawn(data, style);
    data = {.vertices = &far_vertices,
            .vertex_count = 4,
            .vertex_offset = 20,
            .triangles = &far_triangles,
            .triangle_count = 2,
            .triangle_offset = 8,
            .values = &far_values,
            .value_offset = 4,
            .normals = &far_normals,
            .normal_offset = 28};
    EXPECT_EQ(drawn(data, style).bytes, near.bytes);
    EXPECT_NE(at(50, 50), kBlack);
}

TEST_F(MeshTest, OpacityBlendsTheSideAwayFromTheEyeFirst) {
    // Seen from z: the nearer triangle is counter-clockwise, the farther one clockwise.
    const gl::Buffer vertices = buffer_of(
        Numbers{-3, -2, 0.5f, 3, -2, 0.5f, 0, 4, 0.5f, -3, -2, -0.5f, 0, 4, -0.5f, 3, -2, -0.5f});
    const gl::Buffer colors = buffer_of(Numbers{1, 0, 0, 1, 0, 0, 1, 1});
    const double light = lambert({0, 0, 1});
    for (const bool near_first : {true, false}) {
        const gl::Buffer triangles =
            buffer_of(near_first ? Indices{0, 1, 2, 3, 4, 5} : Indices{3, 4, 5, 0, 1, 2});
        const gl::Buffer swapped = buffer_of(Numbers{0, 0, 1, 1, 1, 0, 0, 1});
        MeshData data = mesh_of(vertices, 6, triangles, 2);
        data.colors = near_first ? &colors : &swapped;
        data.colors_are_bytes = false;
        data.colors_of = MeshPart::triangles;
        MeshStyle style;
        style.opacity = 0.5f;
        EXPECT_FALSE(is_solid(data, style));
        (void)drawn(data, style);
        EXPECT_NEAR(int(at(50, 50).r), 255 * light / 2, 2);
        EXPECT_NEAR(int(at(50, 50).b), 255 * light / 4, 2);
        EXPECT_EQ(int(picture.at(50, 50)[3]), 255);
    }
}

/// A lopsided pyramid, whose normals are not those of its faces.
struct Pyramid {
    std::vector<glm::vec3> vertices{
        {-0.3f, -0.2f, 0}, {0.3f, -0.2f, 0}, {0, 0.4f, 0}, {0.1f, 0, 0.5f}};
    std::vector<glm::vec3> normals{{-1, -1, 1}, {1, -1, 1}, {0, 1, 1}, {0, 0, 1}};
    Indices triangles{0, 1, 3, 1, 2, 3, 2, 0, 3};

    Pyramid placed(const glm::mat3& frame, const glm::vec3& place) const {
        Pyramid other = *this;
        for (glm::vec3& v : other.vertices) v = place + frame * v;
        for (glm::vec3& n : other.normals) n = glm::transpose(glm::inverse(frame)) * n;
        return other;
    }
};

/// Pixels that differ by more than rounding.
int different(const ImageData& a, const ImageData& b, int width, int height) {
    int count = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            bool same = true;
            for (int k = 0; k < 3; ++k)
                same = same && std::abs(int(a.at(x, y)[k]) - int(b.at(x, y)[k])) <= 2;
            count += !same;
        }
    return count;
}

TEST_F(MeshTest, InstancesAreTheMeshMovedTurnedAndStretched) {
    const Pyramid mesh;
    const std::vector<glm::vec3> places{
        {-0.5f, -0.3f, 0}, {0.4f, -0.4f, 0.2f}, {0.1f, 0.5f, -0.3f}};
    const std::vector<glm::vec3> stretch{{1, 1, 1}, {0.7f, 1.2f, 0.8f}, {1.2f, 0.6f, 1}};
    const std::vector<glm::vec3> headings{{0, 0, 1}, {0.4f, 0.3f, 0.8f}, {-2, 1, 3}};
    std::vector<glm::quat> turns;
    for (int i = 0; i < 3; ++i)
        turns.push_back(glm::angleAxis(0.7f * float(i), glm::normalize(glm::vec3{1, 2, 3})));
    std::vector<float> quaternions;
    for (const glm::quat& q : turns)
        for (const float each : {q.x, q.y, q.z, q.w}) quaternions.push_back(3 * each); // any length
    const gl::Buffer vertices = buffer_of(mesh.vertices), normals = buffer_of(mesh.normals),
                     triangles = buffer_of(mesh.triangles), at = buffer_of(places),
                     sizes = buffer_of(stretch), quats = buffer_of(quaternions),
                     directions = buffer_of(headings),
                     tints = buffer_of(std::vector<std::uint8_t>{255, 0, 0, 255, 0, 255, 0, 255, //
                                                                 90, 90, 255, 255});
    const glm::vec4 colors[]{{1, 0, 0, 1}, {0, 1, 0, 1}, {90 / 255.0f, 90 / 255.0f, 1, 1}};
    MeshData data{.vertices = &vertices,
                  .vertex_count = 4,
                  .triangles = &triangles,
                  .triangle_count = 3,
                  .colors = &tints,
                  .colors_of = MeshPart::instances,
                  .normals = &normals};
    for (const auto& [by_direction, up_axis] : {std::pair{false, 1}, {true, 1}, {true, 2}})
        for (const bool wireframe : {false, true}) {
            MeshStyle style{.smooth = true, .wireframe = wireframe, .scale = 0.9f};
            data.instances = MeshInstances{.positions = &at,
                                           .count = 3,
                                           .turns = by_direction ? &directions : &quats,
                                           .turns_are_directions = by_direction,
                                           .up_axis = up_axis,
                                           .scales = &sizes,
                                           .scales_are_of_axes = true};
            const ImageData many = drawn(data, style);
            start(100, 100, true);
            for (std::size_t i = 0; i < 3; ++i) {
                glm::mat3 turn = glm::mat3_cast(turns[i]);
                if (by_direction) {
                    const glm::vec3 z = glm::normalize(headings[i]);
                    // The first one looks right along z: with that up, -x takes its place.
                    glm::vec3 up = up_axis == 1 ? glm::vec3{0, 1, 0} : glm::vec3{0, 0, 1};
                    if (up_axis == 2 && i == 0) up = {-1, 0, 0};
                    const glm::vec3 x = glm::normalize(glm::cross(up, z));
                    turn = {x, glm::cross(z, x), z};
                }
                for (int k = 0; k < 3; ++k) turn[k] *= 0.9f * stretch[i][k];
                const Pyramid one = mesh.placed(turn, places[i]);
                const gl::Buffer own = buffer_of(one.vertices), lit = buffer_of(one.normals);
                style.color = colors[i];
                draw({.vertices = &own,
                      .vertex_count = 4,
                      .triangles = &triangles,
                      .triangle_count = 3,
                      .normals = &lit},
                     style);
            }
            finish();
            EXPECT_LE(different(many, picture, 100, 100), 5);
            EXPECT_GT(different(many, drawn({}, style), 100, 100), 500);
        }
}

TEST_F(MeshTest, InstancesWithoutSizeOrPlaceAreNotDrawn) {
    const Pyramid mesh;
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    const gl::Buffer vertices = buffer_of(mesh.vertices), triangles = buffer_of(mesh.triangles);
    const auto lit = [&](glm::vec3 place, float size) {
        const gl::Buffer at = buffer_of(std::vector<glm::vec3>{place}),
                         sizes = buffer_of(Numbers{size});
        drawn({.vertices = &vertices,
               .vertex_count = 4,
               .triangles = &triangles,
               .triangle_count = 3,
               .instances = MeshInstances{.positions = &at, .count = 1, .scales = &sizes}},
              white());
        int count = 0;
        for (int y = 0; y < 100; ++y)
            for (int x = 0; x < 100; ++x) count += !(this->at(x, y) == kBlack);
        return count;
    };
    EXPECT_GT(lit({0, 0, 0}, 1), 300);
    EXPECT_EQ(lit({0, 0, 0}, 0), 0);
    EXPECT_EQ(lit({0, 0, 0}, -1), 0);
    EXPECT_EQ(lit({0, 0, 0}, kNone), 0);
    EXPECT_EQ(lit({0, kNone, 0}, 1), 0);
}

TEST_F(MeshTest, WhatCannotBeDrawnIsNamed) {
    start(4, 4, true);
    const gl::Buffer buffer{36};
    const auto message = [&](const MeshData& data) {
        try {
            draw(data, {});
        } catch (const lathe::Error& error) { return std::string{error.what()}; }
        return std::string{"no error"};
    };
    MeshData data = mesh_of(buffer, 3, buffer, 3);
    EXPECT_EQ(message(data), "no error");
    EXPECT_EQ(message({.vertices = nullptr, .triangle_count = 0}), "no error");
    EXPECT_EQ(message({.vertex_count = 1, .triangle_count = 1}),
              "a mesh was drawn without a buffer of vertices or of triangles");
    data.vertex_count = 4;
    EXPECT_EQ(message(data), "4 vertices of a mesh need 48 bytes, the buffer has 36");
    data = mesh_of(buffer, 3, buffer, 4);
    EXPECT_EQ(message(data), "4 triangles of a mesh need 48 bytes, the buffer has 36");
    data = mesh_of(buffer, 3, buffer, 1);
    data.triangle_offset = 2;
    EXPECT_EQ(message(data), "the triangles of a mesh begin at 2 bytes, no multiple of 4");
    data = mesh_of(buffer, 3, buffer, 3);
    data.colors = &buffer;
    data.color_offset = 26;
    EXPECT_EQ(message(data), "3 colours of a mesh need 38 bytes, the buffer has 36");
    data = mesh_of(buffer, 3, buffer, std::size_t{1} << 30);
    EXPECT_EQ(message(data),
              "1073741824 triangles were to be drawn, one draw call takes 715827882");
}

} // namespace
