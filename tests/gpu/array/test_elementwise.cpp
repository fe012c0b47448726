// SPDX-License-Identifier: MIT
// Arrays from C++ alone; every function and type is compared with NumPy in tests/python.
#include "gpu/array/elementwise.h"

#include "tests/gpu/array/array_test.h"

#include <numeric>
#include <vector>

namespace lathe::gpu {
namespace {

class Elementwise : public ArrayTest {
protected:
    static Array apply(std::string_view name, std::initializer_list<const Array*> inputs) {
        std::vector<InputType> types;
        std::vector<Input> operands;
        for (const Array* each : inputs) {
            types.push_back({each->dtype("test")});
            operands.emplace_back(*each);
        }
        return run(resolve(operation(name), types), operands)[0];
    }
};

TEST_F(Elementwise, AddsAndBroadcasts) {
    const Array column = array_of<float>(DType::float32, {3, 1}, {1, 2, 3});
    const Array row = array_of<int>(DType::int32, {4}, {10, 20, 30, 40});
    const Array sum = apply("add", {&column, &row});
    EXPECT_EQ(sum.dtype("test"), DType::float64);
    EXPECT_EQ(sum.shape(), (Extents{3, 4}));
    EXPECT_EQ(values_of<double>(sum),
              (std::vector<double>{11, 21, 31, 41, 12, 22, 32, 42, 13, 23, 33, 43}));
}

TEST_F(Elementwise, GroupsRestsAndOffsets) {
    for (const int count : {1, 3, 4, 5, 127, 128, 1000, 4099}) {
        std::vector<float> host(static_cast<std::size_t>(count) + 1);
        std::iota(host.begin(), host.end(), 0.f);
        const Array all = array_of<float>(DType::float32, {count + 1}, host);
        const Array first = all.view(DType::float32, {{count}, {4}});
        const Array later = all.view(DType::float32, {{count}, {4}}, 4); // not at a group's begin
        const auto sums = values_of<float>(apply("add", {&first, &later}));
        for (int k = 0; k < count; ++k)
            ASSERT_EQ(sums[static_cast<std::size_t>(k)], 2.f * k + 1) << count;
    }
}

TEST_F(Elementwise, OverlapReadsWhatWasThere) {
    std::vector<int> host(1000);
    std::iota(host.begin(), host.end(), 0);
    const Array all = array_of<int>(DType::int32, {1000}, host);
    Array to = all.view(DType::int32, {{999}, {4}}, 4);
    assign(to, all.view(DType::int32, {{999}, {4}}));
    std::vector<int> expected = host;
    std::copy(host.begin(), host.end() - 1, expected.begin() + 1);
    EXPECT_EQ(values_of<int>(all), expected);
    Array reversed = all.view(DType::int32, {{1000}, {-4}}, 999 * 4);
    Array target = all;
    assign(target, reversed);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(values_of<int>(all), expected);
}

TEST_F(Elementwise, RefusesBeforeItWrites) {
    const Array three = array_of<int>(DType::int32, {3}, {1, 2, 3}),
                four = array_of<int>(DType::int32, {4}, {1, 2, 3, 4});
    EXPECT_THROW(apply("add", {&three, &four}), ShapeError);
    const Array real = array_of<float>(DType::float32, {1}, {1.f});
    EXPECT_THROW(apply("bitwise_and", {&real, &real}), TypeError);
    Array fixed = three;
    fixed.make_read_only();
    EXPECT_THROW(assign(fixed, three), ReadOnlyError);
    Array small = Array::empty(DType::int32, Extents{1});
    EXPECT_THROW(assign(small, three), ShapeError);
    EXPECT_THROW(Array::empty(ElementType::structure(12), Extents{2}).dtype("sum"), TypeError);
}

TEST_F(Elementwise, StructuresAreCopiedByStrides) {
    std::vector<std::uint8_t> host(60);
    std::iota(host.begin(), host.end(), std::uint8_t{0});
    const Array bytes = array_of<std::uint8_t>(DType::uint8, {60}, host);
    const Array turned = bytes.view(ElementType::structure(12), {{5}, {-12}}, 48);
    const Array copied = copy(turned, Order::c);
    const auto got = values_of<std::uint8_t>(copied.view(DType::uint8, compact({60}, 1)));
    for (std::size_t k = 0; k < 60; ++k) ASSERT_EQ(got[k], host[(4 - k / 12) * 12 + k % 12]);
}

TEST_F(Elementwise, ArraysWithoutElements) {
    const Array none = Array::empty(DType::float32, Extents{0, 3});
    EXPECT_EQ(none.address(), 0u);
    EXPECT_EQ(apply("add", {&none, &none}).shape(), (Extents{0, 3}));
    const Array row = array_of<float>(DType::float32, {3}, {1, 2, 3});
    EXPECT_EQ(apply("multiply", {&none, &row}).shape(), (Extents{0, 3}));
}

TEST_F(Elementwise, OffsetsBeyond31Bits) {
    constexpr std::int64_t apart = (std::int64_t{1} << 31) + 16;
    const Array large = Array::empty(DType::uint8, Extents{apart + 3});
    Array corners = large.view(DType::uint8, {{2, 3}, {apart, 1}});
    assign(corners, array_of<std::uint8_t>(DType::uint8, {2, 3}, {1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(values_of<std::uint8_t>(corners), (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(values_of<std::uint8_t>(large.view(DType::uint8, {{3}, {1}}, apart)),
              (std::vector<std::uint8_t>{4, 5, 6}));
    pool_of(Context::current())->free_held();
}

} // namespace
} // namespace lathe::gpu
