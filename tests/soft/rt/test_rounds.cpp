// SPDX-License-Identifier: MIT
// Warps that wait for each other at barriers of the block, in all modes: what a thread keeps across
// a barrier, threads that end before it, orders, faults, and loops that never end.
#include "tests/soft/rt/driver_test.h"
#include "tests/soft/rt/mode_table.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>

namespace lathe::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

class Rounds : public DriverTest {
protected:
    void TearDown() override {
        Mode::unset();
        unsetenv("LATHE_SOFT_ORDER");
        DriverTest::TearDown();
    }

    /// Runs a kernel `k(unsigned* out, unsigned argument)` in each mode: `wanted` for each thread.
    template <class Wanted>
    void check(const std::string& source, const Shape& s, unsigned argument, Wanted wanted) {
        const std::string ptx = compile_to_ptx(source, "test.cu", {"-lineinfo"});
        const std::size_t in_block = std::size_t{s.block[0]} * s.block[1] * s.block[2];
        const std::size_t count = s.grid[0] * in_block;
        for (const Mode& mode : kModes) {
            mode.set();
            CUmodule module = nullptr;
            CHECK_CU(cuModuleLoadData(&module, ptx.c_str()));
            Buffer<std::uint32_t> out{Numbers(count, 99)};
            CHECK_CU(launch(function(module, "k"), s, out.get(), argument));
            CHECK_CU(cuCtxSynchronize()) << last_fault().message;
            const Numbers found = out.read();
            for (std::size_t t = 0; t < count; ++t)
                ASSERT_EQ(found[t], wanted(static_cast<std::uint32_t>(t % in_block)))
                    << mode.name << ", thread " << t << " of blocks of " << in_block;
            CHECK_CU(cuModuleUnload(module));
        }
    }
};

/// The number of the thread in its block, and of threads in it.
const std::string kPlace = R"(
    const unsigned n = blockDim.x * blockDim.y * blockDim.z;
    const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out += blockIdx.x * n;
)";

std::string kernel_of(const std::string& body) {
    return fmt::format("extern \"C\" __global__ void k(unsigned* out, unsigned argument) {{{}{}}}",
                       kPlace, body);
}

// Hillis and Steele's scan: two barriers in a loop.
TEST_F(Rounds, BarriersInALoop) {
    const std::string source = kernel_of(R"(
        __shared__ unsigned x[1024];
        x[t] = t * t + argument;
        __syncthreads();
        for (unsigned far = 1; far < n; far *= 2) {
            const unsigned more = t >= far ? x[t - far] : 0;
            __syncthreads();
            x[t] += more;
            __syncthreads();
        }
        out[t] = x[t];)");
    const unsigned blocks[][3] = {{1, 1, 1},   {7, 1, 1},    {32, 1, 1}, {45, 1, 1}, {256, 1, 1},
                                  {16, 16, 1}, {1024, 1, 1}, {8, 8, 4},  {24, 5, 3}, {5, 3, 7}};
    for (const auto& block : blocks)
        check(source, {{3, 1, 1}, {block[0], block[1], block[2]}}, 5, [](std::uint32_t t) {
            std::uint32_t sum = 0;
            for (std::uint32_t k = 0; k <= t; ++k) sum += k * k + 5;
            return sum;
        });
}

// Whole warps, and parts of one, end before the others come to a barrier.
TEST_F(Rounds, ThreadsThatEndEarly) {
    const std::string source = kernel_of(R"(
        __shared__ unsigned x[1024];
        x[t] = 0;
        __syncthreads();
        if (t >= argument) { out[t] = 7; return; }
        x[t] = t + 1;
        __syncthreads();
        out[t] = x[argument - 1 - t];)");
    for (const unsigned left : {1u, 5u, 32u, 40u, 64u, 199u})
        check(source, {{2, 1, 1}, {200, 1, 1}}, left,
              [left](std::uint32_t t) { return t < left ? left - t : 7; });
}

// Numbers of each kind, a condition, an array that is read by a number of run time, and one that
// ends before the barrier.
TEST_F(Rounds, WhatAThreadKeeps) {
    const std::string source = kernel_of(R"(
        __shared__ unsigned x[1024];
        unsigned own[9];
        for (unsigned k = 0; k < 9; ++k) own[k] = t * 10 + k;
        unsigned brief[4];
        for (unsigned k = 0; k < 4; ++k) brief[k] = t + k;
        const unsigned early = brief[(t + argument) % 4];
        const double half = t * 0.5;
        const long long far = (1ll << 40) + t;
        const bool odd = (t * argument) % 3 == 1;
        const float quarter = t * 0.25f;
        const unsigned char small = t;
        x[t] = t;
        __syncthreads();
        const unsigned next = x[(t + 1) % n];
        own[next % 9] += 1000;
        __syncthreads();
        unsigned sum = own[(t + argument) % 9] + early + (unsigned)(half * 2);
        sum += (unsigned)(far >> 8) + (odd ? 100000u : 0u) + (unsigned)(quarter * 4) + small;
        out[t] = sum + (__isLocal(own) ? 1u : 0u);)");
    for (const unsigned threads : {31u, 96u, 200u})
        check(source, {{2, 1, 1}, {threads, 1, 1}}, 4, [threads](std::uint32_t t) {
            const std::uint32_t next = (t + 1) % threads, at = (t + 4) % 9;
            std::uint32_t sum = t * 10 + at + (next % 9 == at ? 1000 : 0);
            sum += t + (t + 4) % 4 + t;
            sum += static_cast<std::uint32_t>(((1ll << 40) + t) >> 8);
            return sum + (t * 4 % 3 == 1 ? 100000 : 0) + t + (t & 255) + 1;
        });
}

