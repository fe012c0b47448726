// SPDX-License-Identifier: MIT
// The mean of three neighbours, 64 threads a block.
__global__ void smooth(const float* in, float* out, int n) {
    __shared__ float tile[66];
    int t = threadIdx.x;
    int i = blockIdx.x * 64 + t;
    tile[t + 1] = in[i];
    if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
    if (t == 63) tile[65] = i + 1 < n ? in[i + 1] : 0;
    // TODO: wait for the other threads
    out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
}
