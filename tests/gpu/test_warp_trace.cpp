// SPDX-License-Identifier: MIT
// What a warp does, beside closed forms: sectors of strides, turns of banks, lanes of branches and
// loops.
#include "engine/core/error.h"
#include "gpu/inspect/warp_trace.h"
#include "gpu/ptx/parser.h"
#include "gpu/ptx/printer.h"
#include "tests/gpu/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <vector>

namespace lathe::gpu {
namespace {

constexpr const char* kAccesses = R"(__device__ int launches = 0;
extern "C" __global__ void strides(float* out, const float* in, int stride) {
    __shared__ volatile float s[32 * 33];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
    s[threadIdx.x % 32 * stride] = out[i];
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&launches, 1);
}
extern "C" __global__ void wide(double2* out, const int* places) {
    out[places[threadIdx.x]] = make_double2(threadIdx.x, 1);
}
extern "C" __global__ void counts(int* bins) {
    if (threadIdx.x % 2) atomicAdd(&bins[threadIdx.x / 8], 1);
}
__device__ __noinline__ void put(float* at, float v) {
    *at = v;
}
extern "C" __global__ void anywhere(float* out) {
    __shared__ float s[64];
    float* to = threadIdx.x < 16 ? s : out;
    put(to + threadIdx.x, 1.0f);
}
)";
constexpr int kRead = 5, kStore = 6, kBarrier = 7, kAtomic = 8, kWide = 11, kCount = 14, kPut = 17;

constexpr const char* kLanes = R"(extern "C" __global__ void parts(volatile int* out, int n) {
    int t = threadIdx.x, sum = 0;
    if (t % 4 == 0) {
        out[t] = 1;
    } else {
        out[t] = 2;
    }
    for (int k = 0; k < t % 5; ++k) {
        sum += out[t];
    }
    if (t >= n) return;
    out[t] = sum;
}
)";

class WarpTraceTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        out_ = DeviceBuffer{4096 * sizeof(float)};
        in_ = DeviceBuffer{4096 * sizeof(float)};
    }
    template <class... A>
    WarpTrace trace(const char* source, const char* kernel, const LaunchConfig& config, Dim3 block,
                    unsigned warp, const A&... arguments) {
        CompileRequest request;
        request.source = source;
        request.name = "warps.cu";
        const Module original{compile_or_throw(request)};
        WarpTracedKernel traced{request, kernel};
        traced.begin(block, warp, original);
        launch(traced.kernel(), config, arguments...);
        return traced.finish(original);
    }
    static std::vector<WarpStep> at(const WarpTrace& trace, int line, WarpEvent event) {
        std::vector<WarpStep> steps;
        for (const WarpStep& step : trace.steps)
            if (step.line == line && step.event == event) steps.push_back(step);
        return steps;
    }
    static std::uint32_t lanes(auto condition) {
        std::uint32_t mask = 0;
        for (unsigned k = 0; k < 32; ++k)
            if (condition(k)) mask |= 1u << k;
        return mask;
    }

    DeviceBuffer out_, in_;
};

TEST_F(WarpTraceTest, AStrideTouchesASectorForEachEightOfItsElements) {
    for (const int stride : {1, 2, 3, 4, 7, 8, 16, 32}) {
        const WarpTrace found =
            trace(kAccesses, "strides", {{2}, {64}}, {1, 0, 0}, 1, out_, in_, stride);
        const auto reads = at(found, kRead, WarpEvent::read);
        ASSERT_EQ(reads.size(), 1u) << stride;
        EXPECT_EQ(reads[0].lanes, ~0u);
        EXPECT_EQ(reads[0].bytes, 4u);
        EXPECT_EQ(reads[0].space, WarpSpace::global);
        for (unsigned k = 0; k < 32; ++k) // lane k of warp 1 of block 1
            EXPECT_EQ(reads[0].addresses[k], in_.address() + 4 * (64 + 32 + k) * stride);
        // Element 96 * stride begins a sector; the last one is 31 strides behind.
        EXPECT_EQ(reads[0].sectors(), stride >= 8 ? 32u : 1 + 31 * unsigned(stride) / 8) << stride;
        EXPECT_EQ(reads[0].ideal_sectors(), 4u);
        const auto stores = at(found, kStore, WarpEvent::write);
        ASSERT_EQ(stores.size(), 1u) << stride;
        EXPECT_EQ(stores[0].space, WarpSpace::shared);
        EXPECT_EQ(stores[0].addresses[9] - stores[0].addresses[0], 9u * 4 * unsigned(stride));
        EXPECT_EQ(stores[0].turns(), unsigned(std::gcd(stride, 32))) << stride;
        const auto banks = stores[0].turns_of_banks(); // each stride-th of them
        for (unsigned b = 0; b < 32; ++b)
            EXPECT_EQ(banks[b], b % std::gcd(stride, 32) == 0 ? stores[0].turns() : 0) << stride;
        EXPECT_EQ(at(found, kBarrier, WarpEvent::barrier).size(), 1u);
        EXPECT_TRUE(at(found, kAtomic, WarpEvent::atomic).empty()) << "thread 0 is of warp 0";
        EXPECT_FALSE(found.is_cut);
    }
}

