// SPDX-License-Identifier: MIT
// The software device beside C++ (soft_references.cpp, soft_best.cpp), both execution modes; what
// `lathe bench soft` runs for one worker and for two.
//   bench_soft [rounds] [--compile-times] [--checks] [--counters] [--fast-math] [--only WORD]
//       prints a line of JSON for each kernel: milliseconds of processor time (and `wall`), medians
//       of alternated rounds, and what is asked for. --checks: exact checks of accesses beside
//       those by pages instead, with the times of compiling; --counters: counters by source line
//       on and off instead; --fast-math: kernels by --use_fast_math
#include "tests/benchmarks/soft_references.h"
#include "tests/soft/support/nvrtc.h"

#include "engine/core/error.h"
#include "gpu/soft/soft_api.h"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <string_view>
#include <vector>

using namespace lathe;

namespace {

int g_rounds = 7;
bool g_compile_times = false, g_checks = false, g_counters = false, g_fast_math = false;

void check(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS) throw Error{fmt::format("{}: error {}", what, int{result})};
}

/// Processor time of the process: the launching thread sleeps while the one worker runs.
double now_ms() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

double wall_ms() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

template <class T> class Device {
public:
    explicit Device(const std::vector<T>& values) : bytes_{values.size() * sizeof(T)} {
        check(cuMemAlloc(&p, bytes_), "cuMemAlloc");
        check(cuMemcpyHtoD(p, values.data(), bytes_), "cuMemcpyHtoD");
    }
    ~Device() { cuMemFree(p); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    std::vector<T> read() const {
        std::vector<T> values(bytes_ / sizeof(T));
        check(cuMemcpyDtoH(values.data(), p, bytes_), "cuMemcpyDtoH");
        return values;
    }
    CUdeviceptr p = 0;

private:
    std::size_t bytes_;
};

struct Grid {
    unsigned grid[3], block[3];
};

class Kernel {
public:
    Kernel(const std::string& ptx, const char* mode, const char* checks = nullptr) {
        setenv("LATHE_SOFT_MODE", mode, 1);
        if (checks) setenv("LATHE_SOFT_CHECKS", checks, 1);
        const double start = now_ms();
        check(cuModuleLoadData(&module_, ptx.c_str()), "cuModuleLoadData");
        check(cuModuleGetFunction(&function_, module_, "k"), "cuModuleGetFunction");
        compile_ms = now_ms() - start;
    }
    ~Kernel() { cuModuleUnload(module_); }
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    template <class... A> void launch(const Grid& g, A... arguments) {
        void* params[] = {static_cast<void*>(&arguments)..., nullptr};
        check(cuLaunchKernel(function_, g.grid[0], g.grid[1], g.grid[2], g.block[0], g.block[1],
                             g.block[2], 0, nullptr, params, nullptr),
              "cuLaunchKernel");
    }
    template <class... A> void run(const Grid& g, A... arguments) {
        launch(g, arguments...);
        check(cuCtxSynchronize(), "cuCtxSynchronize");
    }
    double compile_ms = 0;

private:
    CUmodule module_ = nullptr;
    CUfunction function_ = nullptr;
};

std::string ptx_of(const char* source) {
    std::vector<std::string> options{"-lineinfo"};
    if (g_fast_math) options.emplace_back("--use_fast_math");
    return lathe::test::compile_to_ptx(source, "bench.cu", options);
}

double median(std::vector<double> times) {
    std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2),
                     times.end());
    return times[times.size() / 2];
}

/// What is asked: speed against plain C++, and against the best; what exact checks and
/// counters may cost. 0: nothing.
struct Goal {
    double plain = 0, best = 0, checks = 0, counters = 0;
};

struct Row {
    const char* name;
    const char* source;
    std::function<void(Kernel&)> run; ///< launches
    std::function<void()> plain, best;
    Goal goal;
    double repeats = 1; ///< kernels in one launch
};

