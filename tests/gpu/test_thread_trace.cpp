// SPDX-License-Identifier: MIT
// What one thread did, against the same computed on the host.
#include "engine/core/error.h"
#include "gpu/inspect/thread_trace.h"
#include "tests/gpu/device_test.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace lathe::gpu {
namespace {

constexpr const char* kFollowed = R"(struct Particle { float x, y; int tag; };
__constant__ float gain = 3;
__device__ int calls = 40;
__device__ float square(float a) {
    float r = a * a;
    return r;
}
extern "C" __global__ void follow(float* out, const Particle* ps, int n, float k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    float w[3] = {1, 2, 3};
    Particle p = ps[i];
    for (int j = 0; j < 3; ++j) {
        float t = w[j] * k;
        sum += square(t) * gain + p.x;
    }
    bool big = sum > 3;
    out[i] = big ? sum : -sum;
    atomicAdd(&calls, 1);
}
)";

struct Traced {
    float x, y;
    int tag;
};

template <class T> std::optional<T> value_of(const TraceStep& step, const std::string& name) {
    for (const TracedValue& v : step.values) {
        if (v.type->name != name) continue;
        T value{};
        std::memcpy(&value, v.bytes.data(), std::min(sizeof value, v.bytes.size()));
        return value;
    }
    return {};
}

class ThreadTraceTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        request_.source = kFollowed;
        request_.name = "follow.cu";
        original_ = Module{compile_or_throw(request_)};
        for (int i = 0; i < 70; ++i) particles_.push_back({0.5f + float(i), 1, 100 + i});
        in_ = DeviceBuffer{particles_.size() * sizeof(Traced)};
        out_ = DeviceBuffer{70 * sizeof(float)};
        copy_to_device(in_.address(), particles_.data(), in_.bytes());
    }

    ThreadTrace trace(Dim3 block, Dim3 thread) {
        TracedKernel traced{request_, "follow"};
        traced.begin(block, thread, {32}, original_);
        launch(traced.kernel(), {{3}, {32}}, out_, in_, 70, 0.5f);
        return traced.finish(original_);
    }

    std::vector<int> lines(const ThreadTrace& t) const {
        std::vector<int> all;
        for (const TraceStep& s : t.steps) all.push_back(s.line);
        return all;
    }

    CompileRequest request_;
    Module original_;
    std::vector<Traced> particles_;
    DeviceBuffer in_, out_;
};

TEST_F(ThreadTraceTest, ItHasTheLinesAndTheValuesOfTheThread) {
    const ThreadTrace t = trace({1, 0, 0}, {7, 0, 0});
    ASSERT_FALSE(t.steps.empty());
    EXPECT_FALSE(t.is_cut);

    float sum = 0;
    int rounds = 0;
    for (const TraceStep& s : t.steps) {
        EXPECT_EQ(s.file.substr(s.file.rfind('/') + 1), "follow.cu");
        if (s.function == "follow" && s.line > 9) { EXPECT_EQ(value_of<int>(s, "i"), 39); }
        if (s.function == "follow" && s.line == 15) {
            EXPECT_EQ(value_of<float>(s, "sum"), sum);
            EXPECT_EQ(value_of<int>(s, "j"), rounds++);
            EXPECT_FALSE(value_of<float>(s, "t")) << "it is not declared yet";
            sum += 0.25f * float(rounds * rounds) * 3 + 39.5f;
        }
        if (s.function == "follow" && s.line == 16) {
            EXPECT_EQ(value_of<float>(s, "t"), 0.5f * float(rounds));
        }
        if (s.line == 6) {
            EXPECT_EQ(s.function, "square");
            EXPECT_EQ(s.depth, 1);
            EXPECT_EQ(value_of<float>(s, "r"), 0.25f * float(rounds * rounds));
        }
        if (s.line == 14) {
            const auto p = value_of<Traced>(s, "p");
            ASSERT_TRUE(p);
            EXPECT_EQ(p->x, 39.5f);
            EXPECT_EQ(p->tag, 139);
        }
    }
    EXPECT_EQ(rounds, 3);
    const TraceStep& last = t.steps.back();
    EXPECT_TRUE(last.is_end);
    EXPECT_EQ(last.depth, 0);
    std::optional<float> known; // DWARF loses it at the end
    for (const TraceStep& s : t.steps)
        if (const auto value = value_of<float>(s, "sum")) known = value;
    EXPECT_EQ(known, sum);
    EXPECT_EQ(value_of<bool>(last, "big"), true);
    EXPECT_EQ((value_of<std::array<float, 3>>(last, "w")), (std::array{1.0f, 2.0f, 3.0f}));
    EXPECT_EQ(value_of<float>(last, "k"), 0.5f);
    EXPECT_EQ(value_of<CUdeviceptr>(last, "out"), out_.address());
}

TEST_F(ThreadTraceTest, TheLaunchDoesWhatItDoes) {
    const float five = 5;
    copy_to_device(original_.global("gain").address(), &five, sizeof five);
    const ThreadTrace t = trace({0, 0, 0}, {0, 0, 0});
    EXPECT_FALSE(t.steps.empty());
    std::vector<float> out(70);
    copy_to_host(out.data(), out_.address(), out_.bytes());
    for (int i = 0; i < 70; ++i)
        EXPECT_NEAR(out[std::size_t(i)], 0.25f * 14 * 5 + 3 * (0.5f + float(i)), 1e-3f) << i;
    int calls = 0;
    copy_to_host(&calls, original_.global("calls").address(), sizeof calls);
    EXPECT_EQ(calls, 110) << "the module's variables are as the launch left them";
}

TEST_F(ThreadTraceTest, AThreadThatReturnsEarlyAndOneThatIsNotThere) {
    EXPECT_THAT(lines(trace({2, 0, 0}, {10, 0, 0})), testing::ElementsAre(8, 9, 10, 10, 21, 21));
    EXPECT_TRUE(trace({3, 0, 0}, {0, 0, 0}).steps.empty());
    EXPECT_TRUE(trace({0, 0, 0}, {32, 0, 0}).steps.empty());
}

TEST_F(ThreadTraceTest, AKernelThatIsNotThereIsNamed) {
    try {
        TracedKernel{request_, "lead"};
        FAIL();
    } catch (const lathe::Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("follow.cu has no kernel 'lead'"));
    }
}

TEST_F(ThreadTraceTest, AnEndlessThreadIsCut) {
    request_.source = "__global__ void follow(int* p) {\n"
                      "    for (int i = 0; i < 1000000; ++i)\n"
                      "        *p = i;\n"
                      "}\n";
    original_ = Module{compile_or_throw(request_)};
    TracedKernel traced{request_, "follow"};
    traced.begin({0, 0, 0}, {0, 0, 0}, {1}, original_);
    launch(traced.kernel(), {{1}, {1}}, out_);
    const ThreadTrace t = traced.finish(original_);
    EXPECT_TRUE(t.is_cut);
    EXPECT_GT(t.steps.size(), 100'000u);
    int last = 0;
    copy_to_host(&last, out_.address(), sizeof last);
    EXPECT_EQ(last, 999'999);
}

} // namespace
} // namespace lathe::gpu