// A 32-bit index wraps between the lanes of the first warp, which then runs by other code; the
// other warps meet it at the barriers.
TEST_F(Rounds, AnIndexThatWraps) {
    const std::string source = kernel_of(R"(
        __shared__ unsigned x[1024];
        unsigned kept[3];
        const unsigned before = t - argument;
        x[t] = t * 3;
        for (unsigned k = 0; k < 3; ++k) kept[k] = t + k;
        __syncthreads();
        unsigned sum = before < n ? x[before] : 77;
        for (unsigned round = 0; round < 3; ++round) {
            __syncthreads();
            if (before < n) x[before] += 1;
            __syncthreads();
            sum += x[t];
        }
        out[t] = sum + kept[sum % 3] + (__isLocal(kept) ? 1u : 0u);)");
    for (const unsigned threads : {64u, 100u, 256u})
        check(source, {{3, 1, 1}, {threads, 1, 1}}, 5, [threads](std::uint32_t t) {
            std::uint32_t sum = t >= 5 ? (t - 5) * 3 : 77;
            for (std::uint32_t round = 1; round <= 3; ++round)
                sum += t * 3 + (t + 5 < threads ? round : 0);
            return sum + t + sum % 3 + 1;
        });
}

// One order of warps is as good as another, and the same seed gives the same one.
TEST_F(Rounds, AnyOrder) {
    const std::string ptx = compile_to_ptx(kernel_of(R"(
        __shared__ unsigned came;
        if (t == 0) came = 0;
        __syncthreads();
        unsigned tickets = 0;
        for (unsigned k = 0; k < argument; ++k) {
            tickets = tickets * 5 + atomicAdd(&came, 1u) / 32;
            __syncthreads();
        }
        out[t] = tickets;)"),
                                           "test.cu", {});
    const auto run = [&](const char* order) {
        setenv("LATHE_SOFT_ORDER", order, 1);
        CUmodule module = nullptr;
        EXPECT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
        Buffer<std::uint32_t> out{2 * 256};
        EXPECT_EQ(launch(function(module, "k"), shape(2, 256), out.get(), 6u), CUDA_SUCCESS);
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
        cuModuleUnload(module);
        return out.read();
    };
    const Numbers ascending = run("record"), first = run("shuffle:1");
    EXPECT_EQ(first, run("shuffle:1"));
    EXPECT_NE(first, run("shuffle:2"));
    EXPECT_NE(first, ascending);
    for (unsigned warp = 0; warp < 8; ++warp) { // each time as they stand
        unsigned tickets = 0;
        for (unsigned k = 0; k < 6; ++k) tickets = tickets * 5 + k * 8 + warp;
        EXPECT_EQ(ascending[warp * 32], tickets);
    }
}

TEST_F(Rounds, AFaultBehindABarrierNamesItsThread) {
    for (const Mode& mode : kModes) {
        mode.set();
        CUfunction f = kernel("extern \"C\" __global__ void k(int* x, int far) {\n"
                              "  __shared__ int tile[128];\n"
                              "  tile[threadIdx.x] = far;\n"
                              "  __syncthreads();\n"
                              "  if (threadIdx.x == 77 && blockIdx.x == 1)\n"
                              "    x[tile[0]] = 1;\n"
                              "  __syncthreads();\n"
                              "}\n");
        Buffer<int> x{8};
        CHECK_CU(launch(f, shape(3, 128), x.get(), 100000));
        EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS) << mode.name;
        const LatheSoftFault fault = last_fault();
        EXPECT_EQ(fault.line, 6u) << mode.name;
        EXPECT_EQ(fault.block[0], 1u) << mode.name;
        EXPECT_EQ(fault.thread[0], 77u) << mode.name;
    }
}

TEST_F(Rounds, BarriersWithoutEndAreCancelled) {
    for (const Mode& mode : kModes) {
        mode.set();
        CUfunction f = kernel("extern \"C\" __global__ void k(unsigned* x) {\n"
                              "  __shared__ unsigned tile[64];\n"
                              "  tile[threadIdx.x] = 1;\n"
                              "  while (tile[threadIdx.x]) {\n"
                              "    tile[threadIdx.x] |= x[0];\n"
                              "    __syncthreads();\n"
                              "  }\n"
                              "}\n");
        Buffer<unsigned> x{1};
        CHECK_CU(launch(f, shape(2, 64), x.get()));
        std::this_thread::sleep_for(std::chrono::milliseconds{20}); // it has begun
        EXPECT_EQ(latheSoftCancel(nullptr), 0);
        EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT) << mode.name;
    }
}

} // namespace
} // namespace lathe::test
