// SPDX-License-Identifier: MIT
// A matrix is turned around its diagonal, tile by tile.
__global__ void transpose(const float* in, float* out, int n) {
    // TODO: a column of the tile lies in one bank
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
