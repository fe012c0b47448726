// SPDX-License-Identifier: MIT
// Views: tiles of a picture with lists and cameras of their own.
#include "scene_test.h"

#include "engine/app/input.h"
#include "gpu/array/elementwise.h"

#include <gmock/gmock.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace lathe {
namespace {

class ViewsTest : public test::SceneTest {
protected:
    ViewsTest() : SceneTest{202, 102} {} // tiles of 100 with a gap of 2
    gpu::Array filled(float value) {
        gpu::Array array = app->array<float>({10, 10});
        gpu::assign(array, gpu::make_scalar(DType::float32, double(value)));
        return array;
    }
    void drag(glm::vec2 from, glm::vec2 to) {
        Window& window = app->window();
        for (const InputEvent& event :
             std::initializer_list<InputEvent>{MoveEvent{from}, ButtonEvent{}, MoveEvent{to}})
            window.inject(event);
        (void)shown([] {});
        window.inject(ButtonEvent{MouseButton::left, false, 0});
        (void)shown([] {});
    }
};

constexpr std::array<int, 3> kWhite{255, 255, 255}, kBlack{0, 0, 0};

TEST_F(ViewsTest, EachDrawsInItsTile) {
    const auto& views = app->views(1, 2);
    ASSERT_EQ(views.size(), 2u);
    EXPECT_EQ(views[0].get(), &app->view());
    app->set_background({1, 0, 0, 1});
    const gpu::Array white = filled(1), black = filled(0);
    const ImageData image = shown([&] {
        views[0]->image(white, {.colormap = "gray"});
        views[1]->image(black, {.colormap = "gray"});
    });
    EXPECT_EQ(color(image, 50, 51), kWhite);
    EXPECT_EQ(color(image, 99, 51), kWhite);
    for (const int x : {100, 101}) { // between them
        EXPECT_NE(color(image, x, 51), kWhite);
        EXPECT_NE(color(image, x, 51), kBlack);
        EXPECT_NE(color(image, x, 51), (std::array{255, 0, 0}));
    }
    EXPECT_EQ(color(image, 102, 51), kBlack);
    EXPECT_EQ(color(image, 50, 0), (std::array{255, 0, 0})) << "a picture of 100 in 102 rows";
}

TEST_F(ViewsTest, RowsComeOneByOne) {
    const auto& views = app->views(2, 2);
    const gpu::Array white = filled(1);
    const std::array<std::array<int, 2>, 4> middles{{{50, 25}, {151, 25}, {50, 76}, {151, 76}}};
    for (std::size_t i = 0; i < 4; ++i) {
        const ImageData image = shown([&] { views[i]->image(white, {.colormap = "gray"}); });
        for (std::size_t k = 0; k < 4; ++k)
            EXPECT_EQ(color(image, middles[k][0], middles[k][1]) == kWhite, k == i) << i << k;
    }
}

TEST_F(ViewsTest, ViewsStayAndThoseTooManyAreShownNoMore) {
    const std::vector<std::shared_ptr<View>> four = app->views(2, 2);
    EXPECT_EQ(app->views(1, 2)[1], four[1]);
    EXPECT_EQ(app->views(1, 1)[0], four[0]);
    EXPECT_THROW(app->views(0, 2), std::invalid_argument);
    EXPECT_THROW(app->views(1, 65), std::invalid_argument);
    const gpu::Array white = filled(1), black = filled(0);
    const long owners = white.owner().use_count();
    const ImageData image = shown([&] {
        app->image(black, {.colormap = "gray"});
        four[3]->image(white, {.colormap = "gray"});
    });
    EXPECT_EQ(color(image, 101, 51), kBlack);
    EXPECT_EQ(white.owner().use_count(), owners) << "nothing is kept for what is not shown";
    EXPECT_EQ(app->views(2, 2)[0], four[0]);
}

TEST_F(ViewsTest, LettersFillRectangles) {
    const auto tiles = app->mosaic("aab\nccb");
    ASSERT_EQ(tiles.size(), 3u);
    const gpu::Array white = filled(1);
    const std::array<std::array<int, 2>, 3> middles{{{67, 25}, {168, 51}, {67, 76}}};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(tiles[i].first, "abc"[i]);
        const ImageData image = shown([&] { tiles[i].second->image(white, {.colormap = "gray"}); });
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_EQ(color(image, middles[k][0], middles[k][1]) == kWhite, i == k) << i << k;
    }
    EXPECT_EQ(tiles[0].second.get(), &app->view());
    for (const char* wrong : {"", " ; ", ".", "aa; b", "ab; ba", "aab; aba", "a.a"})
        EXPECT_THROW(app->mosaic(wrong), std::invalid_argument) << wrong;
    EXPECT_EQ(app->views().size(), 3u) << "what is refused changes nothing";
}

TEST_F(ViewsTest, AnInsetLiesOnItsView) {
    const auto inset = app->inset(app->view(), {{0.5f, 0}, {0.5f, 0.5f}});
    const gpu::Array white = filled(1);
    const ImageData image = shown([&] { app->image(white, {.colormap = "gray"}); });
    EXPECT_EQ(color(image, 75, 75), kWhite);
    EXPECT_NE(color(image, 125, 25), kWhite);
    app->window().inject(MoveEvent{{125, 25}});
    (void)shown([] {});
    EXPECT_EQ(app->view_under_mouse(), inset.get());
    drag({150, 25}, {160, 25});
    EXPECT_EQ(app->view().pan_zoom_camera().center.x, 0);
    EXPECT_LT(inset->pan_zoom_camera().center.x, -0.05f);
    drag({50, 75}, {150, 25}); // goes on above the inset
    EXPECT_LT(app->view().pan_zoom_camera().center.x, -0.1f);
    for (const Viewport& wrong : {Viewport{{0.6f, 0}, {0.5f, 1}}, Viewport{{0, 0}, {0, 1}},
                                  Viewport{{-0.1f, 0}, {0.5f, 1}}})
        EXPECT_THROW(app->inset(app->view(), wrong), std::invalid_argument);
    const auto& views = app->views(1, 2);
    EXPECT_EQ(views.size(), 2u);
    EXPECT_NE(views[1], inset);
}

