// The height of water that drops fall into: waves of three centres.
__global__ void drops(float* h, int side, float time)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
        float dx = 2.0f * x / side - 1 - 0.5f * cosf(2.1f * k);
        float dy = 2.0f * y / side - 1 - 0.5f * sinf(2.1f * k);
        float r = sqrtf(dx * dx + dy * dy);
        sum += cosf(18 * r - 5 * time - k) / (1 + 8 * r);
    }
    h[y * side + x] = 0.09f * sum;
}