/// Processor and wall time of each piece of work, in turns.
struct Times {
    std::vector<double> processor, wall;
    void measure(const std::function<void()>& work) {
        const double start = now_ms(), began = wall_ms();
        work();
        processor.push_back(now_ms() - start);
        wall.push_back(wall_ms() - began);
    }
};

/// PTX to callable, compiled anew each time: a comment makes another text of it.
double compile_time(const std::string& ptx, const char* mode) {
    static int number = 0;
    std::vector<double> times;
    for (int k = 0; k < 5; ++k)
        times.push_back(
            Kernel{fmt::format("{}// {} {}\n", ptx, wall_ms(), ++number), mode}.compile_ms);
    return median(times);
}

/// The same for both kinds of checks, in turns.
std::pair<double, double> compile_times_of_checks(const std::string& ptx, const char* mode) {
    static int number = 0;
    std::vector<double> pages, exact;
    for (int k = 0; k < 2 * g_rounds + 1; ++k) {
        const std::string text = fmt::format("{}// {} {}\n", ptx, wall_ms(), ++number);
        pages.push_back(Kernel{text, mode, "pages"}.compile_ms);
        exact.push_back(Kernel{text, mode, "exact"}.compile_ms);
    }
    return {median(pages), median(exact)};
}

double cached_time(const std::string& ptx) {
    std::vector<double> times;
    for (int k = 0; k < 9; ++k) times.push_back(Kernel{ptx, "warp"}.compile_ms);
    return median(times);
}

/// Exact checks beside checks by pages.
void measure_checks(const Row& row) {
    const std::string ptx = ptx_of(row.source);
    fmt::print("{{\"name\": \"{}\", \"goal_checks\": {}", row.name, row.goal.checks);
    for (const char* mode : {"warp", "scalar"}) {
        Kernel pages{ptx, mode, "pages"}, exact{ptx, mode, "exact"};
        row.run(pages);
        row.run(exact);
        std::vector<double> by_pages, exactly, ratios;
        for (int k = 0; k < 3 * g_rounds; ++k) {
            const double start = now_ms();
            row.run(pages);
            const double between = now_ms();
            row.run(exact);
            by_pages.push_back(between - start);
            exactly.push_back(now_ms() - between);
            ratios.push_back(exactly.back() / by_pages.back());
        }
        const char* kind = mode[0] == 'w' ? "warps" : "threads";
        fmt::print(", \"{0}_pages\": {1:.5f}, \"{0}_exact\": {2:.5f}, \"{0}_ratio\": {3:.3f}", kind,
                   median(by_pages) / row.repeats, median(exactly) / row.repeats, median(ratios));
        const auto [first, second] = compile_times_of_checks(ptx, mode);
        fmt::print(", \"compile_{0}_pages\": {1:.3f}, \"compile_{0}_exact\": {2:.3f}", kind, first,
                   second);
    }
    fmt::print("}}\n");
    std::fflush(stdout);
}

/// Launches that count beside those that do not, by warps.
void measure_counters(const Row& row) {
    const std::string ptx = ptx_of(row.source);
    Kernel kernel{ptx, "warp"};
    std::vector<double> without, with, ratios;
    const auto run = [&](bool counts) {
        counts ? latheSoftCountersStart() : latheSoftCountersStop();
        const double start = now_ms();
        row.run(kernel);
        return now_ms() - start;
    };
    run(false);
    run(true);
    for (int k = 0; k < 3 * g_rounds; ++k) {
        without.push_back(run(false));
        with.push_back(run(true));
        ratios.push_back(with.back() / without.back());
    }
    latheSoftCountersStop();
    fmt::print("{{\"name\": \"{}\", \"off\": {:.5f}, \"on\": {:.5f}, \"ratio\": {:.3f}, "
               "\"goal_counters\": {}}}\n",
               row.name, median(without) / row.repeats, median(with) / row.repeats, median(ratios),
               row.goal.counters);
    std::fflush(stdout);
}