TEST_F(WarpTraceTest, WideElementsAtAnyPlace) {
    std::vector<int> places(32);
    for (int k = 0; k < 32; ++k) places[std::size_t(k)] = 5 * k % 32; // each place once
    copy_to_device(in_.address(), places.data(), places.size() * sizeof(int));
    const WarpTrace found = trace(kAccesses, "wide", {{1}, {32}}, {0, 0, 0}, 0, out_, in_);
    const auto writes = at(found, kWide, WarpEvent::write);
    ASSERT_EQ(writes.size(), 1u);
    EXPECT_EQ(writes[0].bytes, 16u);
    EXPECT_EQ(writes[0].sectors(), 16u);
    EXPECT_EQ(writes[0].ideal_sectors(), 16u);
    EXPECT_EQ(writes[0].addresses[3], out_.address() + 16 * 15);
}

// 16 bytes a lane are served by quarters of the warp: 8 lanes have all banks.
TEST(WarpStep, WideAccessesOfSharedMemoryComeByParts) {
    for (const unsigned bytes : {4u, 8u, 16u}) {
        WarpStep step{WarpEvent::read, {}, {}, 1, ~0u, WarpSpace::shared, bytes};
        for (unsigned k = 0; k < 32; ++k) step.addresses[k] = std::uint64_t{k} * bytes;
        EXPECT_EQ(step.turns(), 1u);
        EXPECT_EQ(std::ranges::count(step.turns_of_banks(), 1u), 32);
        for (unsigned k = 0; k < 32; ++k) step.addresses[k] = std::uint64_t{k} * 128;
        EXPECT_EQ(step.turns(), 128u / bytes) << "as many as lanes are served together";
        EXPECT_EQ(std::ranges::max(step.turns_of_banks()), step.turns());
        EXPECT_EQ(std::ranges::count(step.turns_of_banks(), 0u), 32 - int(bytes) / 4);
    }
}

TEST_F(WarpTraceTest, AtomicsOfHalfOfTheLanesAndPointersOfAnySpace) {
    fill_units(out_.address(), 0, 4, 64);
    const WarpTrace atomics = trace(kAccesses, "counts", {{1}, {32}}, {0, 0, 0}, 0, out_);
    const auto updates = at(atomics, kCount, WarpEvent::atomic);
    ASSERT_EQ(updates.size(), 1u);
    EXPECT_EQ(updates[0].lanes, lanes([](unsigned k) { return k % 2 == 1; }));
    EXPECT_EQ(updates[0].addresses[31], out_.address() + 4 * 3);

    const WarpTrace any = trace(kAccesses, "anywhere", {{1}, {32}}, {0, 0, 0}, 0, out_);
    const auto puts = at(any, kPut, WarpEvent::write);
    ASSERT_EQ(puts.size(), 2u) << "one in each kind of memory";
    EXPECT_EQ(puts[0].space, WarpSpace::shared);
    EXPECT_EQ(puts[0].lanes, 0xffffu);
    EXPECT_EQ(puts[0].turns(), 1u);
    EXPECT_EQ(puts[1].space, WarpSpace::global);
    EXPECT_EQ(puts[1].lanes, 0xffff0000u);
    EXPECT_EQ(puts[1].addresses[16], out_.address() + 4 * 16);
    EXPECT_EQ(puts[1].sectors(), 2u);
}

TEST_F(WarpTraceTest, LanesOverTime) {
    fill_units(out_.address(), 0, 4, 64);
    const WarpTrace found = trace(kLanes, "parts", {{1}, {48}}, {0, 0, 0}, 0, out_, 20);
    const auto only = [&](int line, WarpEvent event) {
        const auto steps = at(found, line, event);
        return steps.size() == 1 ? steps[0].lanes : 0;
    };
    const auto fourth = lanes([](unsigned k) { return k % 4 == 0; });
    EXPECT_EQ(only(4, WarpEvent::write), fourth);
    EXPECT_EQ(only(6, WarpEvent::write), ~fourth);
    const auto rounds = at(found, 9, WarpEvent::read);
    ASSERT_EQ(rounds.size(), 4u);
    for (unsigned k = 0; k < 4; ++k)
        EXPECT_EQ(rounds[k].lanes, lanes([&](unsigned t) { return t % 5 > k; })) << k;
    EXPECT_EQ(only(12, WarpEvent::write), lanes([](unsigned t) { return t < 20; }));
    EXPECT_EQ(found.steps.front().lanes, ~0u);

    const WarpTrace last = trace(kLanes, "parts", {{1}, {48}}, {0, 0, 0}, 1, out_, 40);
    EXPECT_EQ(last.steps.front().lanes, 0xffffu) << "half a warp";
    const WarpTrace none = trace(kLanes, "parts", {{1}, {48}}, {0, 0, 0}, 2, out_, 40);
    EXPECT_TRUE(none.steps.empty());
}

