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
// Even elements grow, odd ones shrink; n is a power of 2.
__global__ void mix(const float* in, float* out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t;  // TODO: the threads of a warp should agree
    if (i % 2 == 0) out[i] = grow(in[i]);
    else out[i] = shrink(in[i]);
}
