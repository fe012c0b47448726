// SPDX-License-Identifier: MIT
// The approximate functions against extended precision, over their range, within what the PTX ISA
// (9.7.3, floating-point instructions) states for each; and the same bits in both modes.
#include "tests/soft/jit/mini_runtime.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace lathe::soft::test {
namespace {

using Exact = std::function<long double(long double)>;
constexpr std::uint32_t kThreads = 256;

std::string text_of(const std::string& instruction) {
    return fmt::format(R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{{
    .reg .f32 %f<3>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r3, %r2, {}, %r1;
    mul.wide.u32 %rd3, %r3, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.f32 %f1, [%rd2];
    {} %f2, %f1;
    st.global.f32 [%rd1], %f2;
    ret;
}}
)",
                       kThreads, instruction);
}

/// The instruction over all values, which are filled up to whole blocks. Both modes must agree.
std::vector<float> run(const std::string& instruction, std::vector<float>& in) {
    while (in.size() % kThreads) in.push_back(in.back());
    const Shape shape{{static_cast<std::uint32_t>(in.size()) / kThreads, 1, 1}, {kThreads, 1, 1}};
    std::vector<float> threads(in.size()), warps(in.size());
    const std::string text = text_of(instruction);
    Program{text, {false, 0}}.run(shape, threads.data(), in.data());
    Program{text, {true, 16}}.run(shape, warps.data(), in.data());
    for (std::size_t k = 0; k < in.size(); ++k) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(threads[k]), std::bit_cast<std::uint32_t>(warps[k]))
            << instruction << " of " << in[k];
        if (testing::Test::HasFailure()) break;
    }
    return warps;
}

std::vector<float> evenly(double low, double high, int count) {
    std::vector<float> values;
    for (int k = 0; k <= count; ++k)
        values.push_back(static_cast<float>(low + (high - low) * k / count));
    return values;
}

/// Positive numbers of every exponent.
std::vector<float> every_exponent(float low, float high) {
    std::vector<float> values;
    const auto last = std::bit_cast<std::uint32_t>(high);
    for (auto bits = std::bit_cast<std::uint32_t>(low); bits <= last; bits += 16411)
        values.push_back(std::bit_cast<float>(bits));
    return values;
}

enum class Measure { absolute, relative, ulp };

void expect_within(const std::string& instruction, std::vector<float> in, const Exact& exact,
                   Measure measure, double bound) {
    const std::vector<float> out = run(instruction, in);
    long double worst = 0;
    float at = 0;
    for (std::size_t k = 0; k < in.size(); ++k) {
        const long double right = exact(in[k]);
        long double error = std::fabs(static_cast<long double>(out[k]) - right);
        if (measure == Measure::relative) error /= std::fabs(right);
        if (measure == Measure::ulp) {
            const int exponent = std::max(std::ilogb(right), -126);
            error = std::ldexp(error, 23 - exponent);
        }
        if (!(error <= worst)) {
            worst = error;
            at = in[k];
        }
    }
    EXPECT_LE(static_cast<double>(worst), bound) << instruction << " at " << at;
    const char* const names[] = {"absolute", "relative", "ulp"};
    const auto shown = static_cast<double>(measure == Measure::ulp ? worst : std::log2(worst));
    testing::Test::RecordProperty(instruction, fmt::format("{:.2f}", shown));
    fmt::print("{:<22} {} error {}{:.2f} at {}, {} values\n", instruction,
               names[static_cast<int>(measure)], measure == Measure::ulp ? "" : "2^", shown, at,
               in.size());
}

void expect_value(const std::string& instruction, float x, float y) {
    std::vector<float> in{x};
    const float got = run(instruction, in)[0];
    if (std::isnan(y)) {
        EXPECT_TRUE(std::isnan(got)) << instruction << " of " << x << " is " << got;
    } else {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(y))
            << instruction << " of " << x << " is " << got;
    }
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = 0x1p-140f; // subnormal

