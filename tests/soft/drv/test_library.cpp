// SPDX-License-Identifier: MIT
// Libraries and kernels: code that belongs to no context.
#include "tests/soft/rt/driver_test.h"

namespace lathe::test {
namespace {

constexpr const char* kSource = R"(
__device__ int offset = 5;
__device__ __managed__ int managed = 7;
extern "C" __global__ void add(int* x, int n) {
    extern __shared__ int s[];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[threadIdx.x] + n + offset + managed;
}
extern "C" __global__ void other(double a, char b, float* c) { *c = float(a) + b; }
)";

class Library : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        if (!context_) return;
        ptx_ = compile_to_ptx(kSource, "library.cu", {});
        CHECK_CU(
            cuLibraryLoadData(&library_, ptx_.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    }
    void TearDown() override {
        EXPECT_TRUE(!library_ || cuLibraryUnload(library_) == CUDA_SUCCESS);
        DriverTest::TearDown();
    }
    std::string ptx_;
    CUlibrary library_ = nullptr;
};

TEST_F(Library, KernelsAreFoundAndCounted) {
    unsigned count = 0;
    CHECK_CU(cuLibraryGetKernelCount(&count, library_));
    EXPECT_EQ(count, 2u);
    CUkernel all[2] = {}, add = nullptr;
    CHECK_CU(cuLibraryEnumerateKernels(all, 2, library_));
    CHECK_CU(cuLibraryGetKernel(&add, library_, "add"));
    EXPECT_TRUE(all[0] == add || all[1] == add);
    const char* name = nullptr;
    CHECK_CU(cuKernelGetName(&name, add));
    EXPECT_STREQ(name, "add");
    CUlibrary owner = nullptr;
    CHECK_CU(cuKernelGetLibrary(&owner, add));
    EXPECT_EQ(owner, library_);
    EXPECT_EQ(cuLibraryGetKernel(&add, library_, "none"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Library, ParametersAndAttributes) {
    CUkernel other = nullptr;
    CHECK_CU(cuLibraryGetKernel(&other, library_, "other"));
    std::size_t offset = 0, bytes = 0;
    CHECK_CU(cuKernelGetParamInfo(other, 1, &offset, &bytes));
    EXPECT_EQ(offset, 8u);
    EXPECT_EQ(bytes, 1u);
    CHECK_CU(cuKernelGetParamInfo(other, 2, &offset, &bytes));
    EXPECT_EQ(offset, 16u);
    EXPECT_EQ(cuKernelGetParamInfo(other, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    int value = 0;
    CHECK_CU(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, other, 0));
    EXPECT_EQ(value, 1024);
    CHECK_CU(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, other, 0));
    EXPECT_EQ(value, 75);
    EXPECT_EQ(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, other, 1),
              CUDA_ERROR_INVALID_DEVICE);
}

// A setting of the kernel reaches the functions that were made and those that are not yet.
TEST_F(Library, SettingsReachTheFunctions) {
    CUkernel add = nullptr;
    CUfunction f = nullptr;
    CHECK_CU(cuLibraryGetKernel(&add, library_, "add"));
    CHECK_CU(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 50000, add, 0));
    CHECK_CU(cuKernelGetFunction(&f, add));
    int value = 0;
    CHECK_CU(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
    EXPECT_EQ(value, 50000);
    CHECK_CU(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, add, 0));
    CHECK_CU(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
    EXPECT_EQ(value, 60000);
    EXPECT_EQ(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 70000, add, 0),
              CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Library, AKernelIsLaunchedLikeAFunction) {
    CUkernel add = nullptr;
    CHECK_CU(cuLibraryGetKernel(&add, library_, "add"));
    Buffer<int> x{std::vector<int>{1, 2, 3, 4}};
    CHECK_CU(launch(reinterpret_cast<CUfunction>(add), shape(1, 4, 16), x.get(), 10));
    EXPECT_EQ(x.read(), (std::vector<int>{23, 24, 25, 26}));
    int blocks = 0;
    CHECK_CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<CUfunction>(add),
                                                         256, 0));
    EXPECT_EQ(blocks, 4);
}

TEST_F(Library, VariablesAndTheModule) {
    CUdeviceptr p = 0;
    std::size_t bytes = 0;
    CHECK_CU(cuLibraryGetGlobal(&p, &bytes, library_, "offset"));
    EXPECT_EQ(bytes, 4u);
    CHECK_CU(cuMemsetD32(p, 100, 1));
    CUdeviceptr managed = 0;
    CHECK_CU(cuLibraryGetManaged(&managed, &bytes, library_, "managed"));
    *reinterpret_cast<int*>(managed) = 1000;
    EXPECT_EQ(cuLibraryGetManaged(&managed, &bytes, library_, "offset"), CUDA_ERROR_NOT_FOUND);
    CUmodule module = nullptr;
    CHECK_CU(cuLibraryGetModule(&module, library_));
    Buffer<int> x{std::vector<int>{1}};
    CHECK_CU(launch(function(module, "add"), shape(1, 1, 16), x.get(), 10));
    EXPECT_EQ(x.read()[0], 1111);
    EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
}

// Each context has its own module, with its own variables.
TEST_F(Library, ContextsAreApart) {
    CUdeviceptr first = 0, second = 0;
    CUkernel add = nullptr;
    CUfunction f = nullptr, g = nullptr;
    CHECK_CU(cuLibraryGetKernel(&add, library_, "add"));
    CHECK_CU(cuLibraryGetGlobal(&first, nullptr, library_, "offset"));
    CHECK_CU(cuKernelGetFunction(&f, add));
    CUcontext own = nullptr;
    CHECK_CU(cuCtxCreate(&own, nullptr, 0, 0));
    CHECK_CU(cuLibraryGetGlobal(&second, nullptr, library_, "offset"));
    EXPECT_NE(first, second);
    CHECK_CU(cuKernelGetFunction(&g, add));
    EXPECT_NE(f, g);
    Buffer<int> x{std::vector<int>{1}};
    CHECK_CU(launch(reinterpret_cast<CUfunction>(add), shape(1, 1, 16), x.get(), 0));
    EXPECT_EQ(x.read()[0], 13);
    CHECK_CU(cuCtxDestroy(own));
    EXPECT_EQ(launch(g, shape(1, 1, 16), x.get(), 0), CUDA_ERROR_INVALID_HANDLE);
    CUfunction again = nullptr;
    CHECK_CU(cuKernelGetFunction(&again, add));
    EXPECT_EQ(again, f);
}

TEST_F(Library, UnloadedHandlesAreInvalid) {
    CUkernel add = nullptr;
    CUfunction f = nullptr;
    CUlibrary other = nullptr;
    CHECK_CU(cuLibraryLoadData(&other, ptx_.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK_CU(cuLibraryGetKernel(&add, other, "add"));
    CHECK_CU(cuKernelGetFunction(&f, add));
    CHECK_CU(cuLibraryUnload(other));
    EXPECT_EQ(cuLibraryUnload(other), CUDA_ERROR_INVALID_HANDLE);
    const char* name = nullptr;
    EXPECT_EQ(cuKernelGetName(&name, add), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuFuncGetName(&name, f), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(launch(reinterpret_cast<CUfunction>(add), shape(1, 1), CUdeviceptr{0}, 0),
              CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
} // namespace lathe::test
