// SPDX-License-Identifier: MIT
// malloc and free in kernels: what is used after free() or freed twice is found, with its place.
#include "tests/soft/rt/access_test.h"

namespace lathe::test {
namespace {

class Heap : public AccessTest {};

TEST_F(Heap, AReadAfterFreeIsRefused) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, int n) {\n"
                          "  int* p = (int*)malloc(40);\n"
                          "  p[n] = threadIdx.x;\n"
                          "  x[threadIdx.x] = p[n];\n"
                          "  if (threadIdx.x == n)\n"
                          "    free(p);\n"
                          "  x[threadIdx.x] += *(volatile int*)(p + n);\n"
                          "}\n");
    Buffer<int> x{32};
    refused(f, shape(1, 32), {7, 5, 0, 0, "20 bytes into a 40-byte allocation of the device heap"},
            x.get(), 5);
    allowed(f, shape(1, 4), x.get(), 5);
}

TEST_F(Heap, AWriteAfterFreeIsRefused) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int n) {\n"
                          "  char* p = (char*)malloc(100);\n"
                          "  for (int i = 0; i < n; ++i) {\n"
                          "    p[i] = i;\n"
                          "    if (i == 70)\n"
                          "      free(p);\n"
                          "  }\n"
                          "}\n");
    allowed(f, shape(1, 1), 71);
    refused(f, shape(1, 1), {4, 0, 0, 0, "71 bytes into a 100-byte allocation"}, 72);
}

// What one thread has found another one frees: in its block, and in another one.
TEST_F(Heap, AnotherThreadFrees) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, int bad) {\n"
                          "  __shared__ int* p;\n"
                          "  if (threadIdx.x == 0) p = (int*)malloc(256);\n"
                          "  __syncthreads();\n"
                          "  p[threadIdx.x] = threadIdx.x;\n"
                          "  __syncthreads();\n"
                          "  x[threadIdx.x] = p[63 - threadIdx.x];\n"
                          "  __syncthreads();\n"
                          "  if (threadIdx.x == 7) free(p);\n"
                          "  __syncthreads();\n"
                          "  if (threadIdx.x == bad)\n"
                          "    x[0] = p[9];\n"
                          "}\n");
    Buffer<int> x{64};
    allowed(f, shape(3, 64), x.get(), 64);
    EXPECT_EQ(x.read()[3], 60);
    refused(f, shape(1, 64), {12, 40, 0, 0, "36 bytes into a 256-byte allocation"}, x.get(), 40);
}

TEST_F(Heap, AnotherBlockFrees) {
    CUfunction f = kernel("__device__ volatile int* p;\n"
                          "__device__ volatile int step;\n"
                          "extern \"C\" __global__ void k(int* x) {\n"
                          "  if (blockIdx.x == 0) {\n"
                          "    volatile int* q = (volatile int*)malloc(64);\n"
                          "    q[3] = 5;\n"
                          "    p = q;\n"
                          "    __threadfence();\n"
                          "    step = 1;\n"
                          "    while (step != 2) {}\n"
                          "    x[0] =\n"
                          "      q[3];\n"
                          "  } else {\n"
                          "    while (step != 1) {}\n"
                          "    free((void*)p);\n"
                          "    __threadfence();\n"
                          "    step = 2;\n"
                          "  }\n"
                          "}\n");
    Buffer<int> x{1};
    void* arguments[] = {nullptr};
    CUdeviceptr address = x.get();
    arguments[0] = &address;
    CHECK_CU(cuLaunchCooperativeKernel(f, 2, 1, 1, 1, 1, 1, 0, nullptr, arguments));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_NE(std::strstr(last_fault().message, "12 bytes into a 64-byte allocation"), nullptr)
        << last_fault().message;
    EXPECT_EQ(last_fault().line, 12u);
}

TEST_F(Heap, ADoubleFreeIsRefused) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int n) {\n"
                          "  __shared__ void* p[32];\n"
                          "  p[threadIdx.x] = malloc(24 + threadIdx.x);\n"
                          "  __syncthreads();\n"
                          "  free(p[threadIdx.x]);\n"
                          "  __syncthreads();\n"
                          "  void* again = malloc(24);\n" // not the same memory at once
                          "  if (threadIdx.x == n)\n"
                          "    free(p[n]);\n"
                          "  free(again);\n"
                          "}\n");
    allowed(f, shape(2, 32), 32);
    refused(f, shape(1, 32), {9, 6, 0, 0, "0 bytes into a 30-byte allocation of the device heap"},
            6);
    EXPECT_NE(std::strstr(last_fault().message, "that was freed"), nullptr);
}

TEST_F(Heap, WhatMallocDidNotGiveIsNotFreed) {
    CUfunction f = kernel("extern \"C\" __global__ void k(char* p, int heap) {\n"
                          "  char* q = heap ? (char*)malloc(16) + 4 : p;\n"
                          "  free(q);\n"
                          "}\n");
    Buffer<char> p{64};
    refused(f, shape(1, 1), {3, 0, 0, p.get(), "which malloc() did not give"}, p.get(), 0);
    refused(f, shape(1, 1), {3, 0, 0, 0, "4 bytes into a 16-byte allocation"}, p.get(), 1);
    allowed(f, shape(1, 1), CUdeviceptr{0}, 0);
}

