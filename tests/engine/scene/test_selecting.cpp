// SPDX-License-Identifier: MIT
// Rectangles that select, and views with one camera. What cameras of space select is compared with
// NumPy's projection in tests/python/test_selecting.py.
#include "engine/app/input.h"
#include "engine/scene/selection.h"
#include "gpu/memory.h"
#include "tests/engine/scene/scene_test.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace lathe {
namespace {

using Indices = std::vector<std::int64_t>;

Indices host(const gpu::Array& indices) {
    Indices all(std::size_t(indices.size()));
    gpu::copy_to_host(all.data(), indices.address(), indices.bytes());
    return all;
}

class SelectingTest : public test::SceneTest {
protected:
    SelectingTest() : SceneTest{200, 100} {}
};

TEST_F(SelectingTest, PartsOfThingsWhoseMiddleLiesThere) {
    const gpu::Array line = floats({4, 2}, {-1.5f, 0, -0.5f, 0, 0.5f, 0, 1.5f, 0});
    const gpu::Array picture = app->array<float>({2, 4}); // elements of 50 pixels
    (void)shown([&] {
        app->image(picture, {}, "picture");
        app->points(line, {}, {}, "points");
        app->lines(line, {}, {}, "lines");
    });
    const auto found = app->view().select({140, 90}, {20, 10}); // 50 pixels a unit
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].item, "picture");
    EXPECT_EQ(found[0].kind, "image");
    EXPECT_EQ(host(found[0].indices), (Indices{0, 1, 2, 4, 5, 6}));
    EXPECT_EQ(host(found[1].indices), (Indices{0, 1, 2}));
    EXPECT_EQ(host(found[2].indices), (Indices{0, 1})); // middles at -1, 0 and 1
    EXPECT_TRUE(app->view().select({300, 10}, {400, 90}).empty());
}

TEST_F(SelectingTest, ADragWithShiftAndControl) {
    const gpu::Array two = floats({2, 2}, {-1, 0, 1, 0});
    const auto draw = [&] { app->points(two, {}, {}, "two"); };
    (void)shown(draw);
    EXPECT_TRUE(app->selected().empty());
    const float height = app->pan_zoom_camera().height;
    const glm::dvec2 center = app->pan_zoom_camera().center;
    for (const InputEvent& e : std::initializer_list<InputEvent>{
             MoveEvent{{110, 20}}, ButtonEvent{MouseButton::left, true, kShift | kControl},
             MoveEvent{{190, 80}}})
        app->window().inject(e);
    const ImageData image = shown(draw);
    EXPECT_FALSE(is_dark(color(image, 150, 20))); // the outline
    EXPECT_TRUE(app->selected().empty());
    app->window().inject(ButtonEvent{MouseButton::left, false, 0}); // the keys were let go before
    EXPECT_TRUE(is_dark(color(shown(draw), 150, 20)));
    ASSERT_EQ(app->selected().size(), 1u);
    EXPECT_EQ(host(app->selected()[0].indices), Indices{1});
    EXPECT_EQ(app->pan_zoom_camera().height, height);
    EXPECT_EQ(app->pan_zoom_camera().center, center);
}

TEST_F(SelectingTest, LinkedViewsHaveOneCamera) {
    const auto& views = app->views(1, 3);
    OrbitCamera& held = views[0]->orbit_camera();
    views[1]->orbit_camera().yaw = 2;
    views[0]->link(*views[1]);
    EXPECT_EQ(held.yaw, 2);
    held.pitch = 1;
    EXPECT_EQ(views[1]->orbit_camera().pitch, 1);
    views[2]->link(*views[0]);
    views[2]->orbit_camera().distance = 9;
    EXPECT_EQ(views[1]->orbit_camera().distance, 9);
    views[1]->unlink();
    views[0]->orbit_camera().yaw = 3;
    EXPECT_EQ(views[1]->orbit_camera().yaw, 2);
    EXPECT_EQ(views[2]->orbit_camera().yaw, 3);
    views[0]->link(*views[0]);
    EXPECT_EQ(views[2]->orbit_camera().yaw, 3);
}

} // namespace
} // namespace lathe
