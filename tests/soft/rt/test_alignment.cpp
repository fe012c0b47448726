// SPDX-License-Identifier: MIT
// Accesses whose address is no multiple of their size end a launch, as on a GPU: with their place,
// however the kernel came by the address. Aligned ones do not.
#include "tests/soft/rt/access_test.h"

#include <numeric>

namespace lathe::test {
namespace {

class Alignment : public AccessTest {
protected:
    static Where at(unsigned line, unsigned thread, CUdeviceptr address, const char* text) {
        return {line, thread, 0, address, text, CUDA_ERROR_MISALIGNED_ADDRESS};
    }
};

TEST_F(Alignment, PointersAmongTheParameters) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x) {\n"
                          "  x[threadIdx.x] = 7;\n"
                          "}\n");
    Buffer<int> x{64};
    for (unsigned shift : {0u, 4u, 8u, 60u}) allowed(f, shape(1, 32), x.get() + shift);
    for (unsigned shift : {1u, 2u, 3u, 5u, 30u})
        refused(f, shape(1, 32), at(2, 0, x.get() + shift, "misaligned address: write at 0x"),
                x.get() + shift);
    refused(f, shape(1, 32), at(2, 0, x.get() + 2, ", which is no multiple of 4"), x.get() + 2);
    EXPECT_EQ(x.read()[47], 0);
}

TEST_F(Alignment, EachSize) {
    for (const char* type : {"short", "int", "double", "short2", "float2", "short4", "float4",
                             "double2", "char2", "char4"}) {
        const std::string source = std::string{"extern \"C\" __global__ void k("} + type +
                                   "* to, const " + type +
                                   "* from) {\n"
                                   "  to[threadIdx.x] = from[threadIdx.x];\n"
                                   "}\n";
        CUfunction f = kernel(source);
        const std::string name = type;
        const unsigned bytes = name == "short" || name == "char2"                         ? 2
                               : name == "int" || name == "short2" || name == "char4"     ? 4
                               : name == "double" || name == "float2" || name == "short4" ? 8
                                                                                          : 16;
        Buffer<char> x{32 * 16 + 64}, y{32 * 16 + 64};
        for (unsigned shift = 0; shift <= 16; ++shift) {
            SCOPED_TRACE(name + " off by " + std::to_string(shift));
            if (shift % bytes == 0) {
                allowed(f, shape(1, 32), x.get() + shift, y.get() + shift);
                continue;
            }
            refused(f, shape(1, 32), at(2, 0, x.get() + shift, "write"), x.get() + shift, y.get());
            refused(f, shape(1, 32), at(2, 0, y.get() + shift, "read"), x.get(), y.get() + shift);
        }
    }
}

TEST_F(Alignment, BytesTakenForWords) {
    CUfunction f = kernel("extern \"C\" __global__ void k(char* p, int step, int first) {\n"
                          "  if (threadIdx.x >= first)\n"
                          "    *(int*)(p + step * threadIdx.x) = 1;\n"
                          "}\n");
    Buffer<char> x{512};
    allowed(f, shape(1, 32), x.get(), 4, 0);
    allowed(f, shape(1, 32), x.get(), 8, 5);
    allowed(f, shape(1, 32), x.get() + 1, 1, 31); // the last lane alone, at 32
    refused(f, shape(1, 32), at(3, 1, x.get() + 1, "write"), x.get(), 1, 0);
    refused(f, shape(1, 32), at(3, 5, x.get() + 10, "write"), x.get(), 2, 5);
    refused(f, shape(1, 32), at(3, 7, x.get() + 29, "write"), x.get() + 1, 4, 7);
}

TEST_F(Alignment, ConstantStepsOfALane) {
    CUfunction f = kernel("extern \"C\" __global__ void k(char* p, int* mask) {\n"
                          "  if (mask[threadIdx.x])\n"
                          "    *(int*)(p + threadIdx.x) = 1;\n"
                          "}\n");
    Buffer<char> x{64};
    std::vector<int> lanes(32);
    for (std::size_t k = 0; k < 32; k += 4) lanes[k] = 1;
    Buffer<int> each_fourth{lanes};
    allowed(f, shape(1, 32), x.get(), each_fourth.get());
    lanes[22] = 1;
    Buffer<int> one_more{lanes};
    refused(f, shape(1, 32), at(3, 22, x.get() + 22, "write"), x.get(), one_more.get());
}

