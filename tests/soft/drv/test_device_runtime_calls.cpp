// SPDX-License-Identifier: MIT
// What kernels ask CUDA's device runtime for beside launches: copies and fills of rows and slices,
// attributes, settings. Each has its twin of the host's, and a plain loop where there is one.
#include "tests/soft/rt/driver_test.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <regex>
#include <set>

namespace lathe::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

class DeviceRuntimeCalls : public DriverTest {
protected:
    CUfunction parent(const std::string& source) {
        return kernel("#include <cuda_device_runtime_api.h>\n" + source, {"-rdc=true"});
    }
    template <class... Args> void run(CUfunction f, Args... args) {
        CHECK_CU(launch(f, shape(1, 1), args...));
        ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
    }
    static Bytes counted(std::size_t count) {
        Bytes values(count);
        for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<std::uint8_t>(k * 37 + 11);
        return values;
    }
};

TEST_F(DeviceRuntimeCalls, EveryFunctionOfTheHeaderLinks) {
    const std::filesystem::path header = LATHE_TEST_CUDA_INCLUDE "/cuda_device_runtime_api.h";
    if (!exists(header)) GTEST_SKIP() << header << " was not found";
    std::ifstream file{header};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    std::set<std::string> names;
    const std::regex name{"__cudaCDP2\\w+"};
    for (std::sregex_iterator it{text.begin(), text.end(), name}, end; it != end; ++it)
        names.insert(it->str());
    EXPECT_GT(names.size(), 40u);
    std::string declared = ".version 7.0\n.target sm_70\n.address_size 64\n", calls;
    for (const std::string& each : names) {
        declared += ".extern .func (.param .b32 r) " + each + "();\n";
        calls += "{ .param .b32 r; call.uni (r), " + each + ", (); }\n";
    }
    const std::string ptx = declared +
                            ".visible .entry k(.param .u32 n) {\n.reg .pred %p<2>;\n"
                            ".reg .b32 %r<2>;\nld.param.u32 %r1, [n];\n"
                            "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra done;\n" +
                            calls + "done:\nret;\n}\n";
    CUlinkState state = nullptr;
    CHECK_CU(cuLinkCreate(0, nullptr, nullptr, &state));
    CHECK_CU(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()), ptx.size() + 1,
                           "k.ptx", 0, nullptr, nullptr));
    void* image = nullptr;
    CHECK_CU(cuLinkComplete(state, &image, nullptr));
    CUmodule module = nullptr;
    CHECK_CU(cuModuleLoadData(&module, image));
    run(function(module, "k"), 0);
    CHECK_CU(cuLinkDestroy(state));
}

/// A block of rows, in bytes from a buffer's beginning.
struct Rows {
    std::size_t begin, pitch, slice;
    std::size_t at(std::size_t x, std::size_t y, std::size_t z) const {
        return begin + z * slice + y * pitch + x;
    }
};
template <class F> void each_byte(std::size_t width, std::size_t rows, std::size_t slices, F f) {
    for (std::size_t z = 0; z < slices; ++z)
        for (std::size_t y = 0; y < rows; ++y)
            for (std::size_t x = 0; x < width; ++x) f(x, y, z);
}

