// SPDX-License-Identifier: MIT
// Each thread signs its own cell.
__global__ void sign(int* out) {
    // TODO: the place of this thread among all threads
    int i = threadIdx.x;
    out[i] = 1000 * blockIdx.x + threadIdx.x;
}
