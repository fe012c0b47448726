// SPDX-License-Identifier: MIT
// Sorting against std::stable_sort: types, sizes around tiles, duplicates, NaN, axes.
#include "gpu/array/sort.h"

#include "tests/gpu/array/array_test.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace lathe::gpu {
namespace {

class SortTest : public ArrayTest {
protected:
    /// Keys and indices of every row, by `less`.
    template <class T, class Less>
    static void check(DType dtype, const Extents& shape, const std::vector<T>& host, Less less) {
        const Array array = array_of(dtype, shape, host);
        const auto keys = values_of<T>(sort(array, -1));
        const auto indices = values_of<std::int64_t>(argsort(array, -1));
        const SortedArray both = sort_with_indices(array, -1);
        ASSERT_EQ(values_of<std::int64_t>(both.indices), indices);
        const auto length = static_cast<std::size_t>(shape.back());
        for (std::size_t row = 0; row * length < host.size(); ++row) {
            const T* const values = host.data() + row * length;
            std::vector<std::int64_t> expected(length);
            std::iota(expected.begin(), expected.end(), 0);
            std::stable_sort(expected.begin(), expected.end(),
                             [&](auto a, auto b) { return less(values[a], values[b]); });
            for (std::size_t k = 0; k < length; ++k) {
                ASSERT_EQ(indices[row * length + k], expected[k])
                    << name_of(dtype) << " " << to_string(shape) << " row " << row << " at " << k;
                ASSERT_EQ(std::memcmp(&keys[row * length + k], &values[expected[k]], sizeof(T)), 0);
            }
        }
    }
};

template <class T> std::vector<T> random_bits(std::size_t count, unsigned seed = 3) {
    std::mt19937_64 random{seed + count};
    std::vector<T> made(count);
    for (T& each : made) each = static_cast<T>(random());
    return made;
}

template <class T> std::vector<T> random_reals(std::size_t count) {
    std::mt19937 random{static_cast<unsigned>(count)};
    std::normal_distribution<T> draw;
    std::vector<T> made(count);
    const T special[] = {T(0), -T(0), std::numeric_limits<T>::infinity(), std::nan("")};
    for (T& each : made) each = random() % 8 == 0 ? special[random() % 4] : draw(random);
    return made;
}

template <class T> bool real_less(T a, T b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

TEST_F(SortTest, SizesAroundTiles) {
    for (const std::int64_t count : {1, 2, 31, 33, 40, 41, 257, 2047, 2048, 2049, 4096, 4097, 8193,
                                     16'384, 16'385, 65'536, 65'537, 140'001})
        check(DType::int32, {count}, random_bits<std::int32_t>(static_cast<std::size_t>(count)),
              std::less<>{});
}

TEST_F(SortTest, OtherIntegers) { // all types: tests/python
    for (const std::int64_t count : {1000, 20'000}) {
        const auto size = static_cast<std::size_t>(count);
        check(DType::uint8, {count}, random_bits<std::uint8_t>(size), std::less<>{});
        check(DType::int64, {count}, random_bits<std::int64_t>(size), std::less<>{});
    }
}

TEST_F(SortTest, FloatsWithNanAndZeros) {
    for (const std::int64_t count : {30, 1000, 20'000}) {
        const auto size = static_cast<std::size_t>(count);
        check(DType::float32, {count}, random_reals<float>(size), real_less<float>);
    }
}

TEST_F(SortTest, ComplexNumbersAsNumPy) {
    using Z = std::complex<double>;
    const auto order = [](Z a, Z b) {
        const auto nans = [](Z z) { return 2 * std::isnan(z.real()) + std::isnan(z.imag()); };
        if (nans(a) != nans(b)) return nans(a) < nans(b);
        if (!std::isnan(a.real()) && a.real() != b.real()) return a.real() < b.real();
        return !std::isnan(a.imag()) && a.imag() < b.imag();
    };
    for (const std::int64_t count : {30, 700, 20'000}) {
        const auto parts = random_reals<double>(static_cast<std::size_t>(2 * count));
        std::vector<Z> host;
        for (std::size_t k = 0; k < parts.size(); k += 2)
            host.emplace_back(std::round(parts[k] * 2) + 0.0, parts[k + 1]);
        check(DType::complex128, {count}, host, order);
    }
}

TEST_F(SortTest, FewValuesKeepTheirOrder) {
    auto host = random_bits<std::int64_t>(30'000);
    for (auto& each : host) each %= 3;
    check(DType::int64, {30'000}, host, std::less<>{});
    check(DType::int64, {6, 5000}, host, std::less<>{});
    check(DType::int64, {300, 100}, host, std::less<>{});
}

TEST_F(SortTest, AnyAxisAndStrides) {
    const auto host = random_bits<std::int16_t>(6000);
    const Array array = array_of(DType::int16, {20, 300}, host);
    const auto down = values_of<std::int16_t>(sort(array, 0));
    for (std::size_t column = 0; column < 300; ++column) {
        std::vector<std::int16_t> expected;
        for (std::size_t k = 0; k < 20; ++k) expected.push_back(host[k * 300 + column]);
        std::sort(expected.begin(), expected.end());
        for (std::size_t k = 0; k < 20; ++k) ASSERT_EQ(down[k * 300 + column], expected[k]);
    }
    const Array backwards = array.view(DType::int16, {{3000}, {-4}}, 5998 * 2);
    const auto got = values_of<std::int64_t>(argsort(backwards, 0));
    for (std::size_t k = 1; k < got.size(); ++k) {
        const auto value = [&](std::int64_t at) {
            return host[static_cast<std::size_t>(5998 - 2 * at)];
        };
        ASSERT_LE(value(got[k - 1]), value(got[k]));
        if (value(got[k - 1]) == value(got[k])) { ASSERT_LT(got[k - 1], got[k]); }
    }
    EXPECT_THROW(sort(array, 2), ShapeError);
    EXPECT_EQ(sort(Array::empty(DType::int8, Extents{3, 0}), 0).shape(), (Extents{3, 0}));
}

} // namespace
} // namespace lathe::gpu
