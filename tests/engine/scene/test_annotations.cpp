// SPDX-License-Identifier: MIT
// Axes, colour bars, legends, scale bars.
#include "scene_test.h"

#include "engine/scene/axes.h"
#include "engine/scene/ticks.h"

#include <glm/geometric.hpp>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace lathe {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(double low, double high, int most) {
    const Ticks ticks = ticks_between(low, high, most);
    std::vector<std::string> texts;
    for (const double value : ticks.values) texts.push_back(ticks.label(value));
    return texts;
}

TEST(Ticks, AreRoundNumbersWithinTheRange) {
    EXPECT_THAT(labels(0, 1, 5), ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
    EXPECT_THAT(labels(-3.2, 7.9, 6), ElementsAre("\u22122", "0", "2", "4", "6"));
    EXPECT_THAT(labels(0.3, 0.7, 4), ElementsAre("0.3", "0.4", "0.5", "0.6", "0.7"));
    EXPECT_THAT(labels(1e6, 3e6, 4), ElementsAre("1.0e6", "1.5e6", "2.0e6", "2.5e6", "3.0e6"));
    EXPECT_THAT(labels(0, 2.1e-7, 3), ElementsAre("0", "1e-7", "2e-7"));
    EXPECT_THAT(labels(99999, 100001, 2), ElementsAre("99999", "100000", "100001"));
    EXPECT_THAT(labels(-4, 4, 2), ElementsAre("\u22124", "\u22122", "0", "2", "4"))
        << "steps of 5 would leave 0 alone";
    EXPECT_THAT(labels(3, 4.9, 2), ElementsAre("3", "4"));
    EXPECT_THAT(labels(1e7 - 1.1e-3, 1e7 + 1.1e-3, 3),
                ElementsAre("9999999.999", "10000000.000", "10000000.001"));
    EXPECT_THAT(labels(1e9, 1e9 + 2.1e-3, 3),
                ElementsAre("1000000000.000", "1000000000.001", "1000000000.002"));
    EXPECT_THAT(labels(5, 5, 3), ElementsAre());
    EXPECT_THAT(labels(0, NAN, 3), ElementsAre());
    EXPECT_THAT(labels(0, INFINITY, 3), ElementsAre());
    EXPECT_THAT(labels(1e20, 1e20 + 1e5, 3), ElementsAre()) << "closer than doubles are";
}

TEST(Ticks, StepsAreAtMostAsManyAsWanted) {
    for (int exponent = -12; exponent < 12; ++exponent)
        for (const double digits : {1.0, 1.3, 2.0, 3.7, 5.0, 9.99})
            for (const int most : {2, 3, 5, 8}) {
                const double range = digits * std::pow(10, exponent);
                const Ticks ticks = ticks_between(0, range, most);
                EXPECT_LE(ticks.values.size(), std::size_t(most) + 1) << range << ' ' << most;
                EXPECT_GE(ticks.values.size(), 2u) << range << ' ' << most;
            }
    EXPECT_DOUBLE_EQ(round_up(0.3), 0.5);
    EXPECT_DOUBLE_EQ(round_up(2), 2);
    EXPECT_DOUBLE_EQ(round_up(7), 10);
    EXPECT_DOUBLE_EQ(round_down(0.3), 0.2);
    EXPECT_DOUBLE_EQ(round_down(99), 50);
    EXPECT_DOUBLE_EQ(round_down(1000), 1000);
}

TEST(AxesBox, GoesUpToWholeTicksAndStaysWhileThatIsAboutRight) {
    const auto is = [](const Box& box, const glm::dvec3& low, const glm::dvec3& high) {
        return glm::length(box.low - low) < 1e-12 && glm::length(box.high - high) < 1e-12;
    };
    const Box first = axes_box({{-4.2f, 0.12f, 7}, {4.9f, 0.88f, 7}}, {});
    EXPECT_TRUE(is(first, {-6, 0.1, 3.5}, {6, 0.9, 10.5}));
    EXPECT_TRUE(is(axes_box({{-5.9f, 0.3f, 6}, {5.5f, 0.89f, 10}}, first), first.low, first.high));
    const Box larger = axes_box({{-6.1f, 0.3f, 7}, {15, 0.9f, 7}}, first);
    EXPECT_TRUE(larger.low.x == -10 && larger.high.x == 15) << "by steps of 5: 21.1 / 8 is above 2";
    const Box smaller = axes_box({{-1, 0.3f, 7}, {1, 0.9f, 7}}, first);
    EXPECT_TRUE(smaller.low.x == -1 && smaller.high.x == 1 &&
                std::abs(smaller.high.y - 0.9) < 1e-12);
}

class AnnotationsTest : public test::SceneTest {
protected:
    AnnotationsTest() : SceneTest{400, 300} {}

    static std::array<int, 3> table(const std::string& colormap, float part) {
        const Rgb8 c = Colormap::named(colormap)(part);
        return {c.r, c.g, c.b};
    }
};

TEST_F(AnnotationsTest, AColorbarHasTheThingsColorsFromBottomToTop) {
    View& view = app->view();
    const gpu::Array values = floats({2, 2}, {0, 1, 2, 3});
    const auto draw = [&] {
        view.image(values, {.range = ValueRange{0, 3}, .colormap = "turbo"}, "u");
        view.colorbar("u", {.label = "speed"});
        view.colorbar("nothing of that name");
    };
    const ImageData image = shown(draw);
    // Its column: the one with most different colours.
    int column = -1;
    std::size_t most = 0;
    std::vector<int> rows;
    for (int x = 300; x < 400; ++x) {
        std::vector<int> found;
        for (int y = 58; y < 245; ++y) // below the label
            if (color(image, x, y) != color(image, x, 2)) found.push_back(y);
        if (found.size() > most && !is_dark(color(image, x, 150))) {
            most = found.size();
            column = x;
            rows = found;
        }
    }
    ASSERT_EQ(most, 180u) << "60 % of the tile";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const float part = 1 - (float(i) + 0.5f) / float(rows.size());
        // A row between two colours may have either.
        EXPECT_THAT(color(image, column, rows[i]),
                    testing::AnyOf(table("turbo", part - 1e-5f), table("turbo", part + 1e-5f)))
            << i;
    }
    // The picture makes room, and hides nothing.
    EXPECT_EQ(color(image, 40, 100), table("turbo", 0));
    EXPECT_EQ(color(image, 200, 200), table("turbo", 1));
    for (int y = 0; y < 300; ++y) EXPECT_TRUE(is_dark(color(image, column - 6, y)));
    view.settings("u").colormap = "gray";
    EXPECT_EQ(color(shown(draw), column, rows[0]), table("gray", 1 - 0.5f / 180));
    view.settings("colorbar").is_shown = false; // and the picture takes its room
    EXPECT_EQ(color(shown(draw), 348, 5), table("gray", 1.0f / 3));
}

