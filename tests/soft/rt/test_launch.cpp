// SPDX-License-Identifier: MIT
// Kernels through the driver API against host results.
#include "tests/soft/rt/driver_test.h"

#include <chrono>
#include <cmath>
#include <numeric>

namespace lathe::test {
namespace {

using Launch = DriverTest;

TEST_F(Launch, SaxpyInEveryBlockSize) {
    CUfunction f =
        kernel(R"(extern "C" __global__ void k(float a, const float* x, float* y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = a * x[i] + y[i];
    })");
    constexpr int n = 10007;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i);
        y[i] = 1.0f;
    }
    for (unsigned block : {1u, 31u, 32u, 100u, 256u, 1024u}) {
        Buffer<float> dx{x}, dy{y};
        CHECK_CU(launch(f, shape((n + block - 1) / block, block), 2.0f, dx.get(), dy.get(), n));
        auto result = dy.read();
        for (int i = 0; i < n; ++i) ASSERT_EQ(result[i], 2.0f * i + 1.0f) << block;
    }
}

TEST_F(Launch, ThreeDimensionalIndices) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(uint3* out) {
        unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        out[b * blockDim.x * blockDim.y * blockDim.z + t] =
            make_uint3(blockIdx.x * 16 + threadIdx.x, blockIdx.y * 16 + threadIdx.y,
                       blockIdx.z * 16 + threadIdx.z);
    })");
    struct U3 {
        unsigned x, y, z;
    };
    Buffer<U3> out{2 * 3 * 4 * 5 * 3 * 2};
    CHECK_CU(launch(f, {{2, 3, 4}, {5, 3, 2}}, out.get()));
    auto r = out.read();
    std::size_t i = 0;
    for (unsigned bz = 0; bz < 4; ++bz)
        for (unsigned by = 0; by < 3; ++by)
            for (unsigned bx = 0; bx < 2; ++bx)
                for (unsigned tz = 0; tz < 2; ++tz)
                    for (unsigned ty = 0; ty < 3; ++ty)
                        for (unsigned tx = 0; tx < 5; ++tx, ++i) {
                            ASSERT_EQ(r[i].x, bx * 16 + tx);
                            ASSERT_EQ(r[i].y, by * 16 + ty);
                            ASSERT_EQ(r[i].z, bz * 16 + tz);
                        }
}

TEST_F(Launch, ReductionWithShufflesAndSharedMemory) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(const float* x, float* sum, int n) {
        __shared__ float part[32];
        float s = 0;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            s += x[i];
        for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
        __syncthreads();
        if (threadIdx.x < 32) {
            s = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
            for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
            if (threadIdx.x == 0) atomicAdd(sum, s);
        }
    })");
    constexpr int n = 100000;
    Buffer<float> x{std::vector<float>(n, 0.5f)}, sum{1};
    CHECK_CU(launch(f, shape(16, 256), x.get(), sum.get(), n));
    EXPECT_EQ(sum.read()[0], n * 0.5f);
}

TEST_F(Launch, HistogramWithSharedAndGlobalAtomics) {
    CUfunction f =
        kernel(R"(extern "C" __global__ void k(const unsigned char* x, unsigned* h, int n) {
        __shared__ unsigned bins[256];
        for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
        __syncthreads();
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            atomicAdd(&bins[x[i]], 1u);
        __syncthreads();
        for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&h[i], bins[i]);
    })");
    constexpr int n = 1 << 18;
    std::vector<unsigned char> x(n);
    std::vector<unsigned> expected(256);
    for (int i = 0; i < n; ++i) ++expected[x[i] = static_cast<unsigned char>(i * 7919u >> 5)];
    Buffer<unsigned char> dx{x};
    Buffer<unsigned> h{256};
    CHECK_CU(launch(f, shape(24, 192), dx.get(), h.get(), n));
    EXPECT_EQ(h.read(), expected);
}

