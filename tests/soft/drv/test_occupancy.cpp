// SPDX-License-Identifier: MIT
// What occupancy queries and function attributes promise is what launches allow.
#include "tests/soft/rt/driver_test.h"

namespace lathe::test {
namespace {

class Occupancy : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        if (!context_) return;
        module_ = load(R"(
            extern "C" __global__ void plain(int* x) { x[threadIdx.x] = 1; }
            extern "C" __global__ void __launch_bounds__(128) bounded(int* x) {
                x[threadIdx.x] = 1;
            }
            extern "C" __global__ void shared(int* x) {
                __shared__ int s[3000];
                extern __shared__ int d[];
                s[threadIdx.x] = d[threadIdx.x] = 1;
                __syncthreads();
                x[threadIdx.x] = s[threadIdx.x] + d[threadIdx.x];
            })");
        x_ = std::make_unique<Buffer<int>>(1024);
    }
    void TearDown() override {
        x_.reset();
        if (module_) cuModuleUnload(module_);
        DriverTest::TearDown();
    }
    static int attribute(CUfunction f, CUfunction_attribute which) {
        int value = -1;
        EXPECT_EQ(cuFuncGetAttribute(&value, which, f), CUDA_SUCCESS);
        return value;
    }
    static int blocks(CUfunction f, int threads, std::size_t bytes) {
        int n = -1;
        EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, threads, bytes), CUDA_SUCCESS);
        return n;
    }
    CUresult start(CUfunction f, unsigned threads, unsigned bytes) {
        const CUresult result = launch(f, shape(1, threads, bytes), x_->get());
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
        return result;
    }
    CUmodule module_ = nullptr;
    std::unique_ptr<Buffer<int>> x_;
};

TEST_F(Occupancy, BlocksThatFitCanBeLaunched) {
    for (const char* name : {"plain", "bounded", "shared"}) {
        CUfunction f = function(module_, name);
        for (unsigned threads : {1u, 32u, 100u, 128u, 129u, 512u, 1024u}) {
            const std::size_t bytes = threads * 4;
            EXPECT_EQ(blocks(f, static_cast<int>(threads), bytes) > 0,
                      start(f, threads, static_cast<unsigned>(bytes)) == CUDA_SUCCESS)
                << name << " " << threads;
        }
        EXPECT_EQ(blocks(f, 1025, 0), 0);
    }
}

TEST_F(Occupancy, SharedMemoryIsCounted) {
    CUfunction f = function(module_, "shared");
    EXPECT_EQ(attribute(f, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 12000);
    EXPECT_EQ(blocks(f, 32, 0), 5);
    EXPECT_EQ(blocks(f, 32, 20000), 2);
    std::size_t bytes = 0;
    for (int wanted : {1, 2, 3, 4, 5}) {
        CHECK_CU(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, wanted, 32));
        EXPECT_GE(blocks(f, 32, bytes), wanted);
        EXPECT_LT(blocks(f, 32, bytes + 512), wanted);
    }
    CHECK_CU(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 6, 32));
    EXPECT_EQ(bytes, 0u);
}

