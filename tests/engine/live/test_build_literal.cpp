// SPDX-License-Identifier: MIT
// Numbers that move, with the real compiler and device: a variable gives what the text compiles to,
// bit for bit, and where C++ wants a constant the compiler says so.
#include "engine/live/build.h"
#include "gpu/context.h"
#include "gpu/driver/api.h"
#include "gpu/driver/check.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/nvrtc.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>

using namespace lathe;

namespace {

class BuildLiteral : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
        gpu::Context::primary(gpu::Device{0}).make_current();
    }
    KernelSlotServices services() {
        KernelSlotServices s;
        s.build = build_for(gpu::Device{0});
        s.build_on = builds_.executor();
        return s;
    }
    /// Where compiles can be quick, as on a GPU, the version with the variable is compiled in full
    /// once more.
    void wait_for_full(KernelSlot& slot) {
        const KernelBuild probe =
            build_kernel({"__global__ void k() {}", "probe.cu", "", {}, {}}, Effort::quick);
        if (probe.effort == Effort::full) return;
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{30};
        const std::uint64_t quick = slot.generation();
        while (slot.generation() == quick) {
            ASSERT_LT(std::chrono::steady_clock::now(), limit) << slot.log();
            slot.poll();
        }
    }
    Worker builds_;
};

/// The number that the test marks by a `$` behind it, without the `$`.
struct Marked {
    std::string source;
    Literal literal;
};
Marked marked(std::string text) {
    const auto mark = text.find('$');
    text.erase(mark, 1);
    for (const Literal& l : find_literals(text))
        if (l.end == mark) return {text, l};
    ADD_FAILURE() << "no number in front of the mark: " << text;
    return {text, {}};
}

std::vector<std::uint32_t> run(const KernelSlot& slot, std::size_t count) {
    gpu::DeviceBuffer out{count * sizeof(std::uint32_t)};
    std::vector<std::uint32_t> host(count);
    gpu::copy_to_device(out.address(), host.data(), out.bytes());
    gpu::launch(slot.kernel(), {{unsigned(count + 63) / 64, 1, 1}, {64, 1, 1}}, out, int(count));
    gpu::copy_to_host(host.data(), out.address(), out.bytes());
    return host;
}

/// What a kernel computes with x = 0.01 i and y = 3 - 0.007 i, and the number that moves.
constexpr const char* kExpressions[] = {
    "x * 0.037f$",
    "x * y - 2.5f$",
    "2.5f$ - x * y",
    "x - 1e-3f$ * y",
    "x * 0.9f$ + y",
    "x * 1.5f$ - y",
    "x / 3.0f$ + y * x",
    "fmaf(x, -1.5f$, x * x)",
    "x + 0.1$ * y",
    "sinf(x + 0.5f$) * y",
    "x > 0.25f$ ? y : x",
    "powf(y, 2.5f$) + x",
    "x * y-0.5f$ - y",
    "(x - 0.3f) * (x - 0.3f$)",
    "pick(0.25f$) + x",
    "twice(0.125f$) * x",
    "x * (i & 0x55$)",
    "float(i % 7u$) * x",
    "lerp(x, y, 0.3f$)",
    "K * x - K * y",
    "x + float(0xffULL$ >> (i & 7))",
    "1.0f$ / (1.0f + x)",
    "-2.0f$ * x + y * y",
};

/// Where constants are folded or fused in another way than variables: the last bits may differ.
constexpr const char* kFused[] = {"x * y - K", "loop(x, 5$)"};

std::string kernel_of(const std::string& expression) {
    return fmt::format("#define K {}\n", expression.find('K') == expression.npos ? "0" : "0.75f$") +
           "template <class T> __device__ T twice(T&& x) { return x + x; }\n"
           "__device__ float pick(float a) { return a; }\n"
           "__device__ float pick(double) { return -1; }\n"
           "__device__ float lerp(float a, float b, float t) { return a + t * (b - a); }\n"
           "__device__ float loop(float x, int n) {\n"
           "    for (int j = 0; j < n; ++j) x = x * 0.9f + 0.1f * j;\n"
           "    return x;\n}\n"
           "__global__ void k(float* out, int n) {\n"
           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "    if (i >= n) return;\n"
           "    float x = 0.01f * i, y = 3 - 0.007f * i;\n"
           "    out[i] = " +
           expression + ";\n}\n";
}

} // namespace