TEST_F(AnnotationsTest, AxesOfAPictureStandBesideIt) {
    View& view = app->view();
    const gpu::Array white = floats({10, 20}, std::vector<float>(200, 1));
    app->set_background({0, 0, 0, 1});
    const ImageData bare = shown([&] { view.image(white, {.colormap = "gray"}); });
    const ImageData image = shown([&] {
        view.image(white, {.colormap = "gray"});
        view.axes({.labels = {"column", "row", ""}});
    });
    const auto white_of = [&](const ImageData& of) {
        int low_x = 400, high_x = 0, low_y = 300, high_y = 0;
        for (int y = 0; y < 300; ++y)
            for (int x = 0; x < 400; ++x)
                if (color(of, x, y) == std::array{255, 255, 255}) {
                    low_x = std::min(low_x, x), high_x = std::max(high_x, x + 1);
                    low_y = std::min(low_y, y), high_y = std::max(high_y, y + 1);
                }
        return std::array{low_x, low_y, high_x, high_y};
    };
    EXPECT_EQ(white_of(bare), (std::array{0, 50, 400, 250}));
    const auto [low_x, low_y, high_x, high_y] = white_of(image);
    EXPECT_NEAR(double(high_x - low_x) / (high_y - low_y), 2, 0.03) << "undistorted";
    EXPECT_GT(low_x, 20);
    EXPECT_GT(high_x - low_x, 320);
    // Ticks below it, every two elements or more, at their places.
    std::vector<int> ticks;
    for (int x = low_x; x < high_x; ++x)
        if (color(image, x, high_y + 4)[0] > 60) ticks.push_back(x);
    ASSERT_GE(ticks.size(), 3u);
    for (const int tick : ticks) {
        const double element = (tick + 0.5 - low_x) / (high_x - low_x) * 20;
        EXPECT_NEAR(element / 5, std::round(element / 5), 0.02) << tick;
    }
    EXPECT_EQ(view.element_at({(float(low_x) + 1) / 400, (float(low_y) + 1) / 300}),
              (std::array{0, 0}));
}

