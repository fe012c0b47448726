// SPDX-License-Identifier: MIT
// Exact checks of accesses: what is a byte outside is refused, with its place, and what is inside
// is not, however the kernel came by the address.
#include "tests/soft/rt/access_test.h"

#include <cstring>

namespace lathe::test {
namespace {

class Access : public AccessTest {
protected:
    const char* const fill_ = "extern \"C\" __global__ void k(float* x, int n, int shift) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n)\n"
                              "    x[i + shift] = i;\n"
                              "}\n";
};

// --- refused
// ----------------------------------------------------------------------------------------

TEST_F(Access, OneElementPastTheEnd) {
    CUfunction f = kernel(fill_);
    for (int n : {1, 3, 37, 64, 1000, 1023}) { // all but one end inside of the rounding to 256
        Buffer<float> x{static_cast<std::size_t>(n)};
        const unsigned threads = 64, last = static_cast<unsigned>(n);
        allowed(f, shape(17, threads), x.get(), n, 0);
        refused(f, shape(17, threads),
                {4, last % threads, last / threads, x.get() + 4 * last, "write at"}, x.get(), n + 1,
                0);
        const std::string text = "0 bytes past the end of a " + std::to_string(4 * n) + "-byte";
        EXPECT_NE(std::strstr(last_fault().message, text.c_str()), nullptr) << last_fault().message;
    }
}

TEST_F(Access, OneBytePastTheEnd) {
    CUfunction f = kernel("extern \"C\" __global__ void k(char* x, int n) {\n"
                          "  if ((int)threadIdx.x < n) x[threadIdx.x] = 1;\n"
                          "}\n");
    Buffer<char> x{37};
    allowed(f, shape(1, 64), x.get(), 37);
    refused(f, shape(1, 64), {2, 37, 0, x.get() + 37, "0 bytes past the end of a 37-byte"}, x.get(),
            38);
}

TEST_F(Access, AnElementThatBeginsInside) {
    CUfunction f = kernel("extern \"C\" __global__ void k(double* x, double* y) {\n"
                          "  y[threadIdx.x] = x[threadIdx.x];\n"
                          "}\n");
    Buffer<char> x{20};
    Buffer<double> y{8};
    refused(f, shape(1, 3), {2, 2, 0, x.get() + 16, "read of 8 bytes"}, x.get(), y.get());
}

TEST_F(Access, BeforeTheStart) {
    CUfunction f = kernel(fill_);
    Buffer<float> x{1000};
    refused(f, shape(1, 32), {4, 0, 0, x.get() - 4, "4 bytes before a 4000-byte"}, x.get(), 32, -1);
    refused(f, shape(1, 32), {4, 0, 0, x.get() - 128, "128 bytes before a 4000-byte"}, x.get(), 20,
            -32);
}

TEST_F(Access, IntoANeighbour) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, long i) {\n"
                          "  x[i] = 7;\n"
                          "}\n");
    Buffer<int> x{100}, y{100};
    const auto distance = static_cast<long>(y.get() - x.get()) / 4;
    refused(f, shape(1, 1), {2, 0, 0, y.get() + 40, distance < 0 ? "bytes before" : "bytes past"},
            x.get(), distance + 10);
    EXPECT_EQ(y.read(), std::vector<int>(100, 0));
}

TEST_F(Access, InARowWithPartOfTheMask) {
    CUfunction f =
        kernel("extern \"C\" __global__ void k(const int* in, int* out, int low, int high) {\n"
               "  int i = threadIdx.x;\n"
               "  if (i >= low && i < high)\n"
               "    out[i] = in[i] + 1;\n"
               "}\n");
    Buffer<int> in{50}, out{64};
    allowed(f, shape(1, 64), in.get(), out.get(), 3, 50);
    refused(f, shape(1, 64), {4, 50, 0, in.get() + 200, "read"}, in.get(), out.get(), 3, 51);
    allowed(f, shape(1, 64), in.get() + 40, out.get(), -5, 40);
    refused(f, shape(1, 64), {4, 40, 0, in.get() + 200, "read"}, in.get() + 40, out.get(), 40, 41);
}

