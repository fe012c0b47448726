// SPDX-License-Identifier: MIT
// Prefixes against loops on the host: sizes around a tile's borders, axes, types, and operators
// that do not commute.
#include "gpu/array/scan.h"

#include "gpu/launch.h"
#include "tests/gpu/array/array_test.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <random>

namespace lathe::gpu {
namespace {

class ScanTest : public ArrayTest {};

template <class T> std::vector<T> random_numbers(std::size_t count, int low, int high) {
    std::mt19937 random{static_cast<unsigned>(count)};
    std::uniform_int_distribution<int> draw{low, high};
    std::vector<T> made(count);
    for (T& each : made) each = static_cast<T>(draw(random));
    return made;
}

TEST_F(ScanTest, SumsOfSizesAroundTiles) {
    for (const std::int64_t count : {1, 2, 31, 33, 255, 1023, 2047, 2048, 2049, 4095, 4096, 4097,
                                     8193, 131071, 131073, 300001}) {
        const auto host = random_numbers<std::int32_t>(static_cast<std::size_t>(count), -9, 9);
        const Array array = array_of(DType::int32, {count}, host);
        const auto got = values_of<std::int64_t>(accumulate(operation("add"), array, 0));
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < host.size(); ++k) {
            sum += host[k];
            ASSERT_EQ(got[k], sum) << count << " at " << k;
        }
    }
}

TEST_F(ScanTest, FloatsGiveTheSameBitsEachTime) {
    std::mt19937 random{7};
    std::normal_distribution<float> draw;
    std::vector<float> host(3'000'001);
    for (float& each : host) each = draw(random);
    const Array array = array_of(DType::float32, {3'000'001}, host);
    const auto first = values_of<float>(accumulate(operation("add"), array, 0));
    double sum = 0;
    for (std::size_t k = 0; k < host.size(); ++k) {
        sum += static_cast<double>(host[k]);
        ASSERT_NEAR(static_cast<double>(first[k]), sum, 0.02) << k;
    }
    for (int run = 0; run < 3; ++run)
        ASSERT_EQ(values_of<float>(accumulate(operation("add"), array, 0)), first);
}

TEST_F(ScanTest, AxesOfAnyShape) {
    for (const Extents& shape : {Extents{3, 5000}, Extents{5000, 3}, Extents{7, 100, 4},
                                 Extents{300, 37}, Extents{2, 3, 1100}, Extents{70, 2, 1}})
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const auto host =
                random_numbers<std::int16_t>(static_cast<std::size_t>(count_of(shape)), -300, 300);
            const Array array = array_of(DType::int16, shape, host);
            const auto sums = values_of<std::int64_t>(
                accumulate(operation("add"), array, static_cast<std::int64_t>(axis)));
            const auto most = values_of<std::int16_t>(
                accumulate(operation("maximum"), array, static_cast<std::int64_t>(axis)));
            std::size_t inner = 1;
            for (std::size_t k = axis + 1; k < shape.size(); ++k)
                inner *= static_cast<std::size_t>(shape[k]);
            const auto length = static_cast<std::size_t>(shape[axis]);
            for (std::size_t k = 0; k < host.size(); ++k) {
                const bool first = k / inner % length == 0;
                ASSERT_EQ(sums[k], host[k] + (first ? 0 : sums[k - inner]))
                    << to_string(shape) << " axis " << axis << " at " << k;
                ASSERT_EQ(most[k], first ? host[k] : std::max(host[k], most[k - inner]));
            }
        }
}