TEST_F(BuildLiteral, AVariableGivesWhatTheTextGives) {
    for (const std::string expression : kExpressions) {
        const Marked m = marked(kernel_of(expression));
        KernelSlot slot{{m.source, "k.cu", "", {}, {}}, services()};
        ASSERT_TRUE(slot.wait()) << slot.log();
        const auto before = run(slot, 300);
        ASSERT_TRUE(slot.grab_literal(m.literal.line, m.literal.column));
        const LiteralNumber first = slot.moved_literal()->first;
        slot.move_literal(first.moved(13, first.step_place()));
        slot.wait();
        EXPECT_EQ(slot.moved_literal()->way, LiteralWay::variable) << expression;
        wait_for_full(slot);
        const auto by_variable = run(slot, 300);
        EXPECT_NE(by_variable, before) << "it has an effect: " << expression;
        slot.release_literal();
        slot.wait();
        ASSERT_EQ(slot.state(), SlotState::good) << slot.log();
        ASSERT_FALSE(slot.loaded()->variable);
        EXPECT_EQ(by_variable, run(slot, 300)) << expression;
    }
}

TEST_F(BuildLiteral, WhatTheCompilerFusesOtherwiseDiffersInTheLastBitsAlone) {
    for (const std::string expression : kFused) {
        const Marked m = marked(kernel_of(expression));
        KernelSlot slot{{m.source, "k.cu", "", {}, {}}, services()};
        ASSERT_TRUE(slot.wait()) << slot.log();
        ASSERT_TRUE(slot.grab_literal(m.literal.line, m.literal.column));
        slot.move_literal(slot.moved_literal()->first.moved(3, 0));
        slot.wait();
        const auto by_variable = run(slot, 300);
        slot.release_literal();
        slot.wait();
        const auto compiled = run(slot, 300);
        for (std::size_t i = 0; i < compiled.size(); ++i) {
            const float a = std::bit_cast<float>(by_variable[i]);
            const float b = std::bit_cast<float>(compiled[i]);
            ASSERT_NEAR(a, b, 1e-6f * std::max(1.0f, std::abs(b))) << expression;
        }
    }
}

TEST_F(BuildLiteral, WhereCppWantsAConstantTheCompilerRefuses) {
    const char* const bodies[] = {
        "float tile[4$]; tile[0] = x; out[0] = tile[0];",
        "__shared__ float tile[4$]; tile[0] = x; out[0] = tile[0];",
        "out[0] = size<3$>();",
        "switch (int(x)) { case 3$: out[0] = 1; }",
        "constexpr float c = 0.5f$; out[0] = c;",
        "const int n = 4$; float a[n]; a[0] = x; out[0] = a[0];",
        "static_assert(3$ > 2); out[0] = 1;",
        "if constexpr (3$ > 2) out[0] = 1;",
        "enum { e = 3$ }; out[0] = e;",
        "struct B { int bits : 3$; }; B b{1}; out[0] = b.bits;",
        "int r; asm(\"mov.s32 %0, %1;\" : \"=r\"(r) : \"n\"(3$)); out[0] = r;",
        "alignas(16$) float v[4] = {x}; out[0] = v[0];",
        "static float s = 0.5f$; out[0] = s;",
        "float* p = 0$; out[0] = p == out;",
        "const char* s = TEXT; out[0] = s[0];\n}\n#define TEXT 3$\nvoid f() {",
    };
    const std::string head = "template <int n> __device__ int size() { return n; }\n"
                             "__global__ void k(float* out, float x) {\n";
    for (const char* body : bodies) {
        const Marked m = marked(head + body + "\n}\n");
        const auto text = with_variable(m.source, m.literal);
        ASSERT_TRUE(text);
        EXPECT_EQ(build_kernel({*text, "k.cu", "", {}, {}}, Effort::full).loaded, nullptr) << body;
    }
    const char* const outside[] = {
        "__global__ void __launch_bounds__(64$) k(float* out) { out[0] = 1; }",
        "__device__ float a = 0.5f$; __global__ void k(float* out) { out[0] = a; }",
        "const float a = 0.5f$; __global__ void k(float* out) { out[0] = a; }",
        "__constant__ float w[2] = {0.5f$, 1}; __global__ void k(float* out) { out[0] = w[0]; }",
        "#define N 3$\n#if N > 2\n__global__ void k(float* out) { out[0] = N; }\n#endif",
        "#define N 3$\n#define M (N + 1)\n#if M > 2\n#endif\n"
        "__global__ void k(float* out) { out[0] = M; }",
    };
    for (const char* source : outside) {
        const Marked m = marked(source);
        const auto text = with_variable(m.source, m.literal);
        ASSERT_TRUE(text);
        EXPECT_EQ(build_kernel({*text, "k.cu", "", {}, {}}, Effort::full).loaded, nullptr)
            << source;
    }
}

