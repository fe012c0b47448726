// SPDX-License-Identifier: MIT
// A line that is watched in a program that goes on, with the real compiler and device.
#include "engine/live/build.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/line_watch.h"
#include "gpu/context.h"
#include "gpu/driver/api.h"
#include "gpu/driver/check.h"
#include "gpu/memory.h"
#include "gpu/nvrtc.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

using namespace lathe;
using LineState = LineWatch::State;

namespace {

constexpr const char* kWaves = R"(__device__ float twice(float a) {
    float b = 2 * a;
    return b;
}
__global__ void other(float* out) { out[0] = 7; }
__global__ void wave(float* out, int n, float gain) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = i * gain;
    out[i] = twice(v);
}
)";
constexpr int kTwice = 2, kValue = 9; // lines
constexpr int kThreads = 100, kBlock = 32;

class WatchedLineTest : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
        gpu::Context::primary(gpu::Device{0}).make_current();
        out.emplace(kThreads * sizeof(float));
        KernelSlotServices s;
        s.build = build_for(gpu::Device{0});
        s.build_on = worker.executor();
        slot.emplace(KernelSource{kWaves, "waves.cu", "wave", {}, {}}, s);
        ASSERT_TRUE(slot->wait()) << slot->log();
    }
    void wait() {
        while (watch.state() == LineState::compiling)
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    /// As a program launches. True where the launch was looked at.
    bool launch(float gain) {
        const gpu::Kernel& kernel = slot->kernel("wave");
        const gpu::LaunchConfig config{{4}, {kBlock}};
        bool is_watched = false;
        gpu::launch_by(
            kernel,
            [&](void** arguments) {
                is_watched = watch.is_armed() && watch.wants(*slot, "wave");
                if (is_watched) watch.launch(config, {}, arguments);
                else kernel.launch(config, arguments);
            },
            *out, kThreads, gain);
        return is_watched;
    }
    void edit(const std::string& from, const std::string& to) {
        std::string text = slot->source();
        text.replace(text.find(from), from.size(), to);
        slot->set_source(text);
        slot->compile_now();
        ASSERT_TRUE(slot->wait()) << slot->log();
    }

    std::optional<gpu::DeviceBuffer> out;
    Worker worker;
    std::optional<KernelSlot> slot;
    LineWatch watch{gpu::Device{0}, worker.executor()};
};

TEST_F(WatchedLineTest, AnExpressionOfEachThread) {
    watch.watch({.slot = &*slot, .line = kValue, .shown = "v + 0.5", .mark = "v > 150.0f"});
    wait();
    ASSERT_EQ(watch.state(), LineState::watching) << watch.problem();
    EXPECT_EQ(watch.kernel(), "wave");
    ASSERT_TRUE(launch(2));
    const LinePicture& p = watch.picture();
    EXPECT_EQ(p.threads, (gpu::Dim3{128, 1, 1}));
    ASSERT_EQ(p.shown.size(), 128u);
    std::vector<std::size_t> marked;
    for (std::size_t i = 0; i < 128; ++i) {
        EXPECT_EQ(p.visits[i], i < kThreads);
        if (i >= kThreads) {
            EXPECT_TRUE(std::isnan(p.shown[i]));
            continue;
        }
        EXPECT_EQ(p.shown[i], 2.0 * double(i) + 0.5);
        if (2 * i > 150) marked.push_back(i);
    }
    EXPECT_EQ(p.marked, marked);
    EXPECT_EQ(p.thread_at(70), (std::pair{gpu::Dim3{2, 0, 0}, gpu::Dim3{6, 0, 0}}));
    std::vector<float> host(kThreads);
    gpu::copy_to_host(host.data(), out->address(), out->bytes());
    EXPECT_EQ(host[99], 4 * 99.0f) << "the launch did its work";
}

TEST_F(WatchedLineTest, TheKernelIsThatWhichHasTheLineOrCallsIt) {
    watch.watch({.slot = &*slot, .line = 5}); // of the kernel `other`
    wait();
    ASSERT_EQ(watch.state(), LineState::watching) << watch.problem();
    EXPECT_EQ(watch.kernel(), "other");
    EXPECT_FALSE(launch(1));
    watch.watch({.slot = &*slot, .line = kTwice, .shown = "b"});
    wait();
    EXPECT_EQ(watch.kernel(), "wave");
    ASSERT_TRUE(launch(3));
    EXPECT_EQ(watch.picture().shown[5], 30.0);
    std::vector<std::string> known;
    for (const auto& type : watch.known()) known.push_back(type.name);
    std::ranges::sort(known);
    EXPECT_EQ(known, (std::vector<std::string>{"a", "b"}));
}