TEST_F(Alignment, NextToAPointer) {
    CUfunction f = kernel("extern \"C\" __global__ void k(char* p, int* out) {\n"
                          "  out[threadIdx.x] = *reinterpret_cast<int*>(p + 1);\n"
                          "}\n");
    Buffer<char> x{64};
    Buffer<int> out{32};
    refused(f, shape(1, 32), at(2, 0, x.get() + 1, "read"), x.get(), out.get());
    allowed(f, shape(1, 32), x.get() + 3, out.get());
}

TEST_F(Alignment, GroupsOfBytesAndWords) {
    CUfunction f = kernel("extern \"C\" __global__ void k(const char* p, int* out) {\n"
                          "  const char* q = p + 8 * threadIdx.x;\n"
                          "  int sum = q[0];\n"
                          "  sum += q[1];\n"
                          "  sum += *(const int*)(q + 4);\n"
                          "  sum += *(const short*)(q + 2);\n"
                          "  out[threadIdx.x] = sum;\n"
                          "}\n");
    std::vector<char> bytes(300);
    std::iota(bytes.begin(), bytes.end(), '\0');
    Buffer<char> x{bytes};
    Buffer<int> out{32};
    for (unsigned shift : {0u, 4u, 8u}) allowed(f, shape(1, 32), x.get() + shift, out.get());
    refused(f, shape(1, 32), at(5, 0, x.get() + 6, "read"), x.get() + 2, out.get());
    refused(f, shape(1, 32), at(5, 0, x.get() + 5, "read"), x.get() + 1, out.get());
}

TEST_F(Alignment, WhatOneAccessShowsHoldsForTheNext) {
    CUfunction f =
        kernel("extern \"C\" __global__ void k(float* p, float* out, int wide) {\n"
               "  float* q = p + 4 * threadIdx.x;\n"
               "  float sum = q[0] + q[1] + q[2] + q[3];\n"
               "  __syncthreads();\n"
               "  if (wide) {\n"
               "    volatile float4* v = (volatile float4*)q;\n"
               "    float4 all; asm volatile(\"ld.global.v4.f32 {%0, %1, %2, %3}, [%4];\" "
               "      : \"=f\"(all.x), \"=f\"(all.y), \"=f\"(all.z), \"=f\"(all.w) : \"l\"(v));\n"
               "    sum += all.x + all.y + all.z + all.w;\n"
               "  }\n"
               "  out[threadIdx.x] = sum;\n"
               "}\n");
    Buffer<float> x{std::vector<float>(200, 1.0f)}, out{32};
    allowed(f, shape(1, 32), x.get(), out.get(), 1);
    EXPECT_EQ(out.read(), std::vector<float>(32, 8.0f));
    allowed(f, shape(1, 32), x.get() + 4, out.get(), 0);
    refused(f, shape(1, 1), at(7, 0, x.get() + 4, "no multiple of 16"), x.get() + 4, out.get(), 1);
}

TEST_F(Alignment, UnrolledLoops) {
    CUfunction f = kernel("extern \"C\" __global__ void k(const char* x, int* y, long step) {\n"
                          "  int sum = 0;\n"
                          "  #pragma unroll\n"
                          "  for (int i = 0; i < 6; ++i)\n"
                          "    sum += *(const int*)(x + i * step);\n"
                          "  y[threadIdx.x] = sum;\n"
                          "}\n");
    Buffer<char> x{512};
    Buffer<int> y{32};
    allowed(f, shape(1, 32), x.get(), y.get(), 12l);
    refused(f, shape(1, 32), at(5, 0, x.get() + 6, "read"), x.get(), y.get(), 6l);
    refused(f, shape(1, 32), at(5, 0, x.get() + 1, "read"), x.get() + 1, y.get(), 4l);
}

