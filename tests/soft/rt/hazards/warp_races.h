// SPDX-License-Identifier: MIT
// Pairs of kernels for hazard_case.h: races of the lanes of a warp.
#pragma once

#include "tests/soft/rt/hazards/hazard_case.h"

namespace lathe::test {

inline constexpr HazardCase kWarpRaceCases[] = {
    {"volatile_reduction",
     1,
     32,
     0,
     {{kLatheSoftRaceShared, "A", "A"},
      {kLatheSoftRaceShared, "A", "B"},
      {kLatheSoftRaceShared, "B", "B"}}},
    {"shuffle_is_no_barrier", 1, 32, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"half_warps", 1, 32, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"all_store_theirs", 1, 32, 0, {{kLatheSoftRaceShared, "A", "A"}}},
    {"lane_stores_for_all", 1, 32, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"vote_is_no_barrier", 1, 32, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"halves_follow", 1, 32, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"scan_in_step", 1, 32, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"global_in_warp", 1, 32, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
};

inline constexpr const char kWarpRaceKernels[] = R"cuda(
#define T threadIdx.x
#define B blockIdx.x
#define N blockDim.x
extern "C" {
__global__ void volatile_reduction(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T, s[T + 32] = 0;
    __syncwarp();
    volatile int* v = s;
    v[T] += v[T + 16]; /*A*/
    v[T] += v[T + 8]; /*B*/
    x[T] = v[T];
}
__global__ void volatile_reduction_twin(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T, s[T + 32] = 0;
    __syncwarp();
    for (int d = 16; d; d /= 2) {
        int other = s[T + d];
        __syncwarp();
        s[T] += other;
        __syncwarp();
    }
    x[T] = s[T];
}
__global__ void shuffle_is_no_barrier(int* x, int* fresh) {
    __shared__ int s[32];
    s[T] = T; /*A*/
    int y = __shfl_sync(~0u, T, 3);
    x[T] = s[31 - T] + y; /*B*/
}
__global__ void shuffle_is_no_barrier_twin(int* x, int* fresh) {
    __shared__ int s[32];
    s[T] = T;
    int y = __shfl_sync(~0u, T, 3);
    __syncwarp();
    x[T] = s[31 - T] + y;
}
__global__ void half_warps(int* x, int* fresh) {
    __shared__ int s[32];
    s[T] = T; /*A*/
    if (T < 16) __syncwarp(0xffff);
    else __syncwarp(0xffff0000);
    x[T] = s[31 - T]; /*B*/
}
__global__ void half_warps_twin(int* x, int* fresh) {
    __shared__ int s[32];
    s[T] = T;
    if (T < 16) __syncwarp(0xffff);
    else __syncwarp(0xffff0000);
    x[T] = s[T ^ 15];
}
__global__ void all_store_theirs(int* x, int* fresh) {
    __shared__ int s[1];
    s[0] = T; /*A*/
    __syncwarp();
    x[T] = s[0];
}
__global__ void all_store_theirs_twin(int* x, int* fresh) {
    __shared__ int s[1];
    s[0] = x[0];
    __syncwarp();
    x[T] = s[0];
}
__global__ void lane_stores_for_all(int* x, int* fresh) {
    __shared__ int s[1];
    if (T == 0) s[0] = x[4096]; /*A*/
    x[T] = s[0]; /*B*/
}
__global__ void lane_stores_for_all_twin(int* x, int* fresh) {
    __shared__ int s[1];
    if (T == 0) s[0] = x[4096];
    __syncwarp();
    x[T] = s[0];
}
__global__ void vote_is_no_barrier(int* x, int* fresh) {
    __shared__ int s[32];
    s[T] = T; /*A*/
    int votes = __ballot_sync(~0u, T % 3 == 0);
    x[T] = s[31 - T] + votes; /*B*/
}
__global__ void vote_is_no_barrier_twin(int* x, int* fresh) {
    __shared__ int s[32];
    s[T] = T;
    int votes = __ballot_sync(~0u, T % 3 == 0);
    __syncwarp();
    x[T] = s[31 - T] + votes;
}
__global__ void halves_follow(int* x, int* fresh) { // the second half trusts in the first
    __shared__ int s[16];
    if (T < 16) s[T] = T; /*A*/
    else x[T] = s[T - 16]; /*B*/
}
__global__ void halves_follow_twin(int* x, int* fresh) {
    __shared__ int s[16];
    if (T < 16) s[T] = T;
    __syncwarp();
    if (T >= 16) x[T] = s[T - 16];
}
__global__ void scan_in_step(int* x, int* fresh) {
    __shared__ int s[32];
    s[T] = 1;
    __syncwarp();
    for (int d = 1; d < 32; d *= 2) {
        int other = T >= d ? s[T - d] : 0; /*A*/
        s[T] += other; /*B*/
        __syncwarp();
    }
    x[T] = s[T];
}
__global__ void scan_in_step_twin(int* x, int* fresh) {
    __shared__ int s[32];
    s[T] = 1;
    __syncwarp();
    for (int d = 1; d < 32; d *= 2) {
        int other = T >= d ? s[T - d] : 0;
        __syncwarp();
        s[T] += other;
        __syncwarp();
    }
    x[T] = s[T];
}
__global__ void global_in_warp(int* x, int* fresh) {
    x[T] = T; /*A*/
    x[T + 64] = x[31 - T]; /*B*/
}
__global__ void global_in_warp_twin(int* x, int* fresh) {
    x[T] = T;
    __syncwarp();
    x[T + 64] = x[31 - T];
}
}
)cuda";

} // namespace lathe::test
