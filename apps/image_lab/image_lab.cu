// SPDX-License-Identifier: MIT
// Filters for photographs: Gaussian blur (separable, in shared
// memory), Sobel edges, bilateral. Images are (height, width, 3)
// float32 in 0...255; edges reflect (d c b a | a b c d | d c b a).

#define TILE 16

// Index `i` of n, reflected back inside; right for i of -n to 2n - 1.
__device__ int reflect(int i, int n)
{
    return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
}

__global__ void to_float(const unsigned char* pixels, float* image,
                         int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) image[i] = pixels[i];
}

// Normalised weights of -radius ... radius, one block.
// weights: (2 * radius + 1,).
__global__ void gaussian_weights(float* weights, int radius,
                                 float sigma) //@ 0.5..12 =4 log
{
    __shared__ float total;
    int count = 2 * radius + 1;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        float d = i - radius;
        weights[i] = expf(-0.5f * d * d / (sigma * sigma));
        atomicAdd(&total, weights[i]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        weights[i] /= total;
}

// A tile of pixels and `radius` more on both sides goes to shared
// memory once; each thread then reads 2 * radius + 1 of them. Dynamic
// shared memory: TILE * (TILE + 2 * radius) * 3 floats.
__global__ void blur_rows(const float* source, float* result,
                          const float* weights, int width, int height,
                          int radius)
{
    extern __shared__ float tile[];
    int span = TILE + 2 * radius;
    int first = blockIdx.x * TILE - radius;
    int y = blockIdx.y * TILE + threadIdx.y;
    int row = threadIdx.y * span; // of the tile
    if (y < height)
        for (int i = threadIdx.x; i < span; i += TILE) {
            int from = (y * width + reflect(first + i, width)) * 3;
            for (int c = 0; c < 3; ++c)
                tile[(row + i) * 3 + c] = source[from + c];
        }
    __syncthreads();
    int x = blockIdx.x * TILE + threadIdx.x;
    if (x >= width || y >= height) return;
    for (int c = 0; c < 3; ++c) {
        float sum = 0;
        for (int k = 0; k <= 2 * radius; ++k)
            sum += weights[k] * tile[(row + threadIdx.x + k) * 3 + c];
        result[(y * width + x) * 3 + c] = sum;
    }
}

__global__ void blur_columns(const float* source, float* result,
                             const float* weights, int width,
                             int height, int radius)
{
    extern __shared__ float tile[];
    int span = TILE + 2 * radius;
    int first = blockIdx.y * TILE - radius;
    int column = threadIdx.x; // of the tile
    int x = blockIdx.x * TILE + column;
    if (x < width)
        for (int i = threadIdx.y; i < span; i += TILE) {
            int from = (reflect(first + i, height) * width + x) * 3;
            for (int c = 0; c < 3; ++c)
                tile[(i * TILE + column) * 3 + c] = source[from + c];
        }
    __syncthreads();
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x >= width || y >= height) return;
    for (int c = 0; c < 3; ++c) {
        float sum = 0;
        for (int k = 0; k <= 2 * radius; ++k)
            sum += weights[k] *
                   tile[((threadIdx.y + k) * TILE + column) * 3 + c];
        result[(y * width + x) * 3 + c] = sum;
    }
}

// Length of the gradient of the luma (ITU-R BT.601).
// edges: (height, width).
__global__ void sobel(const float* source, float* edges, int width,
                      int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float luma[3][3];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            int row = reflect(y + j - 1, height),
                column = reflect(x + i - 1, width);
            const float* p = source + (row * width + column) * 3;
            luma[j][i] =
                0.299f * p[0] + 0.587f * p[1] + 0.114f * p[2];
        }
    float across = luma[0][2] + 2 * luma[1][2] + luma[2][2] -
                   luma[0][0] - 2 * luma[1][0] - luma[2][0];
    float down = luma[2][0] + 2 * luma[2][1] + luma[2][2] -
                 luma[0][0] - 2 * luma[0][1] - luma[0][2];
    edges[y * width + x] = sqrtf(across * across + down * down);
}

// Smooths where colours are alike: weights fall with distance
// (sigma_space, pixels) and with the difference of colour
// (sigma_color, of 255). C. Tomasi, R. Manduchi, ICCV 1998.
__global__ void bilateral(const float* source, float* result,
                          int width, int height, int radius,
                          float sigma_space, //@ 0.5..6 =2.5
                          float sigma_color) //@ 5..120 =30
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float* centre = source + (y * width + x) * 3;
    float near = -0.5f / (sigma_space * sigma_space);
    float alike = -0.5f / (sigma_color * sigma_color);
    float sum[3] = {0, 0, 0}, total = 0;
    for (int j = -radius; j <= radius; ++j)
        for (int i = -radius; i <= radius; ++i) {
            int row = reflect(y + j, height),
                column = reflect(x + i, width);
            const float* p = source + (row * width + column) * 3;
            float r = p[0] - centre[0], g = p[1] - centre[1],
                  b = p[2] - centre[2];
            float weight = expf(near * (i * i + j * j) +
                                alike * (r * r + g * g + b * b));
            total += weight;
            for (int c = 0; c < 3; ++c) sum[c] += weight * p[c];
        }
    for (int c = 0; c < 3; ++c)
        result[(y * width + x) * 3 + c] = sum[c] / total;
}

// Four versions of the picture side by side, parted at `split` of the
// width and height: blurred, original, edges, bilateral.
// canvas: (height, width, 3) uint8.
__global__ void compose(const float* original, const float* blurred,
                        const float* edges, const float* smooth,
                        unsigned char* canvas, int width, int height,
                        float split_x, //@ hidden
                        float split_y) //@ hidden
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int here = y * width + x;
    float dx = fabsf(x + 0.5f - split_x * width),
          dy = fabsf(y + 0.5f - split_y * height);
    bool right = x + 0.5f > split_x * width,
         low = y + 0.5f > split_y * height;
    const float tint[3] = {0.7f, 0.85f, 1.0f}; // of the edges
    float tone[3];
    for (int c = 0; c < 3; ++c) {
        const float* upper = right ? original : blurred;
        if (!low) tone[c] = upper[here * 3 + c];
        else if (right) tone[c] = smooth[here * 3 + c];
        else tone[c] = fminf(255.0f, edges[here] * tint[c]);
        if (dx < 1 || dy < 1) tone[c] = 235;
        canvas[here * 3 + c] =
            (unsigned char)fminf(fmaxf(tone[c] + 0.5f, 0.0f), 255.0f);
    }
}
