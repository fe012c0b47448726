// SPDX-License-Identifier: MIT
// The device generators, with their megabyte of jump tables.
#include <curand_kernel.h>

extern "C" __global__ void curand_xorwow(float* out, unsigned long long seed) {
    curandState state;
    curand_init(seed, threadIdx.x, 0, &state);
    out[threadIdx.x] = curand_normal(&state) + curand_uniform(&state);
}

extern "C" __global__ void curand_philox(float4* out, unsigned long long seed) {
    curandStatePhilox4_32_10_t state;
    curand_init(seed, threadIdx.x, 0, &state);
    out[threadIdx.x] = curand_normal4(&state);
}
