// SPDX-License-Identifier: MIT
#include "tests/benchmarks/soft_kernels.h"

#include "tests/benchmarks/soft_references.h"

#include <cstring>
#include <random>

namespace lathe::bench {

namespace {

std::vector<float> random_floats(std::size_t n, float low, float high) {
    std::mt19937 random{1};
    std::uniform_real_distribution<float> draw{low, high};
    std::vector<float> values(n);
    for (float& v : values) v = draw(random);
    return values;
}

} // namespace

void bench_saxpy(const char* name, int n, unsigned repeats, Goal goal) {
    const char* source =
        "extern \"C\" __global__ void k(int n, float a, const float* x, float* y) {"
        "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }";
    const auto size = static_cast<std::size_t>(n);
    std::vector<float> x = random_floats(size, 0, 1), y(size, 1.0f);
    Device<float> dx{x}, dy{y};
    const auto blocks = static_cast<unsigned>(n) / 256;
    measure({name,
             source,
             [&](Kernel& kernel) {
                 kernel.run({{blocks, repeats, 1}, {256, 1, 1}}, n, 1e-6f, dx.p, dy.p);
             },
             [&] { bench::saxpy(n, 1e-6f, x.data(), y.data()); },
             {},
             goal,
             static_cast<double>(repeats)});
}

void bench_nbody() {
    constexpr int n = 4096;
    const char* source = R"(
extern "C" __global__ void k(int n, float softening, const float4* position, float* force) {
    __shared__ float4 tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 own = position[i];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = position[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; ++j) {
            const float dx = tile[j].x - own.x, dy = tile[j].y - own.y, dz = tile[j].z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            const float scale = tile[j].w * inverse * inverse * inverse;
            x += scale * dx; y += scale * dy; z += scale * dz;
        }
        __syncthreads();
    }
    force[3 * i] = x; force[3 * i + 1] = y; force[3 * i + 2] = z;
})";
    const std::vector<float> position = random_floats(4 * n, -1, 1);
    std::vector<float> force(3 * n);
    Device<float> p{position}, f{force};
    std::vector<float> parts[4], best_force(3 * n);
    for (std::size_t k = 0; k < position.size(); ++k) parts[k % 4].push_back(position[k]);
    measure(
        {"n-body 4096",
         source,
         [&](Kernel& kernel) { kernel.run({{n / 256, 1, 1}, {256, 1, 1}}, n, 1e-3f, p.p, f.p); },
         [&] { bench::nbody(n, 1e-3f, position.data(), force.data()); },
         [&] {
             bench::best::nbody(n, 1e-3f, parts[0].data(), parts[1].data(), parts[2].data(),
                                parts[3].data(), best_force.data());
         },
         {0, 0.95, 1.05, 1.25}});
    compare("n-body, best C++", best_force, force, 1e-3);
    compare("n-body", f.read(), force, 1e-3);
}

/// `side`: rows of a block, and of a tile.
void bench_matmul(bool tiled, unsigned side) {
    constexpr int n = 256;
    const char* plain = R"(
extern "C" __global__ void k(int n, const double* a, const double* b, double* c) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[y * n + i] * b[i * n + x];
    c[y * n + x] = sum;
})";
    const std::string tiles = fmt::format("constexpr int side = {};", side) + R"(
extern "C" __global__ void k(int n, const double* a, const double* b, double* c) {
    __shared__ double left[side][side], right[side][side];
    const int x = blockIdx.x * side + threadIdx.x, y = blockIdx.y * side + threadIdx.y;
    double sum = 0;
    for (int first = 0; first < n; first += side) {
        left[threadIdx.y][threadIdx.x] = a[y * n + first + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < side; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
})";
    std::vector<double> a(n * n), b(n * n), c(n * n);
    for (std::size_t k = 0; k < a.size(); ++k) {
        a[k] = static_cast<double>(k % 17) * 0.25;
        b[k] = static_cast<double>(k % 13) * 0.5;
    }
    Device<double> da{a}, db{b}, dc{c};
    std::vector<double> best(n * n);
    const std::string name = fmt::format("matmul 256, {}{}", tiled ? "tiled" : "naive",
                                         side == 16 ? "" : fmt::format(" {0} x {0}", side));
    measure({name.c_str(), tiled ? tiles.c_str() : plain,
             [&](Kernel& kernel) {
                 kernel.run({{n / side, n / side, 1}, {side, side, 1}}, n, da.p, db.p, dc.p);
             },
             [&] { bench::matmul(n, a.data(), b.data(), c.data()); },
             [&] { bench::best::matmul(n, a.data(), b.data(), best.data()); },
             tiled ? Goal{1.0, 0.45, 1.05, 1.25} : Goal{0.75, 0, 1.05, 1.25}});
    compare("matmul, best C++", best, c, 1e-9);
    compare("matmul", dc.read(), c, 1e-9);
}

void bench_reduce() {
    constexpr int n = 1 << 22;
    const char* source = R"(
extern "C" __global__ void k(int n, const float* in, float* out) {
    __shared__ float partial[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int step = 16; step; step >>= 1) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
        for (int step = 16; step; step >>= 1) sum += __shfl_xor_sync(~0u, sum, step);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
})";
    const std::vector<float> x = random_floats(n, 0, 1);
    Device<float> in{x}, out{std::vector<float>(16)};
    volatile float sum = 0;
    measure({"reduce 4 M",
             source,
             [&](Kernel& kernel) { kernel.run({{16, 1, 1}, {256, 1, 1}}, n, in.p, out.p); },
             [&] { sum = bench::reduce(n, x.data()); },
             [&] { sum = bench::best::reduce(n, x.data()); },
             {0, 0.3}});
    double total = 0, exact = 0;
    for (float part : out.read()) total += part;
    for (float v : x) exact += v;
    compare("reduce", std::vector<double>{total}, std::vector<double>{exact}, 1e-4);
}

