// SPDX-License-Identifier: MIT
// Philox against published vectors, and what must not change a number: launch, split, strides.
// Distributions are compared with SciPy in tests/python/test_random_generator.py.
#include "gpu/array/random.h"

#include "gpu/array/elementwise.h"
#include "gpu/array/random_order.h"
#include "gpu/launch.h"
#include "tests/gpu/device_test.h"

#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

namespace lathe::gpu {
namespace {

// Random123 1.14, tests/kat_vectors, lines "philox4x32 10".
struct KnownAnswer {
    std::array<std::uint32_t, 4> counter;
    std::array<std::uint32_t, 2> key;
    std::array<std::uint32_t, 4> answer;
};
constexpr KnownAnswer kKnown[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

class Random : public DeviceTest {
protected:
    template <class T> static std::vector<T> values_of(const Array& array) {
        const Array compact = copy(array, Order::c);
        std::vector<T> values(static_cast<std::size_t>(array.size()));
        Context::current().synchronize();
        copy_to_host(std::span<T>{values}, DeviceSpan<const T>{compact.address(), values.size()});
        return values;
    }
    template <class T, class Fill>
    static std::vector<T> filled(DType dtype, const Extents& shape, Generator& generator,
                                 const Fill& fill) {
        Array made = Array::empty(dtype, shape);
        fill(generator, made);
        return values_of<T>(made);
    }
    static std::vector<float> uniforms(std::uint64_t seed, std::uint64_t position,
                                       std::int64_t count) {
        Generator generator{seed, 0, position};
        return filled<float>(DType::float32, {count}, generator,
                             [](Generator& g, Array& to) { g.uniform(to); });
    }
};

TEST(Philox, KnownAnswersOnTheHost) {
    for (const KnownAnswer& each : kKnown) EXPECT_EQ(philox(each.counter, each.key), each.answer);
}

TEST_F(Random, KnownAnswersOnTheDevice) {
    const Module module = compile_module(R"(#include <lathe_random.hpp>
extern "C" __global__ void known(uint4* to, uint4 counter, uint2 key) {
    *to = lathe::random::philox(counter, key);
})");
    const Array to = Array::empty(DType::uint32, Extents{4});
    for (const KnownAnswer& each : kKnown) {
        launch(module.kernel("known"), {{1}, {1}}, to.address(), each.counter, each.key);
        const auto got = values_of<std::uint32_t>(to);
        EXPECT_TRUE(std::equal(got.begin(), got.end(), each.answer.begin()));
    }
}

TEST_F(Random, BitsAreTheBlocksOfTheCounter) {
    const std::uint64_t seed = 0x299f31d0a4093822, position = (std::uint64_t{5} << 32) * 4;
    Generator generator{seed, 7, position};
    const auto got = filled<std::uint32_t>(DType::uint32, {10}, generator,
                                           [](Generator& g, Array& to) { g.bits(to); });
    for (std::uint32_t k = 0; k < 10; ++k)
        EXPECT_EQ(got[k], philox({k / 4, 5, 7, 0}, {0xa4093822, 0x299f31d0})[k % 4]);
    EXPECT_EQ(generator.position(), position + 10);
}

TEST_F(Random, NoLaunchChangesANumber) {
    const Module module = compile_module(R"(#include <lathe_distributions.hpp>
using namespace lathe::random;
extern "C" __global__ void normals(float* out, u64 count, u64 position) {
    fill(out, count, position, Sequence(42, 0), Normal<float>(0, 0x3ff0000000000000ull));
})");
    Generator generator{42};
    generator.set_position(3);
    const auto expected = filled<float>(DType::float32, {1001}, generator,
                                        [](Generator& g, Array& to) { g.normal(to); });
    for (const auto& [grid, block] : {std::pair{1u, 1u}, {1u, 33u}, {7u, 64u}, {300u, 256u}}) {
        const Array to = Array::empty(DType::float32, Extents{1001});
        launch(module.kernel("normals"), {{grid}, {block}}, to.address(), std::uint64_t{1001},
               std::uint64_t{3});
        ASSERT_EQ(values_of<float>(to), expected) << grid << " x " << block;
    }
}

TEST_F(Random, FillsMayBeSplitAnywhere) {
    const auto check = [](DType dtype, auto example, const auto& fill) {
        using T = decltype(example);
        Generator whole{9}, parts{9};
        const auto expected = filled<T>(dtype, {64}, whole, fill);
        std::vector<T> got;
        for (const std::int64_t count : {1, 0, 2, 3, 5, 7, 11, 35}) {
            const auto part = filled<T>(dtype, {count}, parts, fill);
            got.insert(got.end(), part.begin(), part.end());
        }
        EXPECT_EQ(got, expected) << name_of(dtype);
        EXPECT_EQ(whole.position(), parts.position());
    };
    const auto uniform = [](Generator& g, Array& to) { g.uniform(to, -1, 3); };
    const auto normal = [](Generator& g, Array& to) { g.normal(to); };
    check(DType::float16, std::uint16_t{}, uniform);
    check(DType::float32, float{}, uniform);
    check(DType::float64, double{}, uniform);
    check(DType::complex64, std::complex<float>{}, uniform);
    check(DType::complex128, std::complex<double>{}, uniform);
    check(DType::float32, float{}, normal);
    check(DType::float64, double{}, normal);
    check(DType::complex64, std::complex<float>{}, normal);
    check(DType::float32, float{}, [](Generator& g, Array& to) { g.gamma(to, 0.5); });
    check(DType::int64, std::int64_t{}, [](Generator& g, Array& to) { g.poisson(to, 30); });
    check(DType::int8, std::int8_t{}, [](Generator& g, Array& to) { g.integers(to, 0, 99); });
    check(DType::int64, std::int64_t{}, [](Generator& g, Array& to) {
        g.integers(to, 0, 0xC000'0000'0000'0000); // a quarter is drawn again
    });
    check(DType::uint32, std::uint32_t{},
          [](Generator& g, Array& to) { g.integers(to, 0, 0xC000'0000); });
}

TEST_F(Random, StridesAndPlacesChangeNoNumber) {
    const auto expected = uniforms(5, 0, 60);
    const auto fill = [](Array to) {
        Generator generator{5};
        generator.uniform(to);
        return values_of<float>(to);
    };
    const Array memory = Array::empty(DType::float32, Extents{200});
    EXPECT_EQ(fill(memory.view(DType::float32, {{60}, {4}}, 4)), expected); // not aligned to 16
    EXPECT_EQ(fill(memory.view(DType::float32, {{60}, {12}})), expected);
    EXPECT_EQ(fill(memory.view(DType::float32, {{60}, {-4}}, 400)), expected);
    EXPECT_EQ(fill(Array::empty(DType::float32, Extents{5, 12}, Order::f)), expected);
    EXPECT_EQ(fill(memory.view(DType::float32, {{5, 3, 4}, {16, 80, 4}})), expected);
}

TEST_F(Random, WritesNothingBesideItsTarget) {
    for (const std::int64_t count : {1, 2, 3, 4, 5, 1023}) {
        Array all = Array::empty(DType::float32, Extents{count + 2});
        assign(all, make_scalar(DType::float32, -1.0));
        Array inner = all.view(DType::float32, {{count}, {4}}, 4);
        Generator generator{1};
        generator.uniform(inner);
        const auto got = values_of<float>(all);
        EXPECT_EQ(got.front(), -1.f);
        EXPECT_EQ(got.back(), -1.f);
        EXPECT_TRUE(
            std::all_of(got.begin() + 1, got.end() - 1, [](float x) { return x >= 0 && x < 1; }));
    }
}

TEST_F(Random, SequencesAndSeedsDiffer) {
    Generator a{1, 0}, b{1, 1}, c{2, 0};
    const auto bits = [](Generator& g, Array& to) { g.bits(to); };
    const auto x = filled<std::uint32_t>(DType::uint32, {64}, a, bits);
    const auto y = filled<std::uint32_t>(DType::uint32, {64}, b, bits);
    const auto z = filled<std::uint32_t>(DType::uint32, {64}, c, bits);
    int alike = 0;
    for (std::size_t k = 0; k < 64; ++k) alike += (x[k] == y[k]) + (x[k] == z[k]) + (y[k] == z[k]);
    EXPECT_EQ(alike, 0);
}

TEST_F(Random, OrdersHaveEachElementOnce) {
    Generator generator{3};
    for (const std::int64_t count : {0, 1, 2, 3, 1000, 65536, 65537, 100000, 131072}) {
        auto order = values_of<std::int64_t>(generator.permutation(count));
        if (count >= 1000) { EXPECT_FALSE(std::is_sorted(order.begin(), order.end())) << count; }
        std::sort(order.begin(), order.end());
        for (std::size_t k = 0; k < order.size(); ++k)
            ASSERT_EQ(order[k], static_cast<std::int64_t>(k)) << count;
    }
}

TEST_F(Random, ShuffleMovesRowsAlongAnAxis) {
    std::vector<int> host(12 * 5);
    std::iota(host.begin(), host.end(), 0);
    for (const std::int64_t axis : {0, 1, -1}) {
        Array array = Array::empty(DType::int32, Extents{12, 5});
        copy_to_device(DeviceSpan<int>{array.address(), host.size()}, std::span<const int>{host});
        Generator generator{8}, same{8};
        generator.shuffle(array, axis);
        const auto order = values_of<std::int64_t>(same.permutation(axis == 0 ? 12 : 5));
        const auto got = values_of<int>(array);
        for (std::int64_t row = 0; row < 12; ++row)
            for (std::int64_t column = 0; column < 5; ++column) {
                const auto from = axis == 0 ? order[static_cast<std::size_t>(row)] * 5 + column
                                            : row * 5 + order[static_cast<std::size_t>(column)];
                ASSERT_EQ(got[static_cast<std::size_t>(row * 5 + column)], from);
            }
    }
}

TEST_F(Random, RefusesWithoutTakingPositions) {
    Generator generator{0};
    Array real = Array::empty(DType::float32, Extents{4}),
          whole = Array::empty(DType::int32, Extents{4});
    EXPECT_THROW(generator.uniform(whole), TypeError);
    EXPECT_THROW(generator.integers(real, 0, 1), TypeError);
    EXPECT_THROW(generator.normal(real, 0, -1), lathe::Error);
    EXPECT_THROW(generator.poisson(whole, -1), lathe::Error);
    EXPECT_THROW(generator.poisson(whole, 1e19), lathe::Error);
    EXPECT_THROW(generator.gamma(real, -0.5), lathe::Error);
    EXPECT_THROW(generator.uniform(real, -1e308, 1e308), lathe::Error);
    EXPECT_THROW(generator.shuffle(real, 1), ShapeError);
    Array fixed = real;
    fixed.make_read_only();
    EXPECT_THROW(generator.uniform(fixed), ReadOnlyError);
    EXPECT_EQ(generator.position(), 0u);
}

TEST_F(Random, ThreadsGetPositionsOfTheirOwn) {
    Generator generator{11};
    const Context context = Context::current();
    std::vector<std::vector<float>> parts(4);
    std::vector<std::thread> threads;
    for (auto& part : parts)
        threads.emplace_back([&] {
            context.make_current();
            part = filled<float>(DType::float32, {100}, generator,
                                 [](Generator& g, Array& to) { g.uniform(to); });
        });
    for (std::thread& each : threads) each.join();
    std::vector<float> got;
    for (const auto& part : parts) got.insert(got.end(), part.begin(), part.end());
    auto expected = uniforms(11, 0, 400);
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(got, expected);
}

} // namespace
} // namespace lathe::gpu
