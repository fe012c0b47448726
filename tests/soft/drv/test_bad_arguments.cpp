// SPDX-License-Identifier: MIT
// Every function of the driver library with arguments that mean nothing: each answers, none ends
// the process, and the device works afterwards.
#include "tests/soft/rt/driver_test.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <set>
#include <string_view>

namespace lathe::test {
namespace {

constexpr const char* kSymbols[] = {
#define LATHE_CU_PROC(name, version, per_thread, symbol) #symbol,
#include "gpu/soft/api/procs.inc"
#undef LATHE_CU_PROC
};

// Those that call what they are given, or that wait for ever for a value: not for guessing.
bool is_left_out(std::string_view symbol) {
    return symbol.starts_with("cuLaunchHostFunc") || symbol.starts_with("cuStreamAddCallback") ||
           symbol.starts_with("cuStreamWaitValue") || symbol.starts_with("cuStreamBatchMemOp");
}

class BadArguments : public DriverTest {
protected:
    using Function = CUresult (*)(std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t,
                                  std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t,
                                  std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t);
    using Arguments = std::array<std::uintptr_t, 12>;

    static CUresult call(const char* symbol, const Arguments& a) {
        auto f = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, symbol));
        EXPECT_NE(f, nullptr) << symbol;
        if (!f) return CUDA_ERROR_NOT_FOUND;
        return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
    }

    // Calls all in a context of their own; `make` fills the arguments before each call.
    template <class Make> void call_all(Make&& make) {
        for (const char* symbol : kSymbols) {
            if (is_left_out(symbol)) continue;
            SCOPED_TRACE(symbol);
            CUcontext own = nullptr;
            CHECK_CU(cuCtxCreate(&own, nullptr, 0, 0));
            Arguments arguments = make();
            const CUresult result = call(symbol, arguments);
            const char* name = nullptr;
            EXPECT_EQ(cuGetErrorName(result, &name), CUDA_SUCCESS) << "answers " << result;
            cuCtxDestroy(own); // what it made goes, too
            CUcontext popped = nullptr;
            while (cuCtxPopCurrent(&popped) == CUDA_SUCCESS && popped) {}
            // A test function may have made or released the primary context.
            CUcontext primary = nullptr;
            CHECK_CU(cuDevicePrimaryCtxRetain(&primary, 0));
            context_ = primary;
            CHECK_CU(cuCtxPushCurrent(context_));
        }
    }

    void expect_works() {
        CUfunction f = kernel("extern \"C\" __global__ void k(int* x) { x[threadIdx.x] += 1; }");
        Buffer<int> x{std::vector<int>{1, 2}};
        CHECK_CU(launch(f, shape(1, 2), x.get()));
        EXPECT_EQ(x.read(), (std::vector<int>{2, 3}));
    }
};

TEST_F(BadArguments, AllZero) {
    call_all([] { return Arguments{}; });
    expect_works();
}

// Memory without meaning: as handles unknown, as results writable, as structures all zero.
TEST_F(BadArguments, MemoryOfZeros) {
    alignas(64) static std::array<std::array<char, 16384>, 12> memory;
    call_all([&] {
        memory = {};
        Arguments a;
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = reinterpret_cast<std::uintptr_t>(memory[i].data());
        return a;
    });
    expect_works();
}

TEST_F(BadArguments, OneZeroAmongMemory) {
    alignas(64) static std::array<std::array<char, 16384>, 12> memory;
    for (std::size_t zero = 0; zero < 6; ++zero) {
        call_all([&] {
            memory = {};
            Arguments a;
            for (std::size_t i = 0; i < a.size(); ++i)
                a[i] = i == zero ? 0 : reinterpret_cast<std::uintptr_t>(memory[i].data());
            return a;
        });
    }
    expect_works();
}

// The one argument that every call needs, then small numbers: sizes, counts, flags.
TEST_F(BadArguments, SmallNumbersBehindMemory) {
    alignas(64) static std::array<char, 16384> memory;
    for (std::uintptr_t number : {1u, 2u, 7u, 255u}) {
        call_all([&] {
            memory = {};
            Arguments a;
            a.fill(number);
            a[0] = reinterpret_cast<std::uintptr_t>(memory.data());
            return a;
        });
    }
    expect_works();
}

