// SPDX-License-Identifier: MIT
// Memory, copies, pointer queries, printf, streams, events and the symbol look-up of the driver.
#include "tests/soft/rt/driver_test.h"

#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

namespace lathe::test {
namespace {

using Driver = DriverTest;

TEST_F(Driver, AllocationsAndTheirQueries) {
    std::size_t free_before = 0, total = 0, free_now = 0;
    CHECK_CU(cuMemGetInfo(&free_before, &total));
    CUdeviceptr p = 0, base = 0;
    CHECK_CU(cuMemAlloc(&p, 1000));
    EXPECT_EQ(p % 256, 0u);
    int alignment = 0; // any allocation may be read as a texture
    CHECK_CU(cuDeviceGetAttribute(&alignment, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 0));
    EXPECT_EQ(p % static_cast<unsigned>(alignment), 0u);
    CHECK_CU(cuMemGetInfo(&free_now, &total));
    EXPECT_LT(free_now, free_before);
    std::size_t bytes = 0;
    CHECK_CU(cuMemGetAddressRange(&base, &bytes, p + 999));
    EXPECT_EQ(base, p);
    EXPECT_EQ(bytes, 1000u);
    EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, p + 1000), CUDA_ERROR_NOT_FOUND);
    unsigned type = 0;
    CHECK_CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_DEVICE));
    EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0x1000),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFree(p + 1), CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuMemFree(p));
    EXPECT_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAlloc(&p, std::size_t{1} << 45), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_NE(std::string{latheSoftGetLastErrorText()}, "");
}

TEST_F(Driver, CopiesAreChecked) {
    Buffer<char> d{100};
    std::vector<char> h(200);
    EXPECT_EQ(cuMemcpyHtoD(d.get(), h.data(), 101), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyHtoD(d.get() + 50, h.data(), 51), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoH(nullptr, d.get(), 100), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoH(reinterpret_cast<void*>(8), d.get(), 100), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(h.data()), h.data(), 1),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD32(d.get() + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD8(d.get(), 0, 101), CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuMemcpyHtoD(d.get(), h.data(), 100));
}

TEST_F(Driver, ThreeDimensionalCopyOfABox) {
    constexpr std::size_t w = 7, h = 5, depth = 4;
    std::vector<int> in(w * h * depth), out(3 * 2 * 2, -1);
    std::iota(in.begin(), in.end(), 0);
    Buffer<int> d{in};
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = d.get();
    c.srcPitch = w * 4;
    c.srcHeight = h;
    c.srcXInBytes = 2 * 4;
    c.srcY = 1;
    c.srcZ = 2;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = out.data();
    c.dstPitch = 3 * 4;
    c.dstHeight = 2;
    c.WidthInBytes = 3 * 4;
    c.Height = 2;
    c.Depth = 2;
    CHECK_CU(cuMemcpy3D(&c));
    std::size_t i = 0;
    for (std::size_t z = 2; z < 4; ++z)
        for (std::size_t y = 1; y < 3; ++y)
            for (std::size_t x = 2; x < 5; ++x)
                EXPECT_EQ(out[i++], static_cast<int>((z * h + y) * w + x));
    c.srcZ = 3; // one slice too many
    EXPECT_EQ(cuMemcpy3D(&c), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, SetsOfEveryWidth) {
    Buffer<unsigned char> d{64};
    CHECK_CU(cuMemsetD8(d.get(), 0x11, 4));
    CHECK_CU(cuMemsetD16(d.get() + 4, 0x2233, 2));
    CHECK_CU(cuMemsetD32(d.get() + 8, 0x44556677, 1));
    CHECK_CU(cuMemsetD2D8(d.get() + 16, 16, 0x88, 2, 3));
    auto r = d.read();
    EXPECT_EQ(r[3], 0x11);
    EXPECT_EQ(r[4], 0x33);
    EXPECT_EQ(r[7], 0x22);
    EXPECT_EQ(r[8], 0x77);
    EXPECT_EQ(r[49], 0x88);
    EXPECT_EQ(r[50], 0);
}

TEST_F(Driver, PinnedAndManagedMemoryAreSeenByKernels) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x) { x[threadIdx.x] += 1; }");
    int* pinned = nullptr;
    CHECK_CU(cuMemHostAlloc(reinterpret_cast<void**>(&pinned), 40, CU_MEMHOSTALLOC_DEVICEMAP));
    CUdeviceptr p = 0, managed = 0;
    CHECK_CU(cuMemHostGetDevicePointer(&p, pinned, 0));
    CHECK_CU(cuMemAllocManaged(&managed, 40, CU_MEM_ATTACH_GLOBAL));
    for (int i = 0; i < 10; ++i) pinned[i] = reinterpret_cast<int*>(managed)[i] = i;
    CHECK_CU(launch(f, shape(1, 10), p));
    CHECK_CU(launch(f, shape(1, 10), managed));
    CHECK_CU(cuCtxSynchronize());
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(pinned[i], i + 1);
        EXPECT_EQ(reinterpret_cast<int*>(managed)[i], i + 1);
    }
    std::vector<int> own(10, 5);
    CHECK_CU(cuMemHostRegister(own.data(), 40, 0));
    EXPECT_EQ(cuMemHostRegister(own.data(), 40, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK_CU(launch(f, shape(1, 10), own.data()));
    CHECK_CU(cuMemHostUnregister(own.data()));
    EXPECT_EQ(own, std::vector<int>(10, 6));
    CHECK_CU(cuMemFreeHost(pinned));
    CHECK_CU(cuMemFree(managed));
}

TEST_F(Driver, PrintfUnderstandsEveryConversion) {
    std::string text;
    latheSoftSetPrintfCallback([](const char* t, std::size_t n,
                                  void* user) { static_cast<std::string*>(user)->append(t, n); },
                               &text);
    CUfunction f = kernel(R"(extern "C" __global__ void k(long long big, double d) {
        printf("%d %5d|%-5d|%05d %u %x %X %o %c %s %%\n",
               -3, 42, 42, 42, 7u, 255, 255, 8, 'z', "text");
        printf("%lld %llx %.3f %e %g %8.2f|%-8.2f|%+d %hhd\n", big, big, d, d, d, d, d, 5, 300);
        printf("%*d %.*f %s\n", 6, 42, 2, d, (const char*)0);
        printf("no arguments\n");
    })");
    CHECK_CU(launch(f, shape(1, 1), 1234567890123LL, 3.14159));
    EXPECT_EQ(text, "");
    CHECK_CU(cuCtxSynchronize());
    latheSoftSetPrintfCallback(nullptr, nullptr);
    EXPECT_EQ(text, "-3    42|42   |00042 7 ff FF 10 z text %\n"
                    "1234567890123 11f71fb04cb 3.142 3.141590e+00 3.14159     3.14|3.14    |+5 44\n"
                    "    42 3.14 (null)\nno arguments\n");
}

