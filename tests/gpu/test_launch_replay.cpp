// SPDX-License-Identifier: MIT
// Launches that are repeated on the software device, whatever this one is: counts beside closed
// forms, the memory that they read, and what is said where they cannot be repeated.
#include "engine/core/error.h"
#include "gpu/inspect/launch_replay.h"
#include "tests/gpu/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lathe::gpu {
namespace {

constexpr const char* kReplaySource = R"(__constant__ int factor = 1;
struct Rows { volatile float* first; int count; volatile float* second; };
extern "C" __global__ void strides(float* out, const float* in, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = factor *
             in[i * stride];
}
extern "C" __global__ void follows(Rows rows, const int* steps) {
    for (int k = 0; k < *steps; ++k)
        rows.first[threadIdx.x] += rows.second[threadIdx.x];
}
extern "C" __global__ void races(int* out) {
    __shared__ int row[64];
    row[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = row[63 - threadIdx.x];
}
extern "C" __global__ void chain(float** links) {
    *links[threadIdx.x] = 1;
}
extern "C" __global__ void endless(volatile int* go) {
    while (*go == 0) {
    }
}
extern __shared__ float whole[];
extern "C" __global__ void shares(float* out) {
    whole[threadIdx.x * 70] = 1;
    out[threadIdx.x] = whole[0];
}
)";
constexpr int kReplayRead = 6, kReplayAdd = 10, kRowWrite = 14, kRowRead = 15, kLink = 18;

LaunchConfig over(unsigned blocks, unsigned threads) {
    LaunchConfig config;
    config.grid = {blocks};
    config.block = {threads};
    return config;
}

class LaunchReplayTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        if (const auto why = replay_problem(); !why.empty()) GTEST_SKIP() << why;
        request_.source = kReplaySource;
        request_.name = "replays.cu";
        module_ = Module{compile_or_throw(request_)};
        stream_ = std::make_shared<const Stream>(StreamConfig{});
    }
    template <class... A>
    LaunchReplay replay(const char* name, LaunchConfig config, bool searches,
                        const A&... arguments) {
        const ReplayKernel kernel{request_, name};
        config.stream = own_;
        std::optional<LaunchCopy> copy;
        const Kernel original = module_.kernel(name);
        launch_by(
            original,
            [&](void** values) {
                copy.emplace(module_, original, config, values, kernel.variables(), stream_,
                             most_bytes_);
            },
            arguments...);
        copy->fetch();
        return kernel.replay(*copy, searches, most_time_);
    }
    static LineCounts at(const LaunchReplay& replay, int line) {
        LineCounts sum;
        for (const LineCounts& row : replay.counts)
            if (row.line == line && row.file.ends_with("replays.cu")) add_counts(sum, row);
        return sum;
    }

    CompileRequest request_;
    Module module_;
    StreamView own_; ///< what the launch is on
    std::shared_ptr<const Stream> stream_;
    std::size_t most_bytes_ = std::size_t{1} << 30;
    std::chrono::milliseconds most_time_{10'000};
};

TEST_F(LaunchReplayTest, CountsAreThoseOfTheStride) {
    const DeviceBuffer out{1024 * 4}, in{1024 * 8 * 4};
    for (const int stride : {1, 2, 8}) {
        const auto seen = replay("strides", over(4, 256), false, out, in, stride);
        EXPECT_EQ(at(seen, kReplayRead).global_accesses, 32u) << "32 warps";
        EXPECT_EQ(at(seen, kReplayRead).sectors, 32u * 4 * std::min(stride, 8)) << stride;
        EXPECT_TRUE(seen.findings.empty());
    }
}

TEST_F(LaunchReplayTest, TheLaunchIsRepeatedFromWhatStoodInMemory) {
    // The number of steps is written just before, on the launch's own stream, and what it reads
    // lies inside of allocations, in a structure.
    const Stream own{StreamConfig{}};
    own_ = own;
    const DeviceBuffer floats{4096}, steps{256};
    const int count = 7;
    copy_to_device(steps.address() + 64, &count, sizeof count, own);
    struct Rows {
        CUdeviceptr first;
        int count;
        CUdeviceptr second;
    };
    const Rows rows{floats.address() + 1024, 0, floats.address() + 2048};
    const std::vector<float> before(1024, 2.0f);
    copy_to_device(floats.address(), before.data(), 4096, own);
    const auto seen =
        replay("follows", over(1, 64), false, rows, DeviceSpan<const int>{steps.address() + 64, 1});
    EXPECT_EQ(at(seen, kReplayAdd).global_accesses, 7u * 2 * 3) << "two warps read, read and write";
    std::vector<float> after(1024);
    own.synchronize();
    copy_to_host(after.data(), floats.address(), 4096);
    EXPECT_EQ(after, before) << "the launch's own memory is only read";
}

