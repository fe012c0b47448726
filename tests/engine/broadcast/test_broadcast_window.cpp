// SPDX-License-Identifier: MIT
// A window whose display is a broadcast: what OpenGL draws comes to a viewer.
#include "engine/broadcast/broadcast.h"

#include "engine/app/window.h"
#include "engine/core/error.h"
#include "tests/engine/broadcast/pictures.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace {

using namespace lathe;
using test::Decoded;
using test::Page;

struct BroadcastWindowTest : testing::Test {
    Window open(bool vsync = false) {
        WindowConfig config{.title = "far", .width = 64, .height = 48, .vsync = vsync};
        config.display = broadcast;
        return Window::open(config);
    }
    static void draw(Window& window, float red) {
        window.poll_events();
        window.screen().clear({red, 0, 1, 1});
        window.present();
    }
    /// Frames until the viewer has one more.
    static bool see(Window& window, Page& page, float red) {
        const std::size_t before = page.frames.size();
        return page.take_until([&] {
            draw(window, red);
            return page.frames.size() > before;
        });
    }
    std::shared_ptr<Broadcast> broadcast = Broadcast::make();
};

TEST_F(BroadcastWindowTest, WhatIsDrawnIsSeen) {
    Window window = open();
    EXPECT_FALSE(window.headless());
    EXPECT_EQ(window.native(), nullptr);
    Page page{broadcast->connect()};
    ASSERT_TRUE(see(window, page, 0.5f));
    const Decoded seen{page.frames[0].jpeg};
    EXPECT_EQ(seen.width, 64);
    EXPECT_NEAR(seen.at(20, 20).red, 128, 4);
    EXPECT_NEAR(seen.at(20, 20).blue, 255, 4);
    EXPECT_EQ(window.description(), "broadcast to 1 viewer");
}

TEST_F(BroadcastWindowTest, HandsReachTheInput) {
    Window window = open();
    Page page{broadcast->connect()};
    page.say("move 10 20\nbutton left down 1\ntext x");
    window.poll_events();
    EXPECT_TRUE(window.input().pressed(MouseButton::left));
    EXPECT_EQ(window.input().mouse(), (glm::vec2{10, 20}));
    EXPECT_EQ(window.input().text(), "x");
}

TEST_F(BroadcastWindowTest, TheSizeIsThePages) {
    Window window = open();
    Page page{broadcast->connect()};
    ASSERT_TRUE(see(window, page, 0));
    page.say("size 200 100 2");
    ASSERT_TRUE(page.take_until([&] {
        draw(window, 0.25f);
        return !page.frames.empty() && page.frames.back().width == 200;
    }));
    EXPECT_EQ(window.width(), 200);
    EXPECT_EQ(window.height(), 100);
    EXPECT_EQ(window.pixel_ratio(), 2);
    EXPECT_EQ(Decoded(page.frames.back().jpeg).height, 100);
}

TEST_F(BroadcastWindowTest, AWindowThatRestsWakesForAViewer) {
    Window window = open(true);
    draw(window, 0);
    EXPECT_FALSE(window.wait_for_events(0.01));
    Page page{broadcast->connect()};
    EXPECT_TRUE(window.wait_for_events(5));
    draw(window, 0);
    while (page.frames.empty()) { // the picture arrives while it rests
        window.wait_for_events(0.01);
        page.take(0);
    }
    EXPECT_FALSE(window.wait_for_events(0.01));
}

TEST_F(BroadcastWindowTest, ItsPaceIsThatOfADisplay) {
    Window window = open(true);
    Page page{broadcast->connect()};
    draw(window, 0);
    const auto began = std::chrono::steady_clock::now();
    for (int k = 0; k < 12; ++k) draw(window, float(k) / 12);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    EXPECT_GE(took.count(), 11 / 60.0); // not more than 60 a second
}

TEST_F(BroadcastWindowTest, ASecondWindowOfTheAppIsDrawnAndNotSeen) {
    Window window = open();
    Window side = Window::open_beside(window, {.title = "beside", .width = 32, .height = 32});
    EXPECT_TRUE(side.headless());
    draw(side, 1);
    EXPECT_THROW(open(), Error); // but a display has one
}

TEST_F(BroadcastWindowTest, ManyWindowsOneAfterAnother) {
    Page page{broadcast->connect()};
    for (int k = 0; k < 5; ++k) {
        Window window = open();
        ASSERT_TRUE(see(window, page, float(k + 1) / 6));
        for (int n = 0; n < 10; ++n) draw(window, float(n) / 10); // and some under way
    }
    EXPECT_TRUE(broadcast->still(1));
}

} // namespace