TEST_F(Heap, ALaterLaunchFindsWhatWasFreed) {
    CUmodule module = load("extern \"C\" __global__ void take(int** p) {\n"
                           "  *p = (int*)malloc(2000000);\n"
                           "  **p = 3;\n"
                           "}\n"
                           "extern \"C\" __global__ void give(int** p) { free(*p); }\n"
                           "extern \"C\" __global__ void k(int** p, int* x) {\n"
                           "  *x = **p;\n"
                           "}\n");
    Buffer<CUdeviceptr> p{1};
    Buffer<int> x{1};
    CHECK_CU(launch(function(module, "take"), shape(1, 1), p.get()));
    allowed(function(module, "k"), shape(1, 1), p.get(), x.get());
    EXPECT_EQ(x.read()[0], 3);
    CHECK_CU(launch(function(module, "give"), shape(1, 1), p.get()));
    refused(function(module, "k"), shape(1, 1), {7, 0, 0, p.read()[0], "that was freed"}, p.get(),
            x.get());
}

// What a thread knows of its heap grows with its blocks and shrinks with them: what it has freed
// first, last or between others is not known any more, and the others are.
TEST_F(Heap, WhatLiesBesideFreedMemoryIsAllowed) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, int freed, int bad) {\n"
                          "  volatile int* p[8];\n"
                          "  for (int i = 0; i < 8; ++i) {\n"
                          "    p[i] = (volatile int*)malloc(64);\n"
                          "    p[i][15] = i;\n"
                          "  }\n"
                          "  for (int i = 0; i < 8; ++i)\n"
                          "    if (freed >> i & 1) free((void*)p[i]);\n"
                          "  for (int i = 0; i < 8; ++i)\n"
                          "    if (!(freed >> i & 1)) x[threadIdx.x] += p[i][15];\n"
                          "  if (bad >= 0 && threadIdx.x == 3)\n"
                          "    x[0] = p[bad][2];\n"
                          "  for (int i = 0; i < 8; ++i)\n"
                          "    if (!(freed >> i & 1)) free((void*)p[i]);\n"
                          "}\n");
    for (const int freed : {0x01, 0x80, 0x10, 0x3c, 0x55, 0xfe, 0xff}) {
        Buffer<int> x{40};
        allowed(f, shape(1, 40), x.get(), freed, -1);
        int sum = 0;
        for (int i = 0; i < 8; ++i) sum += freed >> i & 1 ? 0 : i;
        EXPECT_EQ(x.read(), std::vector<int>(40, sum)) << freed;
        for (int bad = 0; bad < 8; ++bad) {
            if (!(freed >> bad & 1)) continue;
            refused(f, shape(1, 40), {12, 3, 0, 0, "8 bytes into a 64-byte allocation"}, x.get(),
                    freed, bad);
        }
    }
}

// Blocks of many sizes live side by side, made and freed by many threads in turn.
TEST_F(Heap, BlocksDoNotOverlap) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* wrong, int rounds) {\n"
                          "  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x + 1;\n"
                          "  unsigned random = id * 2654435761u;\n"
                          "  unsigned* p[6] = {};\n"
                          "  unsigned count[6] = {};\n"
                          "  for (int round = 0; round < rounds; ++round) {\n"
                          "    random = random * 1664525u + 1013904223u;\n"
                          "    const int slot = (random >> 8) % 6;\n"
                          "    if (p[slot]) {\n"
                          "      for (unsigned i = 0; i < count[slot]; ++i)\n"
                          "        if (p[slot][i] != id * 1000 + i) atomicAdd(wrong, 1);\n"
                          "      free(p[slot]);\n"
                          "    }\n"
                          "    count[slot] = 1 + (random >> 16) % (round % 7 ? 20 : 600);\n"
                          "    p[slot] = (unsigned*)malloc(count[slot] * 4);\n"
                          "    if (!p[slot]) { atomicAdd(wrong + 1, 1); continue; }\n"
                          "    for (unsigned i = 0; i < count[slot]; ++i)\n"
                          "      p[slot][i] = id * 1000 + i;\n"
                          "  }\n"
                          "  for (int slot = 0; slot < 6; ++slot) free(p[slot]);\n"
                          "}\n");
    Buffer<int> wrong{2};
    for (int times = 0; times < 3; ++times) allowed(f, shape(4, 96), wrong.get(), 60);
    EXPECT_EQ(wrong.read(), std::vector<int>(2, 0));
}

// All of the heap is given out, in sizes that change.
TEST_F(Heap, FreedMemoryComesBack) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, int bytes) {\n"
                          "  for (int round = 0; round < 200; ++round) {\n"
                          "    int* p = (int*)malloc(bytes);\n"
                          "    if (!p) { atomicAdd(x, 1); return; }\n"
                          "    p[bytes / 4 - 1] = round;\n"
                          "    free(p);\n"
                          "  }\n"
                          "}\n");
    Buffer<int> x{1};
    for (const int bytes : {64, 4096, 100000, 16}) allowed(f, shape(2, 4), x.get(), bytes);
    // Half of the heap at once: what other tests left in it stays.
    allowed(f, shape(1, 4), x.get(), 1 << 20);
    EXPECT_EQ(x.read()[0], 0);
}

} // namespace
} // namespace lathe::test
