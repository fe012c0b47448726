// SPDX-License-Identifier: MIT
// What the mouse does to panels stands in the console as a line of Python.
#include "tests/engine/ui/rings_program.h"

#include "engine/scene/camera_line.h"

#include <fmt/format.h>

using namespace lathe;

namespace {

using StudioSays = RingsTest;

TEST_F(StudioSays, WhatTheMouseDoesInPython) {
    click(268, 18);
    EXPECT_TRUE(studio().run_control().paused);
    EXPECT_EQ(last_line(), "app.run_control.paused = True");
    click(300, 18);
    EXPECT_EQ(last_line(), "app.run_control.step()");
    click(236, 18);
    EXPECT_EQ(last_line(), "app.run_control.step_back()");
    click(203, 18);
    EXPECT_EQ(last_line(), "app.run_control.reset()");
    const auto lines = studio().console().lines().size();
    studio().window().inject(MoveEvent{{465, 18}});
    run(2);
    studio().window().inject(ButtonEvent{});
    run(2);
    for (float x = 469; x < 494; x += 5) {
        studio().window().inject(MoveEvent{{x, 18}});
        run(1);
    }
    EXPECT_EQ(studio().console().lines().size(), lines) << "not before the mouse is let go";
    studio().window().inject(ButtonEvent{MouseButton::left, false, 0});
    run(2);
    EXPECT_GT(studio().run_control().speed, 1.2);
    EXPECT_EQ(last_line(),
              fmt::format("app.run_control.speed = {:.3g}", studio().run_control().speed));
}

TEST_F(StudioSays, WhereTheCameraRests) {
    const auto lines = studio().console().lines().size();
    Window& window = studio().window();
    window.inject(MoveEvent{{300, 250}});
    run(2);
    window.inject(ButtonEvent{});
    run(2);
    window.inject(MoveEvent{{340, 260}});
    run(2);
    window.inject(ButtonEvent{MouseButton::left, false, 0});
    run(1);
    EXPECT_EQ(studio().console().lines().size(), lines) << "not while it may move on";
    ASSERT_TRUE(until([&] { return studio().console().lines().size() > lines; }));
    EXPECT_EQ(last_line(), camera_line(studio().view()));
    key(Key::home);
    EXPECT_EQ(last_line(), "app.view.fit()");
}

} // namespace
