// SPDX-License-Identifier: MIT
// What bad kernels get: the right code, the place, and a device that goes on.
#include "tests/soft/rt/driver_test.h"

#include <cstring>

namespace lathe::test {
namespace {

class Faults : public DriverTest {
protected:
    // A good launch gives the right result: the device is still usable.
    void expect_usable() {
        CUfunction f = kernel(R"(extern "C" __global__ void k(int* x) {
            __shared__ int s;
            if (threadIdx.x == 0) s = 0;
            __syncthreads();
            atomicAdd(&s, 1);
            __syncthreads();
            if (threadIdx.x == 0) x[blockIdx.x] = s;
        })");
        Buffer<int> x{8};
        CHECK_CU(launch(f, shape(8, 64), x.get()));
        EXPECT_EQ(x.read(), std::vector<int>(8, 64));
    }
};

TEST_F(Faults, WriteOutOfBoundsNamesThePlace) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x) {\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  x[i] = i;\n"
                          "}\n");
    Buffer<int> x{1024};
    CHECK_CU(launch(f, {{3, 1, 1}, {512, 1, 1}}, x.get()));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    LatheSoftFault fault = last_fault();
    EXPECT_EQ(fault.code, CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_STREQ(fault.kernel, "k");
    EXPECT_EQ(fault.block[0], 2u);
    EXPECT_LT(fault.thread[0], 512u); // whichever came first
    EXPECT_EQ(fault.line, 3u);
    EXPECT_NE(std::strstr(fault.file, "test.cu"), nullptr) << fault.file;
    EXPECT_EQ(fault.address, x.get() + 4096 + 4 * fault.thread[0]);
    EXPECT_NE(std::strstr(fault.message, "write"), nullptr) << fault.message;
    const std::string text =
        std::to_string(4 * fault.thread[0]) + " bytes past the end of a 4096-byte";
    EXPECT_NE(std::strstr(fault.message, text.c_str()), nullptr) << fault.message;
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS); // told once
    expect_usable();
}

TEST_F(Faults, ReadThroughNullInAFiberKernel) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x, int* bad) {\n"
                          "  __syncthreads();\n"
                          "  if (threadIdx.y == 1 && threadIdx.x == 7)\n"
                          "    x[0] = bad[2];\n"
                          "  __syncthreads();\n"
                          "}\n");
    Buffer<int> x{1};
    CHECK_CU(launch(f, {{1, 1, 1}, {8, 4, 1}}, x.get(), CUdeviceptr{0}));
    EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
    LatheSoftFault fault = last_fault();
    EXPECT_EQ(fault.thread[0], 7u);
    EXPECT_EQ(fault.thread[1], 1u);
    EXPECT_EQ(fault.line, 4u);
    EXPECT_EQ(fault.address, 8u);
    EXPECT_NE(std::strstr(fault.message, "read"), nullptr) << fault.message;
    CHECK_CU(launch(f, {{1, 1, 1}, {8, 4, 1}}, x.get(), CUdeviceptr{0xdead000000000000}));
    EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_NE(std::strstr(last_fault().message, "48-bit"), nullptr) << last_fault().message;
    expect_usable();
}

TEST_F(Faults, UseAfterFree) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x) { *x = 1; }");
    CUdeviceptr p = 0;
    CHECK_CU(cuMemAlloc(&p, 100));
    CHECK_CU(cuMemFree(p));
    CHECK_CU(launch(f, shape(1, 1), p));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    expect_usable();
}

TEST_F(Faults, SharedMemoryEndsWithTheBlocks) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int i) {\n"
                          "  extern __shared__ int s[];\n"
                          "  s[i] = 1;\n"
                          "}\n");
    CHECK_CU(launch(f, shape(1, 1, 256), 63));
    CHECK_CU(cuCtxSynchronize());
    CHECK_CU(launch(f, shape(1, 1, 256), 64));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    LatheSoftFault fault = last_fault();
    EXPECT_EQ(fault.line, 3u);
    EXPECT_NE(std::strstr(fault.message, "0 bytes past the end of the block's 256 bytes of shared"),
              nullptr)
        << fault.message;
}

