// SPDX-License-Identifier: MIT
// Dynamic parallelism: kernels that launch kernels, in the streams of the device runtime.
#include "tests/soft/rt/driver_test.h"

#include <filesystem>
#include <numeric>
#include <thread>

namespace lathe::test {
namespace {

class DeviceRuntime : public DriverTest {
protected:
    CUfunction parent(const std::string& source) { return kernel(source, {"-rdc=true"}); }
    std::vector<int> run(const std::string& source, const Shape& s, std::size_t count) {
        CUfunction f = parent(source);
        Buffer<int> x{count};
        EXPECT_EQ(launch(f, s, x.get()), CUDA_SUCCESS) << latheSoftGetLastErrorText();
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
        return x.read();
    }
    /// Links a kernel that launches one, with `library` unless that is empty, and runs it.
    void link_and_run(const std::filesystem::path& library) {
        const std::string ptx =
            compile_to_ptx("__global__ void child(int* x) { x[threadIdx.x] = threadIdx.x; }\n"
                           "extern \"C\" __global__ void k(int* x) { child<<<1, 32>>>(x); }",
                           "k.cu", {"-rdc=true"});
        CUlinkState state = nullptr;
        CHECK_CU(cuLinkCreate(0, nullptr, nullptr, &state));
        CHECK_CU(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()),
                               ptx.size() + 1, "k.ptx", 0, nullptr, nullptr));
        if (!library.empty()) {
            CHECK_CU(
                cuLinkAddFile(state, CU_JIT_INPUT_LIBRARY, library.c_str(), 0, nullptr, nullptr));
        }
        void* image = nullptr;
        CHECK_CU(cuLinkComplete(state, &image, nullptr));
        CUmodule module = nullptr;
        CHECK_CU(cuModuleLoadData(&module, image));
        Buffer<int> x{32};
        CHECK_CU(launch(function(module, "k"), shape(1, 1), x.get()));
        CHECK_CU(cuCtxSynchronize());
        std::vector<int> wanted(32);
        std::iota(wanted.begin(), wanted.end(), 0);
        EXPECT_EQ(x.read(), wanted);
        CHECK_CU(cuLinkDestroy(state));
    }
};

TEST_F(DeviceRuntime, AKernelLaunchesAKernelWithItsParameters) {
    const auto found = run(R"(
        struct Pair { char a; double b; };
        __global__ void child(int* x, char c, Pair p, short s) {
            x[threadIdx.x] = c * 1000 + int(p.a * p.b) + s + threadIdx.x;
        }
        extern "C" __global__ void k(int* x) {
            if (threadIdx.x == 0) child<<<1, 32>>>(x, 3, Pair{4, 2.5}, 500);
        })",
                           shape(1, 64), 32);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], 3510 + i);
}

// Launches of one block that name no stream run one after another; those of other blocks beside.
TEST_F(DeviceRuntime, ABlocksLaunchesKeepTheirOrder) {
    const auto found = run(R"(
        __global__ void times(int* x, int n) { x[threadIdx.x] *= n; }
        __global__ void plus(int* x, int n) { x[threadIdx.x] += n; }
        extern "C" __global__ void k(int* x) {
            int* own = x + blockIdx.x * 32;
            if (threadIdx.x) return;
            for (int i = 0; i < 32; ++i) own[i] = i;
            times<<<1, 32>>>(own, 3);
            plus<<<1, 32>>>(own, blockIdx.x);
            times<<<1, 32>>>(own, 2);
        })",
                           shape(20, 32), 640);
    for (int i = 0; i < 640; ++i)
        ASSERT_EQ(found[static_cast<std::size_t>(i)], (i % 32 * 3 + i / 32) * 2) << i;
}

TEST_F(DeviceRuntime, WorkBehindTheLaunchSeesWhatItsChildrenWrote) {
    CUfunction f = parent(R"(
        __global__ void child(int* x) { x[blockIdx.x * 256 + threadIdx.x] += 1; }
        extern "C" __global__ void k(int* x) {
            if (threadIdx.x == 0) child<<<64, 256>>>(x);
        })");
    Buffer<int> x{64 * 256};
    CUstream stream = nullptr;
    CHECK_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    Shape s = shape(1, 32);
    s.stream = stream;
    for (int i = 0; i < 10; ++i) CHECK_CU(launch(f, s, x.get()));
    std::vector<int> found(64 * 256);
    CHECK_CU(cuMemcpyDtoHAsync(found.data(), x.get(), found.size() * sizeof(int), stream));
    CHECK_CU(cuStreamSynchronize(stream));
    EXPECT_EQ(found, std::vector<int>(64 * 256, 10));
    CHECK_CU(cuStreamDestroy(stream));
}

TEST_F(DeviceRuntime, TheTailRunsBehindAllOthers) {
    const auto found = run(R"(
        #include <cuda_device_runtime_api.h>
        __global__ void add(int* x) { atomicAdd(x, 1); }
        __global__ void note(int* x, int slot) { x[slot] = x[0]; x[0] += 1000; }
        extern "C" __global__ void k(int* x) {
            if (threadIdx.x) return;
            note<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 1);
            for (int i = 0; i < 50; ++i) add<<<2, 32, 0, cudaStreamFireAndForget>>>(x);
            note<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 2);
            add<<<1, 1>>>(x);
        })",
                           shape(1, 32), 3);
    EXPECT_EQ(found[1], 50 * 64 + 1);
    EXPECT_EQ(found[2], 50 * 64 + 1 + 1000);
}