/// One line of JSON for `lathe bench soft`.
void measure(const Row& row) {
    if (g_counters) return measure_counters(row);
    if (g_checks) return measure_checks(row);
    const std::string ptx = ptx_of(row.source);
    Kernel scalar{ptx, "scalar"}, warp{ptx, "warp"};
    Times plain, best, warps, threads;
    row.run(scalar);
    row.run(warp);
    row.plain();
    if (row.best) row.best();
    for (int k = 0; k < g_rounds; ++k) {
        plain.measure(row.plain);
        if (row.best) best.measure(row.best);
        warps.measure([&] { row.run(warp); });
        if (k < 3) threads.measure([&] { row.run(scalar); });
    }
    fmt::print("{{\"name\": \"{}\", \"plain\": {:.5f}, \"best\": {:.5f}, \"warps\": {:.5f}, "
               "\"wall\": {:.5f}, \"threads\": {:.5f}, \"goal_plain\": {}, \"goal_best\": {}",
               row.name, median(plain.processor), row.best ? median(best.processor) : 0.0,
               median(warps.processor) / row.repeats, median(warps.wall) / row.repeats,
               median(threads.processor) / row.repeats, row.goal.plain, row.goal.best);
    if (g_compile_times)
        fmt::print(", \"compile_threads\": {:.3f}, \"compile_warps\": {:.3f}, \"cached\": {:.3f}",
                   compile_time(ptx, "scalar"), compile_time(ptx, "warp"), cached_time(ptx));
    fmt::print("}}\n");
    std::fflush(stdout);
}

/// Microseconds of a launch of nothing, of many in a row and of one that is waited for.
void measure_launch() {
    const std::string ptx = lathe::test::compile_to_ptx("extern \"C\" __global__ void k() {}",
                                                        "bench.cu", {"-lineinfo"});
    Kernel nothing{ptx, "warp"};
    constexpr int kLaunches = 2000;
    const Grid grid{{1, 1, 1}, {32, 1, 1}};
    std::vector<double> queued, waited;
    for (int k = 0; k < g_rounds; ++k) {
        double start = wall_ms();
        for (int n = 0; n < kLaunches; ++n) nothing.launch(grid);
        check(cuCtxSynchronize(), "cuCtxSynchronize");
        queued.push_back((wall_ms() - start) * 1e3 / kLaunches);
        start = wall_ms();
        for (int n = 0; n < kLaunches; ++n) nothing.run(grid);
        waited.push_back((wall_ms() - start) * 1e3 / kLaunches);
    }
    fmt::print("{{\"launch\": {:.3f}, \"launch_and_wait\": {:.3f}}}\n", median(queued),
               median(waited));
}

template <class T>
void compare(const char* name, const std::vector<T>& got, const std::vector<T>& wanted,
             double tolerance) {
    if (g_checks || g_counters) return; // the C++ did not run
    for (std::size_t k = 0; k < got.size(); ++k) {
        const double x = static_cast<double>(got[k]), y = static_cast<double>(wanted[k]);
        if (std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y))) continue;
        throw Error{fmt::format("{}: element {} is {}, expected {}", name, k, x, y)};
    }
}

std::vector<float> random_floats(std::size_t n, float low, float high) {
    std::mt19937 random{1};
    std::uniform_real_distribution<float> draw{low, high};
    std::vector<float> values(n);
    for (float& v : values) v = draw(random);
    return values;
}

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
    measure({"n-body 4096",
             source,
             [&](Kernel& kernel) {
                 kernel.run({{n / 256, 1, 1}, {256, 1, 1}}, n, 1e-3f, p.p, f.p);
             },
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
void bench_matmul(bool tiled, unsigned side = 16) {
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
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
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
             [&](Kernel& kernel) {
                 kernel.run({{16, 1, 1}, {256, 1, 1}}, n, in.p, out.p);
             },
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
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1);
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
             [&](Kernel& kernel) {
                 kernel.run({{16, 1, 1}, {256, 1, 1}}, n, din.p, out.p);
             },
             [&] { bench::histogram(n, in.data(), bins.data()); },
             {},
             {0.5, 0}});
}