const char* kSlow = R"(extern "C" __global__ void k(int* x, int from, int to, int rounds) {
    unsigned h = 1;
    for (int i = 0; i < rounds; ++i) h = h * 1664525u + 1013904223u;
    if (h == 12345u) x[5] = 1;
    x[to] = x[from] + 1;
})";

TEST_F(Driver, StreamsKeepTheirOrderAndEventsJoinThem) {
    CUfunction f = kernel(kSlow);
    Buffer<int> x{8};
    CUstream a, b;
    CUevent event;
    CHECK_CU(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    CHECK_CU(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    CHECK_CU(cuEventCreate(&event, 0));
    for (int round = 0; round < 20; ++round) {
        CHECK_CU(cuMemsetD32(x.get(), 0, 8));
        CHECK_CU(cuCtxSynchronize());
        Shape s = shape(1, 1);
        s.stream = a;
        for (int i = 0; i < 10; ++i) CHECK_CU(launch(f, s, x.get(), 0, 0, 20000));
        CHECK_CU(cuEventRecord(event, a));
        CHECK_CU(cuStreamWaitEvent(b, event, 0));
        s.stream = b;
        CHECK_CU(launch(f, s, x.get(), 0, 1, 0));
        CHECK_CU(cuStreamSynchronize(b));
        int values[2];
        CHECK_CU(cuMemcpyDtoH(values, x.get(), 8));
        EXPECT_EQ(values[0], 10);
        EXPECT_EQ(values[1], 11);
    }
    CHECK_CU(cuStreamDestroy(a));
    CHECK_CU(cuStreamDestroy(b));
    CHECK_CU(cuEventDestroy(event));
    EXPECT_EQ(cuStreamSynchronize(a), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, TheLegacyStreamOrdersBlockingStreams) {
    CUfunction f = kernel(kSlow);
    Buffer<int> x{8};
    CUstream a, b;
    CHECK_CU(cuStreamCreate(&a, CU_STREAM_DEFAULT));
    CHECK_CU(cuStreamCreate(&b, CU_STREAM_DEFAULT));
    Shape in_a = shape(1, 1), in_b = in_a, legacy = in_a;
    in_a.stream = a;
    in_b.stream = b;
    CHECK_CU(launch(f, in_a, x.get(), 0, 1, 3000000));
    CHECK_CU(launch(f, legacy, x.get(), 1, 2, 1000000)); // after a
    CHECK_CU(launch(f, in_b, x.get(), 2, 3, 0));         // after the legacy stream
    CHECK_CU(cuStreamSynchronize(b));
    int values[4];
    CHECK_CU(cuMemcpyDtoH(values, x.get(), 16));
    EXPECT_EQ(values[1], 1);
    EXPECT_EQ(values[2], 2);
    EXPECT_EQ(values[3], 3);
    CHECK_CU(cuStreamDestroy(a));
    CHECK_CU(cuStreamDestroy(b));
}

TEST_F(Driver, PageableSourcesMayBeReusedAtOnce) {
    CUfunction f = kernel(kSlow);
    Buffer<int> x{8};
    CUstream s;
    CHECK_CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    Shape slow = shape(1, 1);
    slow.stream = s;
    CHECK_CU(launch(f, slow, x.get(), 0, 1, 3000000));
    int value = 77, back = 0;
    CHECK_CU(cuMemcpyHtoDAsync(x.get() + 8, &value, 4, s));
    value = 0;
    CHECK_CU(cuMemcpyDtoHAsync(&back, x.get() + 8, 4, s));
    EXPECT_EQ(back, 77);
    CHECK_CU(cuStreamDestroy(s));
}

TEST_F(Driver, HostFunctionsRunInOrder) {
    CUfunction f = kernel(kSlow);
    Buffer<int> x{8};
    struct Seen {
        CUdeviceptr p;
        std::atomic<int> value{-1};
    } seen{x.get()};
    CHECK_CU(launch(f, shape(1, 1), x.get(), 0, 1, 1000000));
    CHECK_CU(cuLaunchHostFunc(
        nullptr,
        [](void* user) {
            auto& s = *static_cast<Seen*>(user);
            s.value = reinterpret_cast<int*>(s.p)[1]; // device memory is host memory here
        },
        &seen));
    CHECK_CU(cuStreamSynchronize(nullptr));
    EXPECT_EQ(seen.value, 1);
}

TEST_F(Driver, EventsTakeTime) {
    CUfunction f = kernel(kSlow);
    Buffer<int> x{8};
    CUevent begin, end, quiet;
    CHECK_CU(cuEventCreate(&begin, 0));
    CHECK_CU(cuEventCreate(&end, 0));
    CHECK_CU(cuEventCreate(&quiet, CU_EVENT_DISABLE_TIMING));
    float ms = -1;
    EXPECT_EQ(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_INVALID_HANDLE);
    CHECK_CU(cuEventRecord(begin, nullptr));
    CHECK_CU(launch(f, shape(1, 1), x.get(), 0, 1, 20000000));
    CHECK_CU(cuStreamWaitValue32(nullptr, x.get() + 28, 1, CU_STREAM_WAIT_VALUE_EQ));
    CHECK_CU(cuEventRecord(end, nullptr));
    EXPECT_EQ(cuEventQuery(end), CUDA_ERROR_NOT_READY);
    *reinterpret_cast<volatile int*>(x.get() + 28) = 1;
    CHECK_CU(cuEventSynchronize(end));
    CHECK_CU(cuEventElapsedTime(&ms, begin, end));
    EXPECT_GT(ms, 1.0f); // 20 million steps that follow from each other
    EXPECT_LT(ms, 60'000.0f);
    CHECK_CU(cuEventRecord(quiet, nullptr));
    EXPECT_EQ(cuEventElapsedTime(&ms, begin, quiet), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, ManyHostThreadsShareTheDevice) {
    CUfunction f = kernel(kSlow);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            cuCtxPushCurrent(context_);
            CUstream s;
            cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
            CUdeviceptr p = 0;
            cuMemAlloc(&p, 32);
            cuMemsetD32Async(p, 0, 8, s);
            Shape in_s = shape(1, 1);
            in_s.stream = s;
            for (int i = 0; i < 100; ++i)
                if (launch(f, in_s, p, 0, 0, 100) != CUDA_SUCCESS) ++wrong;
            int value = 0;
            cuMemcpyDtoHAsync(&value, p, 4, s);
            cuStreamSynchronize(s);
            if (value != 100) ++wrong;
            cuMemFree(p);
            cuStreamDestroy(s);
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(Driver, DestroyedContextsTakeTheirObjectsAlong) {
    CUcontext own = nullptr;
    CHECK_CU(cuCtxCreate(&own, nullptr, 0, 0));
    CUdeviceptr p = 0;
    CHECK_CU(cuMemAlloc(&p, 64));
    CUstream s;
    CHECK_CU(cuStreamCreate(&s, 0));
    CHECK_CU(cuCtxDestroy(own));
    EXPECT_EQ(cuCtxDestroy(own), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxPushCurrent(own), CUDA_ERROR_INVALID_CONTEXT);
    CUcontext current = nullptr;
    CHECK_CU(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, context_);
    EXPECT_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, SymbolsAreFoundByNameAndVersion) {
    void* p = nullptr;
    CUdriverProcAddressQueryResult status{};
    CHECK_CU(cuGetProcAddress("cuMemAlloc", &p, 13000, 0, &status));
    EXPECT_EQ(p, reinterpret_cast<void*>(&cuMemAlloc));
    CHECK_CU(cuGetProcAddress("cuCtxCreate", &p, 12000, 0, &status));
    EXPECT_NE(p, nullptr);
    EXPECT_NE(p, reinterpret_cast<void*>(&cuCtxCreate)); // that one came with 12.5
    CHECK_CU(cuGetProcAddress("cuCtxCreate", &p, 13000, 0, &status));
    EXPECT_EQ(p, reinterpret_cast<void*>(&cuCtxCreate));
    CHECK_CU(cuGetProcAddress("cuNothing", &p, 13000, 0, &status));
    EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    EXPECT_EQ(p, nullptr);
    const char* text = nullptr;
    CHECK_CU(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    EXPECT_EQ(cuGetErrorString(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
} // namespace lathe::test
