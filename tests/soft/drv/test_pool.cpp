// SPDX-License-Identifier: MIT
// Stream-ordered allocation and memory pools.
#include "tests/soft/rt/driver_test.h"

#include <atomic>

namespace lathe::test {
namespace {

class Pools : public DriverTest {
protected:
    static CUmemPoolProps properties() {
        CUmemPoolProps p{};
        p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        return p;
    }
    static cuuint64_t get(CUmemoryPool pool, CUmemPool_attribute attribute) {
        cuuint64_t value = ~0ull;
        EXPECT_EQ(cuMemPoolGetAttribute(pool, attribute, &value), CUDA_SUCCESS);
        return value;
    }
    static cuuint64_t reserved(CUmemoryPool pool) {
        return get(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
    }
    static cuuint64_t used(CUmemoryPool pool) {
        return get(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
    }
    CUfunction slow() {
        return kernel(R"(extern "C" __global__ void k(int* x, int rounds) {
            unsigned h = 1;
            for (int i = 0; i < rounds; ++i) h = h * 1664525u + 1013904223u;
            x[0] = h == 12345u ? 2 : 1;
        })");
    }
};

TEST_F(Pools, TheDevicesOwn) {
    CUmemoryPool pool = nullptr, current = nullptr;
    CHECK_CU(cuDeviceGetDefaultMemPool(&pool, 0));
    CHECK_CU(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(pool, current);
    EXPECT_EQ(get(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 0u);
    EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
    const cuuint64_t before = used(pool);
    CUdeviceptr p = 0;
    CHECK_CU(cuMemAllocAsync(&p, 1000, nullptr));
    EXPECT_EQ(used(pool), before + 4096);
    void* of = nullptr;
    CHECK_CU(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
    EXPECT_EQ(of, pool);
    CHECK_CU(cuMemFreeAsync(p, nullptr));
    CHECK_CU(cuStreamSynchronize(nullptr));
    EXPECT_EQ(used(pool), before);
    EXPECT_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
}

// A free waits for what the stream did before; the next allocation of the size gets the memory.
TEST_F(Pools, MemoryIsKeptUpToTheThreshold) {
    CUmemoryPool pool = nullptr;
    const CUmemPoolProps props = properties();
    CHECK_CU(cuMemPoolCreate(&pool, &props));
    cuuint64_t threshold = 1 << 20;
    CHECK_CU(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    CUstream s = nullptr;
    CHECK_CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CUdeviceptr p = 0, q = 0;
    CHECK_CU(cuMemAllocFromPoolAsync(&p, 8192, pool, s));
    std::atomic<bool> open{false};
    CHECK_CU(cuLaunchHostFunc(
        s, [](void* gate) { static_cast<std::atomic<bool>*>(gate)->wait(false); }, &open));
    CHECK_CU(cuMemFreeAsync(p, s));
    EXPECT_EQ(used(pool), 8192u); // not its turn yet
    open = true;
    open.notify_all();
    CHECK_CU(cuStreamSynchronize(s));
    EXPECT_EQ(used(pool), 0u);
    EXPECT_EQ(reserved(pool), 8192u);
    int value = 0;
    EXPECT_EQ(cuMemcpyDtoH(&value, p, 4), CUDA_ERROR_INVALID_VALUE); // kept, but not for use
    CHECK_CU(cuMemAllocFromPoolAsync(&q, 8190, pool, s));
    EXPECT_EQ(q, p);
    CHECK_CU(cuMemsetD8(q, 1, 8190));
    CHECK_CU(cuMemFree(q)); // allowed, too
    EXPECT_EQ(reserved(pool), 8192u);
    CHECK_CU(cuMemPoolTrimTo(pool, 8192));
    EXPECT_EQ(reserved(pool), 8192u);
    CHECK_CU(cuMemPoolTrimTo(pool, 0));
    EXPECT_EQ(reserved(pool), 0u);
    EXPECT_EQ(get(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 8192u);
    cuuint64_t zero = 0;
    CHECK_CU(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero));
    EXPECT_EQ(get(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 0u);
    EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &zero),
              CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuMemPoolDestroy(pool));
    EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_HANDLE);
    CHECK_CU(cuStreamDestroy(s));
}

// Memory that a pool keeps is the device's to have back.
TEST_F(Pools, WhatIsKeptCountsAndIsGivenUpWhenNeeded) {
    CUmemoryPool pool = nullptr;
    const CUmemPoolProps props = properties();
    CHECK_CU(cuMemPoolCreate(&pool, &props));
    cuuint64_t threshold = ~0ull;
    CHECK_CU(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    std::size_t free_before = 0, free_now = 0, total = 0;
    CHECK_CU(cuMemGetInfo(&free_before, &total));
    const std::size_t most = free_before / 4 * 3;
    CUdeviceptr p = 0;
    CHECK_CU(cuMemAllocFromPoolAsync(&p, most, pool, nullptr)); // pages are not touched
    CHECK_CU(cuMemFreeAsync(p, nullptr));
    CHECK_CU(cuStreamSynchronize(nullptr));
    CHECK_CU(cuMemGetInfo(&free_now, &total));
    EXPECT_LE(free_now, free_before - most);
    CHECK_CU(cuMemAlloc(&p, most));
    EXPECT_EQ(reserved(pool), 0u);
    CHECK_CU(cuMemFree(p));
    CHECK_CU(cuMemPoolDestroy(pool));
}

TEST_F(Pools, ACurrentPoolWithALimit) {
    CUmemoryPool pool = nullptr, current = nullptr, own = nullptr;
    CUmemPoolProps props = properties();
    props.maxSize = 1 << 20;
    CHECK_CU(cuMemPoolCreate(&pool, &props));
    CHECK_CU(cuDeviceSetMemPool(0, pool));
    CHECK_CU(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(current, pool);
    CUdeviceptr p = 0, q = 0;
    CHECK_CU(cuMemAllocAsync(&p, 600 << 10, nullptr));
    EXPECT_EQ(cuMemAllocAsync(&q, 600 << 10, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
    // A free that is under way is waited for.
    CHECK_CU(launch(slow(), shape(1, 1), p, 3000000));
    CHECK_CU(cuMemFreeAsync(p, nullptr));
    CHECK_CU(cuMemAllocAsync(&q, 600 << 10, nullptr));
    // Destroyed with memory out: it stays usable and goes with it.
    CHECK_CU(cuMemPoolDestroy(pool));
    CHECK_CU(cuMemsetD8(q, 1, 600 << 10));
    CHECK_CU(cuMemFreeAsync(q, nullptr));
    CHECK_CU(cuDeviceGetMemPool(&current, 0));
    CHECK_CU(cuDeviceGetDefaultMemPool(&own, 0));
    EXPECT_EQ(current, own);
}

TEST_F(Pools, AccessAndBadArguments) {
    CUmemoryPool pool = nullptr;
    CHECK_CU(cuDeviceGetDefaultMemPool(&pool, 0));
    CUmemLocation device{};
    device.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemAccess_flags flags{};
    CHECK_CU(cuMemPoolGetAccess(&flags, pool, &device));
    EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemAccessDesc access{device, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CHECK_CU(cuMemPoolSetAccess(pool, &access, 1));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    EXPECT_EQ(cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_INVALID_VALUE);
    access.location.id = 1;
    EXPECT_EQ(cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_INVALID_DEVICE);
    CUmemPoolProps props = properties();
    props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    EXPECT_EQ(cuMemPoolCreate(&pool, &props), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuMemPoolCreate(&pool, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolTrimTo(nullptr, 0), CUDA_ERROR_INVALID_HANDLE);
    CUdeviceptr p = 0;
    EXPECT_EQ(cuMemAllocFromPoolAsync(&p, 1, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuMemAllocAsync(&p, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAllocAsync(&p, 1, reinterpret_cast<CUstream>(0x1234)),
              CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
} // namespace lathe::test
