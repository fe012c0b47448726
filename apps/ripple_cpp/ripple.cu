// SPDX-License-Identifier: MIT
// A wave that runs outwards; time in seconds.
__global__ void ripple(float* h, int width, int height, float time)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float dx = (x - width / 2) * 0.06f, dy = (y - height / 2) * 0.06f;
    float r = sqrtf(dx * dx + dy * dy);
    float wave = cosf(2 * r - 4 * time) / (1 + 0.2f * r);
    h[y * width + x] = 0.5f + 0.5f * wave;
}