TEST_F(LaunchReplayTest, AVariableHasTheValueThatItHadAtTheLaunch) {
    const ReplayKernel kernel{request_, "strides"};
    EXPECT_EQ(kernel.variables(), std::vector<std::string>{"factor"});
    const int factor = 3;
    copy_to_device(module_.global("factor").address(), &factor, sizeof factor);
    const DeviceBuffer out{1024}, in{1024};
    const Kernel original = module_.kernel("strides");
    const LaunchConfig config = over(1, 256);
    std::optional<LaunchCopy> copy;
    launch_by(
        original,
        [&](void** values) {
            copy.emplace(module_, original, config, values, kernel.variables(), stream_,
                         most_bytes_);
        },
        out, in, 1);
    copy->fetch();
    ASSERT_EQ(copy->variables().size(), 1u);
    EXPECT_EQ(copy->variables()[0].bytes[0], std::byte{3});
    EXPECT_EQ(copy->memory().size(), 2u);
    kernel.replay(*copy, false);
}

TEST_F(LaunchReplayTest, ARaceIsFound) {
    const DeviceBuffer out{256};
    const auto seen = replay("races", over(1, 64), true, out);
    ASSERT_FALSE(seen.findings.empty());
    EXPECT_EQ(seen.findings[0].hazard, Hazard::race_shared);
    EXPECT_EQ(std::min(seen.findings[0].first.line, seen.findings[0].second.line), kRowWrite);
    EXPECT_EQ(std::max(seen.findings[0].first.line, seen.findings[0].second.line), kRowRead);
    EXPECT_TRUE(replay("races", over(1, 32), false, out).findings.empty()) << "nobody searched";
}

TEST_F(LaunchReplayTest, SharedMemoryMayBeLarge) {
    const DeviceBuffer out{1024};
    LaunchConfig config = over(1, 200);
    config.shared_bytes = 60'000;
    const auto seen = replay("shares", config, false, out);
    EXPECT_FALSE(seen.counts.empty());
}

std::string problem_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const lathe::Error& error) { return error.what(); }
    return {};
}

/// A device without clusters, and a grid that does not fit at once: each is refused.
TEST_F(LaunchReplayTest, ALaunchKeepsItsAttributes) {
    const DeviceBuffer out{1 << 10}, in{1 << 10};
    const auto problem = [&](const LaunchConfig& config) {
        return problem_of([&] { replay("strides", config, false, out, in, 0); });
    };
    LaunchConfig config = over(8, 1);
    EXPECT_EQ(problem(config), "");
    config.cooperative = true;
    EXPECT_EQ(problem(config), "");
    config.grid = {1 << 20};
    EXPECT_NE(problem(config).find("the replay's cuLaunchKernelEx failed: "), std::string::npos);
    config = over(8, 1);
    config.cluster = Dim3{1};
    EXPECT_EQ(problem(config), "");
    config.cluster = Dim3{2};
    EXPECT_NE(problem(config).find("cuLaunchKernelEx failed: clusters of 2 x 1 x 1"),
              std::string::npos);
}

TEST_F(LaunchReplayTest, WhatIsNotCopiedIsSaidWithItsLine) {
    const DeviceBuffer target{256}, links{64 * 8};
    const std::vector<CUdeviceptr> addresses(64, 8); // of nobody
    copy_to_device(links.address(), addresses.data(), links.bytes());
    const std::string what = problem_of([&] { replay("chain", over(1, 64), false, links); });
    EXPECT_NE(what.find("replays.cu:" + std::to_string(kLink)), what.npos) << what;
    const DeviceBuffer out{1024}, in{1024};
    EXPECT_FALSE(replay("strides", over(1, 256), false, out, in, 1).counts.empty())
        << "the next one is replayed";
}

TEST_F(LaunchReplayTest, AReadBehindAnAllocationIsFound) {
    const DeviceBuffer out{1024}, in{1024};
    const std::string what =
        problem_of([&] { replay("strides", over(1, 256), false, out, in, 2); });
    EXPECT_NE(what.find("replays.cu:" + std::to_string(kReplayRead)), what.npos) << what;
    EXPECT_NE(what.find("1024-byte"), what.npos) << what;
}

TEST_F(LaunchReplayTest, TooMuchMemoryAndTooMuchTimeAreRefused) {
    const DeviceBuffer out{1024}, in{1 << 20};
    most_bytes_ = 1 << 20;
    EXPECT_NE(problem_of([&] { replay("strides", over(1, 256), false, out, in, 1); }).find("1 MiB"),
              std::string::npos);
    most_bytes_ = 1 << 21;
    replay("strides", over(1, 256), false, out, in, 1);
    const DeviceBuffer go{256};
    fill(go.span<std::uint32_t>(), 0u);
    most_time_ = std::chrono::milliseconds{50};
    EXPECT_NE(problem_of([&] { replay("endless", over(1, 1), false, go); }), "");
    most_time_ = std::chrono::milliseconds{60'000};
    std::thread other{[] {
        std::this_thread::sleep_for(std::chrono::milliseconds{300});
        ReplayKernel::cancel();
    }};
    const auto began = std::chrono::steady_clock::now();
    EXPECT_NE(problem_of([&] { replay("endless", over(1, 1), false, go); }), "");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{30});
    other.join();
}

TEST_F(LaunchReplayTest, AKernelThatIsNotThereIsNamed) {
    EXPECT_NE(problem_of([&] {
                  ReplayKernel(request_, "nobody");
              }).find("replays.cu has no kernel 'nobody'"),
              std::string::npos);
}

} // namespace
} // namespace lathe::gpu
