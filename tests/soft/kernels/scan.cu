// SPDX-License-Identifier: MIT
// An inclusive scan of one block in dynamic shared memory.
extern __shared__ int values[];

extern "C" __global__ void scan(int* data) {
    const int i = threadIdx.x;
    values[i] = data[i];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        const int before = i >= step ? values[i - step] : 0;
        __syncthreads();
        values[i] += before;
        __syncthreads();
    }
    data[i] = values[i];
}