TEST_F(DeviceRuntime, ChildrenLaunchChildren) {
    const auto found = run(R"(
        __global__ void node(int* x, int depth) {
            atomicAdd(x + depth, 1);
            if (depth == 6) return;
            node<<<1, 1>>>(x, depth + 1);
            node<<<1, 1, 0, (cudaStream_t)4>>>(x, depth + 1);
        }
        __global__ void sum(int* x) { for (int i = 0; i < 7; ++i) x[7] += x[i]; }
        extern "C" __global__ void k(int* x) {
            sum<<<1, 1, 0, (cudaStream_t)3>>>(x);
            node<<<1, 1>>>(x, 0);
        })",
                           shape(1, 1), 8);
    EXPECT_EQ(found, (std::vector<int>{1, 2, 4, 8, 16, 32, 64, 127}));
}

TEST_F(DeviceRuntime, StreamsEventsCopiesAndFills) {
    const auto found = run(R"(
        #include <cuda_device_runtime_api.h>
        __global__ void times(int* x, int n) { x[threadIdx.x] *= n; }
        extern "C" __global__ void k(int* x) {
            cudaStream_t a, b;
            cudaEvent_t ready;
            int ok = cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking) == cudaSuccess;
            ok += cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking) == cudaSuccess;
            ok += cudaEventCreateWithFlags(&ready, cudaEventDisableTiming) == cudaSuccess;
            ok += cudaMemsetAsync(x, 1, 128, a) == cudaSuccess;
            times<<<1, 32, 0, a>>>(x, 5);
            ok += cudaEventRecord(ready, a) == cudaSuccess;
            ok += cudaStreamWaitEvent(b, ready, 0) == cudaSuccess;
            ok += cudaMemcpyAsync(x + 32, x, 128, cudaMemcpyDeviceToDevice, b) == cudaSuccess;
            ok += cudaStreamDestroy(a) == cudaSuccess;
            ok += cudaStreamDestroy(b) == cudaSuccess;
            ok += cudaEventDestroy(ready) == cudaSuccess;
            x[64] = ok;
        })",
                           shape(1, 1), 65);
    for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(found[i], 0x01010101 * 5) << i;
    EXPECT_EQ(found[64], 10);
}

TEST_F(DeviceRuntime, MistakesAreTheThreadsToAskFor) {
    const auto found = run(R"(
        #include <cuda_device_runtime_api.h>
        __global__ void child(int* x) { x[0] = 1; }
        extern "C" __global__ void k(int* x) {
            int t = threadIdx.x;
            x += 8 * t + 8;
            if (t == 1) child<<<1, 2000>>>(x);
            x[1] = cudaPeekAtLastError();
            x[2] = cudaGetLastError();
            x[3] = cudaGetLastError();
            x[4] = cudaGetErrorString(cudaErrorInvalidValue)[0];
            x[5] = cudaMemsetAsync((void*)16, 0, 4, 0);
            int device = 7;
            cudaGetDevice(&device);
            x[6] = device;
            cudaDeviceGetAttribute(&device, cudaDevAttrMaxThreadsPerBlock, 0);
            x[7] = device;
        })",
                           shape(1, 2), 24);
    EXPECT_EQ((std::vector<int>{found.begin() + 8, found.begin() + 16}),
              (std::vector<int>{0, 0, 0, 0, 'i', 1, 0, 1024}));
    EXPECT_EQ((std::vector<int>{found.begin() + 16, found.end()}),
              (std::vector<int>{0, 9, 9, 0, 'i', 1, 0, 1024}));
}

TEST_F(DeviceRuntime, AChildsFaultIsTheLaunchs) {
    CUfunction f = parent(R"(
        extern "C" __global__ void child(int* x) { x[1 << 20] = 1; }
        extern "C" __global__ void k(int* x) { child<<<1, 1>>>(x); })");
    Buffer<int> x{8};
    CHECK_CU(launch(f, shape(1, 1), x.get()));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_STREQ(last_fault().kernel, "child");
}

TEST_F(DeviceRuntime, ChildrenAreCancelledWithTheirParent) {
    CUfunction f = parent(R"(
        __global__ void child(volatile int* x) { x[0] = 1; while (!x[1]) {} }
        extern "C" __global__ void k(int* x) { child<<<1, 1>>>(x); child<<<1, 1>>>(x); })");
    Buffer<int> x{2};
    CHECK_CU(launch(f, shape(1, 1), x.get()));
    const auto* words = reinterpret_cast<const int*>(x.get());
    while (!__atomic_load_n(words, __ATOMIC_RELAXED)) {
        ASSERT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY) << "no child came to its store";
        std::this_thread::yield();
    }
    EXPECT_EQ(latheSoftCancel(nullptr), 0);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(DeviceRuntime, ManyThreadsLaunch) {
    const auto found = run(R"(
        __global__ void child(int* x, int i) { atomicAdd(x + i % 16, 1); }
        extern "C" __global__ void k(int* x) {
            child<<<1, 32, 0, (cudaStream_t)4>>>(x, blockIdx.x * blockDim.x + threadIdx.x);
        })",
                           shape(16, 64), 16);
    EXPECT_EQ(found, std::vector<int>(16, 64 * 32));
}

TEST_F(DeviceRuntime, TheToolkitsLibraryIsNotNeeded) { link_and_run({}); }

TEST_F(DeviceRuntime, TheToolkitsLibraryIsLinked) {
    const std::filesystem::path include = LATHE_TEST_CUDA_INCLUDE;
    for (const char* folder : {"../lib64", "../lib"}) // of a toolkit, of NVIDIA's wheels
        if (const auto library = include / folder / "libcudadevrt.a"; exists(library))
            return link_and_run(library);
    GTEST_SKIP() << "libcudadevrt.a is neither in ../lib64 nor in ../lib from " << include;
}

} // namespace
} // namespace lathe::test
