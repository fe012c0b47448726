// SPDX-License-Identifier: MIT
// Shared and global atomics of each kind.
extern "C" __global__ void histogram(const unsigned char* in, unsigned* out, int n) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
    atomicMax(i, 3);
    atomicMin(u, 5u);
    atomicInc(u + 1, 7u);
    atomicDec(u + 2, 7u);
    atomicAnd(u + 3, 1u);
    atomicOr(u + 4, 2u);
    atomicXor(u + 5, 3u);
    l[1] = atomicCAS(l, 1ull, 2ull);
    f[1] = atomicExch(f, 2.5f);
    atomicAdd(f + 2, 1.0f);
    atomicAdd(d, 1.0);
    __threadfence();
}