void bench_histogram() {
    constexpr int n = 1 << 22;
    const char* source = R"(
extern "C" __global__ void k(int n, const unsigned char* in, unsigned* out) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
})";
    std::vector<unsigned char> in(n);
    std::mt19937 random{1};
    for (auto& byte : in) byte = static_cast<unsigned char>(random() >> 5);
    std::vector<unsigned> bins(256);
    Device<unsigned char> din{in};
    Device<unsigned> out{bins};
    measure({"histogram 4 M",
             source,
             [&](Kernel& kernel) { kernel.run({{16, 1, 1}, {256, 1, 1}}, n, din.p, out.p); },
             [&] { bench::histogram(n, in.data(), bins.data()); },
             {},
             {0.5, 0}});
}

namespace {

/// The name with the shape of blocks of 256 threads, `side` in a row.
std::string in_blocks(const char* name, unsigned side) {
    return side == 32 ? name : fmt::format("{}, {} x {}", name, side, 256 / side);
}

} // namespace

void bench_gray_scott(unsigned side) {
    constexpr int size = 1024;
    const char* source = R"(
extern "C" __global__ void k(int width, int height, const float* now, float* next) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int w = (x + width - 1) % width, e = (x + 1) % width, s = (y + height - 1) % height,
              n = (y + 1) % height;
    const float *pu = now, *pv = now + width * height;
    const float u = pu[y * width + x], v = pv[y * width + x];
    const float lu =
        pu[y * width + w] + pu[y * width + e] + pu[s * width + x] + pu[n * width + x] - 4 * u;
    const float lv =
        pv[y * width + w] + pv[y * width + e] + pv[s * width + x] + pv[n * width + x] - 4 * v;
    next[y * width + x] = u + 0.2f * lu - u * v * v + 0.03f * (1 - u);
    next[width * height + y * width + x] = v + 0.1f * lv + u * v * v - 0.09f * v;
})";
    const std::vector<float> now = random_floats(2 * size * size, 0, 1);
    std::vector<float> next(now.size());
    Device<float> a{now}, b{next};
    const std::string name = in_blocks("Gray-Scott 1024", side);
    measure({name.c_str(),
             source,
             [&](Kernel& kernel) {
                 kernel.run({{size / side, size * side / 256, 1}, {side, 256 / side, 1}}, size,
                            size, a.p, b.p);
             },
             [&] { bench::gray_scott(size, size, now.data(), next.data()); },
             {},
             {0.6, 0, 1.6, 1.25}});
    compare("Gray-Scott", b.read(), next, 1e-5);
}

void bench_mandelbrot(unsigned side) {
    constexpr int width = 512, height = 384, most = 256;
    const char* source = R"(
extern "C" __global__ void k(int width, int height, int most, int* steps) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float a = -2.2f + 3.0f * x / width, b = -1.2f + 2.4f * y / height;
    float u = 0, v = 0;
    int n = 0;
    while (u * u + v * v < 4 && n < most) {
        const float t = u * u - v * v + a;
        v = 2 * u * v + b;
        u = t;
        ++n;
    }
    steps[y * width + x] = n;
})";
    std::vector<int> steps(width * height);
    Device<int> out{steps};
    std::vector<int> best_steps(steps.size());
    const std::string name = in_blocks("Mandelbrot 512x384", side);
    measure({name.c_str(),
             source,
             [&](Kernel& kernel) {
                 kernel.run({{width / side, height * side / 256, 1}, {side, 256 / side, 1}}, width,
                            height, most, out.p);
             },
             [&] { bench::mandelbrot(width, height, most, steps.data()); },
             [&] { bench::best::mandelbrot(width, height, most, best_steps.data()); },
             {0, 1.2, 1.05, 1.25}});
    long long difference = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) difference += std::abs(steps[k] - best_steps[k]);
    if (!options.checks && !options.counters && !options.hazards &&
        difference > static_cast<long long>(steps.size())) // rounding moves some pixels of the edge
        throw Error{"Mandelbrot: the two references disagree"};
}

void bench_libm() {
    constexpr int n = 1 << 16;
    const char* source = R"(
extern "C" __global__ void k(int n, const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    y[i] = sinf(v) + expf(-v) + rsqrtf(v + 1) + logf(v + 1) + powf(v + 0.5f, 1.3f) + tanhf(v) +
           atan2f(v, 2.0f) + sqrtf(v) + fmodf(v, 0.7f) + erff(v);
})";
    const std::vector<float> x = random_floats(n, 0, 4);
    std::vector<float> y(n);
    Device<float> dx{x}, dy{y};
    measure({"libm, ten functions",
             source,
             [&](Kernel& kernel) { kernel.run({{n / 256, 1, 1}, {256, 1, 1}}, n, dx.p, dy.p); },
             [&] { bench::libm(n, x.data(), y.data()); },
             {},
             {12, 0}});
    compare("libm", dy.read(), y, 1e-5);
}

/// Arrays of records, x read and y changed. Those of x have length 1, so that y stays in range.
} // namespace lathe::bench
