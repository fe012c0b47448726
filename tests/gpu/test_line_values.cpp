// SPDX-License-Identifier: MIT
// Values of all threads after a line, against the same computed on the host.
#include "engine/core/error.h"
#include "gpu/inspect/line_expression.h"
#include "gpu/inspect/line_values.h"
#include "tests/gpu/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace lathe::gpu {
namespace {

constexpr const char* kWave = R"(struct Pair { float a; int b; };
__device__ int launches = 0;
__device__ float square(float x) {
    float r = x * x;
    return r;
}
extern "C" __global__ void wave(float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float scale = 0.5f;
    float sum = 0;
    for (int k = 0; k < y % 4; ++k) {
        float t = x + k * scale;
        sum += square(t);
    }
    Pair pair = {sum, x - y};
    const bool odd = (x + y) % 2;
    short small = -x;
    while (small < -5) small += 2;
    out[y * width + x] = odd ? pair.a : -pair.a;
    if (x == 0 && y == 0) atomicAdd(&launches, 1);
}
)";
constexpr unsigned kWaveWidth = 40,
                   kWaveHeight = 22; // in blocks of 16 x 8: threads without an element

float sum_of(int x, int rounds) {
    float sum = 0;
    for (int k = 0; k < rounds; ++k)
        sum += (float(x) + float(k) * 0.5f) * (float(x) + float(k) * 0.5f);
    return sum;
}

class LineValuesTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        request_.source = kWave;
        request_.name = "wave.cu";
        original_ = Module{compile_or_throw(request_)};
        out_ = DeviceBuffer{kWaveWidth * kWaveHeight * sizeof(float)};
    }

    const LineValues& ask(LineQuestion question) {
        const LaunchConfig config{{3, 3}, {16, 8}};
        kernel_.emplace(request_, "wave", std::move(question));
        kernel_->begin(config, original_);
        launch(kernel_->kernel(), config, out_, int(kWaveWidth), int(kWaveHeight));
        return kernel_->finish(original_);
    }

    static std::vector<std::uint32_t> numbers(CUdeviceptr from, const LineValues& values) {
        std::vector<std::uint32_t> all(values.threads.total());
        copy_to_host(all.data(), from, all.size() * 4);
        return all;
    }

    template <class T> static std::vector<T> values(const LineValues& of, std::size_t v) {
        const std::size_t stride = of.variables[v].is.stride;
        std::vector<std::byte> bytes(of.threads.total() * stride);
        copy_to_host(bytes.data(), of.variables[v].values, bytes.size());
        std::vector<T> all(of.threads.total());
        for (std::size_t i = 0; i < all.size(); ++i)
            std::memcpy(&all[i], bytes.data() + i * stride, sizeof(T));
        return all;
    }

    /// Of each thread with an element.
    static void for_each(const LineValues& of, const auto& check) {
        ASSERT_EQ(of.threads, (Dim3{48, 24, 1}));
        for (unsigned y = 0; y < kWaveHeight; ++y)
            for (unsigned x = 0; x < kWaveWidth; ++x)
                ASSERT_NO_FATAL_FAILURE(check(int(x), int(y), std::size_t{y} * 48 + x));
    }

    CompileRequest request_;
    Module original_;
    DeviceBuffer out_;
    std::optional<LineValuesKernel> kernel_;
};

TEST_F(LineValuesTest, OfEachThreadTheLastOnes) {
    const LineValues& of = ask({.line = 15, .names = {"sum", "t", "k", "scale"}});
    ASSERT_EQ(of.variables.size(), 4u);
    const auto visits = numbers(of.visits, of), seen = numbers(of.seen, of);
    const auto sum = values<float>(of, 0), t = values<float>(of, 1);
    const auto k = values<int>(of, 2);
    const auto scale = values<float>(of, 3);
    for_each(of, [&](int x, int y, std::size_t i) {
        const int rounds = y % 4;
        ASSERT_EQ(visits[i], unsigned(rounds));
        ASSERT_EQ(seen[i] & 1, rounds > 0) << x << ' ' << y;
        if (rounds == 0) return;
        ASSERT_EQ(sum[i], sum_of(x, rounds));
        ASSERT_EQ(k[i], rounds - 1);
        ASSERT_EQ(scale[i], 0.5f);
        if (seen[i] & 2) { ASSERT_EQ(t[i], float(x) + float(rounds - 1) * 0.5f); }
    });
    for (unsigned y = 0; y < 24; ++y)
        for (unsigned x = 0; x < 48; ++x)
            if (x >= kWaveWidth || y >= kWaveHeight) { ASSERT_EQ(visits[y * 48 + x], 0u); }
}

TEST_F(LineValuesTest, OfOneVisit) {
    const LineValues& of = ask({.line = 15, .names = {"sum"}, .visit = 2});
    const auto visits = numbers(of.visits, of), seen = numbers(of.seen, of);
    const auto sum = values<float>(of, 0);
    for_each(of, [&](int x, int y, std::size_t i) {
        ASSERT_EQ(visits[i], unsigned(y % 4));
        ASSERT_EQ(seen[i], y % 4 >= 2 ? 1u : 0u);
        if (seen[i]) { ASSERT_EQ(sum[i], sum_of(x, 2)); }
    });
}

TEST_F(LineValuesTest, InFunctionsThatAreCalled) {
    const LineValues& of = ask({.line = 4, .names = {"r", "x"}});
    const auto visits = numbers(of.visits, of);
    const auto r = values<float>(of, 0), argument = values<float>(of, 1);
    for_each(of, [&](int x, int y, std::size_t i) {
        ASSERT_EQ(visits[i], unsigned(y % 4));
        if (y % 4 == 0) return;
        const float last = float(x) + float(y % 4 - 1) * 0.5f;
        ASSERT_EQ(argument[i], last);
        ASSERT_EQ(r[i], last * last);
    });
}

