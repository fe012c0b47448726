// SPDX-License-Identifier: MIT
// Each thread paints one element.
__global__ void paint(float* picture, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    // TODO: threads outside of the picture do nothing
    picture[y * width + x] = 1000 * y + x;
}
