// SPDX-License-Identifier: MIT
// Each thread doubles 8 numbers.
__global__ void twice(const float* in, float* out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int each = n / threads;
    // TODO: neighbours should read neighbours
    for (int k = 0; k < each; ++k) {
        int i = t * each + k;
        out[i] = 2 * in[i];
    }
}
