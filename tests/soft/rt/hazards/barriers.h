// SPDX-License-Identifier: MIT
// Pairs of kernels for hazard_case.h: barriers that threads of a block reach apart.
#pragma once

#include "tests/soft/rt/hazards/hazard_case.h"

namespace lathe::test {

inline constexpr HazardCase kBarrierCases[] = {
    {"barriers_in_both_branches", 1, 64, 0, {{kLatheSoftBarrierApart, "A", "B"}}},
    {"barriers_within_a_warp", 1, 32, 0, {{kLatheSoftBarrierApart, "A", "B"}}},
    {"barrier_of_one_branch", 1, 64, 0, {{kLatheSoftBarrierApart, "A", "B"}}},
    {"barriers_of_a_switch", 1, 64, 0, {{kLatheSoftBarrierApart, "A", "B"}}},
    {"rounds_differ", 1, 64, 0, {{kLatheSoftBarrierApart, "A", "B"}}},
    {"counts_in_one_branch", 1, 64, 0, {{kLatheSoftBarrierApart, "A", "B"}}},
    {"some_return_early", 1, 64, 0, {{kLatheSoftBarrierApart, "A", "B"}}},
};

inline constexpr const char kBarrierKernels[] = R"cuda(
#define T threadIdx.x
#define B blockIdx.x
#define N blockDim.x
extern "C" {
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
__global__ void barrier_of_one_branch(int* x, int* fresh) {
    if (T < 32) {
        x[T] = 1;
        __syncthreads(); /*A*/
        x[T + 64] = 1;
    }
    __syncthreads(); /*B*/
    x[T + 128] = 2;
}
__global__ void barrier_of_one_branch_twin(int* x, int* fresh) {
    if (T < 32) x[T] = 1;
    __syncthreads();
    if (T < 32) x[T + 64] = 1;
    __syncthreads();
    x[T + 128] = 2;
}
__global__ void barriers_of_a_switch(int* x, int* fresh) {
    switch (T / 32) {
    case 0: x[T] = 1; __syncthreads(); x[T + 128] = 1; break; /*A*/
    default: x[T] = 2; __syncthreads(); x[T + 256] = 2; /*B*/
    }
}
__global__ void barriers_of_a_switch_twin(int* x, int* fresh) {
    x[T] = T / 32 + 1;
    __syncthreads();
    x[T + 128 * (T / 32 + 1)] = 1;
}
__global__ void rounds_differ(int* x, int* fresh) {
    for (int k = 0; k <= T / 32; ++k) {
        x[T] += k;
        __syncthreads(); /*A*/
    }
    x[T + 64] = 1;
    __syncthreads(); /*B*/
    x[T + 128] = 2;
}
__global__ void rounds_differ_twin(int* x, int* fresh) {
    for (int k = 0; k < 2; ++k) {
        if (k <= T / 32) x[T] += k;
        __syncthreads();
    }
    x[T + 64] = 1;
    __syncthreads();
    x[T + 128] = 2;
}
__global__ void counts_in_one_branch(int* x, int* fresh) {
    if (T < 32) x[T] = __syncthreads_count(T % 2); /*A*/
    else x[T] = __syncthreads_count(T % 3 == 0); /*B*/
}
__global__ void counts_in_one_branch_twin(int* x, int* fresh) {
    x[T] = __syncthreads_count(T < 32 ? T % 2 : T % 3 == 0);
}
__global__ void some_return_early(int* x, int* fresh) { // the others go on to the next barrier
    if (T % 32 == 5) {
        __syncthreads(); /*A*/
        return;
    }
    x[T] = 1;
    __syncthreads(); /*B*/
    x[T + 64] = 1;
}
__global__ void some_return_early_twin(int* x, int* fresh) { // who has ended is not waited for
    if (T % 32 == 5) return;
    x[T] = 1;
    __syncthreads();
    x[T + 64] = 1;
}
}
)cuda";

} // namespace lathe::test
