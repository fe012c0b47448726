// SPDX-License-Identifier: MIT
// Masks, unique values, searches and counts against the standard library; tests/python compares all
// types with NumPy.
#include "gpu/array/select.h"

#include "gpu/array/histogram.h"
#include "tests/gpu/array/array_test.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>

namespace lathe::gpu {
namespace {

class SelectTest : public ArrayTest {};

std::vector<std::int32_t> draw(std::size_t count, int low, int high) {
    std::mt19937 random{static_cast<unsigned>(count + 1)};
    std::uniform_int_distribution<int> each{low, high};
    std::vector<std::int32_t> made(count);
    for (auto& value : made) value = each(random);
    return made;
}

TEST_F(SelectTest, KeepsWhatTheMaskSays) {
    for (const std::int64_t count : {1, 4095, 4096, 4097, 150'001})
        for (const int most : {0, 1, 40}) {
            const auto mask = draw(static_cast<std::size_t>(count), 0, most);
            const auto host = draw(static_cast<std::size_t>(count) + 7, -1000, 1000);
            std::vector<std::int32_t> expected;
            std::vector<std::int64_t> places;
            for (std::size_t k = 0; k < mask.size(); ++k)
                if (mask[k] != 0) {
                    expected.push_back(host[k]);
                    places.push_back(static_cast<std::int64_t>(k));
                }
            const Array flags = array_of(DType::int32, {count}, mask);
            const Array array =
                array_of(DType::int32, {count + 7}, host).view(DType::int32, compact({count}, 4));
            ASSERT_EQ(values_of<std::int32_t>(compress(flags, array)), expected) << count;
            ASSERT_EQ(values_of<std::int64_t>(flat_nonzero(flags)), places) << count;
        }
}

TEST_F(SelectTest, IndicesAlongEachAxis) {
    const auto host = draw(5 * 40 * 30, 0, 2);
    const Array array = array_of(DType::int32, {5, 40, 30}, host);
    const std::vector<Array> found = nonzero(array);
    ASSERT_EQ(found.size(), 3u);
    const auto a = values_of<std::int64_t>(found[0]), b = values_of<std::int64_t>(found[1]),
               c = values_of<std::int64_t>(found[2]);
    std::size_t number = 0;
    for (std::int64_t k = 0; k < 6000; ++k) {
        if (host[static_cast<std::size_t>(k)] == 0) continue;
        ASSERT_EQ(a.at(number) * 1200 + b.at(number) * 30 + c.at(number), k);
        ++number;
    }
    EXPECT_EQ(number, a.size());
    EXPECT_EQ(nonzero(Array::empty(DType::int8, Extents{0, 2}))[1].size(), 0);
}

TEST_F(SelectTest, UniqueWithAllItsParts) {
    for (const int most : {0, 5, 100'000}) {
        const auto host = draw(20'000, -most, most);
        const UniqueArray got = unique(array_of(DType::int32, {20'000}, host),
                                       {.indices = true, .inverse = true, .counts = true});
        std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> expected; // first, count
        for (std::size_t k = 0; k < host.size(); ++k)
            ++expected.try_emplace(host[k], static_cast<std::int64_t>(k), 0).first->second.second;
        const auto values = values_of<std::int32_t>(got.values);
        const auto indices = values_of<std::int64_t>(got.indices),
                   inverse = values_of<std::int64_t>(got.inverse),
                   counts = values_of<std::int64_t>(got.counts);
        ASSERT_EQ(values.size(), expected.size());
        std::size_t k = 0;
        for (const auto& [value, place] : expected) {
            ASSERT_EQ(values[k], value);
            ASSERT_EQ(indices[k], place.first);
            ASSERT_EQ(counts[k++], place.second);
        }
        for (k = 0; k < host.size(); ++k)
            ASSERT_EQ(values[static_cast<std::size_t>(inverse[k])], host[k]);
    }
}

TEST_F(SelectTest, SearchesBothSides) {
    auto host = draw(3000, -500, 500);
    std::sort(host.begin(), host.end());
    const auto wanted = draw(1000, -600, 600);
    const Array sorted = array_of(DType::int32, {3000}, host),
                values = array_of(DType::int32, {10, 100}, wanted);
    const auto left = values_of<std::int64_t>(searchsorted(sorted, values, Side::left)),
               right = values_of<std::int64_t>(searchsorted(sorted, values, Side::right));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        const auto [begin, end] = std::equal_range(host.begin(), host.end(), wanted[k]);
        ASSERT_EQ(left[k], begin - host.begin());
        ASSERT_EQ(right[k], end - host.begin());
    }
}

TEST_F(SelectTest, CountsByNumberAndByBin) {
    for (const int bins : {1, 7, 5000}) { // in a block's memory, and beyond it
        const auto host = draw(30'000, -2, bins + 1);
        std::vector<std::int64_t> expected(static_cast<std::size_t>(bins));
        std::vector<double> weights(host.size()), sums(static_cast<std::size_t>(bins));
        for (std::size_t k = 0; k < host.size(); ++k) {
            weights[k] = static_cast<double>(k % 16) * 0.25; // sums are exact in any order
            if (host[k] < 0 || host[k] >= bins) continue;
            ++expected[static_cast<std::size_t>(host[k])];
            sums[static_cast<std::size_t>(host[k])] += weights[k];
        }
        const Array array = array_of(DType::int32, {30'000}, host);
        const Array factors = array_of(DType::float64, {30'000}, weights);
        EXPECT_EQ(values_of<std::int64_t>(bincount(array, bins)), expected);
        EXPECT_EQ(values_of<double>(bincount(array, bins, &factors)), sums);
        // Bins [k, k + 1), the last one with its end.
        std::vector<double> edges;
        for (int k = 0; k <= bins; ++k) edges.push_back(k);
        for (const auto each : host) expected.back() += each == bins;
        const Array at = array_of(DType::float64, {bins + 1}, edges);
        EXPECT_EQ(values_of<std::int64_t>(histogram(array, at, true)), expected);
        EXPECT_EQ(values_of<std::int64_t>(histogram(array, at, false)), expected);
    }
}

TEST_F(SelectTest, Ranges) {
    const auto host = draw(10'000, -77, 99);
    const auto [low, high] = std::minmax_element(host.begin(), host.end());
    const Array array = array_of(DType::int32, {10'000}, host);
    EXPECT_EQ(integer_range(array).least, *low);
    EXPECT_EQ(integer_range(array).greatest, *high);
    EXPECT_EQ(real_range(array).least, *low);
    const Array reals = array_of(DType::float32, {3}, std::vector<float>{1.f, -2.5f, 8.f});
    EXPECT_EQ(real_range(reals).least, -2.5);
    EXPECT_EQ(real_range(reals).greatest, 8.0);
    const Array nan = array_of(DType::float64, {2}, std::vector<double>{1., std::nan("")});
    EXPECT_TRUE(std::isnan(real_range(nan).greatest));
    EXPECT_THROW(integer_range(reals), TypeError);
    const Array large = array_of(DType::uint64, {2}, std::vector<std::uint64_t>{3, ~0ull});
    EXPECT_EQ(unsigned_range(large).greatest, ~0ull);
    EXPECT_EQ(unsigned_range(large).least, 3u);
}

} // namespace
} // namespace lathe::gpu
