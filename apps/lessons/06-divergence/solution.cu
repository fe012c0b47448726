// SPDX-License-Identifier: MIT
__device__ float grow(float x) {
#pragma unroll 1
    for (int k = 0; k < 16; ++k) x = x * 1.01f + 0.5f;
    return x;
}
__device__ float shrink(float x) {
#pragma unroll 1
    for (int k = 0; k < 16; ++k) x = sqrtf(x + 2.0f);
    return x;
}
__global__ void mix(const float* in, float* out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int half = n / 2;
    if (t < half) {
        int i = 2 * t;
        out[i] = grow(in[i]);
    } else {
        int i = 2 * (t - half) + 1;
        out[i] = shrink(in[i]);
    }
}