TEST_F(Alignment, Atomics) {
    CUfunction f = kernel("extern \"C\" __global__ void k(char* p, char* q) {\n"
                          "  atomicAdd((unsigned*)(p + 4 * threadIdx.x), 1u);\n"
                          "  atomicCAS((unsigned long long*)q, 0ull, 1ull);\n"
                          "}\n");
    Buffer<char> x{256}, y{256};
    allowed(f, shape(1, 32), x.get() + 4, y.get() + 8);
    refused(f, shape(1, 32), at(2, 0, x.get() + 2, "write"), x.get() + 2, y.get());
    refused(f, shape(1, 32), at(3, 0, y.get() + 4, "no multiple of 8"), x.get(), y.get() + 4);
}

TEST_F(Alignment, SharedMemory) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* out, int shift) {\n"
                          "  __shared__ char bytes[256];\n"
                          "  bytes[threadIdx.x] = 1; bytes[threadIdx.x + 128] = 1;\n"
                          "  __syncthreads();\n"
                          "  out[threadIdx.x] = *(int*)(bytes + 4 * threadIdx.x + shift);\n"
                          "  atomicAdd((int*)(bytes + shift), 1);\n"
                          "}\n");
    Buffer<int> out{32};
    allowed(f, shape(1, 32), out.get(), 0);
    allowed(f, shape(1, 32), out.get(), 8);
    refused(f, shape(1, 1), at(5, 0, 0, "read"), out.get(), 2);
    CUfunction dynamic =
        kernel("extern \"C\" __global__ void k(float4* out, int shift) {\n"
               "  extern __shared__ char sized[];\n"
               "  out[threadIdx.x] = *(float4*)(sized + 4 * threadIdx.x + shift);\n"
               "}\n");
    Buffer<float> all{128};
    allowed(dynamic, shape(1, 1, 256), all.get(), 32);
    refused(dynamic, shape(1, 32, 256), at(3, 1, 0, "no multiple of 16"), all.get(), 0);
}

TEST_F(Alignment, LocalMemory) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* out, const int* shift) {\n"
                          "  char local[64];\n"
                          "  for (int i = 0; i < 64; ++i) local[i] = i + threadIdx.x;\n"
                          "  out[threadIdx.x] = *(int*)(local + shift[threadIdx.x]);\n"
                          "}\n");
    Buffer<int> out{32};
    std::vector<int> shifts(32, 4);
    Buffer<int> good{shifts};
    // A local array of bytes is aligned where the compiler says so: to some multiple of four here.
    const LatheSoftFault before = last_fault();
    CHECK_CU(launch(f, shape(1, 32), out.get(), good.get()));
    const bool aligned = cuCtxSynchronize() == CUDA_SUCCESS;
    if (!aligned) GTEST_SKIP() << "an array at an odd place; last fault before: " << before.message;
    shifts[9] = 6;
    Buffer<int> bad{shifts};
    refused(f, shape(1, 32), at(4, 9, 0, "read"), out.get(), bad.get());
}

TEST_F(Alignment, ModuleVariables) {
    CUfunction f = kernel("__device__ char table[64];\n"
                          "extern \"C\" __global__ void k(int* out, int i) {\n"
                          "  out[threadIdx.x] = *(volatile short*)(table + i);\n"
                          "}\n");
    Buffer<int> out{32};
    allowed(f, shape(1, 32), out.get(), 6);
    refused(f, shape(1, 32), at(3, 0, 0, "read"), out.get(), 7);
}

TEST_F(Alignment, PointersFromMemory) {
    CUfunction f = kernel("struct Node { Node* next; double* value; };\n"
                          "extern \"C\" __global__ void k(const Node* first, double* sum) {\n"
                          "  double total = 0;\n"
                          "  for (const Node* n = first; n; n = n->next)\n"
                          "    total += n->value[threadIdx.x];\n"
                          "  sum[threadIdx.x] = total;\n"
                          "}\n");
    Buffer<double> a{40}, sum{32};
    for (unsigned shift : {0u, 8u, 4u, 1u}) {
        Buffer<CUdeviceptr> second{std::vector<CUdeviceptr>{0, a.get() + shift}};
        Buffer<CUdeviceptr> first{std::vector<CUdeviceptr>{second.get(), a.get()}};
        if (shift % 8 == 0) allowed(f, shape(1, 32), first.get(), sum.get());
        else refused(f, shape(1, 32), at(5, 0, a.get() + shift, "read"), first.get(), sum.get());
    }
}