TEST_F(Faults, StackOverflow) {
    CUfunction f = kernel(R"(__device__ __noinline__ int down(int n) {
            volatile int frame[64];
            frame[n & 63] = n;
            return n == 0 ? 0 : down(n - 1) + frame[n & 63];
        }
        extern "C" __global__ void k(int* x, int n) { *x = down(n); })");
    Buffer<int> x{1};
    CHECK_CU(launch(f, shape(1, 1), x.get(), 100));
    CHECK_CU(cuCtxSynchronize());
    CHECK_CU(launch(f, shape(1, 1), x.get(), 100000000));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_NE(std::strstr(last_fault().message, "stack overflow"), nullptr) << last_fault().message;
    expect_usable();
}

TEST_F(Faults, AssertNamesExpressionAndLine) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int n) {\n"
                          "  assert((int)threadIdx.x < n);\n"
                          "}\n");
    CHECK_CU(launch(f, shape(1, 32), 5));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ASSERT);
    LatheSoftFault fault = last_fault();
    EXPECT_EQ(fault.line, 2u);
    EXPECT_EQ(fault.thread[0], 5u);
    EXPECT_NE(std::strstr(fault.message, "(int)threadIdx.x < n"), nullptr) << fault.message;
    expect_usable();
}

TEST_F(Faults, TrapNamesTheLine) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int n) {\n"
                          "  if (threadIdx.x == n)\n"
                          "    __trap();\n"
                          "}\n");
    CHECK_CU(launch(f, shape(2, 32), 9));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(last_fault().line, 3u);
    EXPECT_EQ(last_fault().thread[0], 9u);
    expect_usable();
}

TEST_F(Faults, GridSyncWantsACooperativeLaunch) {
    CUfunction f = kernel("#include <cooperative_groups.h>\n"
                          "extern \"C\" __global__ void k(int* x) {\n"
                          "  auto grid = cooperative_groups::this_grid();\n"
                          "  x[grid.thread_rank()] = grid.is_valid() + 1;\n"
                          "  if (x[0] > -5)\n"
                          "    grid.sync();\n"
                          "  x[grid.thread_rank()] += 10;\n"
                          "}\n");
    Buffer<int> x{64};
    for (unsigned blocks : {1u, 2u}) {
        CHECK_CU(launch(f, shape(blocks, 32), x.get()));
        EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
        const LatheSoftFault fault = last_fault();
        EXPECT_NE(std::strstr(fault.message, "grid.sync() wants a cooperative launch"), nullptr)
            << fault.message;
        EXPECT_EQ(fault.line, 6u);
        EXPECT_STREQ(fault.kernel, "k");
        EXPECT_EQ(x.read()[0], 1);
    }
    CUdeviceptr address = x.get();
    void* arguments[] = {&address};
    CHECK_CU(cuLaunchCooperativeKernel(f, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments));
    CHECK_CU(cuCtxSynchronize());
    EXPECT_EQ(x.read(), std::vector<int>(64, 12));
    expect_usable();
}

TEST_F(Faults, DeadlockNamesWhoWaitsWhere) {
    CUfunction f = kernel("extern \"C\" __global__ void k() {\n"
                          "  if (threadIdx.x < 32)\n"
                          "    asm volatile(\"bar.sync 1, 64;\");\n"
                          "  else\n"
                          "    asm volatile(\"bar.sync 2, 64;\");\n"
                          "}\n");
    CHECK_CU(launch(f, shape(1, 64)));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    LatheSoftFault fault = last_fault();
    EXPECT_NE(std::strstr(fault.message, "deadlock"), nullptr) << fault.message;
    EXPECT_NE(std::strstr(fault.message, "32 threads at barrier 1"), nullptr) << fault.message;
    EXPECT_NE(std::strstr(fault.message, "32 threads at barrier 2"), nullptr) << fault.message;
    EXPECT_EQ(fault.line, 3u);
    expect_usable();
}

TEST_F(Faults, EarlyExitIsNotADeadlock) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(int* x) {
        if (threadIdx.x >= 40) return;
        __syncthreads();
        atomicAdd(x, 1);
    })");
    Buffer<int> x{1};
    CHECK_CU(launch(f, shape(1, 64), x.get()));
    EXPECT_EQ(x.read()[0], 40);
}

