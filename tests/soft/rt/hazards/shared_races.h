// SPDX-License-Identifier: MIT
// Pairs of kernels for hazard_case.h: races of the warps of a block, in shared memory.
#pragma once

#include "tests/soft/rt/hazards/hazard_case.h"

namespace lathe::test {

inline constexpr HazardCase kSharedRaceCases[] = {
    {"missing_barrier", 2, 128, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"loop_without_second_barrier", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"two_writers", 1, 64, 0, {{kLatheSoftRaceShared, "A", "A"}}},
    {"neighbour_bytes", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"atomic_and_plain", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"named_barrier_of_others", 1, 128, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"flag_without_fence", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"float4_overlap", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"by_function", 1, 64, 0, {{kLatheSoftRaceShared, "A", "take"}}},
    {"read_before_write", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"broken_reduction", 1, 128, 0, {{kLatheSoftRaceShared, "A", "A"}}},
    {"reduction_in_warps", 1, 128, 0, {{kLatheSoftRaceShared, "A", "A"}}},
    {"plain_histogram", 1, 64, 0, {{kLatheSoftRaceShared, "A", "A"}}},
    {"atomic_and_reset", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"lock_without_fence", 1, 64, 0, {{kLatheSoftRaceShared, "A", "A"}}},
    {"barrier_for_one_buffer", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"count_is_wrong", 1, 96, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"arrived_too_early", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
};

inline constexpr const char kSharedRaceKernels[] = R"cuda(
#define T threadIdx.x
#define B blockIdx.x
#define N blockDim.x
extern "C" {
__global__ void missing_barrier(int* x, int* fresh) {
    __shared__ int s[128];
    s[T] = T + 1; /*A*/
    x[B * N + T] = s[N - 1 - T]; /*B*/
}
__global__ void missing_barrier_twin(int* x, int* fresh) {
    __shared__ int s[128];
    s[T] = T + 1;
    __syncthreads();
    x[B * N + T] = s[N - 1 - T];
}
__global__ void loop_without_second_barrier(int* x, int* fresh) {
    __shared__ int s[64];
    int sum = 0;
    for (int k = 0; k < 3; ++k) {
        s[T] = T * (k + 1); /*A*/
        __syncthreads();
        sum += s[63 - T]; /*B*/
    }
    x[T] = sum;
}
__global__ void loop_without_second_barrier_twin(int* x, int* fresh) {
    __shared__ int s[64];
    int sum = 0;
    for (int k = 0; k < 3; ++k) {
        s[T] = T * (k + 1);
        __syncthreads();
        sum += s[63 - T];
        __syncthreads();
    }
    x[T] = sum;
}
__global__ void two_writers(int* x, int* fresh) {
    __shared__ int s[1];
    if (T % 32 == 0) s[0] = T; /*A*/
    __syncthreads();
    x[T] = s[0];
}
__global__ void two_writers_twin(int* x, int* fresh) { // the same value
    __shared__ int s[1];
    if (T % 32 == 0) s[0] = 7;
    __syncthreads();
    x[T] = s[0];
}
__global__ void neighbour_bytes(int* x, int* fresh) {
    __shared__ unsigned char s[68];
    s[T] = T; /*A*/
    s[T + 1] = T + 100; /*B*/
    __syncthreads();
    x[T] = s[T];
}
__global__ void neighbour_bytes_twin(int* x, int* fresh) { // words have bytes of four threads
    __shared__ unsigned char s[68];
    s[T] = T;
    __syncthreads();
    x[T] = s[T ^ 1];
}
__global__ void atomic_and_plain(int* x, int* fresh) {
    __shared__ int s[2];
    if (T < 2) s[T] = 0;
    __syncthreads();
    atomicAdd(&s[0], 1); /*A*/
    if (T == 40) x[0] = s[0]; /*B*/
}
__global__ void atomic_and_plain_twin(int* x, int* fresh) {
    __shared__ int s[2];
    if (T < 2) s[T] = 0;
    __syncthreads();
    atomicAdd(&s[0], 1);
    if (T == 40) x[0] = atomicAdd(&s[0], 0);
}
__global__ void named_barrier_of_others(int* x, int* fresh) {
    __shared__ int s[128];
    s[T] = T; /*A*/
    if (T < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync 2, 64;" ::: "memory");
    x[T] = s[127 - T]; /*B*/
}
__global__ void named_barrier_of_others_twin(int* x, int* fresh) {
    __shared__ int s[128];
    s[T] = T;
    if (T < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync 2, 64;" ::: "memory");
    x[T] = s[T ^ 63];
}
__global__ void flag_without_fence(int* x, int* fresh) {
    __shared__ int s, flag;
    if (T == 0) flag = 0;
    __syncthreads();
    if (T == 0) {
        s = x[4096]; /*A*/
        atomicExch(&flag, 1);
    }
    if (T == 32) {
        while (atomicAdd(&flag, 0) == 0) {}
        x[0] = s; /*B*/
    }
}
__global__ void flag_without_fence_twin(int* x, int* fresh) {
    __shared__ int s, flag;
    if (T == 0) flag = 0;
    __syncthreads();
    if (T == 0) {
        s = x[4096];
        __threadfence_block();
        atomicExch(&flag, 1);
    }
    if (T == 32) {
        while (atomicAdd(&flag, 0) == 0) {}
        x[0] = s;
    }
}
__global__ void float4_overlap(int* x, int* fresh) {
    __shared__ int4 s[64];
    s[T] = make_int4(T, T, T, T); /*A*/
    x[T] = ((int*)s)[4 * (63 - T) + 2]; /*B*/
}
__global__ void float4_overlap_twin(int* x, int* fresh) {
    __shared__ int4 s[64];
    s[T] = make_int4(T, T, T, T);
    x[T] = ((int*)s)[4 * T + 2];
}
__device__ __noinline__ int take(const int* p, int i) {
    return p[i]; /*take*/
}
__global__ void by_function(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T; /*A*/
    x[T] = take(s, 63 - T);
}
__global__ void by_function_twin(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T;
    x[T] = take(s, T);
}
__global__ void read_before_write(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T;
    __syncthreads();
    int other = s[63 - T]; /*A*/
    s[T] = other + 1; /*B*/
    __syncthreads();
    x[T] = s[T];
}
__global__ void read_before_write_twin(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T;
    __syncthreads();
    int other = s[63 - T];
    __syncthreads();
    s[T] = other + 1;
    __syncthreads();
    x[T] = s[T];
}
__global__ void broken_reduction(int* x, int* fresh) {
    __shared__ int s[128];
    s[T] = T;
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (T < d) s[T] += s[T + d]; /*A*/
    }
    if (T == 0) x[0] = s[0];
}
__global__ void broken_reduction_twin(int* x, int* fresh) {
    __shared__ int s[128];
    s[T] = T;
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (T < d) s[T] += s[T + d];
        __syncthreads();
    }
    if (T == 0) x[0] = s[0];
}
__global__ void reduction_in_warps(int* x, int* fresh) { // the last steps trust in the warp
    __shared__ int s[128];
    s[T] = T;
    __syncthreads();
    for (int d = 64; d > 16; d /= 2) {
        if (T < d) s[T] += s[T + d];
        __syncthreads();
    }
    for (int d = 16; d; d /= 2) {
        if (T < d) s[T] += s[T + d]; /*A*/
    }
    if (T == 0) x[0] = s[0];
}
__global__ void reduction_in_warps_twin(int* x, int* fresh) {
    __shared__ int s[128];
    s[T] = T;
    __syncthreads();
    for (int d = 64; d > 16; d /= 2) {
        if (T < d) s[T] += s[T + d];
        __syncthreads();
    }
    for (int d = 16; d; d /= 2) {
        if (T < d) s[T] += s[T + d];
        __syncwarp();
    }
    if (T == 0) x[0] = s[0];
}
__global__ void plain_histogram(int* x, int* fresh) {
    __shared__ int bins[2];
    if (T < 2) bins[T] = 0;
    __syncthreads();
    bins[T / 2 % 2] += 1; /*A*/
    __syncthreads();
    if (T < 2) x[T] = bins[T];
}
__global__ void plain_histogram_twin(int* x, int* fresh) {
    __shared__ int bins[2];
    if (T < 2) bins[T] = 0;
    __syncthreads();
    atomicAdd(&bins[T / 2 % 2], 1);
    __syncthreads();
    if (T < 2) x[T] = bins[T];
}
__global__ void atomic_and_reset(int* x, int* fresh) {
    __shared__ int s;
    if (T == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, 1); /*A*/
    if (T == 40) s = -1; /*B*/
    __syncthreads();
    x[T] = s;
}
__global__ void atomic_and_reset_twin(int* x, int* fresh) {
    __shared__ int s;
    if (T == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, 1);
    __syncthreads();
    if (T == 40) s = -1;
    __syncthreads();
    x[T] = s;
}
__global__ void lock_without_fence(int* x, int* fresh) {
    __shared__ int lock, sum;
    if (T == 0) lock = sum = 0;
    __syncthreads();
    if (T % 32 == 0) {
        while (atomicCAS(&lock, 0, 1)) {}
        sum += T + 1; /*A*/
        atomicExch(&lock, 0);
    }
    __syncthreads();
    x[T] = sum;
}
__global__ void lock_without_fence_twin(int* x, int* fresh) {
    __shared__ int lock, sum;
    if (T == 0) lock = sum = 0;
    __syncthreads();
    if (T % 32 == 0) {
        while (atomicCAS(&lock, 0, 1)) {}
        sum += T + 1;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    x[T] = sum;
}
__global__ void barrier_for_one_buffer(int* x, int* fresh) { // two buffers want one in each round
    __shared__ int s[2][64];
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
        if (k % 2 == 0) __syncthreads();
        s[k % 2][T] = T + k; /*A*/
        sum += s[k % 2][63 - T]; /*B*/
    }
    x[T] = sum;
}
__global__ void barrier_for_one_buffer_twin(int* x, int* fresh) {
    __shared__ int s[2][64];
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
        s[k % 2][T] = T + k;
        __syncthreads();
        sum += s[k % 2][63 - T];
    }
    x[T] = sum;
}
__global__ void count_is_wrong(int* x, int* fresh) { // the barrier of 32 threads opens too early
    __shared__ int s[96];
    s[T] = T; /*A*/
    if (T < 32) asm volatile("bar.sync 1, 32;" ::: "memory");
    x[T] = s[95 - T]; /*B*/
}
__global__ void count_is_wrong_twin(int* x, int* fresh) {
    __shared__ int s[96];
    s[T] = T;
    asm volatile("bar.sync 1, 96;" ::: "memory");
    x[T] = s[95 - T];
}
__global__ void arrived_too_early(int* x, int* fresh) { // who only arrives may not read
    __shared__ int s[64];
    s[T] = T; /*A*/
    if (T < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.arrive 1, 64;" ::: "memory");
    x[T] = s[63 - T]; /*B*/
}
__global__ void arrived_too_early_twin(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T;
    if (T < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.arrive 1, 64;" ::: "memory");
    x[T] = T < 32 ? s[63 - T] : 0;
}
}
)cuda";

} // namespace lathe::test
