// SPDX-License-Identifier: MIT
// Threads of one warp that wait for each other: locks, flags, barriers and warp operations that
// lanes come to one by one. Forward progress as on compute capability 7.0 and later. By warps none
// of these kernels may fall back to single threads.
#include "tests/soft/rt/driver_test.h"

#include "engine/core/log.h"

#include <cstring>

namespace lathe::test {
namespace {

class Progress : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        sink_ = log::add_sink([this](const log::Record& record) {
            if (record.text.find("runs by single threads") != std::string::npos)
                fallen_back_ += record.text + "\n";
        });
        CHECK_CU(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
        latheSoftSetTimeLimit(stream_, 20000); // a kernel that does not come to an end
    }
    void TearDown() override {
        log::remove_sink(sink_);
        EXPECT_EQ(fallen_back_, "");
        if (stream_) cuStreamDestroy(stream_);
        DriverTest::TearDown();
    }

    /// Runs the kernel `k(int* x)` and gives back the first `count` words.
    std::vector<int> run(const std::string& source, unsigned grid, unsigned block,
                         std::size_t count, const char* option = "-lineinfo") {
        CUfunction f = kernel(source, {option});
        Buffer<int> x{count};
        Shape s = shape(grid, block);
        s.stream = stream_;
        EXPECT_EQ(launch(f, s, x.get()), CUDA_SUCCESS) << latheSoftGetLastErrorText();
        EXPECT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS) << latheSoftGetLastErrorText();
        return x.read();
    }

    CUstream stream_ = nullptr;
    int sink_ = 0;
    std::string fallen_back_;
};

TEST_F(Progress, ALockTakenInOneLoopAndGivenBackBehindIt) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        for (int round = 0; round < 5; ++round) {
            while (atomicCAS(&x[0], 0, 1) != 0) {}
            int seen = *(volatile int*)&x[1];
            *(volatile int*)&x[1] = seen + 1;
            __threadfence();
            atomicExch(&x[0], 0);
        }
    })",
                       3, 48, 2);
    EXPECT_EQ(x[0], 0);
    EXPECT_EQ(x[1], 3 * 48 * 5);
}

TEST_F(Progress, ADebugBuildWaitsAlike) {
    const auto x = run(R"(
        __device__ void lock(int* place) { while (atomicCAS(place, 0, 1) != 0) {} }
        __device__ void unlock(int* place) { __threadfence(); atomicExch(place, 0); }
        extern "C" __global__ void k(int* x) {
            for (int round = 0; round < 3; ++round) {
                lock(&x[0]);
                *(volatile int*)&x[1] += 1;
                unlock(&x[0]);
                __syncthreads();
                int sum = __shfl_xor_sync(~0u, (int)threadIdx.x, 1);
                if (sum != (threadIdx.x ^ 1)) x[2] = 1;
            }
        })",
                       2, 64, 3, "-G");
    EXPECT_EQ(x[0], 0);
    EXPECT_EQ(x[1], 2 * 64 * 3);
    EXPECT_EQ(x[2], 0);
}

TEST_F(Progress, ALockFollowedByABarrier) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        __shared__ int sum, lock;
        if (threadIdx.x == 0) sum = lock = 0;
        __syncthreads();
        int mine = 0;
        for (int i = 0; i < (int)threadIdx.x % 5 + 1; ++i) mine += i * threadIdx.x;
        while (atomicExch(&lock, 1) != 0) {}
        *(volatile int*)&sum += mine;
        atomicExch(&lock, 0);
        __syncthreads();
        x[blockIdx.x * blockDim.x + threadIdx.x] = *(volatile int*)&sum + mine;
    })",
                       2, 80, 160);
    int sum = 0;
    std::vector<int> mine(80);
    for (int t = 0; t < 80; ++t) {
        for (int i = 0; i < t % 5 + 1; ++i) mine[t] += i * t;
        sum += mine[t];
    }
    for (int t = 0; t < 160; ++t) EXPECT_EQ(x[t], sum + mine[t % 80]) << t;
}

TEST_F(Progress, LanesThatPassAFlagOn) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        volatile int* flag = x;
        const int n = blockDim.x, lane = threadIdx.x;
        // Downwards, against the order of the lanes.
        while (lane != n - 1 && flag[lane + 1] == 0) {}
        x[n + lane] = lane == n - 1 ? 1 : x[n + lane + 1] * 3 + lane;
        __threadfence();
        flag[lane] = 1;
    })",
                       1, 64, 128);
    unsigned value = 1;
    for (unsigned lane = 63;; --lane) {
        if (lane != 63) value = value * 3 + lane;
        EXPECT_EQ(static_cast<unsigned>(x[64 + lane]), value) << lane;
        if (lane == 0) break;
    }
}