std::string in_blocks(const char* name, unsigned side) {
    return side == 32 ? name : fmt::format("{}, {} x {}", name, side, 256 / side);
}

/// Blocks of 256 threads, `side` in a row.
void bench_gray_scott(unsigned side = 32) {
    constexpr int size = 1024;
    const char* source = R"(
extern "C" __global__ void k(int width, int height, const float* now, float* next) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int w = (x + width - 1) % width, e = (x + 1) % width, s = (y + height - 1) % height, n = (y + 1) % height;
    const float *pu = now, *pv = now + width * height;
    const float u = pu[y * width + x], v = pv[y * width + x];
    const float lu = pu[y * width + w] + pu[y * width + e] + pu[s * width + x] + pu[n * width + x] - 4 * u;
    const float lv = pv[y * width + w] + pv[y * width + e] + pv[s * width + x] + pv[n * width + x] - 4 * v;
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

void bench_mandelbrot(unsigned side = 32) {
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
    if (!g_checks && !g_counters &&
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
             [&](Kernel& kernel) {
                 kernel.run({{n / 256, 1, 1}, {256, 1, 1}}, n, dx.p, dy.p);
             },
             [&] { bench::libm(n, x.data(), y.data()); },
             {},
             {12, 0}});
    compare("libm", dy.read(), y, 1e-5);
}

/// Arrays of records, x read and y changed. Those of x have length 1, so that y stays in range.
template <class T>
void bench_records(const char* name, const char* source, std::vector<T> one, Goal goal,
                   void (*plain)(int, const T*, T*)) {
    constexpr unsigned n = 1 << 16, repeats = 20;
    std::vector<T> in(one.size() * n), out(one.size() * n);
    for (std::size_t k = 0; k < in.size(); ++k) {
        in[k] = one[k % one.size()];
        out[k] = static_cast<T>(k % 11) * static_cast<T>(0.0625);
    }
    Device<T> x{in}, y{out};
    const auto run = [&](Kernel& kernel, unsigned times) {
        kernel.run({{n / 256, times, 1}, {256, 1, 1}}, int{n}, x.p, y.p);
    };
    Kernel once{ptx_of(source), "warp"};
    run(once, 1);
    std::vector<T> expected = out;
    plain(n, in.data(), expected.data());
    const std::vector<T> found = y.read();
    measure({name,
             source,
             [&](Kernel& kernel) { run(kernel, repeats); },
             [&] { plain(n, in.data(), out.data()); },
             {},
             goal,
             double{repeats}});
    compare(name, found, expected, 1e-5);
}

void bench_float4_saxpy() {
    bench_records<float>("float4 saxpy 64 K", R"(
extern "C" __global__ void k(int n, const float4* x, float4* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 a = x[i]; float4 b = y[i];
    b.x += 1e-6f * a.x; b.y += 1e-6f * a.y; b.z += 1e-6f * a.z; b.w += 1e-6f * a.w;
    y[i] = b;
})",
                         {0.5f, 0.5f, 0.5f, 0.5f}, {}, bench::saxpy4);
}

void bench_complex_products() {
    bench_records<float>("float2 complex products 64 K", R"(
extern "C" __global__ void k(int n, const float2* x, float2* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 a = x[i], b = y[i];
    y[i] = make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
})",
                         {0.6f, 0.8f}, {}, bench::complex_products);
}

