// SPDX-License-Identifier: MIT
#include "engine/app/frame_loop.h"

#include "engine/app/window.h"
#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace lathe;

Window small_window() {
    return Window::open({.title = "test", .width = 32, .height = 16, .headless = true});
}

TEST(FrameStats, SummaryIsOfTheLast240Frames) {
    FrameStats stats;
    EXPECT_EQ(stats.summary(&FrameSample::frame_ms).p50, 0);
    for (int i = 1; i <= 100; ++i) stats.push({.frame_ms = double(101 - i)});
    auto s = stats.summary(&FrameSample::frame_ms);
    EXPECT_EQ(s.p50, 50);
    EXPECT_EQ(s.p95, 95);
    EXPECT_EQ(s.max, 100);
    EXPECT_DOUBLE_EQ(s.mean, 50.5);
    EXPECT_DOUBLE_EQ(stats.frames_per_second(), 1000 / 50.5);
    for (int i = 0; i < 240; ++i) stats.push({.frame_ms = 7, .sim_ms = double(i)});
    s = stats.summary(&FrameSample::frame_ms);
    EXPECT_EQ(s.max, 7);
    EXPECT_EQ(stats.count(), 340u);
    EXPECT_EQ(stats.size(), 240u);
    EXPECT_EQ(stats.samples().front().sim_ms, 0);
    EXPECT_EQ(stats.samples().back().sim_ms, 239);
    EXPECT_EQ(stats.last().sim_ms, 239);
}

TEST(FrameStats, SummaryIsThatOfTheSortedTimes) {
    std::mt19937 engine{7};
    std::uniform_int_distribution<int> time{1, 50}; // many are equal
    FrameStats stats;
    std::vector<double> all;
    for (int i = 0; i < 500; ++i) {
        all.push_back(time(engine));
        stats.push({.work_ms = all.back()});
        std::vector<double> kept{all.end() - std::min<std::ptrdiff_t>(240, i + 1), all.end()};
        std::sort(kept.begin(), kept.end());
        const double count = double(kept.size());
        const auto rank = [&](double share) {
            return kept[std::size_t(std::ceil(share * count)) - 1];
        };
        const auto s = stats.summary(&FrameSample::work_ms);
        EXPECT_EQ(s.p50, rank(0.5)) << i;
        EXPECT_EQ(s.p95, rank(0.95)) << i;
        EXPECT_EQ(s.max, kept.back());
        EXPECT_NEAR(s.mean, std::accumulate(kept.begin(), kept.end(), 0.0) / count, 1e-9);
        EXPECT_EQ(stats.mean(&FrameSample::work_ms), s.mean);
    }
}

TEST(FrameLoop, EndsAfterMaxFramesAndKeepsEverySample) {
    Window window = small_window();
    FrameLoop loop{window, {.max_frames = 5}};
    int frames = 0;
    while (loop.begin()) {
        ++frames;
        loop.add_sim_ms(2);
        loop.add_sim_ms(1);
        loop.end();
    }
    EXPECT_EQ(frames, 5);
    EXPECT_EQ(loop.frame(), 5u);
    EXPECT_EQ(loop.stats().count(), 5u);
    EXPECT_EQ(loop.stats().last().sim_ms, 3);
    EXPECT_GE(loop.stats().last().frame_ms, loop.stats().last().work_ms);
    EXPECT_FALSE(loop.begin());
    EXPECT_EQ(loop.stats().count(), 5u);
}

TEST(FrameLoop, StopAndCloseEndIt) {
    Window window = small_window();
    FrameLoop loop{window};
    loop.run([&] {
        if (loop.frame() == 2) loop.stop();
    });
    EXPECT_EQ(loop.frame(), 3u);
    FrameLoop second{window};
    ASSERT_TRUE(second.begin());
    window.close();
    second.end();
    EXPECT_FALSE(second.begin());
}

