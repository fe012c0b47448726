// SPDX-License-Identifier: MIT
// Seven-point stencils in three dimensions, by blocks of several shapes.
#include "tests/benchmarks/soft_kernels.h"
#include "tests/benchmarks/soft_references.h"

namespace lathe::bench {

namespace {

constexpr int kSide = 192;

template <class T> std::vector<T> hill() {
    std::vector<T> values;
    for (int z = 0; z < kSide; ++z)
        for (int y = 0; y < kSide; ++y)
            for (int x = 0; x < kSide; ++x)
                values.push_back(static_cast<T>((x * 7 + y * 5 + z * 3) % 64) / 64);
    return values;
}

constexpr const char* kHeat = R"(
extern "C" __global__ void k(int nx, int ny, int nz, T c, const T* now, T* next) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    const int at = (z * ny + y) * nx + x;
    next[at] = now[at] + c * (now[at - 1] + now[at + 1] + now[at - nx] + now[at + nx] +
                              now[at - nx * ny] + now[at + nx * ny] - 6 * now[at]);
})";

// Each thread walks a column along z.
constexpr const char* kHeatColumns = R"(
extern "C" __global__ void k(int nx, int ny, int nz, T c, const T* now, T* next) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    for (int z = 1; z < nz - 1; ++z) {
        const int at = (z * ny + y) * nx + x;
        next[at] = now[at] + c * (now[at - 1] + now[at + 1] + now[at - nx] + now[at + nx] +
                                  now[at - nx * ny] + now[at + nx * ny] - 6 * now[at]);
    }
})";

// `next` has the step before when the kernel begins.
constexpr const char* kWave = R"(
extern "C" __global__ void k(int nx, int ny, int nz, T c, const T* now, T* next) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        const int at = x + nx * (y + ny * z);
        const T sum = now[at - 1] + now[at + 1] + now[at - nx] + now[at + nx] +
                      now[at - nx * ny] + now[at + nx * ny];
        next[at] = 2 * now[at] - next[at] + c * (sum - 6 * now[at]);
    }
})";

template <class T>
void bench(const char* name, const char* source, const unsigned (&block)[3], unsigned layers,
           void (*plain)(int, int, int, T, const T*, T*)) {
    const char* type = sizeof(T) == 4 ? "float" : "double";
    const std::string text = fmt::format("typedef {} T;", type) + source;
    const std::string title =
        fmt::format("{} {}^3 {}, {} x {} x {}", name, kSide, type, block[0], block[1], block[2]);
    const auto blocks = [&](unsigned axis, unsigned cells) {
        return (cells + block[axis] - 1) / block[axis];
    };
    const Grid grid{{blocks(0, kSide), blocks(1, kSide), blocks(2, layers)},
                    {block[0], block[1], block[2]}};
    const T c = T{1} / 8;
    const std::vector<T> now = hill<T>();
    std::vector<T> expected = now, next = now;
    Device<T> from{now}, to{now};
    const auto run = [&](Kernel& kernel) {
        kernel.run(grid, kSide, kSide, kSide, c, from.p, to.p);
    };
    Kernel once{ptx_of(text.c_str()), "warp"};
    run(once);
    plain(kSide, kSide, kSide, c, now.data(), expected.data());
    compare(title.c_str(), to.read(), expected, 1e-5);
    measure({title.c_str(),
             text.c_str(),
             run,
             [&] { plain(kSide, kSide, kSide, c, now.data(), next.data()); },
             {},
             {0.8}});
}

} // namespace

void bench_stencils() {
    bench<float>("heat", kHeat, {32, 4, 2}, kSide, heat);
    bench<float>("heat", kHeat, {8, 8, 8}, kSide, heat);
    bench<float>("heat columns", kHeatColumns, {256, 1, 1}, 1, heat);
    bench<float>("heat columns", kHeatColumns, {32, 8, 1}, 1, heat);
    bench<float>("wave", kWave, {32, 4, 2}, kSide, wave);
    bench<double>("heat", kHeat, {32, 4, 2}, kSide, heat);
    bench<double>("heat", kHeat, {8, 8, 8}, kSide, heat);
    bench<double>("wave", kWave, {16, 4, 4}, kSide, wave);
}

} // namespace lathe::bench
