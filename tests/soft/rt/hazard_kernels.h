// SPDX-License-Identifier: MIT
// Pairs of kernels: NAME has a hazard at the lines /*A*/ and /*B*/, NAME_twin has none. All take
// (int* x, int* fresh): x holds zeros, nothing has written fresh; 8192 of each.
#pragma once

#include "gpu/soft/soft_api.h"

namespace lathe::test {

struct HazardCase {
    const char* name;
    unsigned hazard, blocks, threads;
};

inline constexpr HazardCase kHazardCases[] = {
    // Shared memory, warps of a block.
    {"missing_barrier", kLatheSoftRaceShared, 2, 128},
    {"loop_without_second_barrier", kLatheSoftRaceShared, 1, 64},
    {"two_writers", kLatheSoftRaceShared, 1, 64},
    {"neighbour_bytes", kLatheSoftRaceShared, 1, 64},
    {"atomic_and_plain", kLatheSoftRaceShared, 1, 64},
    {"named_barrier_of_others", kLatheSoftRaceShared, 1, 128},
    {"flag_without_fence", kLatheSoftRaceShared, 1, 64},
    {"float4_overlap", kLatheSoftRaceShared, 1, 64},
    {"by_function", kLatheSoftRaceShared, 1, 64},
    // Lanes of a warp.
    {"volatile_reduction", kLatheSoftRaceShared, 1, 32},
    {"shuffle_is_no_barrier", kLatheSoftRaceShared, 1, 32},
    {"half_warps", kLatheSoftRaceShared, 1, 32},
    {"all_store_theirs", kLatheSoftRaceShared, 1, 32},
    {"lane_stores_for_all", kLatheSoftRaceShared, 1, 32},
    // Global memory.
    {"blocks_share", kLatheSoftRaceGlobal, 4, 32},
    {"neighbour_of_next_block", kLatheSoftRaceGlobal, 4, 64},
    {"plain_counter", kLatheSoftRaceGlobal, 4, 32},
    {"last_block_without_fence", kLatheSoftRaceGlobal, 4, 64},
    {"global_in_block", kLatheSoftRaceGlobal, 1, 64},
    {"in_place_stencil", kLatheSoftRaceGlobal, 2, 64},
    {"atomic_then_plain_read", kLatheSoftRaceGlobal, 4, 32},
    // Memory that nothing has written.
    {"shared_not_filled", kLatheSoftUnwrittenShared, 2, 64},
    {"shared_partly_filled", kLatheSoftUnwrittenShared, 1, 64},
    {"shared_counter", kLatheSoftUnwrittenShared, 1, 64},
    {"fresh_read", kLatheSoftUnwrittenGlobal, 1, 64},
    {"fresh_sum", kLatheSoftUnwrittenGlobal, 1, 64},
    {"fresh_byte", kLatheSoftUnwrittenGlobal, 1, 32},
    {"fresh_atomic", kLatheSoftUnwrittenGlobal, 1, 32},
    {"heap_fresh", kLatheSoftUnwrittenGlobal, 8, 32},
    // Barriers.
    {"barriers_in_both_branches", kLatheSoftBarrierApart, 1, 64},
    {"barriers_within_a_warp", kLatheSoftBarrierApart, 1, 32},
};

inline constexpr const char kHazardKernels[] = R"cuda(
#define T threadIdx.x
#define B blockIdx.x
#define N blockDim.x
extern "C" {
// --- shared memory, warps of a block
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
    s[T + 1] = T + 100; /*A*/
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
__device__ __noinline__ int take(const int* p) {
    return *p;
}
__global__ void by_function(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T; /*A*/
    x[T] = *(volatile int*)&s[63 - T]; /*B*/
}
__global__ void by_function_twin(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T;
    x[T] = take(&s[T]);
}
// --- lanes of a warp
__global__ void volatile_reduction(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T, s[T + 32] = 0;
    __syncwarp();
    volatile int* v = s;
    v[T] += v[T + 16]; /*A*/
    v[T] += v[T + 8]; /*A*/
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
// --- global memory
__global__ void blocks_share(int* x, int* fresh) {
    x[T] = B; /*A*/
}
__global__ void blocks_share_twin(int* x, int* fresh) { // the same value
    x[T] = 5;
}
__global__ void neighbour_of_next_block(int* x, int* fresh) {
    int i = B * N + T;
    x[i] = i; /*A*/
    __syncthreads();
    x[4096 + i] = x[i + 1]; /*B*/
}
__global__ void neighbour_of_next_block_twin(int* x, int* fresh) {
    int i = B * N + T;
    x[i] = i;
    __syncthreads();
    x[4096 + i] = x[B * N + (T + 1) % N];
}
__global__ void plain_counter(int* x, int* fresh) {
    if (T == 0) x[0] += 1; /*A*/
}
__global__ void plain_counter_twin(int* x, int* fresh) {
    if (T == 0) atomicAdd(&x[0], 1);
}
__global__ void last_block_without_fence(int* x, int* fresh) {
    __shared__ bool last;
    x[1 + B] = B + 1; /*A*/
    __syncthreads();
    if (T == 0) last = atomicAdd(&x[0], 1) == gridDim.x - 1;
    __syncthreads();
    if (last && T == 0) {
        int sum = 0;
        for (int k = 0; k < gridDim.x; ++k) sum += x[1 + k]; /*B*/
        x[100] = sum;
    }
}
__global__ void last_block_without_fence_twin(int* x, int* fresh) {
    __shared__ bool last;
    x[1 + B] = B + 1;
    __syncthreads();
    if (T == 0) {
        __threadfence();
        last = atomicAdd(&x[0], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && T == 0) {
        int sum = 0;
        for (int k = 0; k < gridDim.x; ++k) sum += x[1 + k];
        x[100] = sum;
    }
}
__global__ void global_in_block(int* x, int* fresh) {
    x[T] = T; /*A*/
    x[T + 64] = x[63 - T]; /*B*/
}
__global__ void global_in_block_twin(int* x, int* fresh) {
    x[T] = T;
    __syncthreads();
    x[T + 64] = x[63 - T];
}
__global__ void in_place_stencil(int* x, int* fresh) {
    int i = B * N + T + 1;
    int sum = x[i - 1] + x[i + 1]; /*A*/
    x[i] = sum + i; /*B*/
}
__global__ void in_place_stencil_twin(int* x, int* fresh) {
    int i = B * N + T + 1;
    int sum = x[i - 1] + x[i + 1];
    x[4096 + i] = sum + i;
}
__global__ void atomic_then_plain_read(int* x, int* fresh) {
    atomicAdd(&x[0], 1); /*A*/
    x[1 + B * N + T] = x[0]; /*B*/
}
__global__ void atomic_then_plain_read_twin(int* x, int* fresh) {
    atomicAdd(&x[0], 1);
    x[1 + B * N + T] = atomicAdd(&x[0], 0);
}
// --- memory that nothing has written
__global__ void shared_not_filled(int* x, int* fresh) {
    __shared__ int s[64];
    if (x[4096]) s[T] = 1;
    x[B * N + T] = s[T]; /*A*/
}
__global__ void shared_not_filled_twin(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = 1;
    x[B * N + T] = s[T];
}
__global__ void shared_partly_filled(int* x, int* fresh) {
    __shared__ int s[66];
    s[T + 1] = T;
    __syncthreads();
    x[T] = s[T]; /*A*/
}
__global__ void shared_partly_filled_twin(int* x, int* fresh) {
    __shared__ int s[66];
    s[T + 1] = T;
    if (T == 0) s[0] = 0;
    __syncthreads();
    x[T] = s[T];
}
__global__ void shared_counter(int* x, int* fresh) {
    __shared__ int s[4];
    atomicAdd(&s[T % 4], 1); /*A*/
    __syncthreads();
    x[T] = s[T % 4];
}
__global__ void shared_counter_twin(int* x, int* fresh) {
    __shared__ int s[4];
    if (T < 4) s[T] = 0;
    __syncthreads();
    atomicAdd(&s[T % 4], 1);
    __syncthreads();
    x[T] = s[T % 4];
}
__global__ void fresh_read(int* x, int* fresh) {
    x[T] = fresh[T]; /*A*/
}
__global__ void fresh_read_twin(int* x, int* fresh) {
    fresh[T] = T;
    x[T] = fresh[T];
}
__global__ void fresh_sum(int* x, int* fresh) {
    fresh[T] += T; /*A*/
}
__global__ void fresh_sum_twin(int* x, int* fresh) {
    fresh[T] = 0;
    fresh[T] += T;
}
__global__ void fresh_byte(int* x, int* fresh) {
    char* bytes = (char*)fresh;
    bytes[4 * T] = 1, bytes[4 * T + 1] = 2, bytes[4 * T + 3] = 4;
    x[T] = fresh[T]; /*A*/
}
__global__ void fresh_byte_twin(int* x, int* fresh) {
    char* bytes = (char*)fresh;
    bytes[4 * T] = 1, bytes[4 * T + 1] = 2, bytes[4 * T + 2] = 3, bytes[4 * T + 3] = 4;
    x[T] = fresh[T];
}
__global__ void fresh_atomic(int* x, int* fresh) {
    atomicMax(&fresh[0], T); /*A*/
}
__global__ void fresh_atomic_twin(int* x, int* fresh) {
    if (T == 0) fresh[0] = 0;
    __syncwarp();
    atomicMax(&fresh[0], T);
}
__global__ void heap_fresh(int* x, int* fresh) {
    int* p = (int*)malloc(64);
    x[B * N + T] = p[T % 16]; /*A*/
    free(p);
}
__global__ void heap_fresh_twin(int* x, int* fresh) { // blocks get memory that others had
    int* p = (int*)malloc(64);
    for (int k = 0; k < 16; ++k) p[k] = B * N + T + k;
    x[B * N + T] = p[T % 16];
    free(p);
}
// --- barriers
__global__ void barriers_in_both_branches(int* x, int* fresh) {
    if (T < 32) {
        x[T] = 1;
        __syncthreads(); /*A*/
        x[T + 64] = 1;
    } else {
        x[T] = 2;
        __syncthreads(); /*B*/
        x[T + 128] = 2;
    }
}
__global__ void barriers_in_both_branches_twin(int* x, int* fresh) {
    if (T < 32) x[T] = 1;
    else x[T] = 2;
    __syncthreads();
    if (T < 32) x[T + 64] = 1;
    else x[T + 128] = 2;
}
__global__ void barriers_within_a_warp(int* x, int* fresh) {
    if (T < 16) {
        x[T] = 1;
        __syncthreads(); /*A*/
        x[T + 64] = 1;
    } else {
        x[T] = 2;
        __syncthreads(); /*B*/
        x[T + 128] = 2;
    }
}
__global__ void barriers_within_a_warp_twin(int* x, int* fresh) {
    if (T < 16) x[T] = 1;
    else x[T] = 2;
    __syncthreads();
    if (T < 16) x[T + 64] = 1;
    else x[T + 128] = 2;
}
}
)cuda";

} // namespace lathe::test