TEST(FrameLoop, LimitHoldsTheRate) {
    Window window = small_window();
    FrameLoop loop{window, {.max_frames = 6, .frame_limit_hz = 50}};
    loop.run([] {});
    EXPECT_GE(loop.seconds(), 6 * 0.020 - 0.001);
}

class FrameLoopSignal : public testing::TestWithParam<int> {
protected:
    static sighandler_t handler_of(int signal) {
        struct sigaction now{};
        sigaction(signal, nullptr, &now);
        return now.sa_handler;
    }
    /// Whoever started the tests may have had it ignored.
    FrameLoopSignal() : before_{std::signal(GetParam(), SIG_DFL)} {}
    ~FrameLoopSignal() override { std::signal(GetParam(), before_); }

private:
    sighandler_t before_;
};

TEST_P(FrameLoopSignal, EndsItCleanlyAndTheOldHandlerComesBack) {
    Window window = small_window();
    {
        FrameLoop loop{window, {.max_frames = 100}};
        loop.run([&] {
            if (loop.frame() == 1) std::raise(GetParam());
        });
        EXPECT_TRUE(loop.interrupted());
        EXPECT_EQ(loop.frame(), 2u);
    }
    EXPECT_EQ(handler_of(GetParam()), SIG_DFL);
}

INSTANTIATE_TEST_SUITE_P(Ending, FrameLoopSignal, testing::Values(SIGINT, SIGTERM, SIGHUP));

/// A program that a shell has started in the background.
TEST_P(FrameLoopSignal, WhatIsIgnoredStaysSo) {
    std::signal(GetParam(), SIG_IGN);
    Window window = small_window();
    {
        FrameLoop loop{window, {.max_frames = 3}};
        loop.run([&] { std::raise(GetParam()); });
        EXPECT_FALSE(loop.interrupted());
        EXPECT_EQ(loop.frame(), 3u);
    }
    EXPECT_EQ(handler_of(GetParam()), SIG_IGN);
}

/// The kernel and the shell send one each, `timeout` sends two.
TEST(FrameLoop, SignalsThatComeTwiceEndItCleanly) {
    for (const int signal : {SIGTERM, SIGHUP}) {
        const auto before = std::signal(signal, SIG_DFL);
        Window window = small_window();
        {
            FrameLoop loop{window, {.max_frames = 100}};
            loop.run([&] {
                std::raise(signal);
                std::raise(signal);
            });
            EXPECT_TRUE(loop.interrupted());
        }
        std::signal(signal, before);
    }
}

void stay_in_a_frame_and_be_terminated() {
    std::signal(SIGTERM, SIG_DFL);
    Window window = small_window();
    FrameLoop loop{window};
    if (!loop.begin()) return;
    std::raise(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds{1100});
    std::raise(SIGTERM);
}

/// As a kernel that a GPU runs for ever.
TEST(FrameLoopDeathTest, ALaterTerminationEndsTheProcess) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(stay_in_a_frame_and_be_terminated(), testing::KilledBySignal(SIGTERM), "");
}

/// As Python, whose own handlers end its loops.
TEST(FrameLoop, AProgramWithItsOwnWayKeepsAllOfThem) {
    const auto interrupt = std::signal(SIGINT, [](int) {});
    const auto terminate = std::signal(SIGTERM, SIG_DFL);
    {
        Window window = small_window();
        const FrameLoop loop{window};
        struct sigaction now{};
        sigaction(SIGTERM, nullptr, &now);
        EXPECT_EQ(now.sa_handler, SIG_DFL);
    }
    std::signal(SIGTERM, terminate);
    std::signal(SIGINT, interrupt);
}

TEST(FrameLoop, BeginAndEndMustPair) {
    Window window = small_window();
    FrameLoop loop{window};
    EXPECT_THROW(loop.end(), lathe::Error);
    ASSERT_TRUE(loop.begin());
    EXPECT_THROW(loop.begin(), lathe::Error);
    loop.end();
}

} // namespace