TEST_F(Alignment, GenericPointersOfFunctions) {
    CUfunction f = kernel(R"(__device__ __noinline__ int sum(const char* p, int n) {
            int total = 0;
            for (int i = 0; i < n; ++i) total += *(const int*)(p + 4 * i);
            return total;
        }
        extern "C" __global__ void k(int* x, int which, int shift) {
            __shared__ __align__(16) char shared[128];
            __align__(16) char local[64];
            for (int i = 0; i < 64; ++i) shared[i] = local[i] = (char)i;
            const char* p = which == 0 ? (char*)x : which == 1 ? shared : local;
            x[threadIdx.x] = sum(p + shift, 8);
        })");
    Buffer<int> x{64};
    for (int which : {0, 1, 2}) {
        allowed(f, shape(1, 32), x.get(), which, 0);
        allowed(f, shape(1, 32), x.get(), which, 4);
        refused(f, shape(1, 32), at(3, 0, 0, "misaligned"), x.get(), which, 3);
    }
}

TEST_F(Alignment, RoundedUpByHand) {
    CUfunction f = kernel("extern \"C\" __global__ void k(char* p, float4* out) {\n"
                          "  float4* q = (float4*)(((unsigned long long)p + 15) & ~15ull);\n"
                          "  q[threadIdx.x] = make_float4(1, 2, 3, 4);\n"
                          "  out[threadIdx.x] = q[threadIdx.x];\n"
                          "}\n");
    Buffer<char> x{32 * 16 + 16};
    Buffer<float> out{128};
    for (unsigned shift : {0u, 1u, 7u, 16u}) allowed(f, shape(1, 32), x.get() + shift, out.get());
    EXPECT_EQ(out.read()[125], 2);
}

TEST_F(Alignment, CopiesThatAreAsynchronous) {
    CUfunction f = kernel(
        "extern \"C\" __global__ void k(const char* from, int* out, int shift) {\n"
        "  __shared__ __align__(16) char tile[1024];\n"
        "  unsigned to = (unsigned)__cvta_generic_to_shared(tile + 16 * threadIdx.x + shift);\n"
        "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 16;\" :: \"r\"(to), \"l\"(from + "
        "16 * threadIdx.x));\n"
        "  asm volatile(\"cp.async.wait_all;\");\n"
        "  __syncthreads();\n"
        "  out[threadIdx.x] = ((int*)tile)[threadIdx.x];\n"
        "}\n",
        {"-lineinfo", "-arch=compute_80"});
    Buffer<char> x{32 * 16 + 16};
    Buffer<int> out{32};
    allowed(f, shape(1, 32), x.get(), out.get(), 0);
    refused(f, shape(1, 1), at(4, 0, x.get() + 8, "no multiple of 16"), x.get() + 8, out.get(), 0);
    refused(f, shape(1, 1), at(4, 0, 0, "write"), x.get(), out.get(), 8);
}

TEST_F(Alignment, LanesThatAreOff) {
    CUfunction f = kernel("extern \"C\" __global__ void k(char* p, const int* at, int* out) {\n"
                          "  int i = at[threadIdx.x];\n"
                          "  if (i % 4 == 0)\n"
                          "    out[threadIdx.x] = *(int*)(p + i);\n"
                          "}\n");
    std::vector<int> places(32);
    for (std::size_t k = 0; k < 32; ++k) places[k] = static_cast<int>(k * 7 % 60);
    Buffer<int> at_{places}, out{32};
    Buffer<char> x{64};
    allowed(f, shape(1, 32), x.get(), at_.get(), out.get());
}

TEST_F(Alignment, WritesTakeNoPlaceBeforeTheFault) {
    CUfunction f = kernel("extern \"C\" __global__ void k(float4* p, float v) {\n"
                          "  p[0] = make_float4(v, v, v, v);\n"
                          "}\n");
    Buffer<float> x{8};
    refused(f, shape(1, 1), at(2, 0, x.get() + 4, "write"), x.get() + 4, 1.0f);
    EXPECT_EQ(x.read(), std::vector<float>(8, 0.0f));
}

} // namespace
} // namespace lathe::test
