// SPDX-License-Identifier: MIT
// Host threads that use one context at the same time, as the CUDA driver allows for every routine.
// Their results are checked here; that no access races is for ThreadSanitizer (tools/sanitize).
#include "tests/soft/rt/driver_test.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

namespace lathe::test {
namespace {

constexpr int kThreads = 4;

class Threads : public DriverTest {
protected:
    // Runs body(0) to body(kThreads - 1), each on a thread with the context current.
    void on_threads(const std::function<void(int)>& body) {
        std::vector<std::thread> threads;
        for (int t = 0; t < kThreads; ++t)
            threads.emplace_back([this, &body, t] {
                EXPECT_EQ(cuCtxPushCurrent(context_), CUDA_SUCCESS);
                body(t);
            });
        for (std::thread& thread : threads) thread.join();
    }

    static CUstream stream() {
        CUstream made = nullptr;
        EXPECT_EQ(cuStreamCreate(&made, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
        return made;
    }
};

constexpr const char* kSum = R"(extern "C" __global__ void k(int* x, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, n);
    __syncthreads();
    if (threadIdx.x == 0) x[blockIdx.x] = sum;
})";

TEST_F(Threads, OneKernelOnManyStreams) {
    CUfunction f = kernel(kSum);
    on_threads([&](int t) {
        Shape s = shape(16, 64);
        s.stream = stream();
        Buffer<int> x{16};
        for (int i = 1; i <= 20; ++i) {
            EXPECT_EQ(launch(f, s, x.get(), i * (t + 1)), CUDA_SUCCESS);
            std::vector<int> found(16);
            EXPECT_EQ(cuMemcpyDtoHAsync(found.data(), x.get(), 64, s.stream), CUDA_SUCCESS);
            EXPECT_EQ(cuStreamSynchronize(s.stream), CUDA_SUCCESS);
            EXPECT_EQ(found, std::vector<int>(16, 64 * i * (t + 1)));
        }
        EXPECT_EQ(cuStreamDestroy(s.stream), CUDA_SUCCESS);
    });
}

TEST_F(Threads, ModulesComeAndGo) {
    const std::string ptx = compile_to_ptx(kSum, "test.cu");
    on_threads([&](int t) {
        for (int i = 0; i < 4; ++i) {
            CUmodule module = nullptr;
            EXPECT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
            Shape s = shape(2, 32);
            s.stream = CU_STREAM_PER_THREAD;
            Buffer<int> x{2};
            EXPECT_EQ(launch(function(module, "k"), s, x.get(), t), CUDA_SUCCESS);
            EXPECT_EQ(cuStreamSynchronize(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
            EXPECT_EQ(x.read(), std::vector<int>(2, 32 * t));
            EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
        }
    });
}

TEST_F(Threads, SettingsChangeWhileOthersLaunch) {
    CUfunction f = kernel(kSum);
    on_threads([&](int t) {
        Shape s = shape(2, 32);
        s.stream = stream();
        Buffer<int> x{2};
        for (int i = 0; i < 500; ++i) {
            std::size_t stack = 0;
            CUfunc_cache cache = CU_FUNC_CACHE_PREFER_NONE;
            unsigned flags = 0;
            EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, i % 2 ? 2048 : 1024), CUDA_SUCCESS);
            EXPECT_EQ(cuCtxGetLimit(&stack, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
            EXPECT_TRUE(stack == 1024 || stack == 2048) << stack;
            EXPECT_EQ(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1), CUDA_SUCCESS);
            EXPECT_EQ(cuCtxGetCacheConfig(&cache), CUDA_SUCCESS);
            EXPECT_EQ(cuCtxSetFlags(CU_CTX_SCHED_AUTO), CUDA_SUCCESS);
            EXPECT_EQ(cuCtxGetFlags(&flags), CUDA_SUCCESS);
            EXPECT_EQ(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 4096),
                      CUDA_SUCCESS);
            if (i % 16) continue; // a launch takes locks, which would order the accesses above
            EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, std::size_t{8} << 20), CUDA_SUCCESS);
            EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, std::size_t{1} << 20), CUDA_SUCCESS);
            EXPECT_EQ(launch(f, s, x.get(), t), CUDA_SUCCESS);
        }
        EXPECT_EQ(cuStreamSynchronize(s.stream), CUDA_SUCCESS);
        EXPECT_EQ(x.read(), std::vector<int>(2, 32 * t));
        EXPECT_EQ(cuStreamDestroy(s.stream), CUDA_SUCCESS);
    });
    EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024), CUDA_SUCCESS);
}

