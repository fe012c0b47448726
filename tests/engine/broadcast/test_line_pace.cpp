// SPDX-License-Identifier: MIT
#include "engine/broadcast/line_pace.h"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using lathe::LinePace;

/// A line on which every frame is shown so long after it was sent, for so many seconds.
void run(LinePace& pace, LinePace::Clock::time_point& now, std::uint32_t& frame,
         std::chrono::milliseconds delay, std::chrono::seconds length) {
    for (const auto end = now + length; now < end;) {
        pace.sent(++frame, now);
        now += delay;
        pace.shown(frame, now);
    }
}

struct LinePaceTest : testing::Test {
    LinePace pace;
    LinePace::Clock::time_point now{1h};
    std::uint32_t frame = 0;
};

TEST_F(LinePaceTest, AFullLineWaits) {
    EXPECT_TRUE(pace.is_ready());
    pace.sent(1, now);
    EXPECT_TRUE(pace.is_ready());
    pace.sent(2, now);
    EXPECT_FALSE(pace.is_ready());
    pace.shown(1, now + 1ms);
    EXPECT_TRUE(pace.is_ready());
    pace.shown(1, now + 1ms); // twice is no harm
    EXPECT_EQ(pace.under_way(), 1u);
    pace.shown(7, now + 1ms); // what was never sent is shown, too
    EXPECT_EQ(pace.under_way(), 0u);
}

TEST_F(LinePaceTest, FrameNumbersGoOnPastTheLargest) {
    pace.sent(4294967295u, now);
    pace.sent(1, now);
    pace.shown(4294967295u, now);
    EXPECT_EQ(pace.under_way(), 1u);
    pace.shown(1, now);
    EXPECT_EQ(pace.under_way(), 0u);
}

TEST_F(LinePaceTest, ABusyLineGetsCoarserPicturesAndAFreeOneFinerAgain) {
    EXPECT_EQ(pace.level(), 1);
    run(pace, now, frame, 10ms, 5s);
    EXPECT_EQ(pace.level(), 1);
    run(pace, now, frame, 200ms, 1s);
    EXPECT_GT(pace.level(), 1);
    run(pace, now, frame, 200ms, 10s);
    EXPECT_EQ(pace.level(), LinePace::kLevels - 1);
    run(pace, now, frame, 10ms, 30s);
    EXPECT_EQ(pace.level(), 1);
}

/// Coarse pictures take 10 ms, finer ones 100: there is no use in trying those every two seconds.
TEST_F(LinePaceTest, WhatWasTooMuchIsTriedLessAndLess) {
    int changes = 0;
    for (const auto end = now + 120s; now < end;) {
        const int before = pace.level();
        pace.sent(++frame, now);
        now += before > 1 ? 10ms : 100ms;
        pace.shown(frame, now);
        changes += pace.level() != before;
    }
    EXPECT_LE(changes, 16);
    EXPECT_GE(changes, 8);
    run(pace, now, frame, 10ms, 120s);
    EXPECT_EQ(pace.level(), 1);
}

/// Every second the picture rests; its still takes half a second, and a frame waits behind it.
TEST_F(LinePaceTest, AStillIsNoMeasure) {
    for (int k = 0; k < 20; ++k) {
        run(pace, now, frame, 10ms, 1s);
        pace.sent(frame, now, true);
        pace.sent(frame + 1, now + 400ms);
        now += 500ms;
        pace.shown(frame, now);
        now += 10ms;
        pace.shown(++frame, now);
    }
    EXPECT_EQ(pace.under_way(), 0u);
    EXPECT_EQ(pace.level(), 1);
    EXPECT_NEAR(pace.milliseconds(), 10, 1);
}

TEST_F(LinePaceTest, ALongWayIsNoBusyLine) {
    pace.answered(200ms);
    EXPECT_EQ(pace.most_under_way(), 8u); // else four frames a second would be all
    run(pace, now, frame, 210ms, 20s);
    EXPECT_EQ(pace.level(), 1);
    EXPECT_NEAR(pace.milliseconds(), 210, 1);
}

TEST_F(LinePaceTest, APingBehindAFrameCountsLittle) {
    pace.answered(10ms);
    pace.answered(400ms);
    EXPECT_EQ(pace.most_under_way(), 2u);
}

} // namespace
