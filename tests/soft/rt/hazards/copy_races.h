// SPDX-License-Identifier: MIT
// Pairs of kernels for hazard_case.h: races with asynchronous copies to shared memory.
#pragma once

#include "tests/soft/rt/hazards/hazard_case.h"

namespace lathe::test {

inline constexpr HazardCase kCopyRaceCases[] = {
    {"copy_without_barrier", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"copy_not_waited_for", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"barrier_is_no_wait", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"wait_for_the_group_before", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
    {"stored_over_a_copy", 1, 64, 0, {{kLatheSoftRaceShared, "A", "B"}}},
};

inline constexpr const char kCopyRaceKernels[] = R"cuda(
#define T threadIdx.x
#define B blockIdx.x
#define N blockDim.x
#define COPY(to, from) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"( \
                     (unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
#define BEGIN_COPY(to, from) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"( \
                     (unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
#define WAIT(what) asm volatile("cp.async." what ";" ::: "memory")
extern "C" {
__global__ void copy_without_barrier(int* x, int* fresh) {
    __shared__ int s[64];
    COPY(&s[T], &x[T]); /*A*/
    x[64 + T] = s[63 - T]; /*B*/
}
__global__ void copy_without_barrier_twin(int* x, int* fresh) {
    __shared__ int s[64];
    COPY(&s[T], &x[T]);
    __syncthreads();
    x[64 + T] = s[63 - T];
}
__global__ void copy_not_waited_for(int* x, int* fresh) {
    __shared__ int s[64];
    BEGIN_COPY(&s[T], &x[T]); /*A*/
    x[64 + T] = s[T]; /*B*/
}
__global__ void copy_not_waited_for_twin(int* x, int* fresh) {
    __shared__ int s[64];
    BEGIN_COPY(&s[T], &x[T]);
    WAIT("wait_all");
    x[64 + T] = s[T];
}
__global__ void barrier_is_no_wait(int* x, int* fresh) {
    __shared__ int s[64];
    BEGIN_COPY(&s[T], &x[T]); /*A*/
    __syncthreads();
    x[64 + T] = s[63 - T]; /*B*/
}
__global__ void barrier_is_no_wait_twin(int* x, int* fresh) {
    __shared__ int s[64];
    BEGIN_COPY(&s[T], &x[T]);
    WAIT("wait_all");
    __syncthreads();
    x[64 + T] = s[63 - T];
}
__global__ void wait_for_the_group_before(int* x, int* fresh) {
    __shared__ int s[2][64];
    BEGIN_COPY(&s[0][T], &x[T]);
    WAIT("commit_group");
    BEGIN_COPY(&s[1][T], &x[64 + T]); /*A*/
    WAIT("commit_group");
    WAIT("wait_group 1");
    x[128 + T] = s[0][T];
    x[192 + T] = s[1][T]; /*B*/
}
__global__ void wait_for_the_group_before_twin(int* x, int* fresh) {
    __shared__ int s[2][64];
    BEGIN_COPY(&s[0][T], &x[T]);
    WAIT("commit_group");
    BEGIN_COPY(&s[1][T], &x[64 + T]);
    WAIT("commit_group");
    WAIT("wait_group 1");
    x[128 + T] = s[0][T];
    WAIT("wait_group 0");
    x[192 + T] = s[1][T];
}
__global__ void stored_over_a_copy(int* x, int* fresh) {
    __shared__ int s[64];
    BEGIN_COPY(&s[T], &x[T]); /*A*/
    s[T] = 7; /*B*/
    WAIT("wait_all");
    x[64 + T] = s[T];
}
__global__ void stored_over_a_copy_twin(int* x, int* fresh) {
    __shared__ int s[64];
    BEGIN_COPY(&s[T], &x[T]);
    WAIT("wait_all");
    s[T] = 7;
    x[64 + T] = s[T];
}
}
)cuda";

} // namespace lathe::test
