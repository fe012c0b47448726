// SPDX-License-Identifier: MIT
// Streams: priorities, values in memory, attributes, and both meanings of stream 0.
#include "tests/soft/rt/driver_test.h"

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <thread>

namespace lathe::test {
namespace {

/// Holds a stream's commands back until opened.
class Gate {
public:
    explicit Gate(CUstream stream) {
        EXPECT_EQ(cuLaunchHostFunc(
                      stream, [](void* g) { static_cast<Gate*>(g)->open_.wait(false); }, this),
                  CUDA_SUCCESS);
    }
    void open() {
        open_ = true;
        open_.notify_all();
    }

private:
    std::atomic<bool> open_{false};
};

class Streams : public DriverTest {
protected:
    static CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
        CUstream made = nullptr;
        EXPECT_EQ(cuStreamCreate(&made, flags), CUDA_SUCCESS);
        return made;
    }
    /// Returns when every wait for a value has been asked once more. The thread of host functions
    /// takes waits and functions in turns, so all waits come between two functions of a stream.
    static void ask_waits() {
        CUstream own = stream();
        for (int i = 0; i < 2; ++i)
            EXPECT_EQ(cuLaunchHostFunc(own, [](void*) {}, nullptr), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamSynchronize(own), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamDestroy(own), CUDA_SUCCESS);
    }
    template <class F> static F* symbol(const char* name) {
        return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
    }
};

TEST_F(Streams, PrioritiesAreBroughtIntoTheirRange) {
    int least = 1, greatest = 1, value = 1;
    CHECK_CU(cuCtxGetStreamPriorityRange(&least, &greatest));
    EXPECT_EQ(least, 0);
    EXPECT_LT(greatest, least);
    for (int wanted : {greatest, greatest - 10, -1, 0, 7}) {
        CUstream s = nullptr;
        CHECK_CU(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, wanted));
        CHECK_CU(cuStreamGetPriority(s, &value));
        EXPECT_EQ(value, std::clamp(wanted, greatest, least));
        CHECK_CU(cuStreamDestroy(s));
    }
}

/// Looks at memory that a copy writes meanwhile: a race that only ThreadSanitizer minds.
__attribute__((no_sanitize("thread"))) bool any_is_set(const int* words, std::size_t count,
                                                       std::size_t step) {
    for (std::size_t k = 0; k < count; ++k)
        if (__atomic_load_n(words + k * step, __ATOMIC_RELAXED)) return true;
    return false;
}

// A copy that finds the stream idle runs on the caller's thread. What another thread asks of the
// stream meanwhile comes after it, as everything in one stream does.
TEST_F(Streams, OperationsOfTwoThreadsDoNotOverlapInOneStream) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(const int* data, int step, int* found) {
        if (data[threadIdx.x * step] == 1) atomicAdd(found, 1);
    })");
    constexpr std::size_t kCount = std::size_t{32} << 20, kStep = kCount / 256;
    const std::vector<int> ones(kCount, 1);
    Buffer<int> data{kCount}, found{1};
    CHECK_CU(cuCtxSynchronize());
    const auto* words = reinterpret_cast<const int*>(data.get()); // which the host sees, too
    std::thread copier{[&] {
        cuCtxPushCurrent(context_);
        EXPECT_EQ(cuMemcpyHtoD(data.get(), ones.data(), kCount * sizeof(int)), CUDA_SUCCESS);
    }};
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    bool copies = false;
    while (!copies && std::chrono::steady_clock::now() < limit)
        copies = any_is_set(words, 256, kStep);
    EXPECT_TRUE(copies) << "nothing of the copy was seen in 30 s";
    CHECK_CU(launch(f, shape(1, 256), data.get(), static_cast<int>(kStep), found.get()));
    CHECK_CU(cuCtxSynchronize());
    EXPECT_EQ(found.read()[0], 256);
    copier.join();
}

// Grids that become ready at one time: those of the urgent stream run before the others.
TEST_F(Streams, UrgentStreamsGoFirst) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(int* order, int slot, int rounds) {
        unsigned h = 1;
        for (int i = 0; i < rounds; ++i) h = h * 1664525u + 1013904223u;
        order[slot] = atomicAdd(order, 1) + (h == 12345u);
    })");
    Buffer<int> order{64};
    CUstream gate_stream = stream(), urgent = nullptr;
    CUevent opened = nullptr;
    CHECK_CU(cuEventCreate(&opened, CU_EVENT_DISABLE_TIMING));
    Gate gate{gate_stream};
    CHECK_CU(cuEventRecord(opened, gate_stream));
    std::vector<CUstream> streams;
    for (int i = 1; i <= 30; ++i) {
        streams.push_back(stream());
        CHECK_CU(cuStreamWaitEvent(streams.back(), opened, 0));
        Shape s = shape(1, 1);
        s.stream = streams.back();
        CHECK_CU(launch(f, s, order.get(), i, 100000));
    }
    CHECK_CU(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, -3));
    CHECK_CU(cuStreamWaitEvent(urgent, opened, 0));
    Shape s = shape(1, 1);
    s.stream = urgent;
    CHECK_CU(launch(f, s, order.get(), 31, 0));
    gate.open();
    CHECK_CU(cuCtxSynchronize());
    int before = 0;
    const std::vector<int> seen = order.read();
    for (int i = 1; i <= 30; ++i) before += seen[i] < seen[31];
    EXPECT_LT(before, 25) << "asked for last, it would be the last";
    for (CUstream each : streams) CHECK_CU(cuStreamDestroy(each));
    CHECK_CU(cuStreamDestroy(urgent));
    CHECK_CU(cuStreamDestroy(gate_stream));
    CHECK_CU(cuEventDestroy(opened));
}