TEST_F(Faults, EndlessLoopIsCancelled) {
    for (const char* barrier : {"", "__syncthreads();"}) {
        CUfunction f = kernel(std::string{"extern \"C\" __global__ void k(volatile int* x) {"} +
                              barrier + " while (*x == 0) {} x[1] = 1; }");
        Buffer<int> x{2};
        CUstream stream;
        CHECK_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        Shape s = shape(4, 32);
        s.stream = stream;
        CHECK_CU(launch(f, s, x.get()));
        EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
        EXPECT_EQ(latheSoftCancel(stream), 0);
        EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_TIMEOUT);
        CHECK_CU(cuStreamDestroy(stream));
        EXPECT_EQ(x.read()[1], 0);
    }
    expect_usable();
}

TEST_F(Faults, ALaunchBeyondItsLimitEnds) {
    CUfunction loop = kernel("extern \"C\" __global__ void k(volatile int* x) {\n"
                             "  while (*x == 0) {}\n"
                             "}\n");
    Buffer<int> x{1};
    CUstream stream;
    CHECK_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ASSERT_EQ(latheSoftSetTimeLimit(stream, 1000), 0);
    Shape s = shape(4, 32);
    s.stream = stream;
    for (int i = 0; i < 2; ++i) CHECK_CU(launch(loop, s, x.get())); // the second waits, its time
    EXPECT_EQ(latheSoftStreamWait(stream, 1'000'000), CUDA_ERROR_NOT_READY); // does not yet run
    EXPECT_EQ(latheSoftStreamWait(stream, 60'000'000'000), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_TIMEOUT);
    EXPECT_EQ(last_fault().line, 2u);
    EXPECT_STREQ(last_fault().kernel, "k");
    EXPECT_NE(std::strstr(last_fault().message, "1000 ms"), nullptr) << last_fault().message;
    CHECK_CU(cuStreamDestroy(stream));
    expect_usable();
}

TEST_F(Faults, AGridOfManyShortBlocksIsCancelled) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x) { x[threadIdx.x] = 1; }");
    Buffer<int> x{32};
    CHECK_CU(launch(f, {{2147483647u, 1, 1}, {32, 1, 1}}, x.get())); // no loop, hours of work
    EXPECT_EQ(latheSoftCancel(nullptr), 0);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
    expect_usable();
}

// Under a leak checker also: what was read before the bad string is given back.
TEST_F(Faults, BadStringOfPrintf) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(const char* bad) {
        printf("%d %s %s\n", 1, "long enough not to be kept inside of a string object", bad);
    })");
    for (int i = 0; i < 3; ++i) {
        CHECK_CU(launch(f, shape(1, 32), CUdeviceptr{4096}));
        EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
        EXPECT_EQ(last_fault().address, 4096u);
        EXPECT_EQ(last_fault().line, 2u);
    }
    expect_usable();
}

TEST_F(Faults, FaultsOfOtherCodeAreNotOurs) {
    // A crash outside of kernels is a crash: the handler passes it on, to the system or to a
    // sanitizer, which writes a report and exits.
    const auto crashed = [](int status) {
        return WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : WEXITSTATUS(status) != 0;
    };
    EXPECT_EXIT(
        {
            int* volatile p = reinterpret_cast<int*>(64);
            *p = 1;
        },
        crashed, "");
}

TEST_F(Faults, BadPtxSaysWhere) {
    char log[1024] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    CUmodule module = nullptr;
    const char* text = ".version 7.0\n.target sm_75\n.address_size 64\n"
                       ".visible .entry k() {\n  nonsense.s32 %r1, 2;\n  ret;\n}\n";
    EXPECT_EQ(cuModuleLoadDataEx(&module, text, 2, options, values), CUDA_ERROR_INVALID_PTX);
    EXPECT_NE(std::strstr(log, "5"), nullptr) << log;
    EXPECT_EQ(std::strlen(log), reinterpret_cast<std::size_t>(values[1]));
    EXPECT_EQ(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
    EXPECT_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleLoadData(&module, "\x7f"
                                        "ELF..."),
              CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(cuModuleLoadData(&module, "hello"), CUDA_ERROR_INVALID_PTX);
    EXPECT_EQ(cuModuleLoadData(&module, reinterpret_cast<void*>(64)), CUDA_ERROR_INVALID_IMAGE);
}

} // namespace
} // namespace lathe::test
