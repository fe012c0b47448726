// SPDX-License-Identifier: MIT
// Warp shuffles, votes and matches.
extern "C" __global__ void reduce(const float* in, float* out, int n) {
    __shared__ float partial[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int step = 16; step; step >>= 1) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
        for (int step = 16; step; step >>= 1) sum += __shfl_xor_sync(~0u, sum, step);
        if (threadIdx.x == 0) atomicAdd(out, sum);
    }
}

extern "C" __global__ void votes(const int* in, unsigned* out) {
    const int value = in[threadIdx.x];
    int all_equal;
    out[0] = __ballot_sync(~0u, value > 3);
    out[1] = __all_sync(~0u, value) + __any_sync(~0u, value) + __activemask();
    out[2] = __match_any_sync(~0u, value);
    out[3] = __match_all_sync(~0u, value, &all_equal) + all_equal;
    out[4] = __syncthreads_count(value) + __popc(value) + __clz(value) + __brev(value) + __ffs(value);
    out[5] = __byte_perm(value, 7, 0x3021) + __funnelshift_l(value, 5, 3) + __dp4a(value, 3, 4);
}