TEST_F(Streams, WaitForAValueThatAnotherStreamWrites) {
    Buffer<unsigned> x{4};
    CUstream a = stream(), b = stream();
    CUevent passed = nullptr; // at once after the wait, whatever the stream does next
    CHECK_CU(cuEventCreate(&passed, CU_EVENT_DISABLE_TIMING));
    CHECK_CU(cuStreamWaitValue32(a, x.get(), 5, CU_STREAM_WAIT_VALUE_GEQ));
    CHECK_CU(cuEventRecord(passed, a));
    CHECK_CU(cuMemsetD32Async(x.get() + 8, 77, 1, a));
    ask_waits();
    EXPECT_EQ(cuEventQuery(passed), CUDA_ERROR_NOT_READY);
    CHECK_CU(cuStreamWriteValue32(b, x.get(), 4, 0)); // not yet
    CHECK_CU(cuStreamSynchronize(b));
    ask_waits();
    EXPECT_EQ(cuEventQuery(passed), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(cuStreamQuery(a), CUDA_ERROR_NOT_READY);
    std::atomic<bool> called{false}; // waiting streams do not hold up host functions
    CHECK_CU(
        cuLaunchHostFunc(b, [](void* c) { *static_cast<std::atomic<bool>*>(c) = true; }, &called));
    CHECK_CU(cuStreamSynchronize(b));
    EXPECT_TRUE(called);
    CHECK_CU(cuStreamWriteValue32(b, x.get(), 6, 0));
    CHECK_CU(cuStreamSynchronize(a));
    EXPECT_EQ(x.read()[2], 77u);
    CHECK_CU(cuEventDestroy(passed));
    CHECK_CU(cuStreamDestroy(a));
    CHECK_CU(cuStreamDestroy(b));
}

TEST_F(Streams, EveryComparison) {
    Buffer<std::uint64_t> x{1};
    CUstream a = stream();
    auto put = [&](std::uint64_t found, std::uint64_t value, unsigned flags) {
        EXPECT_EQ(cuStreamWriteValue64(a, x.get(), found, 0), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamSynchronize(a), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamWaitValue64(a, x.get(), value, flags), CUDA_SUCCESS);
    };
    auto passes = [&](std::uint64_t found, std::uint64_t value, unsigned flags) {
        put(found, value, flags);
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (cuStreamQuery(a) == CUDA_ERROR_NOT_READY) {
            if (std::chrono::steady_clock::now() > limit) return latheSoftCancel(a), false;
            std::this_thread::yield();
        }
        return true;
    };
    // Holds the stream, and lets it go once memory has `end`, which the stream itself cannot write.
    auto holds = [&](std::uint64_t found, std::uint64_t value, unsigned flags, std::uint64_t end) {
        put(found, value, flags);
        ask_waits();
        const bool held = cuStreamQuery(a) == CUDA_ERROR_NOT_READY;
        std::atomic_ref{*reinterpret_cast<std::uint64_t*>(x.get())} = end;
        EXPECT_EQ(cuStreamSynchronize(a), CUDA_SUCCESS);
        return held;
    };
    EXPECT_TRUE(passes(7, 7, CU_STREAM_WAIT_VALUE_EQ));
    EXPECT_TRUE(holds(1ull << 40, 0, CU_STREAM_WAIT_VALUE_EQ, 0));
    EXPECT_TRUE(passes(8, 7, CU_STREAM_WAIT_VALUE_GEQ));
    EXPECT_TRUE(holds(6, 7, CU_STREAM_WAIT_VALUE_GEQ, 8));
    EXPECT_TRUE(passes(1, ~0ull, CU_STREAM_WAIT_VALUE_GEQ)); // 1 - (-1) is 2
    EXPECT_TRUE(passes(6, 2, CU_STREAM_WAIT_VALUE_AND));
    EXPECT_TRUE(holds(5, 2, CU_STREAM_WAIT_VALUE_AND, 3));
    EXPECT_TRUE(passes(5, 2, CU_STREAM_WAIT_VALUE_NOR));
    EXPECT_TRUE(holds(~2ull, 2, CU_STREAM_WAIT_VALUE_NOR, 1));
    EXPECT_EQ(cuStreamWaitValue64(a, x.get() + 4, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamWaitValue32(a, x.get() + 8, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamWaitValue32(a, x.get(), 0, 9), CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuStreamDestroy(a));
}

TEST_F(Streams, SeveralOperationsAtOnce) {
    Buffer<unsigned> x{4};
    CUstreamBatchMemOpParams operations[4] = {};
    operations[0].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, x.get(), {3}, 0, 0};
    operations[1].waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, x.get(), {3}, 1, 0};
    operations[2].memoryBarrier = {CU_STREAM_MEM_OP_BARRIER, 0};
    operations[3].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, x.get() + 4, {9}, 0, 0};
    CHECK_CU(cuStreamBatchMemOp(nullptr, 4, operations, 0));
    EXPECT_EQ(x.read(), (std::vector<unsigned>{3, 9, 0, 0}));
    operations[0].operation = static_cast<CUstreamBatchMemOpType>(77);
    EXPECT_EQ(cuStreamBatchMemOp(nullptr, 1, operations, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamBatchMemOp(nullptr, 1, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Streams, WaitsAreCancelled) {
    Buffer<unsigned> x{1};
    CUstream a = stream(), b = stream();
    CHECK_CU(cuStreamWaitValue32(a, x.get(), 1, CU_STREAM_WAIT_VALUE_EQ));
    CHECK_CU(cuStreamWaitValue32(b, x.get(), 2, CU_STREAM_WAIT_VALUE_EQ));
    EXPECT_EQ(latheSoftCancel(a), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(a), CUDA_ERROR_LAUNCH_TIMEOUT);
    EXPECT_EQ(cuStreamQuery(b), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(latheSoftCancel(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(b), CUDA_ERROR_LAUNCH_TIMEOUT);
    CHECK_CU(cuStreamWriteValue32(a, x.get(), 1, 0)); // later waits are others
    CHECK_CU(cuStreamWaitValue32(a, x.get(), 1, CU_STREAM_WAIT_VALUE_EQ));
    CHECK_CU(cuStreamSynchronize(a));
    CHECK_CU(cuStreamDestroy(a));
    CHECK_CU(cuStreamDestroy(b));
}

// A context that is destroyed does not wait for a value that never comes.
TEST_F(Streams, DestroyedContextsGiveUpWaiting) {
    CUcontext own = nullptr;
    CHECK_CU(cuCtxCreate(&own, nullptr, 0, 0));
    CUdeviceptr p = 0;
    CHECK_CU(cuMemAlloc(&p, 4));
    CHECK_CU(cuMemsetD32(p, 0, 1));
    CHECK_CU(cuStreamWaitValue32(nullptr, p, 1, CU_STREAM_WAIT_VALUE_EQ));
    CHECK_CU(cuCtxDestroy(own));
}

TEST_F(Streams, Attributes) {
    CUstream a = stream(), b = stream();
    CUstreamAttrValue value{};
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    CHECK_CU(cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    CHECK_CU(cuStreamCopyAttributes(b, a));
    value = {};
    CHECK_CU(cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    EXPECT_EQ(value.syncPolicy, CU_SYNC_POLICY_YIELD);
    value.syncPolicy = static_cast<CUsynchronizationPolicy>(99);
    EXPECT_EQ(cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamGetAttribute(a, static_cast<CUstreamAttrID>(99), &value),
              CUDA_ERROR_INVALID_VALUE);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    CHECK_CU(cuStreamIsCapturing(a, &status));
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK_CU(cuStreamDestroy(a));
    CHECK_CU(cuStreamDestroy(b));
}

// Stream 0 of the per-thread variants is the calling thread's: another thread's waits do not hold
// it up, the legacy stream's do.
TEST_F(Streams, StreamZeroPerThread) {
    auto* set =
        symbol<CUresult(CUdeviceptr, unsigned, std::size_t, CUstream)>("cuMemsetD32Async_ptsz");
    auto* wait = symbol<CUresult(CUstream, CUdeviceptr, cuuint32_t, unsigned)>(
        "cuStreamWaitValue32_v2_ptsz");
    auto* sync = symbol<CUresult(CUstream)>("cuStreamSynchronize_ptsz");
    auto* query = symbol<CUresult(CUstream)>("cuStreamQuery_ptsz");
    auto* copy = symbol<CUresult(void*, CUdeviceptr, std::size_t)>("cuMemcpyDtoH_v2_ptds");
    ASSERT_TRUE(set && wait && sync && query && copy);
    Buffer<unsigned> x{4};
    CHECK_CU(wait(nullptr, x.get(), 1, CU_STREAM_WAIT_VALUE_EQ));
    EXPECT_EQ(query(nullptr), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
    std::thread{[&] {
        EXPECT_EQ(cuCtxPushCurrent(context_), CUDA_SUCCESS);
        EXPECT_EQ(set(x.get() + 4, 5, 1, nullptr), CUDA_SUCCESS);
        EXPECT_EQ(sync(nullptr), CUDA_SUCCESS);
        unsigned value = 0;
        EXPECT_EQ(copy(&value, x.get() + 4, 4), CUDA_SUCCESS);
        EXPECT_EQ(value, 5u);
    }}.join();
    EXPECT_EQ(cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY); // waits for blocking streams
    *reinterpret_cast<volatile unsigned*>(x.get()) = 1;
    CHECK_CU(sync(nullptr));
    CHECK_CU(cuStreamSynchronize(nullptr));
}

} // namespace
} // namespace lathe::test