TEST_F(DeviceRuntimeCalls, RowsAndSlicesAreCopiedAndFilledAsByTheHost) {
    CUfunction f = parent(R"(
        extern "C" __global__ void k(char* y, char* x, int* errors) {
            const auto copies = cudaMemcpyDeviceToDevice;
            *errors++ = cudaMemcpy2DAsync(y + 5, 40, x + 3, 32, 20, 7, copies, 0);
            *errors++ = cudaMemcpy2DAsync_ptsz(y + 305, 40, x + 3, 32, 20, 7, copies, 0);
            *errors++ = cudaMemset2DAsync(y + 1000, 50, 0x1a7, 11, 6, 0);
            *errors++ = cudaMemset2DAsync_ptsz(y + 1025, 50, 0x1a7, 11, 6, 0);
            cudaMemcpy3DParms c = {};
            c.srcPtr.ptr = x, c.srcPtr.pitch = c.srcPtr.xsize = 16, c.srcPtr.ysize = 8;
            c.srcPos.x = 2, c.srcPos.y = c.srcPos.z = 1;
            c.dstPtr.ptr = y + 2000, c.dstPtr.pitch = c.dstPtr.xsize = 24, c.dstPtr.ysize = 6;
            c.dstPos.x = 4, c.dstPos.y = 2;
            c.extent.width = 9, c.extent.height = 4, c.extent.depth = 3;
            c.kind = cudaMemcpyDefault;
            *errors++ = cudaMemcpy3DAsync(&c, 0);
            c.dstPtr.ptr = y + 2500;
            *errors++ = cudaMemcpy3DAsync_ptsz(&c, 0);
            cudaPitchedPtr to = {y + 3000, 20, 20, 5};
            cudaExtent extent = {7, 3, 4};
            *errors++ = cudaMemset3DAsync(to, 66, extent, 0);
            to.ptr = y + 3500;
            *errors++ = cudaMemset3DAsync_ptsz(to, 66, extent, 0);
        })");
    const Bytes from = counted(4096);
    Buffer<std::uint8_t> x{from}, y{4096}, twin{4096};
    Buffer<int> errors{8};
    run(f, y.get(), x.get(), errors.get());
    EXPECT_EQ(errors.read(), std::vector<int>(8, 0));

    Bytes expected(4096);
    for (const std::size_t to : {5u, 305u}) {
        const Rows target{to, 40, 0}, source{3, 32, 0};
        each_byte(20, 7, 1, [&](std::size_t i, std::size_t j, std::size_t k) {
            expected[target.at(i, j, k)] = from[source.at(i, j, k)];
        });
        CUDA_MEMCPY2D c{};
        c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        c.srcDevice = x.get() + 3, c.srcPitch = 32;
        c.dstDevice = twin.get() + to, c.dstPitch = 40;
        c.WidthInBytes = 20, c.Height = 7;
        CHECK_CU(cuMemcpy2D(&c));
    }
    for (const std::size_t to : {1000u, 1025u}) {
        each_byte(11, 6, 1, [&](std::size_t i, std::size_t j, std::size_t) {
            expected[to + j * 50 + i] = 0xa7;
        });
        CHECK_CU(cuMemsetD2D8(twin.get() + to, 50, 0xa7, 11, 6));
    }
    for (const std::size_t to : {2000u, 2500u}) {
        const Rows target{to + 4 + 2 * 24, 24, 24 * 6}, source{2 + 16 + 16 * 8, 16, 16 * 8};
        each_byte(9, 4, 3, [&](std::size_t i, std::size_t j, std::size_t k) {
            expected[target.at(i, j, k)] = from[source.at(i, j, k)];
        });
        CUDA_MEMCPY3D c{};
        c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        c.srcDevice = x.get(), c.srcPitch = 16, c.srcHeight = 8;
        c.srcXInBytes = 2, c.srcY = c.srcZ = 1;
        c.dstDevice = twin.get() + to, c.dstPitch = 24, c.dstHeight = 6;
        c.dstXInBytes = 4, c.dstY = 2;
        c.WidthInBytes = 9, c.Height = 4, c.Depth = 3;
        CHECK_CU(cuMemcpy3D(&c));
    }
    for (const std::size_t to : {3000u, 3500u}) {
        const Rows target{to, 20, 100};
        each_byte(7, 3, 4, [&](std::size_t i, std::size_t j, std::size_t k) {
            expected[target.at(i, j, k)] = 66;
        });
        for (std::size_t z = 0; z < 4; ++z)
            CHECK_CU(cuMemsetD2D8(twin.get() + to + z * 100, 20, 66, 7, 3));
    }
    EXPECT_EQ(y.read(), expected);
    EXPECT_EQ(twin.read(), expected);
}