TEST_F(BadArguments, SmallNumbersAreNoDescriptionsOfCopies) {
    for (std::uintptr_t number : {0u, 8u, 4095u}) {
        const auto* bad = reinterpret_cast<const CUDA_MEMCPY3D_PEER*>(number);
        EXPECT_EQ(cuMemcpy3DPeer(bad), CUDA_ERROR_INVALID_VALUE) << number;
        EXPECT_EQ(cuMemcpy3DPeerAsync(bad, nullptr), CUDA_ERROR_INVALID_VALUE) << number;
    }
}

// Handles of what is gone.
TEST_F(BadArguments, HandlesOfWhatIsGone) {
    CUcontext own = nullptr;
    CHECK_CU(cuCtxCreate(&own, nullptr, 0, 0));
    const std::string ptx =
        compile_to_ptx("extern \"C\" __global__ void k(int* x) { *x = 1; }", "k.cu", {});
    CUmodule module = nullptr;
    CUfunction f = nullptr;
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    CUstream stream = nullptr;
    CUevent event = nullptr;
    CUarray array = nullptr;
    CUlinkState link = nullptr;
    CUdeviceptr p = 0;
    CHECK_CU(cuModuleLoadData(&module, ptx.c_str()));
    CHECK_CU(cuModuleGetFunction(&f, module, "k"));
    CHECK_CU(cuLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK_CU(cuLibraryGetKernel(&kernel, library, "k"));
    CHECK_CU(cuStreamCreate(&stream, 0));
    CHECK_CU(cuEventCreate(&event, 0));
    CUDA_ARRAY_DESCRIPTOR description{
        .Width = 4, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CHECK_CU(cuArrayCreate(&array, &description));
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC how{};
    CUtexObject texture = 0;
    CHECK_CU(cuTexObjectCreate(&texture, &resource, &how, nullptr));
    CHECK_CU(cuLinkCreate(0, nullptr, nullptr, &link));
    CHECK_CU(cuMemAlloc(&p, 64));
    CHECK_CU(cuCtxDestroy(own)); // all of them but the library
    CHECK_CU(cuLibraryUnload(library));

    int number = 0;
    std::size_t bytes = 0;
    const char* name = nullptr;
    void* image = nullptr;
    char word[4] = "abc";
    const auto as_function = reinterpret_cast<CUfunction>(kernel);
    for (CUresult result : {
             cuModuleGetFunction(&f, module, "k"),
             cuModuleGetGlobal(&p, &bytes, module, "x"),
             cuFuncGetName(&name, f),
             cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, f),
             cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1),
             cuFuncGetParamInfo(f, 0, &bytes, &bytes),
             cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, f, 32, 0),
             cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
             cuLaunchKernel(as_function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
             cuLibraryGetKernel(&kernel, library, "k"),
             cuLibraryGetModule(&module, library),
             cuLibraryUnload(library),
             cuKernelGetFunction(&f, kernel),
             cuKernelGetName(&name, kernel),
             cuKernelGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0),
             cuStreamQuery(stream),
             cuStreamGetPriority(stream, &number),
             cuStreamWaitEvent(stream, nullptr, 0),
             cuStreamWaitEvent(nullptr, event, 0),
             cuStreamDestroy(stream),
             cuMemAllocAsync(&p, 64, stream),
             cuMemsetD8Async(p, 0, 4, stream),
             cuMemcpyDtoHAsync(word, p, 4, stream),
             cuEventRecord(event, nullptr),
             cuEventSynchronize(event),
             cuEventDestroy(event),
             cuArrayGetDescriptor(&description, array),
             cuMemcpyHtoA(array, 0, word, 4),
             cuLinkAddData(link, CU_JIT_INPUT_PTX, word, 4, "a", 0, nullptr, nullptr),
             cuLinkComplete(link, &image, &bytes),
             cuModuleUnload(nullptr),
             cuEventRecord(nullptr, nullptr),
         })
        EXPECT_EQ(result, CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuCtxPushCurrent(own), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuTexObjectGetResourceDesc(&resource, texture), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD8(p, 0, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoH(word, p, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    expect_works();
}

} // namespace
} // namespace lathe::test