TEST_F(Access, GathersWithOneBadLane) {
    CUfunction f =
        kernel("extern \"C\" __global__ void k(const int* index, const int* in, int* out) {\n"
               "  int i = threadIdx.x;\n"
               "  out[i] = in[index[i]];\n"
               "}\n");
    std::vector<int> index(64);
    for (int i = 0; i < 64; ++i) index[static_cast<std::size_t>(i)] = (i * 37) % 50;
    Buffer<int> good{index}, in{50}, out{64};
    allowed(f, shape(1, 64), good.get(), in.get(), out.get());
    for (int bad : {50, -1, 63, 1 << 20}) {
        index[41] = bad;
        Buffer<int> numbers{index};
        refused(f, shape(1, 64), {3, 41, 0, in.get() + 4 * static_cast<CUdeviceptr>(bad), "read"},
                numbers.get(), in.get(), out.get());
    }
}

// Numbers of 8 and 16 bits, with and without a sign, are compared in 32 bits.
TEST_F(Access, GathersByNarrowNumbers) {
    const auto try_all = [&](auto zero, const char* type) {
        using Number = decltype(zero);
        SCOPED_TRACE(type);
        const std::string source = std::string{"extern \"C\" __global__ void k(const "} + type +
                                   "* index, const int* in, int* out) {\n"
                                   "  __shared__ int bins[50];\n"
                                   "  int i = threadIdx.x;\n"
                                   "  int v = in[index[i]];\n"
                                   "  if (v == 0) atomicAdd(&bins[index[i + 64]], 1);\n"
                                   "  out[i] = v;\n"
                                   "}\n";
        CUfunction f = kernel(source);
        std::vector<Number> index(128);
        for (int i = 0; i < 128; ++i)
            index[static_cast<std::size_t>(i)] = static_cast<Number>((i * 37) % 50);
        Buffer<int> in{50}, out{64};
        allowed(f, shape(1, 64), Buffer<Number>{index}.get(), in.get(), out.get());
        for (const int value : {50, 100, -1}) {
            const auto bad = static_cast<Number>(value);
            const auto far = 4 * static_cast<CUdeviceptr>(static_cast<std::int64_t>(bad));
            for (const std::size_t lane : {41u, 105u}) {
                auto numbers = index;
                numbers[lane] = bad;
                Buffer<Number> there{numbers};
                if (lane < 64)
                    refused(f, shape(1, 64), {4, 41, 0, in.get() + far, "read"}, there.get(),
                            in.get(), out.get());
                else
                    refused(f, shape(1, 64), {5, 41, 0, 0, "block's"}, there.get(), in.get(),
                            out.get());
            }
        }
    };
    try_all(std::int8_t{}, "signed char");
    try_all(std::uint8_t{}, "unsigned char");
    try_all(std::int16_t{}, "short");
    try_all(std::uint16_t{}, "unsigned short");
}

TEST_F(Access, ScattersWithOneBadLane) {
    CUfunction f = kernel("extern \"C\" __global__ void k(const int* index, int* out) {\n"
                          "  int i = threadIdx.x;\n"
                          "  if (i & 1)\n"
                          "    out[index[i]] = i;\n"
                          "}\n");
    std::vector<int> index(64);
    for (int i = 0; i < 64; ++i) index[static_cast<std::size_t>(i)] = i & 1 ? (i * 37) % 50 : 5000;
    Buffer<int> good{index}, out{50};
    allowed(f, shape(1, 64), good.get(), out.get());
    index[21] = 50;
    Buffer<int> bad{index};
    refused(f, shape(1, 64), {4, 21, 0, out.get() + 200, "write"}, bad.get(), out.get());
}