TEST_F(Progress, TwoLanesThatTakeTurns) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        volatile int* turn = x;
        if (threadIdx.x % 2 == 0) {
            for (int i = 0; i < 20; ++i) {
                while (turn[0] != 2 * i) {}
                turn[1] = turn[1] * 2 + 1;
                turn[0] = 2 * i + 1;
            }
        } else {
            for (int i = 0; i < 20; ++i) {
                while (turn[0] != 2 * i + 1) {}
                turn[1] = turn[1] & 0xffff;
                turn[0] = 2 * i + 2;
            }
        }
    })",
                       1, 2, 2);
    int value = 0;
    for (int i = 0; i < 20; ++i) value = (value * 2 + 1) & 0xffff;
    EXPECT_EQ(x[0], 40);
    EXPECT_EQ(x[1], value);
}

TEST_F(Progress, TicketsAreServedInTurn) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        for (int round = 0; round < 3; ++round) {
            int mine = atomicAdd(&x[0], 1);
            while (*(volatile int*)&x[1] != mine) {}
            x[2 + mine] = mine * 7;
            __threadfence();
            *(volatile int*)&x[1] = mine + 1;
        }
    })",
                       2, 40, 2 + 240);
    for (int i = 0; i < 240; ++i) EXPECT_EQ(x[2 + i], 7 * i);
}

TEST_F(Progress, CompareAndSwapUntilItSucceeds) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        int* place = &x[threadIdx.x % 3];
        int old = *place, assumed;
        do {
            assumed = old;
            old = atomicCAS(place, assumed, assumed * 2 > 1000 ? assumed : assumed + 1);
        } while (assumed != old);
        x[3 + blockIdx.x * blockDim.x + threadIdx.x] = 1;
    })",
                       4, 96, 3 + 384);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(x[i], 128);
    for (int i = 0; i < 384; ++i) EXPECT_EQ(x[3 + i], 1);
}

TEST_F(Progress, GridWideSynchronisation) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(int* x) {
        for (int round = 1; round <= 6; ++round) {
            atomicAdd(&x[round], threadIdx.x);
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence();
                atomicAdd(&x[0], 1);
                while (*(volatile int*)&x[0] < round * (int)gridDim.x) {}
            }
            __syncthreads();
            if (*(volatile int*)&x[round] != 2016 * (int)gridDim.x) x[7] = round;
        }
    })");
    Buffer<int> x{8};
    CUdeviceptr p = x.get();
    void* params[] = {&p};
    CHECK_CU(cuLaunchCooperativeKernel(f, 4, 1, 1, 64, 1, 1, 0, stream_, params));
    CHECK_CU(cuStreamSynchronize(stream_));
    EXPECT_EQ(x.read()[7], 0);
}

TEST_F(Progress, ABarrierInEachBranch) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        __shared__ int a[96];
        const int t = threadIdx.x;
        int sum = 0;
        for (int round = 0; round < 3; ++round) {
            a[t] = t + round;
            if (t % 3 == 0) {
                __syncthreads();
                sum += a[(t + 1) % 96];
                __syncthreads();
            } else {
                sum += t;
                __syncthreads();
                sum += 2 * a[(t + 5) % 96];
                __syncthreads();
            }
        }
        x[t] = sum;
    })",
                       1, 96, 96);
    for (int t = 0; t < 96; ++t) {
        int sum = 0;
        for (int round = 0; round < 3; ++round)
            sum += t % 3 == 0 ? (t + 1) % 96 + round : t + 2 * ((t + 5) % 96 + round);
        EXPECT_EQ(x[t], sum) << t;
    }
}

TEST_F(Progress, ACountingBarrierInEachBranch) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        const int t = threadIdx.x;
        if (t >= 70) return;
        if (t & 1)
            x[t] = 1000 + __syncthreads_count(t % 4 == 1);
        else
            x[t] = 2000 + __syncthreads_count(t % 5 == 0);
    })",
                       1, 96, 96);
    int count = 0;
    for (int t = 0; t < 70; ++t) count += t & 1 ? t % 4 == 1 : t % 5 == 0;
    for (int t = 0; t < 70; ++t) EXPECT_EQ(x[t], (t & 1 ? 1000 : 2000) + count) << t;
}

