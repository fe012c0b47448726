// SPDX-License-Identifier: MIT
// Blended meshes: compared with colours that are put over each other here, from back to front.
#include "engine/render/peeler.h"

#include "engine/render/mesh.h"
#include "engine/scene/camera.h"
#include "fixture.h"
#include "tests/engine/lambert.h"

#include <glad/gl.h>

#include <glm/common.hpp>
#include <glm/vec3.hpp>

#include <algorithm>
#include <cstdint>
#include <random>

namespace {

using namespace lathe;
using namespace lathe::test;

constexpr int kWide = 60;

/// A square that covers the picture; its depth goes from `left` to `right`.
struct Sheet {
    float left, right;
    glm::vec3 color;
    float opacity;
    float depth_at(int x) const {
        return glm::mix(left, right, (float(x) + 0.5f) / float(kWide) * 0.5f + 0.25f);
    }
};

class PeelerTest : public RenderTest {
protected:
    void draw(const std::vector<Sheet>& sheets) {
        const PanZoomCamera camera;
        const glm::mat4 view = camera.view(), projection = camera.projection(1);
        const gl::Buffer triangles = buffer_of(std::vector<std::uint32_t>{0, 1, 2, 1, 3, 2});
        peeler.draw(target.depth(), [&](const PeelPass& pass) {
            for (const Sheet& s : sheets) {
                const gl::Buffer vertices = buffer_of(std::vector<glm::vec3>{
                    {-2, -2, s.left}, {2, -2, s.right}, {-2, 2, s.left}, {2, 2, s.right}});
                meshes.draw({.vertices = &vertices,
                             .vertex_count = 4,
                             .triangles = &triangles,
                             .triangle_count = 2},
                            {.color = {s.color, 1}, .opacity = s.opacity}, view, projection, size(),
                            {}, &pass);
            }
        });
    }

    /// What stands at a column, over black and what is solid.
    static glm::vec3 expected(std::vector<Sheet> sheets, int x, std::size_t most) {
        std::sort(sheets.begin(), sheets.end(),
                  [&](const Sheet& a, const Sheet& b) { return a.depth_at(x) > b.depth_at(x); });
        sheets.resize(std::min(sheets.size(), most)); // the nearest
        glm::vec3 seen{0};
        for (auto s = sheets.rbegin(); s != sheets.rend(); ++s) {
            // The normal of a sheet that leans by its slope.
            const double slope = double(s->right - s->left) / 4;
            const auto light = float(lambert(unit({-slope, 0, 1})));
            seen = glm::mix(seen, light * s->color, s->opacity);
        }
        return seen;
    }

    void compare(const std::vector<Sheet>& sheets, std::size_t most = 8) {
        for (int x = 1; x < kWide - 1; ++x) {
            bool crosses = false; // within a pixel
            for (const Sheet& a : sheets)
                for (const Sheet& b : sheets)
                    crosses = crosses || (a.depth_at(x - 1) - b.depth_at(x - 1)) *
                                                 (a.depth_at(x + 1) - b.depth_at(x + 1)) <
                                             0;
            if (crosses) continue;
            const glm::vec3 wanted = 255.0f * expected(sheets, x, most);
            const Rgb8 seen = at(x, kWide / 2);
            EXPECT_NEAR(seen.r, wanted.r, 2.5) << x;
            EXPECT_NEAR(seen.g, wanted.g, 2.5) << x;
            EXPECT_NEAR(seen.b, wanted.b, 2.5) << x;
        }
    }