TEST_F(Launch, TiledMatrixProduct) {
    CUfunction f =
        kernel(R"(extern "C" __global__ void k(const float* a, const float* b, float* c, int n) {
        __shared__ float ta[16][16], tb[16][17];
        int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
        float s = 0;
        for (int t = 0; t < n; t += 16) {
            ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
            tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
            __syncthreads();
            for (int i = 0; i < 16; ++i) s += ta[threadIdx.y][i] * tb[i][threadIdx.x];
            __syncthreads();
        }
        c[y * n + x] = s;
    })");
    constexpr int n = 96;
    std::vector<float> a(n * n), b(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = static_cast<float>(i % 13 - 6);
        b[i] = static_cast<float>(i % 7 - 3);
    }
    Buffer<float> da{a}, db{b}, dc{n * n};
    CHECK_CU(launch(f, {{n / 16, n / 16, 1}, {16, 16, 1}}, da.get(), db.get(), dc.get(), n));
    auto c = dc.read();
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            float s = 0;
            for (int i = 0; i < n; ++i) s += a[y * n + i] * b[i * n + x];
            ASSERT_EQ(c[y * n + x], s);
        }
}

TEST_F(Launch, ScanInDynamicSharedMemory) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(int* x) {
        extern __shared__ int s[];
        int t = threadIdx.x, n = blockDim.x;
        s[t] = x[blockIdx.x * n + t];
        __syncthreads();
        for (int d = 1; d < n; d *= 2) {
            int v = t >= d ? s[t - d] : 0;
            __syncthreads();
            s[t] += v;
            __syncthreads();
        }
        x[blockIdx.x * n + t] = s[t];
    })");
    std::vector<int> x(4 * 512);
    std::iota(x.begin(), x.end(), 0);
    Buffer<int> d{x};
    CHECK_CU(launch(f, shape(4, 512, 512 * sizeof(int)), d.get()));
    auto r = d.read();
    for (int b = 0; b < 4; ++b) {
        int sum = 0;
        for (int i = 0; i < 512; ++i) ASSERT_EQ(r[b * 512 + i], sum += x[b * 512 + i]);
    }
    EXPECT_EQ(launch(f, shape(1, 512, 60 << 10), d.get()), CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 << 10));
    CHECK_CU(launch(f, shape(1, 512, 64 << 10), d.get()));
    CHECK_CU(cuCtxSynchronize());
}

TEST_F(Launch, RecursionAndFunctionPointers) {
    CUmodule m = load(R"(
        __device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        __device__ int twice(int x) { return 2 * x; }
        __device__ int square(int x) { return x * x; }
        typedef int (*F)(int);
        __device__ F table[2] = {twice, square};
        extern "C" __global__ void k(int* out) {
            int i = threadIdx.x;
            out[i] = fib(i) + 1000 * table[i % 2](i);
        })");
    Buffer<int> out{20};
    CHECK_CU(launch(function(m, "k"), shape(1, 20), out.get()));
    auto r = out.read();
    int a = 0, b = 1;
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(r[i], a + 1000 * (i % 2 ? i * i : 2 * i));
        b += std::exchange(a, b);
    }
}

TEST_F(Launch, VariablesAndConstantsOfTheModule) {
    CUmodule m = load(R"(
        __constant__ float weights[3] = {1, 2, 3};
        __device__ int counter = 5;
        __device__ int* pointer = &counter;
        extern "C" __global__ void k(float* out) {
            out[threadIdx.x] = weights[threadIdx.x];
            atomicAdd(pointer, 1);
        })");
    CUdeviceptr weights = 0, counter = 0;
    std::size_t bytes = 0;
    CHECK_CU(cuModuleGetGlobal(&weights, &bytes, m, "weights"));
    EXPECT_EQ(bytes, 12u);
    CHECK_CU(cuModuleGetGlobal(&counter, &bytes, m, "counter"));
    EXPECT_EQ(bytes, 4u);
    EXPECT_EQ(cuModuleGetGlobal(&counter, &bytes, m, "nothing"), CUDA_ERROR_NOT_FOUND);
    CHECK_CU(cuModuleGetGlobal(&counter, &bytes, m, "counter"));
    float changed = 20;
    CHECK_CU(cuMemcpyHtoD(weights + 4, &changed, 4));
    Buffer<float> out{3};
    CHECK_CU(launch(function(m, "k"), shape(1, 3), out.get()));
    EXPECT_EQ(out.read(), (std::vector<float>{1, 20, 3}));
    int value = 0;
    CHECK_CU(cuMemcpyDtoH(&value, counter, 4));
    EXPECT_EQ(value, 8);
}

