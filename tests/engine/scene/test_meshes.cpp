// SPDX-License-Identifier: MIT
// Meshes of a view: where their arrays are read, their normals, what is refused.
#include "scene_test.h"
#include "tests/engine/lambert.h"

#include "engine/core/log.h"
#include "engine/scene/drawn_copies.h"
#include "gpu/array/elementwise.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace lathe {
namespace {

using Color = std::array<int, 3>;

class MeshesTest : public test::SceneTest {
protected:
    MeshesTest() : SceneTest{100, 100} {}
    void SetUp() override {
        SceneTest::SetUp();
        if (IsSkipped()) return;
        OrbitCamera& camera = app->view().orbit_camera();
        camera.yaw = camera.pitch = 0;
        camera.distance = 1000;
        camera.field_of_view = 2 * std::atan(1.0f / 1000); // from -1 to 1, nearly parallel rays
    }

    gpu::Array ints(const gpu::Extents& shape, const std::vector<std::int32_t>& values) {
        return app->array<std::int32_t>(shape, std::span{values});
    }
    gpu::Array square() { return floats({4, 3}, {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0}); }
    gpu::Array halves() { return ints({2, 3}, {0, 1, 2, 0, 2, 3}); }
    static Color lit(const Color& color) {
        const double light = test::lambert({0, 0, 1});
        Color all{};
        for (std::size_t k = 0; k < 3; ++k) all[k] = int(std::lround(color[k] * light));
        return all;
    }
    /// Right and below, left and above.
    static std::pair<Color, Color> faces(const ImageData& image) {
        return {color(image, 70, 80), color(image, 30, 20)};
    }
};

/// A sphere of radius 0.9 by rings and meridians, its poles on the y axis.
std::pair<std::vector<float>, std::vector<std::int32_t>> sphere(int rings, int meridians) {
    std::vector<float> places;
    std::vector<std::int32_t> triangles;
    for (int i = 0; i <= rings; ++i)
        for (int j = 0; j < meridians; ++j) {
            const double down = M_PI * i / rings, around = 2 * M_PI * j / meridians;
            for (const double p : {std::sin(down) * std::sin(around), std::cos(down),
                                   std::sin(down) * std::cos(around)})
                places.push_back(float(0.9 * p));
        }
    for (int i = 0; i < rings; ++i)
        for (int j = 0; j < meridians; ++j) {
            const int a = i * meridians + j, b = i * meridians + (j + 1) % meridians;
            const int c = a + meridians, d = b + meridians;
            triangles.insert(triangles.end(), {a, c, d, a, d, b});
        }
    return {places, triangles};
}

TEST_F(MeshesTest, ArraysOfTheAppAreDrawnWhereTheyLie) {
    const gpu::Array vertices = square(), triangles = halves();
    const gpu::Array values = floats({4}, {1, 1, 1, 1}),
                     normals = floats({4, 3}, {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
    const DrawnBytes before = app->drawn_bytes();
    const ImageData image = shown([&] {
        app->view().mesh(vertices, triangles, {.colormap = "gray"},
                         {.values = &values, .normals = &normals});
    });
    EXPECT_EQ(color(image, 50, 50), lit({255, 255, 255}));
    const DrawnBytes after = app->drawn_bytes();
    EXPECT_EQ(after.in_place - before.in_place, 48u + 24 + 16 + 48);
    EXPECT_EQ(after.copied, before.copied);
    EXPECT_EQ(after.uploaded, before.uploaded);
    const std::vector<Thing> things = app->view().things();
    ASSERT_EQ(things.size(), 1u);
    EXPECT_EQ(things[0].kind, "mesh");
    EXPECT_EQ(things[0].name, "mesh");
    EXPECT_EQ(things[0].count, 2u);
    EXPECT_EQ(app->view().camera(), Camera::orbit);
}

TEST_F(MeshesTest, OtherNumbersAndViewsOfArraysAreTaken) {
    const gpu::Array vertices = square(), triangles = halves();
    const auto as = [](const gpu::Array& array, DType dtype) {
        gpu::Array other = gpu::Array::empty(dtype, array.shape());
        gpu::assign(other, array);
        return other;
    };
    for (const DType dtype : {DType::int64, DType::uint16, DType::uint32, DType::int8}) {
        const gpu::Array far = as(vertices, DType::float64), corners = as(triangles, dtype);
        const ImageData image =
            shown([&] { app->view().mesh(far, corners, {.color = {1, 1, 1, 1}}); });
        EXPECT_EQ(color(image, 70, 80), lit({255, 255, 255})) << name_of(dtype);
        EXPECT_EQ(color(image, 30, 20), lit({255, 255, 255})) << name_of(dtype);
    }
    const gpu::Array second = triangles.view(triangles.type(), {{1, 3}, {12, 4}}, 12);
    const auto one =
        faces(shown([&] { app->view().mesh(vertices, second, {.color = {1, 1, 1, 1}}); }));
    EXPECT_TRUE(is_dark(one.first));
    EXPECT_EQ(one.second, lit({255, 255, 255}));
}

TEST_F(MeshesTest, ValuesAndColorsOfFaces) {
    const gpu::Array vertices = square(), triangles = halves();
    const gpu::Array values = floats({2}, {2, 6});
    const auto with = [&](const MeshStyle& style, const PerVertex& of) {
        return faces(shown([&] { app->view().mesh(vertices, triangles, style, of, "m"); }));
    };
    const Color white = lit({255, 255, 255}), black{0, 0, 0};
    EXPECT_EQ(with({.colormap = "gray", .range = {2, 6}}, {.values = &values}),
              std::pair(black, white));
    EXPECT_EQ(with({.colormap = "gray_r", .percentiles = Percentiles{}}, {.values = &values}),
              std::pair(white, black));
    const gpu::Array colors = floats({2, 4}, {1, 0, 0, 1, 0, 1, 0, 1});
    EXPECT_EQ(with({}, {.values = &values, .colors = &colors}),
              std::pair(lit({255, 0, 0}), lit({0, 255, 0})));
    app->view().settings("m").range = ValueRange{-4, 2};
    app->view().settings("m").colormap = "gray";
    EXPECT_EQ(with({.percentiles = Percentiles{}}, {.values = &values}), std::pair(white, white));
    app->view().settings("m").color = glm::vec4{0, 0, 1, 1};
    app->view().settings("m").opacity = 0.0f;
    EXPECT_TRUE(is_dark(with({}, {.values = &values}).first));
    app->view().settings("m").opacity = 1.0f;
    EXPECT_EQ(with({}, {.values = &values}), std::pair(lit({0, 0, 255}), lit({0, 0, 255})));
}

TEST_F(MeshesTest, ASmoothSphereIsLitAsASphere) {
    const auto [places, corners] = sphere(48, 96);
    const gpu::Array vertices = floats({std::int64_t(places.size()) / 3, 3}, places);
    const gpu::Array triangles = ints({std::int64_t(corners.size()) / 3, 3}, corners);
    const ImageData image = shown(
        [&] { app->view().mesh(vertices, triangles, {.color = {1, 1, 1, 1}, .smooth = true}); });
    int compared = 0;
    for (int y = 8; y < 92; y += 2)
        for (int x = 8; x < 92; x += 2) {
            const double nx = ((x + 0.5) / 50 - 1) / 0.9, ny = (1 - (y + 0.5) / 50) / 0.9;
            if (nx * nx + ny * ny > 0.9) continue;
            const double nz = std::sqrt(1 - nx * nx - ny * ny);
            EXPECT_NEAR(color(image, x, y)[0], 255 * test::lambert({nx, ny, nz}), 2)
                << x << ' ' << y;
            ++compared;
        }
    EXPECT_GT(compared, 800);
    EXPECT_TRUE(is_dark(color(image, 2, 2)));
}

TEST_F(MeshesTest, TrianglesWithVerticesThatAreNotThereAreToldOnce) {
    std::vector<std::string> told;
    const int key = log::add_sink([&](const log::Record& record) {
        if (record.text.find("a mesh of") == 0) told.push_back(record.text);
    });
    const gpu::Array vertices = square(), good = halves();
    const gpu::Array bad = ints({3, 3}, {0, 1, 2, 0, -1, 3, 4, 2, 1 << 30});
    for (int k = 0; k < 9; ++k)
        for (const bool smooth : {false, true}) {
            const auto [below, above] = faces(shown([&] {
                app->view().mesh(vertices, k < 3 ? good : bad,
                                 {.color = {1, 1, 1, 1}, .smooth = smooth});
            }));
            EXPECT_EQ(below, lit({255, 255, 255})) << k;
            EXPECT_EQ(is_dark(above), k >= 3) << k;
        }
    log::remove_sink(key);
    EXPECT_THAT(told, testing::ElementsAre("a mesh of 4 vertices has 3 indices outside of 0 to 3: "
                                           "triangles with such a one are not drawn"));
}

TEST_F(MeshesTest, APlaceThatIsNoNumberTakesItsTrianglesAlone) {
    std::vector<float> places{-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    places[9] = std::numeric_limits<float>::quiet_NaN();
    const gpu::Array vertices = floats({4, 3}, places), triangles = halves();
    for (const bool smooth : {false, true}) {
        const auto [below, above] = faces(shown([&] {
            app->view().mesh(vertices, triangles, {.color = {1, 1, 1, 1}, .smooth = smooth});
        }));
        EXPECT_EQ(below, lit({255, 255, 255}));
        EXPECT_TRUE(is_dark(above));
    }
}

TEST_F(MeshesTest, SolidOnesHideAndBlendedOnesAreDrawnOverThem) {
    const gpu::Array vertices = square(), triangles = halves();
    const gpu::Array ball = floats({1, 3}, {0, 0, -0.5f});
    const auto middle = [&](float opacity) {
        return color(shown([&] {
                         app->view().mesh(vertices, triangles,
                                          {.color = {1, 0, 0, 1}, .opacity = opacity});
                         app->view().points(ball, {.color = {0, 0, 1, 1}, .radius = 0.4f});
                     }),
                     50, 50);
    };
    EXPECT_EQ(middle(1), lit({255, 0, 0}));
    const Color both = middle(0.5f);
    EXPECT_NEAR(both[0], lit({255, 0, 0})[0] / 2, 2);
    EXPECT_NEAR(both[2], lit({0, 0, 255})[2] / 2, 3);
}

TEST_F(MeshesTest, WithoutTrianglesNothingIsDrawn) {
    const gpu::Array none = app->array<float>({0, 3}),
                     no_triangles = app->array<std::int32_t>({0, 3});
    const gpu::Array vertices = square(), triangles = halves();
    const ImageData image = shown([&] {
        app->view().mesh(vertices, no_triangles, {.smooth = true, .wireframe = true});
        app->view().mesh(none, triangles);
        app->view().mesh(none, no_triangles);
    });
    EXPECT_TRUE(is_dark(color(image, 50, 50)));
    EXPECT_EQ(app->view().things().size(), 3u);
    EXPECT_EQ(app->view().things()[0].count, 0u);
}

TEST_F(MeshesTest, WhatIsNoMeshIsRefused) {
    const gpu::Array vertices = square(), triangles = halves();
    const gpu::Array pairs = app->array<float>({4, 2}), reals = app->array<float>({2, 3});
    const gpu::Array three = app->array<float>({3}),
                     waves = gpu::Array::empty(DType::complex64, {4});
    const gpu::Array counts = app->array<std::int32_t>({4, 4});
    const auto mesh = [&](const gpu::Array& v, const gpu::Array& t, const PerVertex& of = {}) {
        return [&, of] { app->view().mesh(v, t, {}, of); };
    };
    const auto shape = [](const char* text) {
        return testing::ThrowsMessage<gpu::ShapeError>(text);
    };
    const auto type = [](const char* text) { return testing::ThrowsMessage<gpu::TypeError>(text); };
    EXPECT_TRUE(app->begin_frame());
    EXPECT_THAT(mesh(pairs, triangles), shape("vertices are (n, 3), got an array of shape (4, 2)"));
    EXPECT_THAT(mesh(vertices, three), shape("triangles are (m, 3), got an array of shape (3,)"));
    EXPECT_THAT(mesh(vertices, reals),
                type("triangles are integers, numbers of vertices, got float32"));
    EXPECT_THAT(mesh(vertices, triangles, {.values = &three}),
                shape("values are (4,), one a vertex, or (2,), one a triangle, got an array of "
                      "shape (3,)"));
    EXPECT_THAT(mesh(vertices, triangles, {.values = &waves}),
                type("values are real numbers, got complex64"));
    EXPECT_THAT(mesh(vertices, triangles, {.colors = &vertices}),
                shape("colors are (4, 4), one a vertex, or (2, 4), one a triangle, got an array of "
                      "shape (4, 3)"));
    EXPECT_THAT(mesh(vertices, triangles, {.colors = &counts}),
                type("colors are uint8 or floats, got int32"));
    EXPECT_THAT(mesh(vertices, triangles, {.normals = &reals}),
                shape("normals are (4, 3), one a vertex, got an array of shape (2, 3)"));
    app->end_frame();
    EXPECT_TRUE(app->view().things().empty());
}

} // namespace
} // namespace lathe