    Peeler peeler;
    MeshRenderer meshes;
};

TEST_F(PeelerTest, SheetsAreInTheirOrderWhateverTheOrderOfTheCalls) {
    std::vector<Sheet> sheets{{-0.5f, -0.5f, {1, 0, 0}, 0.5f},
                              {0.1f, 0.1f, {0, 1, 0}, 0.3f},
                              {0.6f, 0.6f, {0.2f, 0.2f, 1}, 0.7f}};
    std::mt19937 random{3};
    for (int i = 0; i < 4; ++i) {
        start(kWide, kWide, true);
        draw(sheets);
        finish();
        compare(sheets);
        std::shuffle(sheets.begin(), sheets.end(), random);
    }
}

TEST_F(PeelerTest, SheetsThatCrossAreInOrderOnBothSides) {
    const std::vector<Sheet> sheets{{-1.5f, 1.5f, {1, 0.1f, 0}, 0.5f},
                                    {1.5f, -1.5f, {0, 0.4f, 1}, 0.4f},
                                    {0.4f, 0.4f, {0, 1, 0}, 0.25f},
                                    {-0.4f, -0.3f, {1, 1, 1}, 0.6f}};
    start(kWide, kWide, true);
    draw(sheets);
    finish();
    compare(sheets);
}

TEST_F(PeelerTest, OfMoreLayersThanThereAreTheNearestAreSeen) {
    std::vector<Sheet> sheets;
    for (int i = 0; i < 11; ++i) {
        const float z = 0.1f * float(i % 2 ? i : -i);
        sheets.push_back({z, z, {float(i % 3) / 2, float(i % 5) / 4, 1}, 0.2f});
    }
    start(kWide, kWide, true);
    draw(sheets);
    finish();
    compare(sheets, Peeler::kMostLayers);
}

TEST_F(PeelerTest, WhatIsSolidHidesAndIsCovered) {
    start(kWide, kWide, true);
    const PanZoomCamera camera;
    const gl::Buffer triangles = buffer_of(std::vector<std::uint32_t>{0, 1, 2, 1, 3, 2});
    const gl::Buffer wall = buffer_of(
        std::vector<glm::vec3>{{-2, -2, 0}, {0, -2, 0}, {-2, 2, 0}, {0, 2, 0}}); // left half
    meshes.draw(
        {.vertices = &wall, .vertex_count = 4, .triangles = &triangles, .triangle_count = 2},
        {.color = {1, 1, 1, 1}}, camera.view(), camera.projection(1), size());
    draw({{-0.5f, -0.5f, {0, 0, 1}, 0.5f}, {0.5f, 0.5f, {1, 0, 0}, 0.5f}});
    finish();
    const auto light = 255 * lambert({0, 0, 1});
    EXPECT_NEAR(at(10, 30).r, light, 2.5); // red over white
    EXPECT_NEAR(at(10, 30).b, light / 2, 2.5);
    EXPECT_NEAR(at(50, 30).r, light / 2, 2.5); // red over blue over black
    EXPECT_NEAR(at(50, 30).b, light / 4, 2.5);
}

TEST_F(PeelerTest, APartOfAPictureHasItsOwnDepths) {
    start(kWide, kWide, true);
    const PanZoomCamera camera;
    const gl::Buffer triangles = buffer_of(std::vector<std::uint32_t>{0, 1, 2, 1, 3, 2});
    const gl::FramebufferPart part{target, 20, 10, 30, 40};
    const gl::Buffer wall = buffer_of(
        std::vector<glm::vec3>{{-2, -2, 0}, {0, -2, 0}, {-2, 2, 0}, {0, 2, 0}}); // left half
    const glm::mat4 projection = camera.projection(0.75f);
    meshes.draw(
        {.vertices = &wall, .vertex_count = 4, .triangles = &triangles, .triangle_count = 2},
        {.color = {0, 1, 0, 1}}, camera.view(), projection, {30, 40});
    draw({{-0.5f, -0.5f, {0, 0, 1}, 0.5f}});
    finish();
    EXPECT_EQ(int(at(25, 30).b), 0);
    EXPECT_GT(int(at(25, 30).g), 200);
    EXPECT_GT(int(at(45, 30).b), 100);
    for (const auto& [x, y] : {std::pair{19, 30}, {50, 30}, {30, 9}, {30, 50}})
        EXPECT_EQ(at(x, y), kBlack);
}

} // namespace