TEST_F(Launch, PackedParametersAndLaunchConfig) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(char c, double d, int* out) {
        out[0] = c; out[1] = (int)d;
    })");
    Buffer<int> out{2};
    struct alignas(8) {
        char c;
        double d;
        CUdeviceptr out;
    } packed{7, 42.0, out.get()};
    std::size_t bytes = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    CHECK_CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    EXPECT_EQ(out.read(), (std::vector<int>{7, 42}));
    bytes = 8;
    EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra),
              CUDA_ERROR_INVALID_VALUE);
    std::size_t offset = 0, size = 0;
    CHECK_CU(cuFuncGetParamInfo(f, 1, &offset, &size));
    EXPECT_EQ(offset, 8u);
    EXPECT_EQ(size, 8u);
    EXPECT_EQ(cuFuncGetParamInfo(f, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launch, CooperativeGridSynchronises) {
    CUfunction f = kernel(R"(#include <cooperative_groups.h>
        extern "C" __global__ void k(int* x, int rounds) {
            auto grid = cooperative_groups::this_grid();
            for (int r = 0; r < rounds; ++r) {
                if (threadIdx.x == 0) atomicAdd(&x[r], 1);
                grid.sync();
                if (x[r] != gridDim.x) x[rounds] = 1;
            }
        })");
    int per_sm = 0, workers = 0;
    CHECK_CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, f, 64, 0));
    CHECK_CU(cuDeviceGetAttribute(&workers, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    unsigned blocks = static_cast<unsigned>(per_sm * workers);
    Buffer<int> x{11};
    CUdeviceptr p = x.get();
    int rounds = 10;
    void* params[] = {&p, &rounds};
    CHECK_CU(cuLaunchCooperativeKernel(f, blocks, 1, 1, 64, 1, 1, 0, nullptr, params));
    auto r = x.read();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(r[i], static_cast<int>(blocks));
    EXPECT_EQ(r[10], 0);
    EXPECT_EQ(cuLaunchCooperativeKernel(f, blocks + 1, 1, 1, 64, 1, 1, 0, nullptr, params),
              CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

TEST_F(Launch, WarpAggregationUnderTheActiveMask) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(int* count, int* slot) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i % 3 == 0) {
            unsigned mask = __activemask();
            int leader = __ffs(mask) - 1, base = 0;
            if ((int)(threadIdx.x % 32) == leader) base = atomicAdd(count, __popc(mask));
            base = __shfl_sync(mask, base, leader);
            slot[base + __popc(mask & ((1u << threadIdx.x % 32) - 1))] = i;
        }
    })");
    Buffer<int> count{1}, slot{1024};
    CHECK_CU(launch(f, shape(8, 96), count.get(), slot.get()));
    EXPECT_EQ(count.read()[0], 256);
    auto r = slot.read();
    std::sort(r.begin(), r.begin() + 256);
    for (int i = 0; i < 256; ++i) EXPECT_EQ(r[i], 3 * i);
}

TEST_F(Launch, DeviceMallocAndFree) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(int* out) {
        int* p = (int*)malloc(40 * sizeof(int));
        for (int i = 0; i < 40; ++i) p[i] = threadIdx.x + i;
        int s = 0;
        for (int i = 0; i < 40; ++i) s += p[i];
        free(p);
        out[threadIdx.x] = s;
    })");
    Buffer<int> out{100};
    CHECK_CU(launch(f, shape(1, 100), out.get()));
    auto r = out.read();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(r[i], 40 * i + 780);
}

TEST_F(Launch, BadLaunchesAreRefused) {
    CUfunction f =
        kernel(R"(extern "C" __global__ void __launch_bounds__(128) k(int* x) { *x = 1; })");
    Buffer<int> x{1};
    EXPECT_EQ(launch(f, shape(0, 1), x.get()), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(f, shape(1, 0), x.get()), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(f, shape(1, 256), x.get()), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(f, {{1, 70000, 1}, {1, 1, 1}}, x.get()), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(nullptr, shape(1, 1), x.get()), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(launch(reinterpret_cast<CUfunction>(0x1234), shape(1, 1), x.get()),
              CUDA_ERROR_INVALID_HANDLE);
    void* params[] = {reinterpret_cast<void*>(16)};
    EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(launch(f, shape(1, 128), x.get()));
    EXPECT_EQ(x.read()[0], 1);
}

} // namespace
} // namespace lathe::test