TEST_F(Access, VectorsThatStraddleTheEnd) {
    CUfunction f = kernel("extern \"C\" __global__ void k(const float4* x, float4* y) {\n"
                          "  y[threadIdx.x] = x[threadIdx.x];\n"
                          "}\n");
    Buffer<float> x{35}, y{256}; // eight and three quarters
    allowed(f, shape(1, 8), x.get(), y.get());
    refused(f, shape(1, 32), {2, 8, 0, x.get() + 140, "0 bytes past the end of a 140-byte"},
            x.get(), y.get());
    refused(f, shape(1, 32), {2, 8, 0, x.get() + 140, "write"}, y.get(), x.get());
}

TEST_F(Access, Strides) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, int from, int step) {\n"
                          "  int i = threadIdx.x;\n"
                          "  x[from - 3 * i] = i;\n"
                          "  x[i * step] = i;\n"
                          "}\n");
    Buffer<int> x{94}; // 0 to 93
    allowed(f, shape(1, 32), x.get(), 93, 3);
    refused(f, shape(1, 32), {3, 0, 0, x.get() + 94 * 4, "write"}, x.get(), 94, 3);
    refused(f, shape(1, 32), {3, 31, 0, x.get() - 4, "4 bytes before"}, x.get(), 92, 3);
    refused(f, shape(1, 32), {4, 24, 0, x.get() + 96 * 4, "write"}, x.get(), 93, 4);
}

TEST_F(Access, Atomics) {
    CUfunction f = kernel("extern \"C\" __global__ void k(unsigned* x, int i) {\n"
                          "  atomicAdd(&x[(int)threadIdx.x + i], 1u);\n"
                          "  atomicCAS(&x[0], 0u, 1u);\n"
                          "}\n");
    Buffer<unsigned> x{33};
    allowed(f, shape(1, 32), x.get(), 1);
    refused(f, shape(1, 32), {2, 31, 0, x.get() + 132, "write"}, x.get(), 2);
    refused(f, shape(1, 32), {2, 0, 0, x.get() - 4, "write"}, x.get(), -1);
}

TEST_F(Access, LocalArrays) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, int n, int i) {\n"
                          "  int local[10];\n"
                          "  for (int j = 0; j < n; ++j)\n"
                          "    local[j] = j * threadIdx.x;\n"
                          "  x[threadIdx.x] = local[i];\n"
                          "}\n");
    Buffer<int> x{32};
    allowed(f, shape(1, 32), x.get(), 10, 9);
    EXPECT_EQ(x.read()[3], 27);
    refused(f, shape(1, 32), {4, 0, 0, 0, "0 bytes past the end of a local variable of 40"},
            x.get(), 11, 0);
    refused(f, shape(1, 32), {5, 0, 0, 0, "read"}, x.get(), 10, 10);
    CUfunction by_lane = kernel("extern \"C\" __global__ void k(int* x, const int* index) {\n"
                                "  int local[10];\n"
                                "  for (int j = 0; j < 10; ++j) local[j] = j;\n"
                                "  x[threadIdx.x] = local[index[threadIdx.x]];\n"
                                "}\n");
    std::vector<int> index(32, 9);
    Buffer<int> good{index};
    allowed(by_lane, shape(1, 32), x.get(), good.get());
    index[30] = 10;
    Buffer<int> bad{index};
    refused(by_lane, shape(1, 32), {4, 30, 0, 0, "local variable"}, x.get(), bad.get());
}

TEST_F(Access, SharedMemory) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, int i) {\n"
                          "  __shared__ int fixed[48];\n"
                          "  fixed[(int)threadIdx.x + i] = threadIdx.x;\n"
                          "  __syncthreads();\n"
                          "  x[threadIdx.x] = fixed[threadIdx.x];\n"
                          "}\n");
    Buffer<int> x{32};
    allowed(f, shape(2, 32), x.get(), 16);
    refused(f, shape(1, 32), {3, 31, 0, 0, "0 bytes past the end of the block's 192 bytes"},
            x.get(), 17);
    refused(f, shape(1, 1), {3, 0, 0, 0, "1000004 bytes before the block's"}, x.get(), -250001);
    refused(f, shape(1, 32), {3, 0, 0, 0, "4 bytes before the block's"}, x.get(), -1);
    CUfunction dynamic = kernel("extern \"C\" __global__ void k(float* x, int i) {\n"
                                "  extern __shared__ float sized[];\n"
                                "  sized[threadIdx.x] = 1;\n"
                                "  __syncthreads();\n"
                                "  x[threadIdx.x] = sized[threadIdx.x + i];\n"
                                "}\n");
    allowed(dynamic, shape(2, 32, 132), x.get(), 1);
    refused(dynamic, shape(1, 32, 132), {5, 31, 0, 0, "past the end of the block's 132 bytes"},
            x.get(), 2);
    refused(dynamic, shape(1, 32, 124), {3, 31, 0, 0, "write"}, x.get(), 0);
}