TEST_F(WarpTraceTest, TheLaunchDoesItsWork) {
    std::vector<float> numbers(4096);
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    copy_to_device(in_.address(), numbers.data(), in_.bytes());
    CompileRequest request;
    request.source = kAccesses;
    const Module original{compile_or_throw(request)};
    WarpTracedKernel traced{request, "strides"};
    for (int k = 1; k <= 2; ++k) {
        traced.begin({0, 0, 0}, 0, original);
        launch(traced.kernel(), LaunchConfig{{2}, {64}}, out_, in_, 8);
        traced.finish(original);
        std::vector<float> got(128);
        copy_to_host(got.data(), out_.address(), got.size() * sizeof(float));
        for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], 8 * float(i));
        int launches = 0;
        copy_to_host(&launches, original.global("launches").address(), sizeof launches);
        EXPECT_EQ(launches, 2 * k);
    }
    EXPECT_THROW((WarpTracedKernel{request, "nothing"}), lathe::Error);
}

TEST_F(WarpTraceTest, WhatIsInlinedIsOfTheLineThatCalls) {
    const char* const source = "#include \"square.h\"\n"
                               "__device__ float twice(float x) {\n"
                               "    return x * sinf(x);\n"
                               "}\n"
                               "extern \"C\" __global__ void k(float* out, const float* in) {\n"
                               "    out[threadIdx.x] = square(twice(in[threadIdx.x]));\n"
                               "}\n";
    CompileRequest request;
    request.source = source;
    request.name = "warps.cu";
    request.headers = {{"square.h", "__device__ float square(float x) { return x * x; }\n"}};
    const Module original{compile_or_throw(request)};
    WarpTracedKernel traced{request, "k"};
    traced.begin({0, 0, 0}, 0, original);
    launch(traced.kernel(), LaunchConfig{{1}, {32}}, out_, in_);
    const WarpTrace found = traced.finish(original);
    ASSERT_EQ(at(found, 6, WarpEvent::read).size(), 1u);
    ASSERT_EQ(at(found, 6, WarpEvent::write).size(), 1u);
    EXPECT_FALSE(at(found, 3, WarpEvent::line).empty());
    for (const WarpStep& step : found.steps)
        EXPECT_TRUE(step.line == 3 || step.line == 5 || step.line == 6 || step.line == 7)
            << step.line << " of " << step.file;

    // A GPU's assembler wants the name of what is inlined, which went with the debug sections.
    request.target = CompileTarget{ImageKind::ptx, {9, 0}};
    const CompileResult compiled = compile_or_throw(request);
    ASSERT_NE(compiled.ptx().find("inlined_at"), std::string_view::npos);
    ptx::ParseResult parsed = ptx::parse(compiled.ptx());
    ASSERT_TRUE(parsed.ok());
    ptx::trace_warps(parsed.module, {1});
    EXPECT_EQ(ptx::print(parsed.module).find("inlined_at"), std::string::npos);
}

TEST(WarpOf, ThreadsFollowEachOtherAlongXFirst) {
    EXPECT_EQ(warp_of({31, 0, 0}, {64, 2, 1}), 0u);
    EXPECT_EQ(warp_of({32, 0, 0}, {64, 2, 1}), 1u);
    EXPECT_EQ(warp_of({0, 1, 0}, {64, 2, 1}), 2u);
    EXPECT_EQ(warp_of({3, 2, 1}, {8, 4, 2}), 1u); // the 60th thread
    EXPECT_EQ(warp_of({3, 0, 0}, {5, 7, 1}), 0u);
    EXPECT_EQ(warp_of({4, 6, 0}, {5, 7, 1}), 1u); // the 35th
}

TEST_F(WarpTraceTest, ALongLoopIsCut) {
    const WarpTrace found = trace("extern \"C\" __global__ void k(volatile int* x, int n) {\n"
                                  "    for (int i = 0; i < n; ++i)\n"
                                  "        x[threadIdx.x] = i;\n"
                                  "}\n",
                                  "k", {{1}, {32}}, {0, 0, 0}, 0, out_, 100000);
    EXPECT_TRUE(found.is_cut);
    EXPECT_GT(found.steps.size(), 8000u);
}

} // namespace
} // namespace lathe::gpu
