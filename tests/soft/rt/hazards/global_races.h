// SPDX-License-Identifier: MIT
// Pairs of kernels for hazard_case.h: races in global memory.
#pragma once

#include "tests/soft/rt/hazards/hazard_case.h"

namespace lathe::test {

inline constexpr HazardCase kGlobalRaceCases[] = {
    {"blocks_share", 4, 32, 0, {{kLatheSoftRaceGlobal, "A", "A"}}},
    {"neighbour_of_next_block", 4, 64, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
    {"plain_counter", 4, 32, 0, {{kLatheSoftRaceGlobal, "A", "A"}}},
    {"last_block_without_fence", 4, 64, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
    {"global_in_block", 1, 64, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
    {"in_place_stencil", 2, 64, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
    {"atomic_then_plain_read", 4, 32, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
    {"halo_of_two_blocks", 4, 32, 0, {{kLatheSoftRaceGlobal, "A", "A"}}},
    {"first_block_tells_all", 4, 32, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
    {"fence_without_atomic",
     2,
     1,
     0,
     {{kLatheSoftRaceGlobal, "A", "B"}, {kLatheSoftRaceGlobal, "C", "D"}}},
    {"fence_of_the_block", 4, 1, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
    {"swap_and_store", 4, 1, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
    {"bytes_and_words", 4, 1, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
    {"vectors_overlap", 2, 32, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
    {"plain_bins", 4, 32, 0, {{kLatheSoftRaceGlobal, "A", "A"}}},
    {"copied_too_early", 4, 32, 0, {{kLatheSoftRaceGlobal, "A", "B"}}},
};

inline constexpr const char kGlobalRaceKernels[] = R"cuda(
#define T threadIdx.x
#define B blockIdx.x
#define N blockDim.x
#define COPY(to, from) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"( \
                     (unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
extern "C" {
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
__global__ void halo_of_two_blocks(int* x, int* fresh) {
    int i = B * (N - 1) + T;
    x[i] = 100 * B + T; /*A*/
}
__global__ void halo_of_two_blocks_twin(int* x, int* fresh) {
    int i = B * (N - 1) + T;
    if (T < N - 1) x[i] = 100 * B + T;
}
__global__ void first_block_tells_all(int* x, int* fresh) {
    if (B == 0 && T == 0) x[0] = x[4096] + 1; /*A*/
    x[1 + B * N + T] = x[0]; /*B*/
}
__global__ void first_block_tells_all_twin(int* x, int* fresh) {
    if (B == 0 && T == 0) x[4096] = x[0] + 1;
    x[1 + B * N + T] = x[0];
}
__global__ void fence_without_atomic(int* x, int* fresh) {
    if (B == 0) {
        x[1] = 7; /*A*/
        __threadfence();
        x[0] = 1; /*C*/
    } else {
        int flag = x[0]; /*D*/
        x[2 + flag] = x[1]; /*B*/
    }
}
__global__ void fence_without_atomic_twin(int* x, int* fresh) {
    if (B == 0) {
        x[1] = 7;
        __threadfence();
        atomicExch(&x[0], 1);
    } else if (atomicAdd(&x[0], 0)) {
        x[2] = x[1];
    }
}
__global__ void fence_of_the_block(int* x, int* fresh) {
    x[1 + B] = B + 1; /*A*/
    __threadfence_block();
    if (atomicAdd(&x[0], 1) == gridDim.x - 1)
        for (int k = 0; k < gridDim.x; ++k) x[100 + k] = x[1 + k]; /*B*/
}
__global__ void fence_of_the_block_twin(int* x, int* fresh) {
    x[1 + B] = B + 1;
    __threadfence();
    if (atomicAdd(&x[0], 1) == gridDim.x - 1)
        for (int k = 0; k < gridDim.x; ++k) x[100 + k] = x[1 + k];
}
__global__ void swap_and_store(int* x, int* fresh) {
    if (B == 3) x[0] = 5; /*A*/
    else atomicCAS(&x[0], 0, B); /*B*/
}
__global__ void swap_and_store_twin(int* x, int* fresh) {
    if (B == 3) atomicExch(&x[0], 5);
    else atomicCAS(&x[0], 0, B);
}
__global__ void bytes_and_words(int* x, int* fresh) {
    ((char*)x)[B] = B + 1; /*A*/
    x[64 + B] = x[0]; /*B*/
}
__global__ void bytes_and_words_twin(int* x, int* fresh) { // bytes of one word from many blocks
    ((char*)x)[B] = B + 1;
    x[64 + B] = ((char*)x)[B];
}
__global__ void vectors_overlap(int* x, int* fresh) {
    if (B == 0) ((int4*)x)[T] = make_int4(T, T, T, T + 1); /*A*/
    else x[4 * T + 3] = -1; /*B*/
}
__global__ void vectors_overlap_twin(int* x, int* fresh) {
    if (B == 0) ((int2*)x)[2 * T] = make_int2(T, T);
    else x[4 * T + 3] = -1;
}
__global__ void plain_bins(int* x, int* fresh) {
    x[x[4096 + T] + B % 2] += 1; /*A*/
}
__global__ void plain_bins_twin(int* x, int* fresh) {
    atomicAdd(&x[x[4096 + T] + B % 2], 1);
}
__global__ void copied_too_early(int* x, int* fresh) {
    __shared__ int s[32];
    if (B == 0) x[T] = T; /*A*/
    COPY(&s[T], &x[T]); /*B*/
    x[64 + B * N + T] = s[T];
}
__global__ void copied_too_early_twin(int* x, int* fresh) {
    __shared__ int s[32];
    if (B == 0) x[32 + T] = T;
    COPY(&s[T], &x[T]);
    x[64 + B * N + T] = s[T];
}
}
)cuda";

} // namespace lathe::test