TEST_F(WatchedLineTest, WithoutAnExpressionItShowsVisits) {
    watch.watch({.slot = &*slot, .line = kValue});
    wait();
    ASSERT_TRUE(launch(1));
    EXPECT_EQ(watch.picture().shown[99], 1.0);
    EXPECT_EQ(watch.picture().shown[100], 0.0);
}

TEST_F(WatchedLineTest, AMarkStopsAtTheFirstLaunchThatHasIt) {
    int stops = 0;
    watch.on_mark = [&] { ++stops; };
    watch.watch({.slot = &*slot, .line = kValue, .shown = "v", .mark = "v == 198", .stops = true});
    wait();
    for (const float gain : {0.5f, 1.0f, 1.5f}) {
        ASSERT_TRUE(launch(gain)) << "each launch is looked at";
        EXPECT_EQ(stops, 0);
    }
    ASSERT_TRUE(launch(2));
    EXPECT_EQ(stops, 1);
    EXPECT_THAT(watch.picture().marked, testing::ElementsAre(99u));
    EXPECT_FALSE(launch(3)) << "what stopped it is kept";
    EXPECT_EQ(watch.picture().shown[1], 2.0);
    watch.begin_step();
    EXPECT_TRUE(launch(5));
    EXPECT_EQ(watch.picture().shown[1], 5.0);
    EXPECT_EQ(stops, 1);
}

TEST_F(WatchedLineTest, TheLineMovesWithItsText) {
    watch.watch({.slot = &*slot, .line = kValue, .shown = "v"});
    wait();
    ASSERT_TRUE(launch(1));
    edit("__global__ void other", "// one more\n__global__ void other");
    std::this_thread::sleep_for(std::chrono::milliseconds{200}); // its turn comes
    EXPECT_FALSE(launch(1)) << "the code is of the text before";
    wait();
    ASSERT_TRUE(launch(4));
    EXPECT_EQ(watch.line().line, kValue + 1);
    EXPECT_EQ(watch.picture().shown[3], 12.0);
    edit("float v = i * gain;", "float v = i * gain + 1;"); // the line itself
    // Its compile begins after a pause, and is over at once where it was compiled before.
    bool is_of_the_edit = false;
    for (int i = 0; i < 5000 && !is_of_the_edit; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
        is_of_the_edit = launch(4) && watch.picture().shown[3] == 13.0;
    }
    ASSERT_TRUE(is_of_the_edit);
    EXPECT_EQ(watch.line().line, kValue + 1);
    EXPECT_EQ(watch.picture().shown[3], 13.0);
}

TEST_F(WatchedLineTest, TheLineIsOfTheTextThatIsSeen) {
    slot->set_source(std::string{"// not compiled yet\n"} + kWaves);
    watch.watch({.slot = &*slot, .line = kValue + 1, .shown = "v"});
    wait();
    ASSERT_TRUE(launch(2)) << watch.problem();
    EXPECT_EQ(watch.picture().shown[3], 6.0);
    EXPECT_EQ(watch.line().line, kValue) << "of the text that runs";
    EXPECT_EQ(watch.line_now(), kValue + 1);
    slot->set_source("// gone\n");
    EXPECT_EQ(watch.line_now(), 0);
}

TEST_F(WatchedLineTest, MistakesAreSaid) {
    watch.watch({.slot = &*slot, .line = 4});
    wait();
    EXPECT_EQ(watch.state(), LineState::failed);
    EXPECT_EQ(watch.problem(), "wave has no code at line 4 of waves.cu");
    watch.watch({.slot = &*slot, .line = kValue, .shown = "v", .mark = "w > 1"});
    wait();
    ASSERT_EQ(watch.state(), LineState::watching) << "the rest goes on";
    EXPECT_THAT(watch.problem(), testing::HasSubstr("identifier \"w\" is undefined"));
    EXPECT_TRUE(launch(1));
    EXPECT_EQ(watch.picture().shown[7], 7.0);
    watch.watch({.slot = &*slot, .line = kValue, .shown = "v", .kernel = "nothing"});
    EXPECT_EQ(watch.problem(), "waves.cu has no kernel 'nothing'");
    watch.forget();
    EXPECT_EQ(watch.state(), LineState::off);
    EXPECT_FALSE(watch.is_armed());
}

} // namespace