TEST_F(Access, ModuleVariables) {
    CUfunction f = kernel("__device__ int table[11];\n"
                          "__constant__ float numbers[5];\n"
                          "extern \"C\" __global__ void k(float* x, int i, int j) {\n"
                          "  table[i] = threadIdx.x;\n"
                          "  x[threadIdx.x] = numbers[j];\n"
                          "}\n");
    Buffer<float> x{32};
    allowed(f, shape(1, 32), x.get(), 10, 4);
    refused(f, shape(1, 32),
            {4, 0, 0, 0, "0 bytes past the end of the 44-byte module variable table"}, x.get(), 11,
            4);
    refused(f, shape(1, 32),
            {5, 0, 0, 0, "0 bytes past the end of the 20-byte module variable numbers"}, x.get(), 0,
            5);
}

TEST_F(Access, HostMemoryIsOutOfReach) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, unsigned long long wild) {\n"
                          "  *(int*)wild = 5;\n"
                          "  x[threadIdx.x] = 1;\n"
                          "}\n");
    Buffer<int> x{32};
    std::vector<int> host(1000, 3);
    const auto address = reinterpret_cast<CUdeviceptr>(&host[500]);
    refused(f, shape(1, 32), {2, 0, 0, address, "write"}, x.get(), address);
    EXPECT_EQ(host, std::vector<int>(1000, 3));
    refused(f, shape(1, 32), {2, 0, 0, 0, "null pointer"}, x.get(), CUdeviceptr{0});
    refused(f, shape(1, 32), {2, 0, 0, 16, "null pointer"}, x.get(), CUdeviceptr{16});
    EXPECT_EQ(x.read(), std::vector<int>(32, 0));
    allowed(f, shape(1, 32), x.get(), x.get() + 124);
}

TEST_F(Access, FreedMemory) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int** list, int i) {\n"
                          "  list[i][threadIdx.x] = 4;\n"
                          "}\n");
    CUdeviceptr p = 0;
    CHECK_CU(cuMemAlloc(&p, 128));
    Buffer<CUdeviceptr> list{std::vector<CUdeviceptr>{p}};
    allowed(f, shape(1, 32), list.get(), 0);
    CHECK_CU(cuMemFree(p));
    refused(f, shape(1, 32), {2, 0, 0, p, "write"}, list.get(), 0);
}

TEST_F(Access, WholeGroupsOfAccesses) {
    CUfunction f = kernel("extern \"C\" __global__ void k(const float* x, float* y, int i) {\n"
                          "  const float* p = x + i + threadIdx.x;\n"
                          "  float sum = p[1];\n"
                          "  sum += p[0];\n"
                          "  sum += p[-1];\n"
                          "  sum += p[100];\n"
                          "  y[threadIdx.x] = sum;\n"
                          "}\n");
    Buffer<float> x{200}, y{32};
    allowed(f, shape(1, 32), x.get(), y.get(), 1);
    allowed(f, shape(1, 32), x.get(), y.get(), 68);
    refused(f, shape(1, 32), {6, 31, 0, x.get() + 800, "read"}, x.get(), y.get(), 69);
    refused(f, shape(1, 32), {5, 0, 0, x.get() - 4, "read"}, x.get(), y.get(), 0);
    refused(f, shape(1, 32), {3, 0, 0, x.get() + 4000, "read"}, x.get(), y.get(), 999);
}