TEST_F(DeviceRuntimeCalls, ArraysAreCopiedByElements) {
    CUfunction f = parent(R"(
        extern "C" __global__ void k(cudaArray_t to, cudaArray_t from, float* x, int* errors) {
            cudaMemcpy3DParms c = {};
            c.srcArray = from, c.srcPos.x = 1, c.srcPos.y = 2;
            c.dstPtr.ptr = x, c.dstPtr.pitch = 40, c.dstPtr.ysize = 4;
            c.extent.width = 5, c.extent.height = 3, c.extent.depth = 2;
            c.kind = cudaMemcpyDeviceToDevice;
            errors[0] = cudaMemcpy3DAsync(&c, 0);
            c = {};
            c.srcPtr.ptr = x, c.srcPtr.pitch = 40, c.srcPtr.ysize = 4;
            c.srcPos.x = 4; // bytes
            c.dstArray = to, c.dstPos.x = 2, c.dstPos.z = 1;
            c.extent.width = 3, c.extent.height = 2, c.extent.depth = 1;
            c.kind = cudaMemcpyDeviceToDevice;
            errors[1] = cudaMemcpy3DAsync(&c, 0);
        })");
    CUDA_ARRAY3D_DESCRIPTOR shape_of{8, 6, 3, CU_AD_FORMAT_FLOAT, 1, 0};
    CUarray from = nullptr, to = nullptr;
    CHECK_CU(cuArray3DCreate(&from, &shape_of));
    CHECK_CU(cuArray3DCreate(&to, &shape_of));
    std::vector<float> values(8 * 6 * 3), zeros(values.size()), found(values.size());
    std::iota(values.begin(), values.end(), 1.0f);
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.WidthInBytes = 32, c.Height = 6, c.Depth = 3;
    c.srcHost = values.data(), c.dstArray = from;
    CHECK_CU(cuMemcpy3D(&c));
    c.srcHost = zeros.data(), c.dstArray = to;
    CHECK_CU(cuMemcpy3D(&c));
    Buffer<float> x{80};
    Buffer<int> errors{2};
    run(f, to, from, x.get(), errors.get());
    EXPECT_EQ(errors.read(), std::vector<int>(2, 0));
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = to;
    c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = found.data();
    CHECK_CU(cuMemcpy3D(&c));
    const auto memory = x.read();
    const auto value = [&](std::size_t i, std::size_t j, std::size_t k) {
        return values[(k * 6 + j) * 8 + i];
    };
    each_byte(5, 3, 2, [&](std::size_t i, std::size_t j, std::size_t k) {
        EXPECT_EQ(memory[(k * 4 + j) * 10 + i], value(i + 1, j + 2, k)) << i << j << k;
    });
    each_byte(3, 2, 1, [&](std::size_t i, std::size_t j, std::size_t) {
        zeros[(6 + j) * 8 + i + 2] = value(i + 2, j + 2, 0);
    });
    EXPECT_EQ(found, zeros);
    CHECK_CU(cuArrayDestroy(from));
    CHECK_CU(cuArrayDestroy(to));
}

TEST_F(DeviceRuntimeCalls, MistakesAreFound) {
    CUfunction f = parent(R"(
        extern "C" __global__ void k(char* x, int* errors) {
            const auto copies = cudaMemcpyDeviceToDevice;
            errors[0] = cudaMemcpy2DAsync(x, 8, x + 100, 9, 9, 2, copies, 0);
            errors[1] = cudaMemcpy2DAsync(x, 9, x + 100, 9, 9, 2, (cudaMemcpyKind)9, 0);
            errors[2] = cudaMemcpy2DAsync(x, 9, x + 100, 400, 9, 4, copies, 0);
            errors[3] = cudaMemcpy2DAsync(x, 9, x + 100, 9, 9, 2, copies, (cudaStream_t)77);
            cudaMemcpy3DParms c = {};
            errors[4] = cudaMemcpy3DAsync(&c, 0);
            errors[5] = cudaMemset2DAsync(x, 4, 0, 5, 2, 0);
            errors[6] = cudaMemset2DAsync(x, 400, 0, 5, 4, 0);
            cudaPitchedPtr to = {x, 10, 10, 2};
            cudaExtent extent = {5, 3, 2};
            errors[7] = cudaMemset3DAsync(to, 0, extent, 0);
            cudaFuncAttributes a;
            errors[8] = cudaFuncGetAttributes(&a, (const void*)x);
            errors[9] = cudaGetLastError();
        })");
    const Bytes before = counted(1000);
    Buffer<std::uint8_t> x{before};
    Buffer<int> errors{10};
    run(f, x.get(), errors.get());
    EXPECT_EQ(errors.read(), (std::vector<int>{12, 21, 1, 400, 1, 12, 1, 1, 98, 98}));
    EXPECT_EQ(x.read(), before);
}

