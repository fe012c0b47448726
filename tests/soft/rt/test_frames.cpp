// SPDX-License-Identifier: MIT
// Frames larger than a stack usually is: fibers get stacks that hold them.
#include "tests/soft/rt/driver_test.h"

#include <fmt/format.h>

namespace lathe::test {
namespace {

class Frames : public DriverTest {};

// Values that live across a barrier, more than registers hold: each lane's lie in the frame of its
// warp, 300 KB for 32 lanes.
TEST_F(Frames, ManyValuesAcrossABarrier) {
    constexpr int kValues = 1200, kThreads = 64;
    std::string loads, sum;
    for (int k = 0; k < kValues; ++k) {
        loads += fmt::format("long long v{} = x[{} + t];\n", k, k * kThreads);
        sum += fmt::format("s = s * 3 + v{};\n", kValues - 1 - k);
    }
    CUfunction f =
        kernel("extern \"C\" __global__ void k(const volatile long long* x, long long* y) {\n"
               "int t = threadIdx.x; long long s = 0;\n" +
               loads + "__syncthreads();\n" + sum + "y[t] = s; }");
    std::vector<long long> values(kValues * kThreads);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<long long>(k % 1009);
    Buffer<long long> x{values}, y{kThreads};
    CHECK_CU(launch(f, shape(1, kThreads), x.get(), y.get()));
    CHECK_CU(cuCtxSynchronize());
    const std::vector<long long> found = y.read();
    for (int t = 0; t < kThreads; ++t) {
        unsigned long long wanted = 0;
        for (int k = kValues; k-- > 0;)
            wanted = wanted * 3 + static_cast<unsigned long long>(values[k * kThreads + t]);
        ASSERT_EQ(static_cast<unsigned long long>(found[t]), wanted) << "thread " << t;
    }
}

// Single threads: what two arrays take that lie in functions of their own.
TEST_F(Frames, LargeLocalArrays) {
    CUfunction f = kernel(R"(__device__ __noinline__ int inner(int n) {
            int a[20000];
            for (int k = 0; k < 20000; ++k) a[k] = k * n;
            __syncthreads();
            return a[n] + a[19999 - n];
        }
        extern "C" __global__ void k(int* y, int n) {
            int a[30000];
            for (int k = 0; k < 30000; ++k) a[k] = k + n;
            __syncthreads();
            y[threadIdx.x] = a[threadIdx.x] + inner(threadIdx.x);
        })");
    Buffer<int> y{4};
    CHECK_CU(launch(f, shape(1, 4), y.get(), 5));
    CHECK_CU(cuCtxSynchronize());
    EXPECT_EQ(y.read(), (std::vector<int>{5, 20005, 40005, 60005}));
}

} // namespace
} // namespace lathe::test
