// SPDX-License-Identifier: MIT
// A five-point stencil with periodic edges and a parameter structure.
struct Rates {
    float feed, kill, diffuse_u, diffuse_v;
};

extern "C" __global__ void grayscott(int width, int height, Rates rates, const float2* now, float2* next) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto at = [&](int i, int j) {
        return now[(j + height) % height * width + (i + width) % width];
    };
    const float2 c = at(x, y), w = at(x - 1, y), e = at(x + 1, y), s = at(x, y - 1), n = at(x, y + 1);
    const float reaction = c.x * c.y * c.y;
    float2 result;
    result.x = c.x + rates.diffuse_u * (w.x + e.x + s.x + n.x - 4 * c.x) - reaction + rates.feed * (1 - c.x);
    result.y = c.y + rates.diffuse_v * (w.y + e.y + s.y + n.y - 4 * c.y) + reaction - (rates.feed + rates.kill) * c.y;
    next[y * width + x] = result;
}