TEST_F(Access, RowsOfUnrolledLoops) {
    CUfunction f =
        kernel("extern \"C\" __global__ void k(const double* x, double* y, int n, int step) {\n"
               "  double sum = 0;\n"
               "  for (int i = 0; i < n; ++i)\n"
               "    sum += x[i * step + (int)threadIdx.x];\n"
               "  y[threadIdx.x] = sum;\n"
               "}\n");
    Buffer<double> x{32 * 11}, y{32};
    allowed(f, shape(1, 32), x.get(), y.get(), 11, 32);
    for (int n : {12, 13, 15, 16})
        refused(f, shape(1, 32), {4, 0, 0, x.get() + 32 * 11 * 8, "read"}, x.get(), y.get(), n, 32);
    refused(f, shape(1, 32), {4, 24, 0, x.get() + 352 * 8, "read"}, x.get(), y.get(), 9, 41);
    refused(f, shape(1, 32), {4, 0, 0, x.get() - 8 * 8, "read"}, x.get(), y.get(), 11, -8);
    // The last of four lies in the allocation again, those between do not.
    refused(f, shape(1, 1), {4, 0, 0, 0, "read"}, x.get(), y.get(), 4, 1 << 29);
}

// --- allowed
// ----------------------------------------------------------------------------------------

TEST_F(Access, PartsOfAllocations) {
    CUfunction f = kernel(fill_);
    Buffer<float> x{1000};
    allowed(f, shape(1, 64), x.get() + 4 * 936, 64, 0);
    allowed(f, shape(1, 64), x.get() + 4 * 64, 64, -64);
    refused(f, shape(1, 64), {4, 63, 0, x.get() + 4000, "4000-byte"}, x.get() + 4 * 937, 64, 0);
    allowed(f, shape(1, 64), x.get() + 4000, 0, 0); // nothing at the end
}

TEST_F(Access, PointersFromMemory) {
    CUfunction f = kernel("struct Node { Node* next; int* value; };\n"
                          "extern \"C\" __global__ void k(const Node* first, int* sum) {\n"
                          "  int total = 0;\n"
                          "  for (const Node* n = first; n; n = n->next)\n"
                          "    total += n->value[threadIdx.x];\n"
                          "  sum[threadIdx.x] = total;\n"
                          "}\n");
    Buffer<int> a{std::vector<int>(32, 1)}, b{std::vector<int>(32, 10)}, sum{32};
    Buffer<CUdeviceptr> second{std::vector<CUdeviceptr>{0, b.get()}};
    Buffer<CUdeviceptr> first{std::vector<CUdeviceptr>{second.get(), a.get()}};
    allowed(f, shape(1, 32), first.get(), sum.get());
    EXPECT_EQ(sum.read(), std::vector<int>(32, 11));
    refused(f, shape(1, 33), {5, 32, 0, a.get() + 128, "0 bytes past the end of a 128-byte"},
            first.get(), sum.get());
}

TEST_F(Access, GenericPointers) {
    CUfunction f = kernel(R"(__constant__ int fixed[32];
        __device__ __noinline__ int sum(const int* p, int n) {
            int total = 0;
            for (int i = 0; i < n; ++i) total += p[i];
            return total;
        }
        extern "C" __global__ void k(int* x, int which, int n) {
            __shared__ int shared[32];
            int local[32];
            shared[threadIdx.x] = 2;
            for (int i = 0; i < 32; ++i) local[i] = 3 + (which == 9 ? i : 0);
            __syncthreads();
            const int* p = which == 0 ? fixed : which == 1 ? shared : local;
            x[threadIdx.x] = sum(p, n);
        })");
    Buffer<int> x{32};
    for (int which : {0, 1, 2}) {
        allowed(f, shape(2, 32), x.get(), which, 32);
        EXPECT_EQ(x.read()[5], which == 0 ? 0 : 32 * (which + 1));
    }
    CHECK_CU(launch(f, shape(1, 32), x.get(), 0, 33));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Access, LanesThatAreOff) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(const int* index, int* x, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && index[i] >= 0) x[index[i]] = i;
    })");
    std::vector<int> index(77, -5000);
    for (std::size_t i = 0; i < 77; i += 2) index[i] = static_cast<int>(i / 2);
    Buffer<int> numbers{index}, x{39};
    allowed(f, shape(4, 32), numbers.get(), x.get(), 77);
    EXPECT_EQ(x.read()[38], 76);
}