// Each thread's kernel comes after that of the thread before it, by an event on the other's stream.
TEST_F(Threads, EventsOrderStreamsOfDifferentThreads) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(int* x, int n) {
        for (long long i = clock64(); clock64() - i < 100000;) {}
        x[0] = x[0] * 10 + n;
    })");
    Buffer<int> x{1};
    CUevent done[kThreads + 1];
    for (CUevent& event : done) CHECK_CU(cuEventCreate(&event, 0));
    CHECK_CU(cuEventRecord(done[0], nullptr));
    std::atomic<int> recorded{0};
    on_threads([&](int t) {
        Shape s = shape(1, 1);
        s.stream = stream();
        while (recorded.load() < t) std::this_thread::yield();
        EXPECT_EQ(cuStreamWaitEvent(s.stream, done[t], 0), CUDA_SUCCESS);
        EXPECT_EQ(launch(f, s, x.get(), t + 1), CUDA_SUCCESS);
        EXPECT_EQ(cuEventRecord(done[t + 1], s.stream), CUDA_SUCCESS);
        ++recorded;
        EXPECT_EQ(cuEventSynchronize(done[t + 1]), CUDA_SUCCESS);
        EXPECT_EQ(cuEventQuery(done[t]), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamDestroy(s.stream), CUDA_SUCCESS);
    });
    EXPECT_EQ(x.read(), std::vector<int>{1234});
    float milliseconds = -1;
    CHECK_CU(cuEventElapsedTime(&milliseconds, done[0], done[kThreads]));
    EXPECT_GT(milliseconds, 0.0f);
    for (CUevent event : done) CHECK_CU(cuEventDestroy(event));
}

TEST_F(Threads, FaultsStayWithTheirStreams) {
    CUmodule module = load(R"(
        extern "C" __global__ void good(int* x) { x[threadIdx.x] = threadIdx.x; }
        extern "C" __global__ void bad(int* x) { __syncthreads(); x[1 << 28] = threadIdx.x; })");
    CUfunction good = function(module, "good"), bad = function(module, "bad");
    const std::uint64_t before = latheSoftGetLastFault(nullptr);
    on_threads([&](int t) {
        Shape s = shape(1, 64);
        s.stream = stream();
        Buffer<int> x{64};
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(launch(t % 2 ? bad : good, s, x.get()), CUDA_SUCCESS);
            EXPECT_EQ(cuStreamSynchronize(s.stream),
                      t % 2 ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS);
        }
        std::vector<int> expected(64, 0);
        if (t % 2 == 0) std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(x.read(), expected);
        EXPECT_EQ(cuStreamDestroy(s.stream), CUDA_SUCCESS);
    });
    EXPECT_EQ(latheSoftGetLastFault(nullptr) - before, 10u);
}

