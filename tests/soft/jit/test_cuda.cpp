// SPDX-License-Identifier: MIT
// CUDA sources through NVRTC and compiled code: every kernel of tests/soft/kernels compiles, and
// some results are compared with the host.
#include "tests/soft/jit/mini_runtime.h"
#include "tests/soft/support/nvrtc.h"
#include "tests/soft/support/random_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace lathe::soft::test {
namespace {

class Cuda : public testing::Test {
protected:
    void SetUp() override {
        if (!lathe::test::has_nvrtc()) GTEST_SKIP() << "NVRTC was not found";
    }
};

TEST_F(Cuda, EveryKernelCompiles) {
    for (const std::string& name : lathe::test::kernel_names()) {
        SCOPED_TRACE(name);
        const std::string text = lathe::test::compile_kernel(name, {"-lineinfo"});
        const auto start = std::chrono::steady_clock::now();
        Program program{text};
        for (const KernelInfo& kernel : program.code().kernels()) {
            try {
                EXPECT_NE(program.code().thread_code(kernel.name).entry, nullptr);
            } catch (const std::exception& error) {
                ADD_FAILURE() << kernel.name << ": " << error.what();
            }
        }
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        std::printf("%-12s %6.1f ms\n", name.c_str(), time.count());
    }
}

std::string compiled(const char* source, std::vector<std::string> options = {}) {
    return lathe::test::compile_to_ptx(source, "test.cu", std::move(options));
}

// Two of these kept LLVM busy for ever, for AVX-512. Nothing runs, so CTest asks for code of such a
// processor on any machine.
TEST_F(Cuda, RandomKernelsCompileForAnyProcessor) {
    using lathe::test::Operations;
    for (std::uint32_t seed : {1u, 119u, 239u}) {
        const std::string source = lathe::test::random_kernel_prelude() +
                                   lathe::test::random_kernel("k", seed, Operations::defined);
        const std::string text = compiled(source.c_str());
        for (std::uint32_t width : {16u, 32u}) {
            Program program{text, {true, width}};
            const std::uint32_t block[3] = {64, 1, 1};
            EXPECT_GE(program.code().code("k", block).width, width);
        }
    }
}

TEST_F(Cuda, MathLibraryAgreesWithTheHost) {
    Program program{compiled(R"(
extern "C" __global__ void functions(const float* x, float* f, const double* y, double* d) {
    const int i = threadIdx.x;
    const float a = x[i];
    float* o = f + 10 * i;
    o[0] = sinf(a);
    o[1] = cosf(a);
    o[2] = expf(a);
    o[3] = logf(fabsf(a));
    o[4] = powf(fabsf(a), 1.7f);
    o[5] = tanhf(a); o[6] = atan2f(a, 0.3f); o[7] = erff(a); o[8] = cbrtf(a); o[9] = fmodf(a, 0.7f);
    const double b = y[i];
    double* p = d + 10 * i;
    p[0] = sin(b); p[1] = cos(b); p[2] = exp(b); p[3] = log(fabs(b)); p[4] = pow(fabs(b), 1.7);
    p[5] = tanh(b); p[6] = atan2(b, 0.3); p[7] = erf(b); p[8] = cbrt(b); p[9] = fmod(b, 0.7);
})")};
    const std::vector<float> x{0.0f,   0.5f,  -1.25f,    3.0f,  10.5f,
                               -20.0f, 1e-3f, 123456.7f, 60.0f, -0.1f};
    std::vector<double> y(x.begin(), x.end());
    std::vector<float> f(10 * x.size());
    std::vector<double> d(10 * x.size());
    const auto n = static_cast<std::uint32_t>(x.size());
    program.run({{1, 1, 1}, {n, 1, 1}}, x.data(), f.data(), y.data(), d.data());
    auto close = [](double got, double wanted, double relative, std::size_t i, int k) {
        if (std::isinf(wanted) || std::isinf(got)) {
            EXPECT_EQ(got, wanted) << "function " << k << " of row " << i;
        } else {
            EXPECT_NEAR(got, wanted, relative * std::max(std::abs(wanted), 1e-30))
                << "function " << k << " of row " << i;
        }
    };
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto host = [](double v) {
            return std::vector<double>{std::sin(v),
                                       std::cos(v),
                                       std::exp(v),
                                       std::log(std::fabs(v)),
                                       std::pow(std::fabs(v), 1.7),
                                       std::tanh(v),
                                       std::atan2(v, 0.3),
                                       std::erf(v),
                                       std::cbrt(v),
                                       std::fmod(v, 0.7)};
        };
        const std::vector<double> in_float = [&] {
            const float v = x[i];
            return std::vector<double>{
                sinf(v),  cosf(v),         expf(v), logf(fabsf(v)), powf(fabsf(v), 1.7f),
                tanhf(v), atan2f(v, 0.3f), erff(v), cbrtf(v),       fmodf(v, 0.7f)};
        }();
        const std::vector<double> in_double = host(y[i]);
        for (int k = 0; k < 10; ++k) {
            const auto at = static_cast<std::size_t>(k);
            close(f[10 * i + at], in_float[at], 1e-6, i, k);
            close(d[10 * i + at], in_double[at], 4e-15, i, k);
        }
    }
}

TEST_F(Cuda, FastMathStaysClose) {
    Program program{compiled(
        "extern \"C\" __global__ void fast(const float* x, float* f) { int i = threadIdx.x;"
        "f[i] = __expf(x[i]) + sinf(x[i]) / x[i] + rsqrtf(x[i]) * __logf(x[i]); }",
        {"--use_fast_math"})};
    const std::vector<float> x{0.25f, 1.0f, 2.5f, 7.0f};
    std::vector<float> f(4);
    program.run({{1, 1, 1}, {4, 1, 1}}, x.data(), f.data());
    for (std::size_t i = 0; i < 4; ++i) {
        const double v = x[i];
        EXPECT_NEAR(f[i], std::exp(v) + std::sin(v) / v + std::log(v) / std::sqrt(v),
                    2e-6 * std::exp(v) + 1e-6);
    }
}

TEST_F(Cuda, SortsInSharedMemory) {
    Program program{compiled(R"(
extern "C" __global__ void sort(int* data) {
    __shared__ int s[64];
    const int i = threadIdx.x;
    s[i] = data[i];
    __syncthreads();
    for (int k = 2; k <= 64; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            const int other = i ^ j;
            if (other > i && (s[i] > s[other]) == ((i & k) == 0)) {
                int t = s[i];
                s[i] = s[other];
                s[other] = t;
            }
            __syncthreads();
        }
    data[i] = s[i];
})")};
    std::vector<int> data(64);
    for (int k = 0; k < 64; ++k) data[static_cast<std::size_t>(k)] = k * 37 % 64 - 20;
    program.run({{1, 1, 1}, {64, 1, 1}}, data.data());
    EXPECT_TRUE(std::is_sorted(data.begin(), data.end()));
    EXPECT_EQ(data.front(), -20);
}

TEST_F(Cuda, LocalArraysVanish) {
    Program program{compiled(R"(
extern "C" __global__ void poly(const float* x, float* y) {
    float c[4] = {1, 2, 3, 4};
    for (int k = 0; k < 4; ++k) c[k] *= x[threadIdx.x];
    int pick = threadIdx.x & 3;
    y[threadIdx.x] = c[pick] + c[0];
})")};
    std::vector<float> x(8, 2.0f), y(8);
    program.run({{1, 1, 1}, {8, 1, 1}}, x.data(), y.data());
    for (std::size_t k = 0; k < 8; ++k)
        EXPECT_EQ(y[k], 2.0f * static_cast<float>(k % 4 + 1) + 2.0f);
    EXPECT_GT(program.info().local_bytes, 0u);
}

TEST_F(Cuda, PlacesNameTheSourceLine) {
    Program program{
        compiled("__device__ __noinline__ void stop(int x) {\n if (x == 2)\n  __trap();\n}\n"
                 "extern \"C\" __global__ void k(int x) {\n stop(x); }\n",
                 {"-lineinfo"})};
    const Outcome outcome = program.run({}, 2);
    ASSERT_EQ(outcome.end, Outcome::End::trapped);
    const auto place = program.code().place_of(outcome.trap_pc - 1);
    ASSERT_TRUE(place.has_value());
    EXPECT_NE(std::string{place->file}.find("test.cu"), std::string::npos) << place->file;
    EXPECT_EQ(place->line, 3u);
}

} // namespace
} // namespace lathe::soft::test
