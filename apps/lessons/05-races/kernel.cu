// SPDX-License-Identifier: MIT
// How often does each of 8 values occur?
__global__ void count(const int* values, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = values[i];
    // TODO: two threads may come here with the same v
    bins[v] += 1;
}