TEST_F(Threads, UnloadingAModuleLeavesErrorsToTheirStreams) {
    CUfunction bad = kernel(R"(extern "C" __global__ void k(int* x) { x[1 << 28] = 1; })");
    CUmodule other = load(kSum);
    Buffer<int> x{1};
    Shape s = shape(1, 1);
    s.stream = stream();
    CHECK_CU(launch(bad, s, x.get()));
    CHECK_CU(cuModuleUnload(other));
    EXPECT_EQ(cuStreamSynchronize(s.stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK_CU(cuStreamDestroy(s.stream));
}

TEST_F(Threads, PrintfAndHostFunctions) {
    CUfunction f = kernel(R"(
        extern "C" __global__ void k(int n) { printf("%d\n", n); })");
    static std::atomic<int> lines{0};
    std::atomic<int> calls{0};
    lines = 0;
    latheSoftSetPrintfCallback(
        [](const char* text, size_t bytes, void*) {
            lines += static_cast<int>(std::count(text, text + bytes, '\n'));
        },
        nullptr);
    on_threads([&](int t) {
        Shape s = shape(1, 32);
        s.stream = stream();
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(launch(f, s, t), CUDA_SUCCESS);
            EXPECT_EQ(cuLaunchHostFunc(
                          s.stream, [](void* p) { ++*static_cast<std::atomic<int>*>(p); }, &calls),
                      CUDA_SUCCESS);
        }
        EXPECT_EQ(cuStreamSynchronize(s.stream), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamDestroy(s.stream), CUDA_SUCCESS);
    });
    CHECK_CU(cuCtxSynchronize());
    latheSoftSetPrintfCallback(nullptr, nullptr);
    EXPECT_EQ(calls, kThreads * 5);
    EXPECT_EQ(lines, kThreads * 5 * 32);
}

// The first to wait writes out what both streams printed; the second must not return before that.
TEST_F(Threads, TextIsOutBeforeAWaitReturns) {
    CUfunction f = kernel(R"(extern "C" __global__ void k() { printf("line\n"); })");
    struct Receiver {
        std::atomic<bool> entered{false}, second_waits{false}, left{false};
    } receiver;
    latheSoftSetPrintfCallback(
        [](const char*, std::size_t, void* user) {
            auto& r = *static_cast<Receiver*>(user);
            r.entered = true;
            r.second_waits.wait(false);
            std::this_thread::sleep_for(std::chrono::milliseconds{50}); // for a wrong return
            r.left = true;
        },
        &receiver);
    Shape first = shape(1, 1), second = shape(1, 1);
    first.stream = stream();
    second.stream = stream();
    CHECK_CU(launch(f, first));
    CHECK_CU(launch(f, second));
    CUevent done[2];
    for (CUevent& event : done) CHECK_CU(cuEventCreate(&event, 0));
    CHECK_CU(cuEventRecord(done[0], first.stream));
    CHECK_CU(cuEventRecord(done[1], second.stream));
    for (CUevent event : done) // asking does not write
        while (cuEventQuery(event) == CUDA_ERROR_NOT_READY) std::this_thread::yield();
    std::thread other{[&] {
        EXPECT_EQ(cuCtxPushCurrent(context_), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamSynchronize(first.stream), CUDA_SUCCESS);
    }};
    while (!receiver.entered) std::this_thread::yield();
    receiver.second_waits = true;
    receiver.second_waits.notify_all();
    EXPECT_EQ(cuStreamSynchronize(second.stream), CUDA_SUCCESS);
    EXPECT_TRUE(receiver.left);
    other.join();
    latheSoftSetPrintfCallback(nullptr, nullptr);
    for (CUevent event : done) CHECK_CU(cuEventDestroy(event));
    CHECK_CU(cuStreamDestroy(first.stream));
    CHECK_CU(cuStreamDestroy(second.stream));
}

TEST_F(Threads, ThePrimaryContextIsCounted) {
    on_threads([](int) {
        for (int i = 0; i < 20; ++i) {
            CUcontext context = nullptr;
            EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
            CUdeviceptr p = 0;
            EXPECT_EQ(cuMemAlloc(&p, 4096), CUDA_SUCCESS);
            EXPECT_EQ(cuMemFree(p), CUDA_SUCCESS);
            EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
        }
    });
    Buffer<int> x{1};
    EXPECT_EQ(x.read(), std::vector<int>{0});
}

} // namespace
} // namespace lathe::test
