// SPDX-License-Identifier: MIT
__global__ void count(const int* values, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = values[i];
    atomicAdd(&bins[v], 1);
}