void bench_moving_bodies() {
    bench_records<float>("float4 bodies move 64 K", R"(
extern "C" __global__ void k(int n, const float4* x, float4* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = y[i]; const float4 v = x[i];
    const float drag = rsqrtf(1 + v.x * v.x + v.y * v.y + v.z * v.z);
    p.x += 1e-3f * drag * v.x; p.y += 1e-3f * drag * v.y; p.z += 1e-3f * drag * v.z;
    y[i] = p;
})",
                         {0.5f, 0.5f, 0.5f, 0}, {}, bench::move_bodies);
}

void bench_triples() {
    bench_records<float>("struct of 3 floats 64 K", R"(
struct Three { float x, y, z; };
extern "C" __global__ void k(int n, const Three* x, Three* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Three a = x[i]; Three b = y[i];
    const float x1 = a.y * b.z - a.z * b.y, y1 = a.z * b.x - a.x * b.z, z1 = a.x * b.y - a.y * b.x;
    y[i] = {x1, y1, z1};
})",
                         {2 / 3.0f, 1 / 3.0f, 2 / 3.0f}, {}, bench::cross_products);
}

void bench_double2() {
    bench_records<double>("double2 complex products 64 K", R"(
extern "C" __global__ void k(int n, const double2* x, double2* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double2 a = x[i], b = y[i];
    y[i] = make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
})",
                          {0.6, 0.8}, {}, bench::complex_products);
}

} // namespace

int main(int argc, char** argv) {
    std::string_view only;
    for (int k = 1; k < argc; ++k) {
        if (std::string_view{argv[k]} == "--compile-times")
            g_compile_times = true;
        else if (std::string_view{argv[k]} == "--checks")
            g_checks = true;
        else if (std::string_view{argv[k]} == "--counters")
            g_counters = true;
        else if (std::string_view{argv[k]} == "--fast-math")
            g_fast_math = true;
        else if (std::string_view{argv[k]} == "--only" && k + 1 < argc)
            only = argv[++k];
        else
            g_rounds = std::max(1, std::atoi(argv[k]));
    }
    setenv("LATHE_SOFT_WORKERS", "1", 0);
    if (!lathe::test::has_nvrtc()) {
        fmt::print(stderr, "bench_soft needs NVRTC\n");
        return 1;
    }
    try {
        check(cuInit(0), "cuInit");
        CUcontext context = nullptr;
        check(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
        check(cuCtxPushCurrent(context), "cuCtxPushCurrent");
        const std::pair<std::string_view, void (*)()> benches[] = {
            {"saxpy 4 M",
             [] {
                 bench_saxpy("saxpy 4 M", 1 << 22, 1, {0.9, 0});
             }},
            {"saxpy 32 K",
             [] {
                 bench_saxpy("saxpy 32 K", 1 << 15, 100, {0.75, 0, 1.6, 1.25});
             }},
            {"n-body", bench_nbody},
            {"matmul naive", [] { bench_matmul(false); }},
            {"matmul tiled", [] { bench_matmul(true); }},
            {"matmul of whole rows of warps",
             [] {
                 if (!g_counters) return;
                 bench_matmul(false, 32);
                 bench_matmul(true, 32);
             }},
            {"reduce", bench_reduce},
            {"histogram", bench_histogram},
            {"Gray-Scott", [] { bench_gray_scott(); }},
            {"Gray-Scott 16", [] { bench_gray_scott(16); }},
            {"Gray-Scott 8", [] { bench_gray_scott(8); }},
            {"Mandelbrot", [] { bench_mandelbrot(); }},
            {"Mandelbrot 16", [] { bench_mandelbrot(16); }},
            {"Mandelbrot 8", [] { bench_mandelbrot(8); }},
            {"libm", bench_libm},
            {"records float4 saxpy", bench_float4_saxpy},
            {"records bodies", bench_moving_bodies},
            {"records float2", bench_complex_products},
            {"records double2", bench_double2},
            {"records triples", bench_triples},
            {"launch", [] {
                 if (!g_checks && !g_counters) measure_launch();
             }}};
        for (const auto& [name, bench] : benches)
            if (name.find(only) != std::string_view::npos) bench();
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
