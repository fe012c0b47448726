// SPDX-License-Identifier: MIT
// What the mouse does to panels stands in the console as a line of Python.
#include "tests/engine/ui/rings_program.h"

#include <fmt/format.h>

using namespace lathe;

namespace {

using StudioSays = RingsTest;

TEST_F(StudioSays, WhatTheMouseDoesInPython) {
    click(57, 18);
    EXPECT_TRUE(studio().run_control().paused);
    EXPECT_EQ(last_line(), "app.run_control.paused = True");
    click(89, 18);
    EXPECT_EQ(last_line(), "app.run_control.step()");
    click(25, 18);
    EXPECT_EQ(last_line(), "app.run_control.reset()");
    const auto lines = studio().console().lines().size();
    studio().window().inject(MoveEvent{{221, 18}});
    run(2);
    studio().window().inject(ButtonEvent{});
    run(2);
    for (float x = 225; x < 250; x += 5) {
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

} // namespace
