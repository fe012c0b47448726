// SPDX-License-Identifier: MIT
// Not a test: kernels through the thread loop against plain C++ loops, and the compile times.
//   bench_soft_jit [compile [rounds]]   prints milliseconds of processor time, medians of 9
#include "tests/soft/jit/mini_runtime.h"
#include "tests/soft/support/nvrtc.h"

#include "gpu/ptx/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>

using namespace lathe;
using namespace lathe::soft;

namespace {

/// Processor time of this thread, so that a loaded machine counts less.
double thread_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double median_ms(int runs, const std::function<void()>& work) {
    std::vector<double> times;
    for (int k = 0; k < runs; ++k) {
        const double start = thread_ms();
        work();
        times.push_back(thread_ms() - start);
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[static_cast<std::size_t>(runs / 2)];
}

struct Rates {
    float feed, kill, diffuse_u, diffuse_v;
};
struct Float2 {
    float x, y;
};

/// Every kernel of a file, PTX to callable, in one mode.
double compile_time(const std::string& ptx, bool by_warps, bool cached, int rounds) {
    return median_ms(rounds, [&] {
        auto module = std::make_shared<ptx::Module>(ptx::parse(ptx).module);
        if (!cached) module->key.clear();
        const auto code = CompiledModule::create(module,
                                                 [](std::string_view) -> void* {
                                                     static std::uint64_t memory[64];
                                                     return memory;
                                                 },
                                                 {by_warps, 0});
        constexpr std::uint32_t kLine[3] = {256, 1, 1}, kSquare[3] = {32, 8, 1};
        for (const KernelInfo& kernel : code->kernels())
            code->code(kernel.name, kernel.has_rows ? kSquare : kLine);
    });
}

void compile_times(int rounds) {
    for (const char* name : {"saxpy", "grayscott", "nbody", "matmul", "reduce", "scan", "histogram",
                             "mandelbrot", "libm"}) {
        const std::string text = lathe::test::compile_kernel(name, {"-lineinfo"});
        const double threads = compile_time(text, false, false, rounds);
        const double warps = compile_time(text, true, false, rounds);
        compile_time(text, true, true, 1); // into the cache
        fmt::print(
            "compile {:<12} threads {:8.2f} ms, warps {:8.2f} ms, from the disk {:8.2f} ms\n", name,
            threads, warps, compile_time(text, true, true, rounds));
    }
}

/// Runs a grid block by block through the thread loop, without the test run time's overhead.
void run(CompiledModule& code, std::string_view kernel, const lathe::soft::test::Shape& shape,
         const void* params) {
    const BlockEntry loop = code.thread_code(kernel).block;
    ThreadContext context{};
    std::copy_n(shape.block, 3, context.ntid);
    std::copy_n(shape.grid, 3, context.nctaid);
    context.params = static_cast<const std::uint8_t*>(params);
    const std::uint32_t threads = shape.block[0] * shape.block[1] * shape.block[2];
    for (context.ctaid[2] = 0; context.ctaid[2] < shape.grid[2]; ++context.ctaid[2])
        for (context.ctaid[1] = 0; context.ctaid[1] < shape.grid[1]; ++context.ctaid[1])
            for (context.ctaid[0] = 0; context.ctaid[0] < shape.grid[0]; ++context.ctaid[0])
                loop(&context, 0, threads);
}

std::shared_ptr<CompiledModule> load(const char* text) {
    auto module = std::make_shared<ptx::Module>(
        ptx::parse(lathe::test::compile_to_ptx(text, "bench.cu")).module);
    return CompiledModule::create(module, {});
}

void saxpy() {
    const auto code =
        load("extern \"C\" __global__ void saxpy(int n, float a, const float* x, float* y) {"
             "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }");
    constexpr int n = 1 << 22;
    std::vector<float> x(n, 1.0f), y(n, 2.0f);
    struct {
        int n;
        float a;
        const float* x;
        float* y;
    } params{n, 0.5f, x.data(), y.data()};
    const double jit =
        median_ms(9, [&] { run(*code, "saxpy", {{n / 256, 1, 1}, {256, 1, 1}}, &params); });
    const double host = median_ms(9, [&] {
        for (int i = 0; i < n; ++i) y[i] = params.a * x[i] + y[i];
    });
    fmt::print("saxpy 4M      {:8.2f} ms, C++ {:8.2f} ms\n", jit, host);
}

void grayscott() {
    const auto code = load(R"(
struct Rates { float feed, kill, diffuse_u, diffuse_v; };
extern "C" __global__ void grayscott(int width, int height, Rates rates, const float2* now,
                                     float2* next) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int w = (x + width - 1) % width, e = (x + 1) % width, s = (y + height - 1) % height,
              n = (y + 1) % height;
    const float2 c = now[y * width + x], cw = now[y * width + w], ce = now[y * width + e],
                 cs = now[s * width + x], cn = now[n * width + x];
    const float reaction = c.x * c.y * c.y;
    float2 r;
    r.x = c.x + rates.diffuse_u * (cw.x + ce.x + cs.x + cn.x - 4 * c.x) - reaction +
          rates.feed * (1 - c.x);
    r.y = c.y + rates.diffuse_v * (cw.y + ce.y + cs.y + cn.y - 4 * c.y) + reaction -
          (rates.feed + rates.kill) * c.y;
    next[y * width + x] = r;
})");
    constexpr int size = 1024;
    std::vector<Float2> now(size * size, {1.0f, 0.5f}), next(size * size);
    struct {
        int width, height;
        Rates rates;
        const Float2* now;
        Float2* next;
    } params{size, size, {0.03f, 0.06f, 0.2f, 0.1f}, now.data(), next.data()};
    const double jit = median_ms(
        9, [&] { run(*code, "grayscott", {{size / 32, size / 8, 1}, {32, 8, 1}}, &params); });
    volatile int runtime_size = size;
    const double host = median_ms(9, [&] {
        const int width = runtime_size, height = runtime_size;
        const Rates& q = params.rates;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                const int w = (x + width - 1) % width, e = (x + 1) % width,
                          s = (y + height - 1) % height, n = (y + 1) % height;
                const Float2 c = now[y * width + x], cw = now[y * width + w],
                             ce = now[y * width + e], cs = now[s * width + x],
                             cn = now[n * width + x];
                const float reaction = c.x * c.y * c.y;
                next[y * width + x] = {c.x + q.diffuse_u * (cw.x + ce.x + cs.x + cn.x - 4 * c.x) -
                                           reaction + q.feed * (1 - c.x),
                                       c.y + q.diffuse_v * (cw.y + ce.y + cs.y + cn.y - 4 * c.y) +
                                           reaction - (q.feed + q.kill) * c.y};
            }
    });
    fmt::print("Gray-Scott 1K {:8.2f} ms, C++ {:8.2f} ms\n", jit, host);
}

