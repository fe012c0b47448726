// SPDX-License-Identifier: MIT
// Pairs of kernels for hazard_case.h: accesses outside of memory, and waits without end.
#pragma once

#include "tests/soft/rt/hazards/hazard_case.h"

namespace lathe::test {

inline constexpr FaultCase kFaultCases[] = {
    // Global memory: x has 8191 elements.
    {"write_past", 1, 64, 0, 63, "write at"},
    {"read_past", 1, 64, 0, 63, "0 bytes past the end of a 32764-byte allocation"},
    {"write_before", 1, 64, 0, 0, "4 bytes before"},
    {"unsigned_wraps", 1, 64, 0, 0, "read at"},
    {"one_byte_past", 1, 32, 0, 31, "0 bytes past the end of a 32764-byte allocation"},
    {"pair_partly_past", 1, 32, 0, 31, "0 bytes past the end of a 32764-byte allocation"},
    {"stride_past", 2, 64, 0, 63, "past the end of a 32764-byte allocation"},
    {"loop_one_too_long", 1, 32, 0, 31, "0 bytes past the end of a 32764-byte allocation"},
    {"atomic_past", 1, 64, 0, 63, "0 bytes past the end of a 32764-byte allocation"},
    {"null", 1, 32, 0, 7, "read at 0x1c"},
    {"freed", 1, 32, 0, 0, "illegal address: read at"},
    {"heap_freed", 1, 1, 0, 0, "that was freed"},
    {"copy_past", 1, 32, 0, 31, "past the end of a 32764-byte allocation"},
    {"misaligned", 1, 32, 0, 0, "which is no multiple of 8", CUDA_ERROR_MISALIGNED_ADDRESS},
    // Shared memory.
    {"shared_write_past", 1, 64, 0, 63, "0 bytes past the end of the block's 256 bytes of shared"},
    {"shared_read_past", 1, 64, 0, 63, "0 bytes past the end of the block's 256 bytes of shared"},
    {"shared_before", 1, 64, 0, 0, "before the block's 256 bytes of shared"},
    {"dynamic_past", 1, 64, 252, 63, "0 bytes past the end of the block's 252 bytes of shared"},
    {"shared_atomic_past", 1, 64, 0, 63, "past the end of the block's 256 bytes of shared"},
    {"shared_vector_past", 1, 32, 0, 31, "past the end of the block's 256 bytes of shared"},
    // Arrays of the module and of a thread.
    {"table_past", 1, 32, 0, 16, "table"},
    {"table_write_past", 1, 32, 0, 16, "table"},
    {"constants_past", 1, 32, 0, 16, "constants"},
    {"local_past", 1, 32, 0, 16, "local"},
    {"local_write_past", 1, 32, 0, 16, "local"},
    {"local_before", 1, 32, 0, 0, "local"},
    // Waits.
    {"other_barrier_id", 1, 64, 0, 0, "deadlock", CUDA_ERROR_LAUNCH_FAILED},
    {"too_few_come", 1, 64, 0, 0, "64 threads at barrier 1", CUDA_ERROR_LAUNCH_FAILED},
    {"lane_stays_away", 1, 32, 0, 0, "deadlock", CUDA_ERROR_LAUNCH_FAILED},
};

inline constexpr char kFaultKernels[] = R"cuda(
#define T threadIdx.x
#define B blockIdx.x
#define N blockDim.x
#define COPY(to, from) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"( \
                     (unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
extern "C" {
__global__ void write_past(int* x, int n, int* gone) {
    x[n - 63 + T] = T; /*A*/
}
__global__ void write_past_twin(int* x, int n, int* gone) {
    x[n - 64 + T] = T;
}
__global__ void read_past(int* x, int n, int* gone) {
    x[T] = x[n - 63 + T]; /*A*/
}
__global__ void read_past_twin(int* x, int n, int* gone) {
    int i = n - 63 + T;
    x[T] = i < n ? x[i] : 0;
}
__global__ void write_before(int* x, int n, int* gone) {
    x[(int)T - 1] = T; /*A*/
}
__global__ void write_before_twin(int* x, int n, int* gone) {
    int* one_before = x - 1; // a pointer alone does no harm
    one_before[T + 1] = T;
}
__global__ void unsigned_wraps(int* x, int n, int* gone) {
    x[T] = x[T - 1u]; /*A*/
}
__global__ void unsigned_wraps_twin(int* x, int n, int* gone) {
    x[64 + T] = x[(T - 1u) % 64];
}
__global__ void one_byte_past(int* x, int n, int* gone) {
    ((char*)x)[4 * n - 31 + T] = 1; /*A*/
}
__global__ void one_byte_past_twin(int* x, int n, int* gone) {
    ((char*)x)[4 * n - 32 + T] = 1;
}
__global__ void pair_partly_past(int* x, int n, int* gone) {
    ((int2*)x)[n / 2 - 31 + T] = make_int2(1, 2); /*A*/
}
__global__ void pair_partly_past_twin(int* x, int n, int* gone) {
    ((int2*)x)[n / 2 - 32 + T] = make_int2(1, 2);
}
__global__ void stride_past(int* x, int n, int* gone) {
    x[(B * N + T) * 65] = 1; /*A*/
}
__global__ void stride_past_twin(int* x, int n, int* gone) {
    x[(B * N + T) * 64] = 1;
}
__global__ void loop_one_too_long(int* x, int n, int* gone) {
    for (int i = T; i <= n; i += N) x[i] = i; /*A*/
}
__global__ void loop_one_too_long_twin(int* x, int n, int* gone) {
    for (int i = T; i < n; i += N) x[i] = i;
}
__global__ void atomic_past(int* x, int n, int* gone) {
    atomicAdd(&x[n - 63 + T], 1); /*A*/
}
__global__ void atomic_past_twin(int* x, int n, int* gone) {
    atomicAdd(&x[n - 64 + T], 1);
}
__global__ void null(int* x, int n, int* gone) {
    const int* nothing = n > 0 ? 0 : x;
    if (T == 7) x[0] = nothing[T]; /*A*/
}
__global__ void null_twin(int* x, int n, int* gone) {
    const int* nothing = n > 0 ? 0 : x;
    if (T == 7 && nothing) x[0] = nothing[T];
}
__global__ void freed(int* x, int n, int* gone) {
    x[T] = gone[T]; /*A*/
}
__global__ void freed_twin(int* x, int n, int* gone) {
    x[T] = gone != x;
}
__global__ void heap_freed(int* x, int n, int* gone) {
    volatile int* p = (volatile int*)malloc(64);
    p[1] = 2;
    free((void*)p);
    x[0] = p[1]; /*A*/
}
__global__ void heap_freed_twin(int* x, int n, int* gone) {
    volatile int* p = (volatile int*)malloc(64);
    p[1] = 2;
    x[0] = p[1];
    free((void*)p);
}
__global__ void copy_past(int* x, int n, int* gone) {
    __shared__ int s[32];
    COPY(&s[T], x + n - 31 + T); /*A*/
    x[T] = s[T];
}
__global__ void copy_past_twin(int* x, int n, int* gone) {
    __shared__ int s[32];
    COPY(&s[T], x + n - 32 + T);
    x[T] = s[T];
}
__global__ void misaligned(int* x, int n, int* gone) {
    ((int2*)(x + 1))[T] = make_int2(1, 2); /*A*/
}
__global__ void misaligned_twin(int* x, int n, int* gone) {
    ((int2*)(x + 2))[T] = make_int2(1, 2);
}
// --- shared memory
__global__ void shared_write_past(int* x, int n, int* gone) {
    __shared__ int s[64];
    s[T + n - 8190] = T; /*A*/
    __syncthreads();
    x[T] = s[63 - T];
}
__global__ void shared_write_past_twin(int* x, int n, int* gone) {
    __shared__ int s[64];
    s[T + n - 8191] = T;
    __syncthreads();
    x[T] = s[63 - T];
}
__global__ void shared_read_past(int* x, int n, int* gone) {
    __shared__ int s[64];
    s[T] = T;
    __syncthreads();
    x[T] = s[T + 1]; /*A*/
}
__global__ void shared_read_past_twin(int* x, int n, int* gone) {
    __shared__ int s[64];
    s[T] = T;
    __syncthreads();
    x[T] = T < 63 ? s[T + 1] : 0;
}
__global__ void shared_before(int* x, int n, int* gone) {
    __shared__ int s[64];
    s[(int)T - 1] = T; /*A*/
    __syncthreads();
    x[T] = s[63 - T];
}
__global__ void shared_before_twin(int* x, int n, int* gone) {
    __shared__ int s[64];
    s[(T - 1) % 64] = T;
    __syncthreads();
    x[T] = s[63 - T];
}
__global__ void dynamic_past(int* x, int n, int* gone) {
    extern __shared__ int d[];
    d[T] = T; /*A*/
    x[T] = d[T];
}
__global__ void dynamic_past_twin(int* x, int n, int* gone) {
    extern __shared__ int d[];
    if (T < 63) d[T] = T;
    x[T] = T < 63 ? d[T] : 0;
}
__global__ void shared_atomic_past(int* x, int n, int* gone) {
    __shared__ int s[64];
    s[T] = 0;
    __syncthreads();
    atomicAdd(&s[T + n - 8190], 1); /*A*/
    x[T] = 1;
}
__global__ void shared_atomic_past_twin(int* x, int n, int* gone) {
    __shared__ int s[64];
    s[T] = 0;
    __syncthreads();
    atomicAdd(&s[T + n - 8191], 1);
    x[T] = 1;
}
__global__ void shared_vector_past(int* x, int n, int* gone) {
    __shared__ int2 s[32];
    ((int2*)s)[T + n - 8190] = make_int2(1, 2); /*A*/
    x[T] = s[31 - T].x;
}
__global__ void shared_vector_past_twin(int* x, int n, int* gone) {
    __shared__ int2 s[32];
    ((int2*)s)[T + n - 8191] = make_int2(1, 2);
    x[T] = s[T].x;
}
// --- arrays of the module and of a thread
__device__ int table[16];
__constant__ int constants[16];
__global__ void table_past(int* x, int n, int* gone) {
    x[T] = table[T]; /*A*/
}
__global__ void table_past_twin(int* x, int n, int* gone) {
    x[T] = table[T % 16];
}
__global__ void table_write_past(int* x, int n, int* gone) {
    table[T] = T; /*A*/
}
__global__ void table_write_past_twin(int* x, int n, int* gone) {
    if (T < 16) table[T] = T;
}
__global__ void constants_past(int* x, int n, int* gone) {
    x[T] = constants[T]; /*A*/
}
__global__ void constants_past_twin(int* x, int n, int* gone) {
    x[T] = constants[T % 16];
}
__global__ void local_past(int* x, int n, int* gone) {
    int a[16];
    for (int k = 0; k < 16; ++k) a[k] = k * n;
    x[T] = a[T]; /*A*/
}
__global__ void local_past_twin(int* x, int n, int* gone) {
    int a[16];
    for (int k = 0; k < 16; ++k) a[k] = k * n;
    x[T] = a[T % 16];
}
__global__ void local_write_past(int* x, int n, int* gone) {
    int a[16] = {};
    a[T] = n; /*A*/
    x[T] = a[n % 16];
}
__global__ void local_write_past_twin(int* x, int n, int* gone) {
    int a[16] = {};
    a[T % 16] = n;
    x[T] = a[n % 16];
}
__global__ void local_before(int* x, int n, int* gone) {
    int a[32] = {};
    a[(int)T - 1] = n; /*A*/
    x[T] = a[n % 16];
}
__global__ void local_before_twin(int* x, int n, int* gone) {
    int a[32] = {};
    a[T] = n;
    x[T] = a[n % 16];
}
// --- waits
__global__ void other_barrier_id(int* x, int n, int* gone) {
    if (T < 32) asm volatile("bar.sync 1, 64;" ::: "memory"); /*A*/
    else asm volatile("bar.sync 2, 64;" ::: "memory");
    x[T] = 1;
}
__global__ void other_barrier_id_twin(int* x, int n, int* gone) {
    if (T < 32) asm volatile("bar.sync 1, 32;" ::: "memory");
    else asm volatile("bar.sync 2, 32;" ::: "memory");
    x[T] = 1;
}
__global__ void too_few_come(int* x, int n, int* gone) {
    asm volatile("bar.sync 1, 96;" ::: "memory"); /*A*/
    x[T] = 1;
}
__global__ void too_few_come_twin(int* x, int n, int* gone) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    x[T] = 1;
}
__global__ void lane_stays_away(int* x, int n, int* gone) {
    if (T < 31) __syncwarp(); /*A*/
    else while (((volatile int*)x)[0] == 0) __syncthreads();
    x[T] = 1;
}
__global__ void lane_stays_away_twin(int* x, int n, int* gone) {
    if (T < 31) __syncwarp(0x7fffffff);
    x[T] = 1;
}
}
)cuda";

} // namespace lathe::test
