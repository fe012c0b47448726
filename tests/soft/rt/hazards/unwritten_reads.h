// SPDX-License-Identifier: MIT
// Pairs of kernels for hazard_case.h: reads of memory that nothing has written.
#pragma once

#include "tests/soft/rt/hazards/hazard_case.h"

namespace lathe::test {

inline constexpr HazardCase kUnwrittenReadCases[] = {
    {"shared_not_filled", 2, 64, 0, {{kLatheSoftUnwrittenShared, "A"}}},
    {"shared_partly_filled", 1, 64, 0, {{kLatheSoftUnwrittenShared, "A"}}},
    {"shared_counter", 1, 64, 0, {{kLatheSoftUnwrittenShared, "A"}}},
    {"shared_of_the_block_before", 2, 64, 0, {{kLatheSoftUnwrittenShared, "A"}}},
    {"shared_condition", 1, 64, 0, {{kLatheSoftUnwrittenShared, "A"}}},
    {"shared_address", 1, 64, 0, {{kLatheSoftUnwrittenShared, "A"}}},
    {"shared_half_of_a_pair", 1, 64, 0, {{kLatheSoftUnwrittenShared, "A"}}},
    {"field_not_written", 1, 64, 0, {{kLatheSoftUnwrittenShared, "A"}}},
    {"dynamic_not_filled", 1, 64, 256, {{kLatheSoftUnwrittenShared, "A"}}},
    {"fresh_read", 1, 64, 0, {{kLatheSoftUnwrittenGlobal, "A"}}},
    {"fresh_sum", 1, 64, 0, {{kLatheSoftUnwrittenGlobal, "A"}}},
    {"fresh_byte", 1, 32, 0, {{kLatheSoftUnwrittenGlobal, "A"}}},
    {"fresh_atomic", 1, 32, 0, {{kLatheSoftUnwrittenGlobal, "A"}}},
    {"heap_fresh", 8, 32, 0, {{kLatheSoftUnwrittenGlobal, "A"}}},
    {"fresh_condition", 1, 64, 0, {{kLatheSoftUnwrittenGlobal, "A"}}},
    {"fresh_address", 1, 64, 0, {{kLatheSoftUnwrittenGlobal, "A"}}},
    {"fresh_between_strides", 1, 64, 0, {{kLatheSoftUnwrittenGlobal, "A"}}},
    {"fresh_part_of_a_vector", 1, 64, 0, {{kLatheSoftUnwrittenGlobal, "A"}}},
    {"fresh_by_function", 1, 64, 0, {{kLatheSoftUnwrittenGlobal, "fetch"}}},
    {"fresh_is_copied", 1, 64, 0, {{kLatheSoftUnwrittenGlobal, "A"}}},
};

inline constexpr const char kUnwrittenReadKernels[] = R"cuda(
#define T threadIdx.x
#define B blockIdx.x
#define N blockDim.x
#define COPY(to, from) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"( \
                     (unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
extern "C" {
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
__global__ void shared_of_the_block_before(int* x, int* fresh) {
    __shared__ int s[64];
    if (B == 0) s[T] = 1;
    x[B * N + T] = s[T]; /*A*/
}
__global__ void shared_of_the_block_before_twin(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = B;
    x[B * N + T] = s[T];
}
__global__ void shared_condition(int* x, int* fresh) {
    __shared__ int s[64];
    if (T % 2) s[T] = 1;
    if (s[T]) x[T] = 1; /*A*/
}
__global__ void shared_condition_twin(int* x, int* fresh) {
    __shared__ int s[64];
    if (T % 2) s[T] = 1;
    if (T % 2 && s[T]) x[T] = 1;
}
__global__ void shared_address(int* x, int* fresh) {
    __shared__ int s[64];
    if (T < 32) s[T] = T;
    x[s[T] & 63] = 1; /*A*/
}
__global__ void shared_address_twin(int* x, int* fresh) {
    __shared__ int s[64];
    s[T] = T;
    x[s[T] & 63] = 1;
}
__global__ void shared_half_of_a_pair(int* x, int* fresh) {
    __shared__ int2 s[64];
    s[T].x = T;
    int2 pair = s[T]; /*A*/
    x[T] = pair.x + pair.y;
}
__global__ void shared_half_of_a_pair_twin(int* x, int* fresh) {
    __shared__ int2 s[64];
    s[T].x = T, s[T].y = 2;
    int2 pair = s[T];
    x[T] = pair.x + pair.y;
}
struct Padded {
    char c;
    int v;
};
__global__ void field_not_written(int* x, int* fresh) {
    __shared__ Padded s[64];
    s[T].c = 1;
    x[T] = s[T].c + s[T].v; /*A*/
}
__global__ void field_not_written_twin(int* x, int* fresh) { // nobody looks at the padding
    __shared__ Padded s[64];
    s[T].c = 1, s[T].v = 2;
    x[T] = s[T].c + s[T].v;
}
__global__ void dynamic_not_filled(int* x, int* fresh) {
    extern __shared__ int d[];
    if (T < 32) d[T] = T;
    __syncthreads();
    x[T] = d[T]; /*A*/
}
__global__ void dynamic_not_filled_twin(int* x, int* fresh) {
    extern __shared__ int d[];
    d[T] = T;
    __syncthreads();
    x[T] = d[T];
}
__global__ void fresh_condition(int* x, int* fresh) {
    if (fresh[T] > 0) x[T] = 1; /*A*/
}
__global__ void fresh_condition_twin(int* x, int* fresh) {
    fresh[T] = 3;
    if (fresh[T] > 0) x[T] = 1;
}
__global__ void fresh_address(int* x, int* fresh) {
    x[fresh[T] & 63] = 1; /*A*/
}
__global__ void fresh_address_twin(int* x, int* fresh) { // an address is no access
    x[(int)(fresh + T - fresh) & 63] = 1;
}
__global__ void fresh_between_strides(int* x, int* fresh) {
    fresh[2 * T] = T;
    x[T] = fresh[2 * T + 1]; /*A*/
}
__global__ void fresh_between_strides_twin(int* x, int* fresh) {
    fresh[2 * T] = T;
    x[T] = fresh[2 * T];
}
__global__ void fresh_part_of_a_vector(int* x, int* fresh) {
    fresh[4 * T] = 1, fresh[4 * T + 1] = 2, fresh[4 * T + 3] = 4;
    int4 v = ((int4*)fresh)[T]; /*A*/
    x[T] = v.x + v.y + v.z + v.w;
}
__global__ void fresh_part_of_a_vector_twin(int* x, int* fresh) {
    ((int4*)fresh)[T] = make_int4(1, 2, 3, 4);
    x[T] = fresh[4 * T + 2];
}
__device__ __noinline__ int fetch(const int* p, int i) {
    return p[i]; /*fetch*/
}
__global__ void fresh_by_function(int* x, int* fresh) {
    x[T] = fetch(fresh, T);
}
__global__ void fresh_by_function_twin(int* x, int* fresh) {
    fresh[T] = 1;
    x[T] = fetch(fresh, T);
}
__global__ void fresh_is_copied(int* x, int* fresh) {
    __shared__ int s[64];
    COPY(&s[T], &fresh[T]); /*A*/
    x[T] = s[T];
}
__global__ void fresh_is_copied_twin(int* x, int* fresh) {
    __shared__ int s[64];
    COPY(&s[T], &x[T]);
    x[T] = s[T];
}
}
)cuda";

} // namespace lathe::test
