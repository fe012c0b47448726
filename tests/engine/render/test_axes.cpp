// SPDX-License-Identifier: MIT
#include "engine/render/axes.h"

#include "engine/app/camera.h"
#include "fixture.h"

namespace {

using namespace lathe;
using namespace lathe::test;

using AxesTest = RenderTest;

TEST_F(AxesTest, GridLinesLieWhereTheyShould) {
    start(101, 101);
    // From above: x to the right, and y or z up the picture; ±1.25 fills it.
    glm::mat4 from_above{0};
    from_above[0][0] = 0.8f;
    from_above[3][3] = 1;
    AxesRenderer axes;
    for (bool z_up : {false, true}) {
        from_above[1][1] = z_up ? 0.8f : 0.0f;
        from_above[2][1] = z_up ? 0.0f : 0.8f;
        target.clear({0, 0, 0, 1});
        axes.draw_grid({.divisions = 2, .z_up = z_up, .color = {1, 1, 1, 1}}, from_above, size());
        finish();
        const int row = 35; // between lines that run across
        for (int x = 0; x < 101; ++x) {
            // Grid lines at ±1, ±0.5 and the axis at 0: pixels 10.1, 30.3, 50.5, 70.7, 90.9.
            bool near = false;
            for (float at : {10.1f, 30.3f, 50.5f, 70.7f, 90.9f})
                near |= std::abs(float(x) + 0.5f - at) < 1.5f;
            EXPECT_TRUE(near || at(x, row) == kBlack) << x;
        }
        for (int x : {10, 30, 50, 70, 90})
            EXPECT_GT(int(at(x, row).r) + at(x, row).g + at(x, row).b, 150);
        EXPECT_GT(int(at(20, 50).r), int(at(20, 50).g) + 50); // the x axis is red
        const Rgb8 other = at(50, 20);
        EXPECT_GT(int(z_up ? other.g : other.b), int(other.r) + 50);
    }
}

TEST_F(AxesTest, BoxTouchesItsCornersAndFollowsAChange) {
    start(100, 100);
    AxesRenderer axes;
    const glm::mat4 identity{1};
    axes.draw_box({-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}, {1, 1, 1, 1}, identity, size());
    finish();
    EXPECT_GT(int(at(50, 25).r), 100);
    EXPECT_GT(int(at(25, 50).r), 100);
    EXPECT_EQ(at(50, 50), kBlack);
    target.clear({0, 0, 0, 1});
    axes.draw_box({-0.5f, -0.5f, 0}, {0, 0, 0.5f}, {1, 1, 1, 1}, identity, size());
    finish();
    EXPECT_GT(int(at(37, 50).r), 100);
    EXPECT_EQ(at(50, 25), kBlack);
}

} // namespace
