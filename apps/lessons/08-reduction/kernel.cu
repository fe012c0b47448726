// SPDX-License-Identifier: MIT
// The sum of 256 numbers for each block.
__global__ void sum(const float* in, float* out) {
    __shared__ float tile[256];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    // TODO: the first half should add the second half
    for (int s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0) tile[t] += tile[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = tile[0];
}