TEST_F(Access, GuardsInsideOfLoops) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(const float* x, float* y, int n) {
        float sum = 0;
        #pragma unroll 4
        for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
        y[threadIdx.x] = sum;
    })");
    Buffer<float> y{32};
    for (int n : {1, 31, 97, 100, 127, 128, 129, 255}) {
        Buffer<float> x{std::vector<float>(static_cast<std::size_t>(n), 1.0f)};
        allowed(f, shape(1, 32), x.get(), y.get(), n);
        float total = 0;
        for (float part : y.read()) total += part;
        EXPECT_EQ(total, static_cast<float>(n));
    }
}

TEST_F(Access, HostMemoryOfTheDriver) {
    CUfunction f = kernel(fill_);
    void* pinned = nullptr;
    CHECK_CU(cuMemHostAlloc(&pinned, 100, CU_MEMHOSTALLOC_DEVICEMAP));
    const auto of_pinned = reinterpret_cast<CUdeviceptr>(pinned);
    allowed(f, shape(1, 32), of_pinned, 25, 0);
    refused(f, shape(1, 32), {4, 25, 0, of_pinned + 100, "pinned host memory"}, of_pinned, 26, 0);
    CHECK_CU(cuMemFreeHost(pinned));
    CUdeviceptr managed = 0;
    CHECK_CU(cuMemAllocManaged(&managed, 100, CU_MEM_ATTACH_GLOBAL));
    allowed(f, shape(1, 32), managed, 25, 0);
    refused(f, shape(1, 32), {4, 25, 0, managed + 100, "managed memory"}, managed, 26, 0);
    CHECK_CU(cuMemFree(managed));
    std::vector<float> own(4096);
    CHECK_CU(cuMemHostRegister(own.data(), 100, 0));
    CHECK_CU(cuMemHostRegister(own.data() + 25, 100, 0)); // one behind the other
    const auto of_own = reinterpret_cast<CUdeviceptr>(own.data());
    allowed(f, shape(2, 32), of_own, 50, 0);
    EXPECT_EQ(own[49], 49.0f);
    refused(f, shape(2, 32), {4, 18, 1, of_own + 200, "registered host memory"}, of_own, 51, 0);
    EXPECT_EQ(own[50], 0.0f);
    CHECK_CU(cuMemHostUnregister(own.data()));
    CHECK_CU(cuMemHostUnregister(own.data() + 25));
}

TEST_F(Access, OneOfTwoPointers) {
    CUfunction f =
        kernel("extern \"C\" __global__ void k(float* a, float* b, int n, int which) {\n"
               "  float* p = which ? a : b;\n"
               "  float* q = threadIdx.x & 1 ? a : b;\n"
               "  for (int i = 0; i < n; ++i)\n"
               "    p[i] += q[i];\n"
               "  for (int i = 0; i < 3; ++i) { float* t = a; a = b; b = t; a[i] += 1; }\n"
               "}\n");
    Buffer<float> a{10}, b{20};
    allowed(f, shape(2, 32), a.get(), b.get(), 10, 0);
    allowed(f, shape(2, 32), a.get(), b.get(), 10, 1);
    refused(f, shape(1, 1), {5, 0, 0, a.get() + 40, "past the end of a 40-byte"}, a.get(), b.get(),
            11, 1);
    refused(f, shape(1, 2), {5, 1, 0, a.get() + 40, "read"}, a.get(), b.get(), 11, 0);
}