TEST_F(BuildLiteral, TheCompilerReadsRealNumbersAsWeDo) {
    std::mt19937_64 random{3};
    std::string floats, doubles;
    std::vector<std::uint32_t> expected;
    constexpr int kCount = 500;
    for (int i = 0; i < kCount; ++i) {
        const std::string digits = fmt::format("{}.{}e{}", random() % 100,
                                               random() % 10'000'000'000, int(random() % 70) - 40);
        const auto single = LiteralNumber::parse(digits + "f");
        const auto whole = LiteralNumber::parse(digits);
        ASSERT_TRUE(single && whole) << digits;
        floats += digits + "f,";
        doubles += digits + ",";
        const auto wide = std::bit_cast<std::uint64_t>(std::get<double>(whole->value()));
        const auto narrow = std::bit_cast<std::uint32_t>(float(std::get<double>(single->value())));
        expected.insert(expected.end(), {narrow, std::uint32_t(wide), std::uint32_t(wide >> 32)});
    }
    const std::string source =
        fmt::format("__constant__ float f[] = {{{}}};\n__constant__ double d[] = {{{}}};\n"
                    "__global__ void k(unsigned* out, int n) {{\n"
                    "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "if (i >= n / 3) return;\n"
                    "out[3 * i] = __float_as_uint(f[i]);\n"
                    "out[3 * i + 1] = __double2loint(d[i]);\n"
                    "out[3 * i + 2] = __double2hiint(d[i]);\n}}\n",
                    floats, doubles);
    KernelSlot slot{{source, "k.cu", "", {}, {}}, services()};
    ASSERT_TRUE(slot.wait()) << slot.log();
    EXPECT_EQ(run(slot, 3 * kCount), expected);
}

TEST_F(BuildLiteral, AnErrorAndAFaultKeepTheirLines) {
    const Marked m = marked("#define N 1\n\n__global__ void k(float* out) {\n  out[0] = 0.5f$;\n"
                            "  out[1] = wrong;\n}\n");
    const KernelBuild build =
        build_kernel({*with_variable(m.source, m.literal), "k.cu", "", {}, {}}, Effort::full);
    ASSERT_EQ(build.diagnostics.size(), 1u);
    EXPECT_EQ(build.diagnostics[0].line, 5);
    EXPECT_EQ(build.diagnostics[0].file, "k.cu");
}

TEST_F(BuildLiteral, AFaultNamesItsLineAndTheNumberRunsAgain) {
    if (!gpu::driver().is_software()) GTEST_SKIP() << "a GPU's context does not survive a fault";
    KernelSlot slot{
        {"__global__ void k(int* out, int n) {\n  int at = 3;\n  out[at * 100] = n;\n}\n",
         "k.cu",
         "",
         {},
         {}},
        services()};
    ASSERT_TRUE(slot.wait());
    gpu::DeviceBuffer out{2000};
    const auto launch = [&] {
        gpu::launch(slot.kernel(), {{1, 1, 1}, {1, 1, 1}}, out, 7);
        int host[500];
        gpu::copy_to_host(host, out.address(), out.bytes());
        return host[100] == 7 ? 100 : host[300] == 7 ? 300 : 0;
    };
    EXPECT_EQ(launch(), 300);
    slot.confirm();
    ASSERT_TRUE(slot.grab_literal(2, 12));
    const auto to = [&](std::int64_t value) {
        slot.move_literal(*slot.moved_literal()->first.with_value(value));
        slot.wait();
    };
    to(900);
    try {
        launch();
        FAIL() << "it writes outside of its memory";
    } catch (const gpu::Error& e) {
        ASSERT_NE(e.fault(), nullptr) << e.what();
        EXPECT_EQ(e.fault()->line, 3);
        EXPECT_TRUE(std::string{e.fault()->file}.ends_with("k.cu")) << e.fault()->file;
        slot.report_fault({"k.cu", 3, 0, Diagnostic::Severity::error, e.what()});
    }
    EXPECT_EQ(slot.state(), SlotState::faulted);
    to(1);
    EXPECT_EQ(launch(), 100);
    EXPECT_EQ(slot.state(), SlotState::good);
}