TEST_F(AnnotationsTest, LongNumbersOfThePlaneDoNotTouch) {
    View& view = app->view();
    view.pan_zoom_camera().center = {1e9, 0};
    view.pan_zoom_camera().height = 0.0066f; // 45 pixels are 0.001, a number is twice as wide
    const ImageData image =
        shown([&] { view.axes({.labels = {"", "", ""}, .color = {1, 1, 1, 1}}); });
    std::vector<int> widths; // of letters that stand less than 5 pixels apart
    int last = -100, first = 0;
    for (int x = 60; x < 400; ++x) {
        bool is_ink = false;
        for (int y = 278; y < 290; ++y) is_ink = is_ink || color(image, x, y)[0] > 120;
        if (!is_ink) continue;
        if (x - last >= 5) {
            widths.push_back(0);
            first = x;
        }
        widths.back() = (last = x) - first;
    }
    EXPECT_GE(widths.size(), 2u);
    EXPECT_LE(*std::ranges::max_element(widths), 125);
}

TEST_F(AnnotationsTest, AxesInSpaceStandBehindWhatIsDrawn) {
    View& view = app->view();
    const gpu::Array ball = floats({1, 3}, {0, 0, 0});
    const auto draw = [&] {
        view.points(ball, {.color = {1, 0, 0, 1}, .radius = 1});
        view.axes();
    };
    const ImageData image = shown(draw);
    int lines = 0;
    for (int y = 0; y < 300; ++y)
        for (int x = 0; x < 400; ++x) lines += !is_dark(color(image, x, y));
    EXPECT_GT(color(image, 200, 150)[0], 100);
    EXPECT_LT(color(image, 200, 150)[2], 10) << "no line before the ball";
    const ImageData bare = shown([&] { view.points(ball, {.color = {1, 0, 0, 1}, .radius = 1}); });
    int alone = 0;
    for (int y = 0; y < 300; ++y)
        for (int x = 0; x < 400; ++x) alone += !is_dark(color(bare, x, y));
    EXPECT_GT(lines, alone + 1000);
}

TEST_F(AnnotationsTest, ABarMeasuresThePlane) {
    View& view = app->view();
    const gpu::Array place = floats({1, 2}, {0, 0});
    view.pan_zoom_camera().height = 30; // 10 pixels are one unit
    const ImageData image = shown([&] {
        view.points(place, {.opacity = 0});
        view.scale_bar({.unit = "mm", .per_unit = 0.5, .color = {1, 1, 1, 1}});
    });
    int low = 400, high = 0;
    for (int x = 0; x < 400; ++x)
        if (color(image, x, 285)[0] > 200) low = std::min(low, x), high = std::max(high, x);
    EXPECT_NEAR(high - low, 100, 2); // 5 mm; 10 would be more than 160 pixels
}

TEST_F(AnnotationsTest, ALegendNamesWhatHasColors) {
    View& view = app->view();
    const gpu::Array place = floats({2, 2}, {0, 0, 1, 1}), values = floats({2}, {0, 1});
    const ImageData image = shown([&] {
        view.lines(place, {.color = {0, 1, 0, 1}}, {}, "orbit");
        view.points(place, {.colormap = "gray"}, {.values = &values}, "bodies");
        view.text("no entry", glm::vec2{0.5f, 0});
        view.legend({.size = 16});
    });
    EXPECT_EQ(color(image, 20, 26), (std::array{0, 255, 0}));
    EXPECT_LT(color(image, 15, 50)[0], 60); // from black to white
    EXPECT_GT(color(image, 36, 50)[0], 200);
    EXPECT_TRUE(is_dark(color(image, 20, 74)));
}

} // namespace
} // namespace lathe
