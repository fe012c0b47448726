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

/// A display that shows one window only.
struct OneWindowDisplay final : RemoteDisplay {
    void open(glm::ivec2) override {}
    void close() override {}
    std::string description() const override { return "one"; }
    bool wants_frame() override { return false; }
    void show(RemoteFrame) override {}
    void resized(glm::ivec2) override {}
    void take_events(std::vector<InputEvent>&) override {}
    bool wait(double) override { return false; }
    float pixel_ratio() const override { return 1; }
    void set_title(const std::string&) override {}
    void set_cursor(CursorShape) override {}
    std::string clipboard() const override { return {}; }
    void set_clipboard(const std::string&) override {}
};

TEST_F(BroadcastWindowTest, WhereADisplayHasOneWindowOthersAreDrawnAndNotSeen) {
    WindowConfig config{.title = "far", .width = 64, .height = 48, .vsync = false};
    config.display = std::make_shared<OneWindowDisplay>();
    Window window = Window::open(config);
    Window side = Window::open_beside(window, {.title = "beside", .width = 32, .height = 32});
    EXPECT_TRUE(side.headless());
    draw(side, 1);
}

TEST_F(BroadcastWindowTest, ABroadcastHasOneApp) {
    Window window = open();
    EXPECT_THROW(open(), Error);
}

/// Two windows of an App, and a frame of both.
struct TwoWindowsTest : BroadcastWindowTest {
    TwoWindowsTest()
        : window{open()},
          side{Window::open_beside(window, {.title = "be side", .width = 32, .height = 24})} {}

    void frame() {
        side.poll_events();
        side.screen().clear({0, 1, 0, 1});
        tone = tone > 0.9f ? 0 : tone + 0.02f;
        side.present();
        draw(window, tone);
    }
    template <class Done> bool frames_until(Page& page, const Done& is_done) {
        return page.take_until([&] {
            frame();
            return is_done();
        });
    }
    static bool is_green(const Page& page) {
        return !page.frames.empty() && page.frames.back().width == 32 &&
               Decoded(page.frames.back().jpeg).at(5, 5).green > 240;
    }
    Window window, side;
    float tone = 0;
};

TEST_F(TwoWindowsTest, EachViewerChoosesWhichItSees) {
    EXPECT_FALSE(side.headless());
    Page first{broadcast->connect()}, second{broadcast->connect()};
    first.take(10);
    EXPECT_TRUE(first.has("windows 0 far 1 be%20side"));
    second.say("look 1");
    ASSERT_TRUE(frames_until(second, [&] { return is_green(second); }));
    EXPECT_TRUE(second.has("looks 1"));
    const auto sees_first = [&] {
        return !first.frames.empty() && first.frames.back().width == 64;
    };
    ASSERT_TRUE(frames_until(first, sees_first));
    first.say("look 1");
    ASSERT_TRUE(frames_until(first, [&] { return is_green(first); }));
    first.say("look 0\nlook 7"); // none
    ASSERT_TRUE(frames_until(first, sees_first));
    EXPECT_EQ(broadcast->status().windows, 2);
}

TEST_F(TwoWindowsTest, HandsReachTheWindowThatIsSeen) {
    Page page{broadcast->connect()}, other{broadcast->connect()};
    page.say("button left down 0\nlook 1\nmove 3 4\nbutton right down 0\nsize 50 40 1");
    other.say("look 1\nmove 9 9"); // it does not steer
    frame();
    EXPECT_FALSE(window.input().is_down(MouseButton::left)) << "it goes up when its hand leaves";
    EXPECT_FALSE(window.input().is_down(MouseButton::right));
    EXPECT_TRUE(side.input().is_down(MouseButton::right));
    EXPECT_EQ(side.input().mouse(), (glm::vec2{3, 4}));
    EXPECT_EQ(side.width(), 50);
    EXPECT_EQ(window.width(), 64);
    page.say("look 0");
    frame();
    EXPECT_FALSE(side.input().is_down(MouseButton::right));
    EXPECT_EQ(window.width(), 50);
}

TEST_F(TwoWindowsTest, AWindowThatClosesShowsTheFirst) {
    Page page{broadcast->connect()}, other{broadcast->connect()};
    page.say("close"); // of the first: no
    page.say("look 1");
    other.say("look 1\nclose"); // it does not steer
    ASSERT_TRUE(frames_until(page, [&] { return is_green(page); }));
    EXPECT_FALSE(window.should_close());
    EXPECT_FALSE(side.should_close());
    page.say("close");
    frame();
    EXPECT_FALSE(window.should_close());
    EXPECT_TRUE(side.should_close());
    side.hide(); // as the App does
    ASSERT_TRUE(frames_until(page, [&] { return page.frames.back().width == 64; }));
    EXPECT_TRUE(page.has("looks 0"));
    EXPECT_TRUE(page.has("windows"));
    EXPECT_EQ(broadcast->status().windows, 1);
}

TEST_F(TwoWindowsTest, WindowsOpenAndCloseWhileTheyAreSeen) {
    Page page{broadcast->connect()}, video{broadcast->connect()};
    video.say("codec h264");
    for (int k = 0; k < 20; ++k) {
        Window more = Window::open_beside(window, {.title = "more", .width = 40, .height = 40});
        const std::string look = "look " + std::to_string(k + 2);
        page.say(look);
        video.say(look);
        for (int n = 0; n < 1 + k % 4; ++n) {
            more.poll_events();
            more.screen().clear({float(n) / 4, 0, 0, 1});
            more.present();
            frame();
            page.take(0);
            video.take(0);
        }
    }
    EXPECT_EQ(broadcast->status().windows, 2);
}

TEST_F(TwoWindowsTest, AWindowThatRestsWakesForAViewer) {
    Page page{broadcast->connect()};
    ASSERT_TRUE(frames_until(page, [&] { return page.frames.size() > 1; }));
    EXPECT_FALSE(side.wait_for_events(0));
    page.say("look 1");
    EXPECT_TRUE(side.wait_for_events(0));
    EXPECT_TRUE(window.wait_for_events(5));
    frame();
    ASSERT_TRUE(page.take_until([&] { // the picture arrives while it rests
        window.wait_for_events(0.01);
        return is_green(page);
    }));
    EXPECT_FALSE(window.wait_for_events(0.01));
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
