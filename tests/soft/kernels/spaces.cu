// SPDX-License-Identifier: MIT
// Generic addresses of every space: what isspacep says of them, what a function reads through them,
// and addresses of one space made of them and back.
struct Filter {
    float weights[4];
    int count;
    const float* more;
};
__constant__ float taps[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ float numbers[8] = {10, 20, 30, 40, 50, 60, 70, 80};
__constant__ const float* second = &taps[1];
__constant__ Filter filters[2] = {{{1, 10, 100, 1000}, 3, &taps[2]}, {{2, 20, 200, 2000}, 4, numbers}};
__constant__ int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
__constant__ int (*const nothing)(int) = nullptr;

__device__ __noinline__ float sum(const float* p, int n) {
    float total = 0;
    for (int i = 0; i < n; ++i) total += p[i];
    return total;
}
__device__ __noinline__ int middle(const int* p) { return p[1]; }
__device__ __noinline__ float of(const Filter& f) { return sum(f.weights, f.count) + f.more[1]; }

struct Values {
    float v[4];
};

extern "C" __global__ void spaces(float* sums, unsigned* flags, const __grid_constant__ Values values) {
    __shared__ float shared[64];
    extern __shared__ float dynamic[];
    float local[4];
    const int i = threadIdx.x;
    shared[i % 64] = dynamic[i % 64] = i;
    for (int k = 0; k < 4; ++k) local[(k + i) % 4] = k + i;
    __syncthreads();
    const float* const places[] = {taps, filters[i & 1].weights, numbers, shared, dynamic, local, values.v, sums, nullptr};
    const float* const p = places[i % 9];
    flags[i] = __isConstant(p) | __isGlobal(p) << 1 | __isShared(p) << 2 | __isLocal(p) << 3 | __isGridConstant(p) << 4;
    const float* q = p; // through the space's own address and back
    if (__isShared(p)) q = (const float*)__cvta_shared_to_generic(__cvta_generic_to_shared(p));
    else if (__isConstant(p)) q = (const float*)__cvta_constant_to_generic(__cvta_generic_to_constant(p));
    else if (__isLocal(p)) q = (const float*)__cvta_local_to_generic(__cvta_generic_to_local(p));
    else if (__isGlobal(p) && !__isGridConstant(p)) q = (const float*)__cvta_global_to_generic(__cvta_generic_to_global(p));
    sums[i] = i % 9 < 7 ? sum(q, 3) : 0;
    sums[64 + i] = of(filters[i & 1]) + second[i & 3] + middle(grid[i & 1]) + (nothing == nullptr);
}
