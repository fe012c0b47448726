// SPDX-License-Identifier: MIT
// Reductions from C++ alone; every one, type, shape and order of axes is compared with NumPy in
// tests/python/test_array_reductions.py.
#include "gpu/array/reduction.h"

#include "gpu/array/elementwise.h"
#include "gpu/memory.h"
#include "tests/gpu/device_test.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace lathe::gpu {
namespace {

class Reductions : public DeviceTest {
protected:
    template <class T>
    static Array array_of(DType dtype, const Extents& shape, const std::vector<T>& values) {
        Array made = Array::empty(dtype, shape);
        if (!values.empty())
            copy_to_device(DeviceSpan<T>{made.address(), values.size()},
                           std::span<const T>{values});
        return made;
    }
    template <class T> static std::vector<T> values_of(const Array& array) {
        const Array compact = copy(array, Order::c);
        std::vector<T> values(static_cast<std::size_t>(array.size()));
        Context::current().synchronize();
        if (!values.empty())
            copy_to_host(std::span<T>{values},
                         DeviceSpan<const T>{compact.address(), values.size()});
        return values;
    }
    template <class T> static T value_of(const Array& array) { return values_of<T>(array).at(0); }
    static std::vector<float> random_floats(std::size_t count, unsigned seed) {
        std::mt19937 random{seed};
        std::normal_distribution<float> normal;
        std::vector<float> values(count);
        for (float& each : values) each = normal(random);
        return values;
    }
};

TEST_F(Reductions, SumsOfAllSizes) {
    for (const int count :
         {0, 1, 2, 31, 32, 33, 255, 257, 1000, 8191, 8192, 8193, 100000, 3000001}) {
        const auto values = random_floats(static_cast<std::size_t>(count), 7);
        const Array array = array_of<float>(DType::float32, {count}, values);
        long double sum = 0, size = 0;
        for (const float each : values) {
            sum += each;
            size += std::abs(each);
        }
        const float got = value_of<float>(reduce(Reduction::sum, array));
        EXPECT_NEAR(got, static_cast<float>(sum), static_cast<float>(size) * 3e-7f + 1e-30f)
            << count;
    }
}

TEST_F(Reductions, TheSameBitsEachTimeAndWhereverItLies) {
    const std::size_t count = 300000;
    const auto values = random_floats(count + 1, 3);
    const Array all =
        array_of<float>(DType::float32, {static_cast<std::int64_t>(count) + 1}, values);
    const Array later = all.view(DType::float32, {{static_cast<std::int64_t>(count)}, {4}}, 4);
    const float first = value_of<float>(reduce(Reduction::sum, later));
    for (int k = 0; k < 20; ++k)
        ASSERT_EQ(value_of<float>(reduce(Reduction::sum, later)), first) << k;
    // Not at a group's begin there; here it is.
    EXPECT_EQ(value_of<float>(reduce(Reduction::sum, copy(later))), first);
}

TEST_F(Reductions, AxesOfAllShapes) {
    for (const Extents& shape :
         {Extents{5, 7}, Extents{3, 1000}, Extents{1000, 3}, Extents{70000, 2}, Extents{2, 70000},
          Extents{300, 300}, Extents{100, 64}, Extents{66000, 18}}) {
        const std::int64_t rows = shape[0], columns = shape[1];
        std::vector<int> values(static_cast<std::size_t>(rows * columns));
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<int>(k * 7 % 1009);
        const Array array = array_of<int>(DType::int32, shape, values);
        std::vector<std::int64_t> by_row(static_cast<std::size_t>(rows)),
            by_column(static_cast<std::size_t>(columns));
        for (std::size_t k = 0; k < values.size(); ++k) {
            by_row[k / static_cast<std::size_t>(columns)] += values[k];
            by_column[k % static_cast<std::size_t>(columns)] += values[k];
        }
        const Extents first{0}, second{-1};
        EXPECT_EQ(values_of<std::int64_t>(reduce(Reduction::sum, array, {.axes = &first})),
                  by_column)
            << to_string(shape);
        EXPECT_EQ(values_of<std::int64_t>(reduce(Reduction::sum, array, {.axes = &second})), by_row)
            << to_string(shape);
    }
}

TEST_F(Reductions, PlacesCountInCOrder) {
    const std::vector<float> values{3, 1, NAN, 1, 9, 9, 0, 0};
    const Array array = array_of<float>(DType::float32, {8}, values);
    EXPECT_EQ(value_of<std::int64_t>(reduce(Reduction::argmax, array)), 2);
    const Array numbers = array.view(DType::float32, {{5}, {4}}, 12);
    EXPECT_EQ(value_of<std::int64_t>(reduce(Reduction::argmax, numbers)), 1);
    EXPECT_EQ(value_of<std::int64_t>(reduce(Reduction::argmin, numbers)), 3);
    const Array backwards = array.view(DType::float32, {{5}, {-4}}, 28);
    EXPECT_EQ(value_of<std::int64_t>(reduce(Reduction::argmax, backwards)), 2);
    const Array turned = array.view(DType::float32, {{2, 2}, {4, 8}}, 12); // 1 9; 9 0
    EXPECT_EQ(value_of<std::int64_t>(reduce(Reduction::argmax, turned)), 1);
}

TEST_F(Reductions, NaNWinsOrLoses) {
    std::vector<float> values(5000, 1.f);
    values[4000] = NAN;
    values[17] = -2;
    values[4999] = 5;
    const Array array = array_of<float>(DType::float32, {5000}, values);
    EXPECT_TRUE(std::isnan(value_of<float>(reduce(Reduction::max, array))));
    EXPECT_TRUE(std::isnan(value_of<float>(reduce(Reduction::min, array))));
    EXPECT_EQ(value_of<float>(reduce(Reduction::fmax, array)), 5);
    EXPECT_EQ(value_of<float>(reduce(Reduction::fmin, array)), -2);
    EXPECT_EQ(value_of<std::int64_t>(reduce(Reduction::argmin, array)), 4000);
    EXPECT_EQ(value_of<std::uint8_t>(reduce(Reduction::all, array)), 1);
}

TEST_F(Reductions, VarianceOfWhatIsFarFromNothing) {
    std::vector<double> values(100001);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1e9 + static_cast<double>(k % 3);
    long double mean = 0, squares = 0;
    for (const double each : values) mean += each - 1e9L;
    mean /= static_cast<long double>(values.size());
    for (const double each : values) squares += (each - 1e9L - mean) * (each - 1e9L - mean);
    const Array array = array_of<double>(DType::float64, {100001}, values);
    EXPECT_NEAR(value_of<double>(reduce(Reduction::var, array)),
                static_cast<double>(squares / 100001), 1e-12);
    EXPECT_NEAR(value_of<double>(reduce(Reduction::std, array, {.parameter = 1})),
                static_cast<double>(std::sqrt(squares / 100000)), 1e-12);
}

TEST_F(Reductions, InnerProductsOfMixedOrders) {
    std::vector<double> values(35);
    std::iota(values.begin(), values.end(), 1.);
    const Array a = array_of<double>(DType::float64, {5, 7}, values);
    const Array b = copy(a, Order::f);
    double expected = 0;
    for (const double each : values) expected += each * each;
    EXPECT_EQ(value_of<double>(reduce(Reduction::dot, a, b)), expected);
    const Extents axis{1};
    EXPECT_EQ(values_of<double>(reduce(Reduction::dot, a, b, {.axes = &axis})).size(), 5u);
}

TEST_F(Reductions, SubsetsCountInCOrder) {
    std::vector<float> values(1000);
    std::iota(values.begin(), values.end(), 0.f);
    const Array array = array_of<float>(DType::float32, {1000}, values);
    const Array subset = array_of<int>(DType::int32, {4}, {999, 0, 500, 500});
    EXPECT_EQ(value_of<float>(reduce_subset(Reduction::sum, subset, array, nullptr)), 1999);
    EXPECT_EQ(value_of<float>(reduce_subset(Reduction::dot, subset, array, &array)),
              999.f * 999 + 500000);
    EXPECT_EQ(value_of<float>(reduce_subset(Reduction::fmin, subset, array, nullptr)), 0);
}

TEST_F(Reductions, WithoutElements) {
    const Array none = Array::empty(DType::float32, Extents{0, 3});
    EXPECT_EQ(value_of<float>(reduce(Reduction::sum, none)), 0);
    EXPECT_EQ(value_of<float>(reduce(Reduction::prod, none)), 1);
    EXPECT_TRUE(std::isnan(value_of<float>(reduce(Reduction::mean, none))));
    EXPECT_THROW(reduce(Reduction::max, none), ShapeError);
    const Extents first{0}, second{1};
    EXPECT_EQ(values_of<float>(reduce(Reduction::sum, none, {.axes = &first})),
              (std::vector<float>{0, 0, 0}));
    EXPECT_THROW(reduce(Reduction::max, none, {.axes = &first}), ShapeError);
    EXPECT_EQ(reduce(Reduction::max, none, {.axes = &second}).shape(), Extents{0});
}

TEST_F(Reductions, OutputsThatAreGiven) {
    std::vector<float> values(12);
    std::iota(values.begin(), values.end(), 0.f);
    const Array array = array_of<float>(DType::float32, {3, 4}, values);
    const Extents axis{0};
    Array doubles = Array::empty(DType::float64, Extents{4});
    reduce(Reduction::sum, array, {.axes = &axis, .out = &doubles});
    EXPECT_EQ(values_of<double>(doubles), (std::vector<double>{12, 15, 18, 21}));
    Array row = array.view(DType::float32, {{4}, {4}}); // part of what is summed
    reduce(Reduction::sum, array, {.axes = &axis, .out = &row});
    EXPECT_EQ(values_of<float>(row), (std::vector<float>{12, 15, 18, 21}));
    Array integers = Array::empty(DType::int32, Extents{4}),
          three = Array::empty(DType::float32, Extents{3});
    EXPECT_THROW(reduce(Reduction::sum, array, {.axes = &axis, .out = &integers}), TypeError);
    EXPECT_THROW(reduce(Reduction::sum, array, {.axes = &axis, .out = &three}), ShapeError);
    const Extents twice{0, -2};
    EXPECT_THROW(reduce(Reduction::sum, array, {.axes = &twice}), ShapeError);
    EXPECT_EQ(reduce(Reduction::sum, array, {.axes = &axis, .keepdims = true}).shape(),
              (Extents{1, 4}));
}

TEST_F(Reductions, StreamsHaveScratchOfTheirOwn) {
    const std::vector<float> ones(1 << 20, 1.f);
    const Array array = array_of<float>(DType::float32, {1 << 20}, ones);
    std::vector<Stream> streams;
    for (int k = 0; k < 4; ++k) streams.emplace_back(StreamConfig{});
    std::vector<Array> sums;
    for (int round = 0; round < 8; ++round)
        for (const Stream& stream : streams)
            sums.push_back(reduce(Reduction::sum, array, {}, stream));
    for (const Stream& stream : streams) stream.synchronize();
    for (const Array& sum : sums) ASSERT_EQ(value_of<float>(sum), 1 << 20);
}

} // namespace
} // namespace lathe::gpu
