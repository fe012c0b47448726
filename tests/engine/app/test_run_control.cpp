// SPDX-License-Identifier: MIT
#include "engine/app/run_control.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

using lathe::RunControl;

std::vector<int> steps_of(RunControl& run, int frames) {
    std::vector<int> steps;
    for (int i = 0; i < frames; ++i) {
        run.begin_frame();
        steps.push_back(run.steps());
    }
    return steps;
}

TEST(RunControl, SubstepsTimesSpeedIsKeptExactlyOverFrames) {
    RunControl run;
    EXPECT_EQ(steps_of(run, 3), (std::vector{1, 1, 1}));
    run.speed = 0.1;
    int sum = 0;
    for (int s : steps_of(run, 100)) sum += s;
    EXPECT_EQ(sum, 10);
    run.speed = 2.5;
    run.substeps = 3;
    EXPECT_EQ(steps_of(run, 2), (std::vector{7, 8}));
}

TEST(RunControl, PausedMakesNoStepsAndSingleStepMakesOne) {
    RunControl run;
    run.substeps = 8;
    run.paused = true;
    EXPECT_EQ(steps_of(run, 2), (std::vector{0, 0}));
    run.request_step();
    EXPECT_EQ(steps_of(run, 3), (std::vector{1, 0, 0}));
    run.paused = false;
    run.request_step(); // pauses
    EXPECT_TRUE(run.paused);
    EXPECT_EQ(steps_of(run, 2), (std::vector{1, 0}));
}

TEST(RunControl, ATravelTakesTheFrameThatItIsIn) {
    RunControl run;
    run.request_go_to(7, 2);
    EXPECT_TRUE(run.is_asked());
    EXPECT_EQ(steps_of(run, 1), (std::vector{0}));
    ASSERT_TRUE(run.travel());
    EXPECT_EQ(run.travel()->step, 7u);
    EXPECT_EQ(run.travel()->branch, 2);
    EXPECT_EQ(steps_of(run, 1), (std::vector{1}));
    EXPECT_FALSE(run.travel());
}

TEST(RunControl, StepsBackPauseAndAddUp) {
    RunControl run;
    EXPECT_TRUE(run.handle({.key = lathe::Key::comma}));
    run.request_step_back();
    EXPECT_TRUE(run.paused);
    run.begin_frame();
    ASSERT_TRUE(run.travel());
    EXPECT_EQ(run.travel()->back, 2u);
    EXPECT_FALSE(run.travel()->step);
    run.request_go_to(9);
    run.request_step_back();
    run.begin_frame();
    EXPECT_EQ(run.travel()->step, 9u);
    EXPECT_EQ(run.travel()->back, 1u);
}

TEST(RunControl, ResetLastsOneFrameAndWorksWhilePaused) {
    RunControl run;
    steps_of(run, 10);
    run.paused = true;
    run.request_reset();
    run.begin_frame();
    EXPECT_TRUE(run.reset());
    EXPECT_EQ(run.steps(), 0);
    run.begin_frame();
    EXPECT_FALSE(run.reset());
}

TEST(RunControl, ImpossibleSettingsAreCorrected) {
    RunControl run;
    run.speed = -3;
    run.substeps = 0;
    run.begin_frame();
    EXPECT_EQ(run.speed, 0.01);
    EXPECT_EQ(run.substeps, 1);
    run.speed = 1e9;
    run.begin_frame();
    EXPECT_EQ(run.speed, 100);
}

} // namespace
