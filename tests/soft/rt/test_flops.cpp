// SPDX-License-Identifier: MIT
// Floating-point operations that are counted, beside closed forms.
#include "tests/soft/rt/driver_test.h"

#include <algorithm>
#include <string>
#include <vector>

namespace lathe::test {
namespace {

struct Sums {
    std::uint64_t flops = 0, double_flops = 0;
    bool operator==(const Sums&) const = default;
};
void PrintTo(const Sums& s, std::ostream* out) { *out << s.flops << ", " << s.double_flops; }

class CountedFlops : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        latheSoftCountersReset();
        latheSoftCountersStart();
    }
    void TearDown() override {
        latheSoftCountersStop();
        latheSoftCountersReset();
        DriverTest::TearDown();
    }
    /// Of all lines since the last call.
    static Sums counted() {
        std::vector<LatheSoftLineCounters> rows(latheSoftCountersRead(nullptr, 0));
        rows.resize(std::min(rows.size(), latheSoftCountersRead(rows.data(), rows.size())));
        Sums sums;
        for (const auto& row : rows) {
            sums.flops += row.flops;
            sums.double_flops += row.double_flops;
        }
        latheSoftCountersReset();
        return sums;
    }
    template <class... A> Sums run(CUfunction f, const Shape& s, A... arguments) {
        EXPECT_EQ(launch(f, s, arguments...), CUDA_SUCCESS);
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
        return counted();
    }
};

TEST_F(CountedFlops, SaxpyHasTwoForEachElement) {
    CUfunction f = kernel("extern \"C\" __global__ void k(float* y, const float* x, int n) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i < n) y[i] = 2.5f * x[i] + y[i];\n"
                          "}\n");
    Buffer<float> x{4096}, y{4096};
    for (const int n : {4096, 1000, 1, 0})
        EXPECT_EQ(run(f, shape(32, 128), y.get(), x.get(), n), (Sums{2 * std::uint64_t(n), 0}));
}

TEST_F(CountedFlops, EachKindCountsByItself) {
    const auto of = [&](const std::string& type, const std::string& expression) {
        CUfunction f = kernel("extern \"C\" __global__ void k(" + type +
                              "* x) {\n"
                              "    " +
                              type + " a = x[threadIdx.x], b = x[threadIdx.x + 64];\n" +
                              "    x[threadIdx.x] = " + expression +
                              ";\n"
                              "}\n");
        Buffer<double> x{128};
        return run(f, shape(1, 64), x.get());
    };
    EXPECT_EQ(of("float", "a + b"), (Sums{64, 0}));
    EXPECT_EQ(of("float", "a - b"), (Sums{64, 0}));
    EXPECT_EQ(of("float", "a * b"), (Sums{64, 0}));
    EXPECT_EQ(of("float", "__fdiv_rn(a, b)"), (Sums{64, 0}));
    EXPECT_EQ(of("float", "__fsqrt_rn(a)"), (Sums{64, 0}));
    EXPECT_EQ(of("float", "__fmaf_rn(a, b, a)"), (Sums{128, 0}));
    EXPECT_EQ(of("float", "fmaxf(a, -b)"), (Sums{0, 0}));
    EXPECT_EQ(of("double", "a + b"), (Sums{64, 64}));
    EXPECT_EQ(of("double", "fma(a, b, b)"), (Sums{128, 128}));
    EXPECT_EQ(of("int", "a * b + 3"), (Sums{0, 0}));
    EXPECT_EQ(of("float", "atomicAdd(&x[0], b)"), (Sums{64, 0}));
}

// 64 x 64 by 64 x 64, in tiles in shared memory, then by each thread alone.
TEST_F(CountedFlops, AMatrixProductHasTwiceTheCubeOfItsSide) {
    CUfunction tiled = kernel(R"(extern "C" __global__ void k(float* c, const float* a,
                                                                const float* b) {
        __shared__ float s[16][16], t[16][16];
        int x = threadIdx.x, y = threadIdx.y;
        int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
        float sum = 0;
        for (int k = 0; k < 64; k += 16) {
            s[y][x] = a[row * 64 + k + x], t[y][x] = b[(k + y) * 64 + column];
            __syncthreads();
            for (int i = 0; i < 16; ++i) sum += s[y][i] * t[i][x];
            __syncthreads();
        }
        c[row * 64 + column] = sum;
    })");
    CUfunction alone = kernel(R"(extern "C" __global__ void k(float* c, const float* a,
                                                                const float* b) {
        int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
        float sum = 0;
        for (int k = 0; k < 64; ++k) sum += a[row * 64 + k] * b[k * 64 + column];
        c[row * 64 + column] = sum;
    })");
    Buffer<float> a{4096}, b{4096}, c{4096};
    const Shape shape{{4, 4, 1}, {16, 16, 1}};
    const Sums cube{2 * 64 * 64 * 64, 0};
    EXPECT_EQ(run(tiled, shape, c.get(), a.get(), b.get()), cube);
    EXPECT_EQ(run(alone, shape, c.get(), a.get(), b.get()), cube);
}

TEST_F(CountedFlops, LanesThatAreOffCountNothing) {
    CUfunction f = kernel("extern \"C\" __global__ void k(volatile float* x, int rounds) {\n"
                          "    if (threadIdx.x % 4) return;\n"
                          "    for (int i = 0; i <= int(threadIdx.x) && i < rounds; ++i)\n"
                          "        x[threadIdx.x] = x[threadIdx.x] * 3.0f;\n"
                          "}\n");
    Buffer<float> x{64};
    std::uint64_t rounds = 0;
    for (unsigned t = 0; t < 64; t += 4) rounds += std::min(t + 1, 10u);
    EXPECT_EQ(run(f, shape(1, 64), x.get(), 10), (Sums{rounds, 0}));
}

// mma.sync of 16 x 8 x 8: twice as many operations as there are products.
TEST_F(CountedFlops, ProductsOfMatricesInAWarp) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(float* d) {
        float a = 0, b = 0, c = 0, e = 0;
        unsigned x = threadIdx.x, y = x, z = x;
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, "
                     "{%6}, {%0,%1,%2,%3};" : "+f"(a), "+f"(b), "+f"(c), "+f"(e)
                     : "r"(x), "r"(y), "r"(z));
        d[threadIdx.x] = a;
    })");
    Buffer<float> d{32};
    EXPECT_EQ(run(f, shape(1, 32), d.get()), (Sums{2 * 16 * 8 * 8, 0}));
}

} // namespace
} // namespace lathe::test
