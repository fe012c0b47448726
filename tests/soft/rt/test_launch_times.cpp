// SPDX-License-Identifier: MIT
// Times of launches by kernel, beside the time that a kernel waits by the processor's clock.
#include "tests/soft/rt/driver_test.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

namespace lathe::test {
namespace {

class LaunchTimes : public DriverTest {
protected:
    void TearDown() override {
        latheSoftTimesStop();
        DriverTest::TearDown();
    }
    static LatheSoftLaunchTime of(std::string_view kernel) {
        std::vector<LatheSoftLaunchTime> rows(latheSoftTimesRead(nullptr, 0));
        rows.resize(std::min(rows.size(), latheSoftTimesRead(rows.data(), rows.size())));
        for (const auto& row : rows)
            if (kernel == row.kernel) return row;
        return {};
    }
    void launch_and_wait(CUfunction f, unsigned blocks) {
        CHECK_CU(launch(f, shape(blocks, 32)));
        CHECK_CU(cuCtxSynchronize());
    }
};

constexpr const char* kSleeper = R"(extern "C" __global__ void sleeper() {
    if (threadIdx.x) return;
    for (int k = 0; k < 20; ++k) __nanosleep(1000000);
})";

TEST_F(LaunchTimes, ALaunchTakesAsLongAsItsThreadsWait) {
    CUfunction f = function(load(kSleeper), "sleeper");
    launch_and_wait(f, 1); // not timed
    EXPECT_EQ(of("sleeper").launches, 0u);
    latheSoftTimesStart();
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < 3; ++k) launch_and_wait(f, 1);
    const std::chrono::nanoseconds all = std::chrono::steady_clock::now() - begin;
    latheSoftTimesStop();
    launch_and_wait(f, 1);
    const LatheSoftLaunchTime time = of("sleeper");
    EXPECT_EQ(time.launches, 3u);
    EXPECT_LE(time.nanoseconds, std::uint64_t(all.count()));
    EXPECT_GE(time.nanoseconds, 3u * 20'000'000u);
}

TEST_F(LaunchTimes, LaunchesThatCountOrFailAreLeftOut) {
    CUmodule module = load("extern \"C\" __global__ void counted() {}\n"
                           "extern \"C\" __global__ void fails() { __trap(); }\n");
    latheSoftTimesStart();
    launch_and_wait(function(module, "counted"), 4);
    latheSoftCountersStart();
    launch_and_wait(function(module, "counted"), 4);
    latheSoftCountersStop();
    latheSoftCountersReset();
    CHECK_CU(launch(function(module, "fails"), shape(1, 1)));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(of("counted").launches, 1u);
    EXPECT_EQ(of("fails").launches, 0u);
}

} // namespace
} // namespace lathe::test
