// SPDX-License-Identifier: MIT
__global__ void sign(int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 1000 * blockIdx.x + threadIdx.x;
}