TEST(ApproximateFunctions, PowerOfTwo) {
    const Exact exact = [](long double x) { return std::exp2(x); };
    expect_within("ex2.approx.f32", evenly(-126, 127.99, 400'000), exact, Measure::ulp, 2);
    expect_within("ex2.approx.f32", evenly(-149, -126, 40'000), exact, Measure::ulp, 2);
    expect_within("ex2.approx.ftz.f32", evenly(-1, 1, 400'000), exact, Measure::ulp, 2);
    for (const char* name : {"ex2.approx.f32", "ex2.approx.ftz.f32"}) {
        expect_value(name, kInfinity, kInfinity);
        expect_value(name, -kInfinity, 0.0f);
        expect_value(name, kNan, kNan);
        expect_value(name, 0.0f, 1.0f);
        expect_value(name, -kTiny, 1.0f);
        expect_value(name, 128.0f, kInfinity);
        expect_value(name, -200.0f, 0.0f);
        expect_value(name, -12.0f, 0x1p-12f);
    }
    expect_value("ex2.approx.f32", -140.0f, kTiny);
    expect_value("ex2.approx.ftz.f32", -140.0f, 0.0f);
}

TEST(ApproximateFunctions, Logarithm) {
    const Exact exact = [](long double x) { return std::log2(x); };
    expect_within("lg2.approx.f32", evenly(0.5, 2, 400'000), exact, Measure::absolute,
                  std::exp2(-22.6));
    expect_within("lg2.approx.f32", every_exponent(0x1p-126f, 0.5f), exact, Measure::relative,
                  std::exp2(-22));
    expect_within("lg2.approx.f32", every_exponent(2.0f, 3e38f), exact, Measure::relative,
                  std::exp2(-22));
    expect_within("lg2.approx.f32", every_exponent(0x1p-149f, 0x1p-126f), exact, Measure::relative,
                  std::exp2(-22));
    for (const char* name : {"lg2.approx.f32", "lg2.approx.ftz.f32"}) {
        expect_value(name, kInfinity, kInfinity);
        expect_value(name, -kInfinity, kNan);
        expect_value(name, -1.0f, kNan);
        expect_value(name, kNan, kNan);
        expect_value(name, 0.0f, -kInfinity);
        expect_value(name, -0.0f, -kInfinity);
        expect_value(name, 1.0f, 0.0f);
    }
    expect_value("lg2.approx.f32", kTiny, -140.0f);
    expect_value("lg2.approx.ftz.f32", kTiny, -kInfinity);
}

TEST(ApproximateFunctions, SineAndCosine) {
    constexpr double kTurn = 2 * std::numbers::pi;
    const std::pair<const char*, Exact> both[] = {
        {"sin.approx.f32", [](long double x) { return std::sin(x); }},
        {"cos.approx.f32", [](long double x) { return std::cos(x); }}};
    for (const auto& [name, exact] : both) {
        expect_within(name, evenly(-kTurn, kTurn, 400'000), exact, Measure::absolute,
                      std::exp2(-20.5));
        expect_within(name, evenly(-50 * kTurn, 50 * kTurn, 400'000), exact, Measure::absolute,
                      std::exp2(-14.7));
        expect_within(name, every_exponent(1.0f, 0x1p28f), exact, Measure::absolute,
                      std::exp2(-20)); // the ISA promises nothing
        for (const float x : {0x1p30f, 3e38f, -3e38f}) {
            std::vector<float> in{x};
            EXPECT_LE(std::fabs(run(name, in)[0]), 1.0f) << name << " of " << x;
        }
        expect_value(name, kInfinity, kNan);
        expect_value(name, -kInfinity, kNan);
        expect_value(name, kNan, kNan);
    }
    expect_value("sin.approx.f32", 0.0f, 0.0f);
    expect_value("sin.approx.f32", -0.0f, -0.0f);
    expect_value("sin.approx.ftz.f32", -kTiny, -0.0f);
    expect_value("cos.approx.f32", 0.0f, 1.0f);
    expect_value("cos.approx.ftz.f32", kTiny, 1.0f);
}

TEST(ApproximateFunctions, HyperbolicTangent) {
    const Exact exact = [](long double x) { return std::tanh(x); };
    expect_within("tanh.approx.f32", evenly(-12, 12, 400'001), exact, Measure::relative,
                  std::exp2(-11));
    expect_within("tanh.approx.f32", every_exponent(0x1p-126f, 3e38f), exact, Measure::relative,
                  std::exp2(-11));
    expect_value("tanh.approx.f32", kInfinity, 1.0f);
    expect_value("tanh.approx.f32", -kInfinity, -1.0f);
    expect_value("tanh.approx.f32", -0.0f, -0.0f);
    expect_value("tanh.approx.f32", kTiny, kTiny);
    expect_value("tanh.approx.f32", kNan, kNan);
}

TEST(ApproximateFunctions, RootsAndReciprocals) {
    const auto all = every_exponent(0x1p-126f, 0x1p126f);
    expect_within("rcp.approx.f32", all, [](long double x) { return 1 / x; }, Measure::ulp, 1);
    expect_within(
        "sqrt.approx.f32", all, [](long double x) { return std::sqrt(x); }, Measure::relative,
        std::exp2(-23));
    expect_within(
        "rsqrt.approx.f32", all, [](long double x) { return 1 / std::sqrt(x); }, Measure::relative,
        std::exp2(-22.9));
    expect_value("rcp.approx.f32", 0.0f, kInfinity);
    expect_value("rcp.approx.ftz.f32", -kTiny, -kInfinity);
    expect_value("rcp.approx.f32", kInfinity, 0.0f);
    expect_value("sqrt.approx.f32", -1.0f, kNan);
    expect_value("rsqrt.approx.f32", -0.0f, -kInfinity);
    expect_value("rsqrt.approx.f32", kInfinity, 0.0f);
}

} // namespace
} // namespace lathe::soft::test