TEST_F(Access, AbsoluteAddresses) {
    CUfunction f = kernel("extern \"C\" __global__ void k(char* zero, long long p, long long q) {\n"
                          "  *(int*)(zero + p) = 1;\n"
                          "  *(int*)(q + 4 * threadIdx.x) = 2;\n"
                          "}\n");
    Buffer<int> x{32}, y{32};
    allowed(f, shape(1, 32), CUdeviceptr{0}, x.get() + 124, y.get());
    EXPECT_EQ(x.read()[31], 1);
    EXPECT_EQ(y.read(), std::vector<int>(32, 2));
    refused(f, shape(1, 32), {2, 0, 0, x.get() + 128, "write at"}, CUdeviceptr{0}, x.get() + 128,
            y.get());
}

TEST_F(Access, StructuresOfPointers) {
    CUfunction f = kernel("struct Arrays { float* a; int n; float* b; };\n"
                          "extern \"C\" __global__ void k(Arrays arrays) {\n"
                          "  int i = threadIdx.x;\n"
                          "  arrays.a[i] = 1;\n"
                          "  if (i < arrays.n)\n"
                          "    arrays.b[i] = 2;\n"
                          "}\n");
    Buffer<float> a{32}, b{9};
    struct Arrays {
        CUdeviceptr a;
        int n;
        CUdeviceptr b;
    };
    allowed(f, shape(1, 32), Arrays{a.get(), 9, b.get()});
    refused(f, shape(1, 32), {6, 9, 0, b.get() + 36, "0 bytes past the end of a 36-byte"},
            Arrays{a.get(), 10, b.get()});
    refused(f, shape(1, 33), {4, 32, 0, a.get() + 128, "write"}, Arrays{a.get(), 9, b.get()});
}

TEST_F(Access, OffsetsIntoAnotherAllocationAreTold) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, long long by) {\n"
                          "  x[by + threadIdx.x] = 1;\n"
                          "}\n");
    Buffer<int> x{64}, y{64};
    const auto by = (static_cast<long long>(y.get()) - static_cast<long long>(x.get())) / 4;
    allowed(f, shape(1, 8), x.get(), 0ll);
    refused(f, shape(1, 8), {2, 0, 0, y.get() + 16, "LATHE_SOFT_CHECKS=pages lets it pass"},
            x.get(), by + 4);
    EXPECT_NE(std::strstr(last_fault().message, "16 bytes into a 256-byte allocation"), nullptr)
        << last_fault().message;
    // Where no other one is there is nothing to say.
    refused(f, shape(1, 1), {2, 0, 0, y.get() + 256, "0 bytes past the end of"}, y.get(), 64ll);
    EXPECT_EQ(std::strstr(last_fault().message, "pages"), nullptr) << last_fault().message;
    setenv("LATHE_SOFT_CHECKS", "pages", 1);
    CUfunction g = kernel("extern \"C\" __global__ void k(int* x, long long by) {\n"
                          "  x[by + threadIdx.x] = 1;\n"
                          "}\n");
    unsetenv("LATHE_SOFT_CHECKS");
    allowed(g, shape(1, 8), x.get(), by + 4);
    EXPECT_EQ(y.read()[4], 1);
}

TEST_F(Access, DeviceHeap) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(int* x) {
        int* p = (int*)malloc(40);
        for (int i = 0; i < 10; ++i) p[i] = i * threadIdx.x;
        int sum = 0;
        for (int i = 0; i < 10; ++i) sum += p[i];
        x[threadIdx.x] = sum;
        free(p);
    })");
    Buffer<int> x{32};
    allowed(f, shape(1, 32), x.get());
    EXPECT_EQ(x.read()[2], 90);
}

TEST_F(Access, ParametersThatDecideLate) {
    CUfunction f = kernel("struct Table { int numbers[20]; };\n"
                          "extern \"C\" __global__ void k(Table table, int* x, int i) {\n"
                          "  x[threadIdx.x] = table.numbers[(i + threadIdx.x) % 20];\n"
                          "}\n");
    struct Table {
        int numbers[20];
    } table{};
    for (int i = 0; i < 20; ++i) table.numbers[i] = i;
    Buffer<int> x{32};
    allowed(f, shape(1, 32), table, x.get(), 3);
    EXPECT_EQ(x.read()[18], 1);
}

} // namespace
} // namespace lathe::test