TEST_F(Progress, LanesLeaveALoopOfBarriersEarly) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        __shared__ int seen;
        const int t = threadIdx.x;
        if (t == 0) seen = 0;
        __syncthreads();
        for (int i = 0; i < 8; ++i) {
            if (i == t % 8 + 1) break;
            atomicAdd(&seen, 1);
            __syncthreads();
        }
        for (int i = t % 8 + 1; i < 8; ++i) __syncthreads();
        x[t] = seen;
    })",
                       1, 64, 64);
    for (int t = 0; t < 64; ++t) EXPECT_EQ(x[t], 8 * 36) << t;
}

TEST_F(Progress, WarpOperationsOfPartsOfAWarp) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        const int lane = threadIdx.x;
        int v = lane * lane;
        if (lane < 8) {
            for (int d = 4; d; d /= 2) v += __shfl_xor_sync(0xff, v, d);
        } else if (lane < 20) {
            v = __shfl_sync(0xfff00, v, 13) + __popc(__ballot_sync(0xfff00, lane & 1));
        } else {
            int sum = 0;
            for (int i = 20; i < 32; ++i) sum += __shfl_sync(0xfff00000, v, i);
            v = sum;
        }
        x[lane] = v + __shfl_down_sync(~0u, v, 1);
    })",
                       1, 32, 32);
    std::vector<int> v(32);
    int low = 0, high = 0;
    for (int i = 0; i < 8; ++i) low += i * i;
    for (int i = 20; i < 32; ++i) high += i * i;
    for (int i = 0; i < 32; ++i) v[i] = i < 8 ? low : i < 20 ? 13 * 13 + 6 : high;
    for (int i = 0; i < 32; ++i) EXPECT_EQ(x[i], v[i] + v[i < 31 ? i + 1 : i]) << i;
}

TEST_F(Progress, OneWarpOperationAtTwoPlaces) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        const int lane = threadIdx.x;
        int v = lane + 1;
        // The places of one shuffle: those of each branch, kept apart by what else they do.
        if (lane % 3 == 0) {
            x[64 + lane] = v;
            asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(v));
            v *= 5;
        } else {
            v += x[64 + lane] + 100;
            asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(v));
            v -= 7;
        }
        x[lane] = v;
        x[32 + lane] = __any_sync(~0u, v == 12345);
    })",
                       1, 32, 96);
    for (int lane = 0; lane < 32; ++lane) {
        const int from = lane ^ 1;
        const int v = from % 3 == 0 ? from + 1 : from + 101;
        EXPECT_EQ(x[lane], lane % 3 == 0 ? v * 5 : v - 7) << lane;
        EXPECT_EQ(x[32 + lane], 0) << lane;
    }
}

TEST_F(Progress, AWarpOperationBehindALock) {
    const auto x = run(R"(extern "C" __global__ void k(int* x) {
        const int lane = threadIdx.x % 32;
        while (atomicCAS(&x[0], 0, 1) != 0) {}
        int mine = *(volatile int*)&x[1];
        *(volatile int*)&x[1] = mine + 1;
        __threadfence();
        atomicExch(&x[0], 0);
        // All have had the lock: the numbers of the warp's lanes are different.
        int most = mine;
        for (int d = 16; d; d /= 2) most = max(most, __shfl_xor_sync(~0u, most, d));
        unsigned same = __match_any_sync(~0u, mine);
        __syncwarp();
        x[2 + blockIdx.x * blockDim.x + threadIdx.x] =
            (most >= mine) + 2 * (same == 1u << lane);
    })",
                       2, 64, 2 + 128);
    EXPECT_EQ(x[1], 128);
    for (int t = 0; t < 128; ++t) EXPECT_EQ(x[2 + t], 3) << t;
}

TEST_F(Progress, LanesAtABarrierAndAtAWarpOperationAreADeadlock) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x) {\n"
                          "  if (threadIdx.x < 5)\n"
                          "    x[0] = __shfl_sync(~0u, x[1], 7);\n"
                          "  else\n"
                          "    __syncthreads();\n"
                          "}\n");
    Buffer<int> x{2};
    Shape s = shape(1, 32);
    s.stream = stream_;
    CHECK_CU(launch(f, s, x.get()));
    EXPECT_EQ(cuStreamSynchronize(stream_), CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_NE(std::strstr(last_fault().message, "deadlock"), nullptr) << last_fault().message;
    EXPECT_EQ(last_fault().line, 3u);
}

} // namespace
} // namespace lathe::test