void matmul() {
    const auto code = load(
        "extern \"C\" __global__ void matmul(int n, const float* a, const float* b, float* c) {"
        "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"
        "float s = 0; for (int k = 0; k < n; ++k) s += a[y * n + k] * b[k * n + x]; c[y * n + x] = "
        "s; }");
    constexpr int n = 256;
    std::vector<float> a(n * n, 0.5f), b(n * n, 0.25f), c(n * n);
    struct {
        int n;
        const float *a, *b;
        float* c;
    } params{n, a.data(), b.data(), c.data()};
    const double jit =
        median_ms(9, [&] { run(*code, "matmul", {{n / 16, n / 16, 1}, {16, 16, 1}}, &params); });
    const double host = median_ms(9, [&] {
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                float s = 0;
                for (int k = 0; k < n; ++k) s += a[y * n + k] * b[k * n + x];
                c[y * n + x] = s;
            }
    });
    fmt::print("matmul 256    {:8.2f} ms, C++ {:8.2f} ms\n", jit, host);
}

} // namespace

int main(int argc, char** argv) {
    if (!lathe::test::has_nvrtc()) return 0;
    const bool only_compile = argc > 1 && std::string_view{argv[1]} == "compile";
    compile_times(argc > 2 ? std::atoi(argv[2]) : 9);
    if (only_compile) return 0;
    saxpy();
    grayscott();
    matmul();
}
