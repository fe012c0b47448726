// SPDX-License-Identifier: MIT
// A divergent loop.
extern "C" __global__ void mandelbrot(uchar4* image, int width, int height, double scale, int most) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const double a = (x - width / 2) * scale, b = (y - height / 2) * scale;
    double u = 0, v = 0;
    int steps = 0;
    while (u * u + v * v < 4 && steps < most) {
        const double next = u * u - v * v + a;
        v = 2 * u * v + b;
        u = next;
        ++steps;
    }
    image[y * width + x] = make_uchar4(steps, steps * 3, steps * 7, 255);
}