TEST_F(Occupancy, MoreSharedMemoryIsAskedFor) {
    CUfunction f = function(module_, "shared");
    constexpr auto kMost = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    EXPECT_EQ(attribute(f, kMost), 49152);
    EXPECT_EQ(start(f, 32, 50000), CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuFuncSetAttribute(f, kMost, 50000));
    CHECK_CU(start(f, 32, 50000));
    EXPECT_EQ(cuFuncSetAttribute(f, kMost, 65536 - 12000 + 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncSetAttribute(f, kMost, -1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Occupancy, ThePotentialBlockSize) {
    int grid = 0, block = 0;
    CUfunction plain = function(module_, "plain"), bounded = function(module_, "bounded");
    CHECK_CU(cuOccupancyMaxPotentialBlockSize(&grid, &block, plain, nullptr, 0, 0));
    EXPECT_EQ(block, 1024);
    EXPECT_GE(grid, 1);
    CHECK_CU(start(plain, static_cast<unsigned>(block), 0));
    CHECK_CU(cuOccupancyMaxPotentialBlockSize(&grid, &block, bounded, nullptr, 0, 0));
    EXPECT_EQ(block, 128);
    EXPECT_EQ(attribute(bounded, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 128);
    CHECK_CU(cuOccupancyMaxPotentialBlockSize(&grid, &block, plain, nullptr, 0, 200));
    EXPECT_LE(block, 200);
    CHECK_CU(cuOccupancyMaxPotentialBlockSize(
        &grid, &block, function(module_, "shared"),
        [](int threads) -> std::size_t { return static_cast<std::size_t>(threads) * 64; }, 0, 0));
    CHECK_CU(start(function(module_, "shared"), static_cast<unsigned>(block),
                   static_cast<unsigned>(block) * 64));
}

// Cooperative grids: as many blocks as the queries say are resident at once, and no more.
// As many as hold values at one time: more where more are kept, within what the block allows.
TEST_F(Occupancy, RegistersAreThoseThatTheKernelNeeds) {
    const auto sums = [](int count, int threads) {
        std::string read, write;
        for (int k = 0; k < count; ++k) {
            const std::string i = std::to_string(k);
            read += "volatile int* p" + i + " = x + " + i + " * threadIdx.x; const int v" + i +
                    " = *p" + i + ";";
            write += "x[" + i + "] = v" + i + ";";
        }
        return "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads) +
               ") k(int* x) {" + read + write + "}";
    };
    const auto registers = [&](int count, int threads) {
        return attribute(kernel(sums(count, threads)), CU_FUNC_ATTRIBUTE_NUM_REGS);
    };
    EXPECT_LT(registers(2, 128), 16);
    EXPECT_GE(registers(40, 128), 40);
    EXPECT_LT(registers(40, 128), 60);
    EXPECT_EQ(registers(80, 1024), 64);
    EXPECT_EQ(registers(260, 32), 255);
}

TEST_F(Occupancy, CooperativeGrids) {
    CUfunction f = function(module_, "bounded");
    int workers = 0;
    CHECK_CU(cuDeviceGetAttribute(&workers, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    const auto most = static_cast<unsigned>(blocks(f, 128, 0) * workers);
    CUdeviceptr x = x_->get();
    void* params[] = {&x};
    CHECK_CU(cuLaunchCooperativeKernel(f, most, 1, 1, 128, 1, 1, 0, nullptr, params));
    EXPECT_EQ(cuLaunchCooperativeKernel(f, most + 1, 1, 1, 128, 1, 1, 0, nullptr, params),
              CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    CUlaunchConfig config{};
    config.gridDimX = most + 1;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 128;
    config.attrs = &attribute;
    config.numAttrs = 1;
    EXPECT_EQ(cuLaunchKernelEx(&config, f, params, nullptr),
              CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    config.gridDimX = 1;
    CHECK_CU(cuLaunchKernelEx(&config, f, params, nullptr));
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {2, 1, 1};
    EXPECT_EQ(cuLaunchKernelEx(&config, f, params, nullptr), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    EXPECT_STREQ(latheSoftGetLastErrorText(),
                 "clusters of 2 x 1 x 1 blocks: the software device has none, whatever compute "
                 "capability it reports");
    attribute.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    attribute.value.sharedMemCarveout = 100;
    CHECK_CU(cuLaunchKernelEx(&config, f, params, nullptr));
    attribute.value.sharedMemCarveout = static_cast<unsigned>(CU_SHAREDMEM_CARVEOUT_DEFAULT);
    EXPECT_EQ(cuLaunchKernelEx(&config, f, params, nullptr), CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuCtxSynchronize());
}

} // namespace
} // namespace lathe::test
