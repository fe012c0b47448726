// SPDX-License-Identifier: MIT
// What the console's panel shows of many lines: the end, a place scrolled to, what a filter leaves.
#include "bench.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <cstdlib>

namespace {

using namespace lathe;

/// The panel alone, in a window of ImGui's.
struct ConsolePanelTest : testing::Test {
    Window window =
        Window::open({.title = "console", .width = 640, .height = 240, .headless = true});
    ImGuiLayer imgui{window};
    Console console;
    ConsolePanel panel{console};
    float width = 640;

    void run(int frames = 3) {
        for (int i = 0; i < frames; ++i) {
            window.poll_events();
            imgui.begin_frame(1.0 / 60);
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({width, 240});
            ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration);
            panel.draw();
            ImGui::End();
            window.screen().clear({0, 0, 0, 1});
            imgui.end_frame(window.screen());
            window.present();
            window.input().begin_frame();
        }
    }
    void keep(const std::string& name) {
        if (const char* folder = std::getenv("LATHE_TEST_PICTURES"))
            save_png(std::filesystem::path{folder} / (name + ".png"), read_image(window.screen()));
    }
    void info(const std::string& text) {
        console.write(Console::Source::script, log::Level::info, text);
    }
    void error(const std::string& text) {
        console.write(Console::Source::script, log::Level::error, text);
    }
    void wheel(float notches) {
        window.inject(MoveEvent{{320, 150}});
        window.inject(WheelEvent{{0, notches}});
        run();
    }
    void click(float x, float y, MouseButton button = MouseButton::left) {
        window.inject(MoveEvent{{x, y}});
        run(1);
        window.inject(ButtonEvent{button, true, 0});
        run(1);
        window.inject(ButtonEvent{button, false, 0});
        run(2);
    }
    /// Rows of pixels with the colour of errors in them, from the first to the last; 0 where none.
    int red_height() {
        const ImageData image = read_image(window.screen());
        int first = -1, last = -1;
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x) {
                const std::byte* const p = image.at(x, y);
                if (int(p[0]) < 200 || int(p[1]) > 130 || int(p[2]) > 140) continue;
                if (first < 0) first = y;
                last = y;
            }
        return first < 0 ? 0 : last - first + 1;
    }
};

TEST_F(ConsolePanelTest, FollowsTheEndUntilItIsScrolled) {
    for (int i = 0; i < 6000; ++i) info(fmt::format("line {}", i)); // more than are kept
    error("the end");
    run();
    keep("console-end");
    EXPECT_GT(red_height(), 5);
    info("one more");
    error("and the end");
    run();
    EXPECT_GT(red_height(), 20) << "both errors";
    wheel(30);
    EXPECT_EQ(red_height(), 0);
    keep("console-scrolled");
    error("not seen");
    run();
    EXPECT_EQ(red_height(), 0) << "it stays where it is";
    wheel(-200);
    EXPECT_GT(red_height(), 5);
    error("seen");
    run();
    EXPECT_GT(red_height(), 20) << "and follows again";
}

TEST_F(ConsolePanelTest, LongLinesWrapAndTakeTheirRoom) {
    std::string words;
    for (int i = 0; i < 60; ++i) words += fmt::format("word{} ", i);
    info("before");
    error(words);
    info("after");
    run();
    keep("console-wrapped");
    const int wide = red_height();
    EXPECT_GT(wide, 50);
    width = 420;
    run();
    keep("console-narrow");
    EXPECT_GT(red_height(), wide + 10) << "wraps anew";
    width = 640;
    run();
    EXPECT_EQ(red_height(), wide);
    console.clear();
    run();
    EXPECT_EQ(red_height(), 0);
    error("Traceback\n  of\n  four\n  lines");
    run();
    keep("console-traceback");
    EXPECT_GT(red_height(), 45);
    EXPECT_LT(red_height(), 80);
}

TEST_F(ConsolePanelTest, FilterAndRepeats) {
    for (int i = 0; i < 300; ++i) info(i % 100 ? "hay" + std::to_string(i) : "Needle");
    error("needle");
    for (int i = 0; i < 300; ++i) info("hay" + std::to_string(i));
    run();
    EXPECT_EQ(red_height(), 0);
    click(60, 20); // the field of the filter
    for (const char c : std::string{"needle"}) window.inject(TextEvent{char32_t(c)});
    run();
    keep("console-filtered");
    EXPECT_GT(red_height(), 5);
    EXPECT_LT(red_height(), 20) << "one line";
    error("no");
    run();
    EXPECT_LT(red_height(), 20);
    error("another needle");
    run();
    const int two = red_height();
    EXPECT_GT(two, 20);
    for (int i = 0; i < 500; ++i) error("another needle"); // counts up
    run();
    keep("console-repeats");
    EXPECT_NEAR(red_height(), two, 2);
}

TEST_F(ConsolePanelTest, ALineIsCopiedByItsMenu) {
    info("first");
    error("second");
    info("third");
    run();
    const ImageData image = read_image(window.screen());
    int at = 0;
    for (int y = 0; y < image.height && !at; ++y)
        for (int x = 0; x < image.width; ++x)
            if (int(image.at(x, y)[0]) > 200 && int(image.at(x, y)[1]) < 130) at = y + 4;
    click(125, float(at), MouseButton::right);
    for (int i = 0; i < 100; ++i) info("goes on while the menu is open " + std::to_string(i));
    run();
    keep("console-menu");
    click(140, float(at + 12));
    EXPECT_STREQ(ImGui::GetClipboardText(), "second");
}

} // namespace
