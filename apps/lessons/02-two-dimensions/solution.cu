// SPDX-License-Identifier: MIT
__global__ void paint(float* picture, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    picture[y * width + x] = 1000 * y + x;
}
