// SPDX-License-Identifier: MIT
// Structures and vectors of a thread.
#include "tests/benchmarks/soft_kernels.h"
#include "tests/benchmarks/soft_references.h"

namespace lathe::bench {

namespace {

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

} // namespace

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

} // namespace lathe::bench
