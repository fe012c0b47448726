// SPDX-License-Identifier: MIT
// Products of a sparse matrix and a vector, and shortest paths: kernels whose work per byte is low
// and whose accesses or barriers decide.
#include "tests/benchmarks/soft_kernels.h"
#include "tests/benchmarks/soft_references.h"

#include <random>

namespace lathe::bench {

namespace {

struct Matrix {
    std::vector<int> rows{0}, columns;
    std::vector<float> values;
};

/// Each cell of a cube with its neighbours, corners too: 27 entries inside.
Matrix neighbours(int side) {
    Matrix m;
    const auto within = [&](int v) { return v >= 0 && v < side; };
    for (int cell = 0; cell < side * side * side; ++cell) {
        const int x = cell % side, y = cell / side % side, z = cell / side / side;
        for (int k = 0; k < 27; ++k) {
            const int u = x + k % 3 - 1, v = y + k / 3 % 3 - 1, w = z + k / 9 - 1;
            if (!within(u) || !within(v) || !within(w)) continue;
            m.columns.push_back((w * side + v) * side + u);
            m.values.push_back(k == 13 ? 26.0f : -1.0f);
        }
        m.rows.push_back(static_cast<int>(m.columns.size()));
    }
    return m;
}

/// 20 to 34 entries a row, in columns of any order.
Matrix scattered(int size) {
    Matrix m;
    std::mt19937 random{1};
    for (int row = 0; row < size; ++row) {
        for (unsigned left = 20 + random() % 15; left; --left) {
            m.columns.push_back(static_cast<int>(random() % static_cast<unsigned>(size)));
            m.values.push_back(static_cast<float>(random() % 16) / 16);
        }
        m.rows.push_back(static_cast<int>(m.columns.size()));
    }
    return m;
}

constexpr const char* kThreadARow = R"(
extern "C" __global__ void k(int n, const int* rows, const int* columns, const float* values,
                             const float* x, float* y) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    for (int k = rows[row]; k < rows[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
})";

constexpr const char* kWarpARow = R"(
extern "C" __global__ void k(int n, const int* rows, const int* columns, const float* values,
                             const float* x, float* y) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    float sum = 0;
    for (int k = rows[row] + lane; k < rows[row + 1]; k += 32) sum += values[k] * x[columns[k]];
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0) y[row] = sum;
})";

void bench_csr(const char* name, const Matrix& m, bool by_warps) {
    const int n = static_cast<int>(m.rows.size()) - 1;
    std::vector<float> x, y(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) x.push_back(static_cast<float>(k % 19) / 16);
    Device<int> rows{m.rows}, columns{m.columns};
    Device<float> values{m.values}, dx{x}, dy{y};
    const auto threads = static_cast<unsigned>(n) * (by_warps ? 32 : 1);
    const std::string title = fmt::format("CSR {}, a {} a row", name, by_warps ? "warp" : "thread");
    measure({title.c_str(),
             by_warps ? kWarpARow : kThreadARow,
             [&](Kernel& kernel) {
                 kernel.run({{(threads + 255) / 256, 1, 1}, {256, 1, 1}}, n, rows.p, columns.p,
                            values.p, dx.p, dy.p);
             },
             [&] {
                 csr_product(n, m.rows.data(), m.columns.data(), m.values.data(), x.data(),
                             y.data());
             },
             {},
             {by_warps ? 0.4 : 0.7}});
    compare(title.c_str(), dy.read(), y, 1e-4);
}

} // namespace

void bench_sparse() {
    const Matrix cube = neighbours(48), random = scattered(100'000);
    bench_csr("27 points", cube, false);
    bench_csr("27 points", cube, true);
    bench_csr("random", random, false);
    bench_csr("random", random, true);
}

// All shortest paths by tiles: the tile on the diagonal, those in its row and column, the others.
void bench_floyd_warshall() {
    constexpr int n = 512, side = 16, tiles = n / side;
    const char* source = R"(
constexpr int side = 16;
extern "C" __global__ void diagonal(int n, int step, int* d) {
    __shared__ int tile[side][side];
    const int x = threadIdx.x, y = threadIdx.y, at = (step * side + y) * n + step * side + x;
    tile[y][x] = d[at];
    __syncthreads();
    for (int k = 0; k < side; ++k) {
        tile[y][x] = min(tile[y][x], tile[y][k] + tile[k][x]);
        __syncthreads();
    }
    d[at] = tile[y][x];
}
extern "C" __global__ void cross(int n, int step, int* d) {
    __shared__ int pivot[side][side], tile[side][side];
    if (blockIdx.x == step) return;
    const int x = threadIdx.x, y = threadIdx.y, own = blockIdx.x * side, first = step * side;
    const int at = blockIdx.y ? (own + y) * n + first + x : (first + y) * n + own + x;
    pivot[y][x] = d[(first + y) * n + first + x];
    tile[y][x] = d[at];
    __syncthreads();
    for (int k = 0; k < side; ++k) {
        const int through = blockIdx.y ? tile[y][k] + pivot[k][x] : pivot[y][k] + tile[k][x];
        tile[y][x] = min(tile[y][x], through);
        __syncthreads();
    }
    d[at] = tile[y][x];
}
extern "C" __global__ void k(int n, int step, int* d) {
    __shared__ int left[side][side], above[side][side];
    if (blockIdx.x == step || blockIdx.y == step) return;
    const int x = threadIdx.x, y = threadIdx.y, first = step * side;
    const int column = blockIdx.x * side + x, row = blockIdx.y * side + y;
    left[y][x] = d[row * n + first + x];
    above[y][x] = d[(first + y) * n + column];
    __syncthreads();
    int best = d[row * n + column];
    for (int k = 0; k < side; ++k) best = min(best, left[y][k] + above[k][x]);
    d[row * n + column] = best;
})";
    std::mt19937 random{1};
    std::vector<int> d;
    for (int k = 0; k < n * n; ++k) d.push_back(static_cast<int>(random() % 100'000));
    Device<int> paths{d};
    measure({"Floyd-Warshall 512, 16 x 16",
             source,
             [&](Kernel& kernel) {
                 constexpr unsigned t = tiles, s = side;
                 for (int step = 0; step < tiles; ++step) {
                     kernel.launch_other("diagonal", {{1, 1, 1}, {s, s, 1}}, n, step, paths.p);
                     kernel.launch_other("cross", {{t, 2, 1}, {s, s, 1}}, n, step, paths.p);
                     kernel.launch({{t, t, 1}, {s, s, 1}}, n, step, paths.p);
                 }
                 check(cuCtxSynchronize(), "cuCtxSynchronize");
             },
             [&] { shortest_paths(n, d.data()); },
             {},
             {1.0}});
    compare("Floyd-Warshall", paths.read(), d, 0);
}

} // namespace lathe::bench