TEST_F(ScanTest, ViewsAreScannedAsSeen) {
    const auto host = random_numbers<std::int64_t>(10'000, -5, 5);
    const Array all = array_of(DType::int64, {10'000}, host);
    const Array backwards = all.view(DType::int64, {{4999}, {-16}}, 9998 * 8);
    const auto got = values_of<std::int64_t>(accumulate(operation("add"), backwards, -1));
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < got.size(); ++k) ASSERT_EQ(got[k], sum += host[9998 - 2 * k]);
    const Array later = all.view(DType::int64, {{9000}, {8}}, 8); // not at a group's begin
    const auto next = values_of<std::int64_t>(accumulate(operation("add"), later, 0));
    sum = 0;
    for (std::size_t k = 0; k < next.size(); ++k) ASSERT_EQ(next[k], sum += host[k + 1]);
}

TEST_F(ScanTest, RefusesWhatHasNoPrefixes) {
    const Array array = array_of(DType::int32, {4}, std::vector<std::int32_t>{1, 2, 3, 4});
    EXPECT_THROW(accumulate(operation("add"), array, 1), ShapeError);
    EXPECT_THROW(accumulate(operation("less"), array, 0), TypeError);
    EXPECT_THROW(accumulate(operation("negative"), array, 0), lathe::Error);
    EXPECT_THROW(accumulate(operation("add"), array.view(DType::int32, {{}, {}}), 0), ShapeError);
    EXPECT_EQ(accumulate(operation("add"), Array::empty(DType::int8, Extents{0, 3}), 0).shape(),
              (Extents{0, 3}));
}

/// Matrices of 2 × 2 modulo 2^32, whose product does not commute, in a form of its own; with tiles
/// of a few values there are many groups of tiles.
TEST_F(ScanTest, OperatorsThatDoNotCommute) {
    struct Tile {
        unsigned threads, vector, rows;
    };
    for (const Tile tile : {Tile{64, 2, 2},
                            {64, 1, 1},
                            {64, 1, 4},
                            {128, 1, 8},
                            {256, 1, 16},
                            {1, 1, 1},
                            {1, 2, 8},
                            {1, 1, 1024}}) {
        const Module module =
            compile_module(fmt::format("#define THREADS {}\n#define VECTOR {}\n#define ROWS {}\n",
                                       tile.threads, tile.vector, tile.rows) +
                           R"(
#include <lathe_scan.hpp>
struct Matrix { unsigned a, b, c, d; };
struct Form {
    typedef Matrix Value;
    static const int kThreads = THREADS, kVector = VECTOR, kRows = ROWS;
    const Matrix* in;
    Matrix* out;
    __device__ Value combine(const Value& x, const Value& y) const {
        Matrix z;
        z.a = x.a * y.a + x.b * y.c;
        z.b = x.a * y.b + x.b * y.d;
        z.c = x.c * y.a + x.d * y.c;
        z.d = x.c * y.b + x.d * y.d;
        return z;
    }
    __device__ Value read_one(long long at) const { return in[at]; }
    __device__ void read(long long at, Value (&v)[kVector]) const {
        for (int j = 0; j < kVector; ++j) v[j] = in[at + j];
    }
    __device__ void write_one(long long at, const Value& v, const Value& before, bool first) const {
        const Matrix one = {1, 0, 0, 1};
        out[at] = first ? one : before; // the exclusive prefix
    }
    __device__ void write(long long at, const Value (&v)[kVector], const Value& before,
                          bool first) const {
        write_one(at, v[0], before, first);
        for (int j = 1; j < kVector; ++j) write_one(at + j, v[j], v[j - 1], false);
    }
};
extern "C" __global__ void products(const Matrix* in, Matrix* out, long long length,
                                    lathe::ScanState state) {
    Form form;
    form.in = in;
    form.out = out;
    lathe::scan_tile(form, length, state);
}
)");
        const Kernel kernel = module.kernel("products");
        const std::int64_t size = tile.threads * tile.vector * tile.rows;
        using Matrix = std::array<std::uint32_t, 4>;
        for (const std::int64_t count : {1, 255, 256, 257, 8193, 100'000}) {
            const auto host =
                random_numbers<std::uint32_t>(static_cast<std::size_t>(count) * 4, 0, 1 << 30);
            const Array in = array_of(DType::uint32, {count, 4}, host);
            const Array out = Array::empty(DType::uint32, Extents{count, 4});
            const ScanWork work{1, count, size, 16, StreamView::legacy()};
            launch(kernel, {{work.blocks()}, {tile.threads}, 0, StreamView::legacy()}, in.address(),
                   out.address(), count, work.state());
            const auto got = values_of<std::uint32_t>(out);
            Matrix x{1, 0, 0, 1};
            for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
                ASSERT_EQ((Matrix{got[4 * k], got[4 * k + 1], got[4 * k + 2], got[4 * k + 3]}), x)
                    << tile.threads << " threads, " << count << " at " << k;
                const std::uint32_t* y = &host[4 * k];
                x = {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3],
                     x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3]};
            }
        }
    }
}

} // namespace
} // namespace lathe::gpu