// What is nearer in the view below must not hide what the inset shows.
TEST_F(ViewsTest, AnInsetHasADepthOfItsOwn) {
    const auto inset = app->inset(app->view(), {{0.25f, 0.25f}, {0.5f, 0.5f}});
    const gpu::Array near = floats({1, 3}, {0, 0, 0.5f}), far = floats({1, 3}, {0, 0, -0.5f});
    const PointsStyle red{.size = 400, .color = {1, 0, 0, 1}},
        blue{.size = 40, .color = {0, 0, 1, 1}};
    for (View* view : {&app->view(), inset.get()}) {
        OrbitCamera& camera = view->orbit_camera();
        camera.yaw = camera.pitch = 0;
        camera.distance = 3;
    }
    const ImageData image = shown([&] {
        app->view().points(near, red);
        inset->points(far, blue);
    });
    EXPECT_GT(color(image, 10, 50)[0], 200);
    EXPECT_GT(color(image, 101, 51)[2], 200);
}

TEST_F(ViewsTest, TheMouseMovesTheCameraOfItsTile) {
    const auto& views = app->views(1, 2);
    drag({150, 50}, {160, 50});
    EXPECT_EQ(views[0]->pan_zoom_camera().center.x, 0);
    EXPECT_LT(views[1]->pan_zoom_camera().center.x, -0.1f);
    app->window().inject(MoveEvent{{20, 20}});
    app->window().inject(WheelEvent{{0, 3}});
    (void)shown([] {});
    EXPECT_LT(views[0]->pan_zoom_camera().height, 1.9f);
    EXPECT_EQ(views[1]->pan_zoom_camera().height, 2);
    EXPECT_EQ(app->view_under_mouse(), views[0].get());
}

TEST_F(ViewsTest, TheElementUnderTheMouseIsThatOfItsView) {
    const auto& views = app->views(1, 2);
    const gpu::Array small = filled(1);
    const gpu::Array large = app->array<float>({100, 100});
    const auto draw = [&] {
        views[0]->image(small);
        views[1]->image(large);
    };
    app->window().inject(MoveEvent{{35, 51}});
    (void)shown(draw);
    EXPECT_EQ(app->element_under_mouse(), (std::array{3, 5}));
    app->window().inject(MoveEvent{{102 + 37, 1 + 62}});
    (void)shown(draw);
    const auto found = app->element_under_mouse();
    ASSERT_TRUE(found);
    EXPECT_NEAR((*found)[0], 37, 1);
    EXPECT_NEAR((*found)[1], 62, 1);
}

TEST_F(ViewsTest, EachHasTheCameraThatWhatItDrawsNeeds) {
    const auto& views = app->views(1, 2);
    const gpu::Array flat = app->array<float>({4, 2}), deep = app->array<float>({4, 3});
    (void)shown([&] {
        views[0]->points(flat);
        views[1]->points(deep);
    });
    EXPECT_EQ(views[0]->camera(), Camera::pan_zoom);
    EXPECT_EQ(views[1]->camera(), Camera::orbit);
}

// Its middle lies in the tile, or beyond: what is inside is seen, nothing is outside.
TEST_F(ViewsTest, APointAtTheEdgeEndsWithItsTile) {
    const auto& views = app->views(1, 2);
    gpu::Array place = app->array<float>({1, 2});
    for (const double x : {0.97, 1.03}) {
        gpu::assign(place, gpu::make_scalar(DType::float32, 0.0));
        gpu::Array first = place.view(place.type(), {{1, 1}, {8, 4}});
        gpu::assign(first, gpu::make_scalar(DType::float32, x));
        const ImageData image = shown(
            [&] { views[0]->points(place, {.size = 20, .color = {1, 1, 1, 1}, .round = false}); });
        EXPECT_EQ(color(image, 97, 51), kWhite) << x;
        EXPECT_NE(color(image, 103, 51), kWhite) << x;
    }
}

TEST_F(ViewsTest, OwnDrawingHasTheFirstTile) {
    (void)app->views(1, 2);
    glm::ivec2 size{0, 0};
    app->on_draw([&](const DrawView& view) { size = view.size; });
    (void)shown([] {});
    EXPECT_EQ(size, (glm::ivec2{100, 102}));
}

TEST_F(ViewsTest, HomeShowsAllOfTheViewUnderTheMouse) {
    const auto& views = app->views(1, 2);
    const gpu::Array two = floats({2, 3}, {10, 0, 0, 10, 4, 0});
    const auto draw = [&] {
        for (const auto& view : views) view->points(two);
    };
    (void)shown(draw);
    for (const auto& view : views) view->orbit_camera().target = {};
    app->window().inject(MoveEvent{{150, 50}});
    app->window().inject(KeyEvent{.key = Key::home, .down = true});
    (void)shown(draw);
    EXPECT_EQ(views[0]->orbit_camera().target, (glm::dvec3{0, 0, 0}));
    EXPECT_EQ(views[1]->orbit_camera().target, (glm::dvec3{10, 2, 0}));
}

} // namespace
} // namespace lathe