TEST_F(LineValuesTest, StructuresAndSmallNumbers) {
    struct Pair {
        float a;
        int b;
    };
    const LineValues& of = ask({.line = 20, .names = {"small", "pair"}});
    ASSERT_EQ(of.variables.size(), 2u);
    EXPECT_EQ(of.variables[0].is.bytes, 2u);
    const auto small = values<std::int16_t>(of, 0);
    const auto pair = values<Pair>(of, 1);
    const auto seen = numbers(of.seen, of);
    for_each(of, [&](int x, int y, std::size_t i) {
        ASSERT_EQ(seen[i], 3u);
        int expected = -x;
        while (expected < -5) expected += 2;
        ASSERT_EQ(small[i], expected);
        ASSERT_EQ(pair[i].a, sum_of(x, y % 4));
        ASSERT_EQ(pair[i].b, x - y);
    });
}

TEST_F(LineValuesTest, TheLaunchIsTheRealOne) {
    ask({.line = 10, .names = {"x"}});
    std::vector<float> out(kWaveWidth * kWaveHeight);
    copy_to_host(out.data(), out_.address(), out_.bytes());
    for (int y = 0; y < int(kWaveHeight); ++y)
        for (int x = 0; x < int(kWaveWidth); ++x) {
            const float sum = sum_of(x, y % 4);
            ASSERT_EQ(out[std::size_t(y) * kWaveWidth + std::size_t(x)], (x + y) % 2 ? sum : -sum);
        }
    int launches = 0;
    copy_to_host(&launches, original_.global("launches").address(), sizeof launches);
    EXPECT_EQ(launches, 1);
}

TEST_F(LineValuesTest, ThreadsThatReturnAreBehindTheLineToo) {
    const LineValues& of = ask({.line = 10, .names = {"x", "y"}});
    const auto visits = numbers(of.visits, of);
    const auto x = values<int>(of, 0), y = values<int>(of, 1);
    for (int i = 0; i < 48 * 24; ++i) {
        ASSERT_EQ(visits[std::size_t(i)], 1u);
        ASSERT_EQ(x[std::size_t(i)], i % 48);
        ASSERT_EQ(y[std::size_t(i)], i / 48);
    }
}

TEST_F(LineValuesTest, ItSaysWhichVariablesThereAre) {
    const LineValues& of = ask({.line = 14, .names = {"nothing", "t", "t"}});
    EXPECT_EQ(of.variables.size(), 1u);
    const auto is_known = [&](const char* name) {
        return std::ranges::count(kernel_->known(), name, &ptx::ParameterType::name);
    };
    for (const char* name : {"t", "k", "sum", "scale", "y", "x", "width"})
        EXPECT_EQ(is_known(name), 1) << name;
    EXPECT_EQ(is_known("pair"), 0);
}

TEST_F(LineValuesTest, ALineWithoutCodeIsRefused) {
    try {
        ask({.line = 2});
        FAIL();
    } catch (const lathe::Error& error) {
        EXPECT_STREQ(error.what(), "wave has no code at line 2 of wave.cu");
    }
    EXPECT_THROW(ask({.line = 15, .file = "other.cuh"}), lathe::Error);
}

TEST_F(LineValuesTest, ExpressionsOfVariables) {
    const LineValues& of = ask({.line = 15, .names = names_in("sqrtf(sum) + k * 1e-3 > 2.5f")});
    LineExpression sum{"sqrtf(sum) + k * 0.25", of.variables};
    LineExpression big{"sum > 100 && k >= 1", of.variables};
    std::vector<double> found(of.threads.total()), marks(of.threads.total());
    const auto numbers = sum.compute(of);
    copy_to_host(found.data(), numbers.address(), found.size() * sizeof(double));
    copy_to_host(marks.data(), big.compute(of).address(), marks.size() * sizeof(double));
    for_each(of, [&](int x, int y, std::size_t i) {
        const int rounds = y % 4;
        if (rounds == 0) {
            ASSERT_TRUE(std::isnan(found[i]) && std::isnan(marks[i]));
            return;
        }
        const float expected = sum_of(x, rounds);
        ASSERT_NEAR(found[i], std::sqrt(double(expected)) + (rounds - 1) * 0.25, 1e-5 * found[i]);
        ASSERT_EQ(marks[i], expected > 100 && rounds > 1);
    });
}

TEST_F(LineValuesTest, ExpressionsThatAreWrongAreSaid) {
    const LineValues& of = ask({.line = 20, .names = {"pair", "small"}});
    EXPECT_THROW((LineExpression{"small +", of.variables}), CompileError);
    EXPECT_THROW((LineExpression{"unknown > 1", of.variables}), CompileError);
    try {
        LineExpression{"pair > 1", of.variables};
        FAIL();
    } catch (const lathe::Error& error) {
        EXPECT_STREQ(error.what(), "pair > 1: 'pair' is a Pair, and an expression takes numbers");
    }
}

TEST(NamesIn, AreThoseOfVariables) {
    EXPECT_EQ(names_in("isnan(u) || v2.x > 1.5e3f * u + 0x1p4 - M"),
              (std::vector<std::string>{"u", "v2", "M"}));
    EXPECT_TRUE(names_in("").empty());
}

} // namespace
} // namespace lathe::gpu