TEST_F(DeviceRuntimeCalls, AttributesAndSettingsAreTheHosts) {
    CUmodule module = load(R"(
        #include <cuda_device_runtime_api.h>
        __constant__ int table[25];
        extern "C" __global__ void __launch_bounds__(192) child(int* x) {
            __shared__ int part[250];
            part[threadIdx.x] = table[threadIdx.x % 25];
            __syncthreads();
            x[threadIdx.x] = part[191 - threadIdx.x];
        }
        extern "C" __global__ void k(int* x) {
            cudaFuncAttributes a;
            *x++ = cudaFuncGetAttributes(&a, (const void*)child);
            *x++ = a.maxThreadsPerBlock;
            *x++ = a.sharedSizeBytes;
            *x++ = a.constSizeBytes;
            *x++ = a.localSizeBytes;
            *x++ = a.numRegs;
            *x++ = a.ptxVersion;
            *x++ = a.binaryVersion;
            *x++ = a.cacheModeCA;
            *x++ = a.maxDynamicSharedSizeBytes;
            *x++ = a.preferredShmemCarveout;
            cudaFuncCache cache;
            cudaSharedMemConfig banks;
            *x++ = cudaDeviceGetCacheConfig(&cache);
            *x++ = cache;
            *x++ = cudaDeviceGetSharedMemConfig(&banks);
            *x++ = banks;
            if (threadIdx.x == 77) child<<<1, 192>>>(x);
        })",
                           {"-rdc=true"});
    Buffer<int> x{15};
    CHECK_CU(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    run(function(module, "k"), x.get());
    std::vector<int> expected{0};
    for (int attribute = CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
         attribute <= CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT; ++attribute) {
        int value = -1;
        CHECK_CU(cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(attribute),
                                    function(module, "child")));
        expected.push_back(value);
    }
    EXPECT_EQ(expected[1], 192);
    EXPECT_EQ(expected[2], 1000);
    for (const int value :
         {0, int{CU_FUNC_CACHE_PREFER_L1}, 0, int{CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE}})
        expected.push_back(value);
    EXPECT_EQ(x.read(), expected);
    CHECK_CU(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_NONE));
}

TEST_F(DeviceRuntimeCalls, LaunchesMayTellTheirKernelLate) {
    CUfunction f = parent(R"(
        __global__ void add(int* x, int n) { atomicAdd(x, n * blockDim.x); }
        __device__ int count;
        __global__ void plain() { atomicAdd(&count, 1); }
        __global__ void read(int* x) { *x = count; }
        extern "C" __global__ void k(int* x) {
            for (int i = 0; i < 3; ++i) {
                void* p = cudaGetParameterBuffer(8, 12);
                *(int**)p = x;
                ((int*)p)[2] = i + 1;
                x[1 + i] = i ? cudaLaunchDevice((void*)add, p, dim3(2), dim3(32), 0, 0)
                             : cudaLaunchDevice_ptsz((void*)add, p, dim3(2), dim3(32), 0, 0);
            }
            x[4] = cudaLaunchDevice((void*)plain, nullptr, dim3(5), dim3(2), 0, 0);
            read<<<1, 1>>>(x + 5);
            void* small = cudaGetParameterBuffer(8, 1);
            x[6] = cudaLaunchDevice((void*)x, small, dim3(1), dim3(1), 0, 0);
            x[7] = cudaLaunchDevice((void*)add, nullptr, dim3(1), dim3(1), 0, 0);
        })");
    Buffer<int> x{8};
    run(f, x.get());
    EXPECT_EQ(x.read(), (std::vector<int>{6 * 64 * 32, 0, 0, 0, 0, 10, 98, 1}));
}

} // namespace
} // namespace lathe::test
