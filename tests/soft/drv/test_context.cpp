// SPDX-License-Identifier: MIT
// Contexts, old symbols, old-style launches, pointer queries, error names.
#include "tests/soft/rt/driver_test.h"

#include <cstring>
#include <dlfcn.h>
#include <set>
#include <thread>

namespace lathe::test {
namespace {

class Contexts : public DriverTest {
protected:
    static CUcontext current() {
        CUcontext context = nullptr;
        EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
        return context;
    }
    template <class F> static F* symbol(const char* name) {
        return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
    }
};

TEST_F(Contexts, TheStackIsTheThreads) {
    CUcontext a = nullptr, b = nullptr, popped = nullptr;
    CHECK_CU(cuCtxCreate(&a, nullptr, CU_CTX_SCHED_SPIN, 0));
    CHECK_CU(cuCtxCreate(&b, nullptr, 0, 0));
    EXPECT_EQ(current(), b);
    CHECK_CU(cuCtxPopCurrent(&popped));
    EXPECT_EQ(popped, b);
    EXPECT_EQ(current(), a);
    unsigned flags = 0;
    CHECK_CU(cuCtxGetFlags(&flags));
    EXPECT_EQ(flags & CU_CTX_SCHED_MASK, static_cast<unsigned>(CU_CTX_SCHED_SPIN));
    CHECK_CU(cuCtxSetCurrent(b)); // takes a's place
    EXPECT_EQ(current(), b);
    std::thread{[] {
        EXPECT_EQ(current(), nullptr);
        CUdeviceptr p = 0;
        EXPECT_EQ(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
        CUcontext none = nullptr;
        EXPECT_EQ(cuCtxPopCurrent(&none), CUDA_ERROR_INVALID_CONTEXT);
    }}.join();
    CHECK_CU(cuCtxDestroy(a));
    CHECK_CU(cuCtxDestroy(b));
    EXPECT_EQ(current(), context_);
    EXPECT_EQ(cuCtxSetCurrent(a), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxDestroy(context_), CUDA_ERROR_INVALID_CONTEXT); // the primary one is released
}

TEST_F(Contexts, AttachAndDetachCount) {
    CUcontext own = nullptr, same = nullptr;
    CHECK_CU(cuCtxCreate(&own, nullptr, 0, 0));
    auto* attach = symbol<CUresult(CUcontext*, unsigned)>("cuCtxAttach");
    auto* detach = symbol<CUresult(CUcontext)>("cuCtxDetach");
    CHECK_CU(attach(&same, 0));
    EXPECT_EQ(same, own);
    CHECK_CU(detach(own));
    EXPECT_EQ(current(), own);
    CHECK_CU(detach(own));
    EXPECT_EQ(current(), context_);
    EXPECT_EQ(cuCtxPushCurrent(own), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Contexts, LimitsAndConfigurations) {
    std::size_t value = 0;
    CHECK_CU(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    CHECK_CU(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    EXPECT_EQ(value, 4096u);
    CHECK_CU(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
    EXPECT_EQ(cuCtxGetLimit(&value, static_cast<CUlimit>(99)), CUDA_ERROR_UNSUPPORTED_LIMIT);
    EXPECT_EQ(cuCtxSetCacheConfig(static_cast<CUfunc_cache>(9)), CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    CUfunc_cache config{};
    CHECK_CU(cuCtxGetCacheConfig(&config));
    EXPECT_EQ(config, CU_FUNC_CACHE_PREFER_L1);
    CUexecAffinityParam affinity{};
    CHECK_CU(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    EXPECT_GE(affinity.param.smCount.val, 1u);
}

TEST_F(Contexts, OldSymbolsDoTheSame) {
    CUcontext own = nullptr;
    CHECK_CU(symbol<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate")(&own, 0, 0));
    EXPECT_EQ(current(), own);
    CUcontext popped = nullptr;
    CHECK_CU(symbol<CUresult(CUcontext*)>("cuCtxPopCurrent")(&popped));
    EXPECT_EQ(popped, own);
    CHECK_CU(symbol<CUresult(CUcontext)>("cuCtxDestroy")(own));
    CUexecAffinityParam affinity{};
    auto* v3 = symbol<CUresult(CUcontext*, CUexecAffinityParam*, int, unsigned, CUdevice)>(
        "cuCtxCreate_v3");
    EXPECT_EQ(v3(&own, &affinity, 1, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    CHECK_CU(v3(&own, nullptr, 0, 0, 0));
    CHECK_CU(cuCtxDestroy(own));
    Buffer<int> x{2};
    CUdeviceptr managed = 0;
    CHECK_CU(cuMemAllocManaged(&managed, 8, CU_MEM_ATTACH_GLOBAL));
    CHECK_CU(symbol<CUresult(CUdeviceptr, std::size_t, CUdevice, CUstream)>("cuMemPrefetchAsync")(
        managed, 8, 0, nullptr));
    CHECK_CU(cuMemFree(managed));
}

TEST_F(Contexts, LaunchesAsBeforeCuda4) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(int* x, int n, float y) {
        extern __shared__ int s[];
        s[threadIdx.x] = n;
        x[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x] + int(y) + gridDim.y;
    })");
    Buffer<int> x{6};
    CUdeviceptr p = x.get();
    CHECK_CU(symbol<CUresult(CUfunction, int, int, int)>("cuFuncSetBlockShape")(f, 3, 1, 1));
    CHECK_CU(symbol<CUresult(CUfunction, unsigned)>("cuFuncSetSharedSize")(f, 12));
    CHECK_CU(symbol<CUresult(CUfunction, int, void*, unsigned)>("cuParamSetv")(f, 0, &p, 8));
    CHECK_CU(symbol<CUresult(CUfunction, int, unsigned)>("cuParamSeti")(f, 8, 40));
    CHECK_CU(symbol<CUresult(CUfunction, int, float)>("cuParamSetf")(f, 12, 2.0f));
    CHECK_CU(symbol<CUresult(CUfunction, unsigned)>("cuParamSetSize")(f, 16));
    CHECK_CU(symbol<CUresult(CUfunction, int, int)>("cuLaunchGrid")(f, 2, 1));
    EXPECT_EQ(x.read(), std::vector<int>(6, 43));
    EXPECT_EQ(symbol<CUresult(CUfunction, int, int, int)>("cuFuncSetBlockShape")(f, 0, 1, 1),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(symbol<CUresult(CUfunction, int, unsigned)>("cuParamSeti")(f, -4, 1),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(symbol<CUresult(CUfunction, int, unsigned)>("cuParamSeti")(f, 5000, 1),
              CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Contexts, PointersThatCudaDoesNotKnow) {
    int on_the_stack = 0, ordinal = 5;
    unsigned type = 5;
    CUdeviceptr begin = 5;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR};
    void* results[] = {&type, &ordinal, &begin};
    CHECK_CU(cuPointerGetAttributes(3, attributes, results,
                                    reinterpret_cast<CUdeviceptr>(&on_the_stack)));
    EXPECT_EQ(type, 0u);
    EXPECT_EQ(ordinal, CU_DEVICE_INVALID);
    EXPECT_EQ(begin, 0u);
    Buffer<int> x{100};
    CHECK_CU(cuPointerGetAttributes(3, attributes, results, x.get() + 40));
    EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_DEVICE));
    EXPECT_EQ(ordinal, 0);
    EXPECT_EQ(begin, x.get());
    EXPECT_EQ(cuMemHostRegister(&on_the_stack, std::size_t{1} << 60, 0), CUDA_ERROR_INVALID_VALUE);
}

// All codes of cuda.h have a name and a text, names are theirs alone, and nothing else has one.
TEST_F(Contexts, EveryErrorHasAName) {
    std::set<std::string> names;
    for (int code = 0; code < 1100; ++code) {
        const char *name = nullptr, *text = nullptr;
        const CUresult known = cuGetErrorName(static_cast<CUresult>(code), &name);
        EXPECT_EQ(cuGetErrorString(static_cast<CUresult>(code), &text), known) << code;
        if (known != CUDA_SUCCESS) continue;
        ASSERT_TRUE(name && text) << code;
        EXPECT_TRUE(std::string{name}.starts_with("CUDA_")) << name;
        EXPECT_TRUE(names.insert(name).second) << name;
    }
    EXPECT_GE(names.size(), 95u);
    for (CUresult code : {CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_MISALIGNED_ADDRESS,
                          CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, CUDA_ERROR_INVALID_RESOURCE_TYPE,
                          CUDA_ERROR_CDP_NOT_SUPPORTED, CUDA_ERROR_UNKNOWN}) {
        const char* name = nullptr;
        EXPECT_EQ(cuGetErrorName(code, &name), CUDA_SUCCESS);
    }
}

} // namespace
} // namespace lathe::test
