// SPDX-License-Identifier: MIT
// Each plan is walked here, and must visit what the shape and strides say, all at the same places.
#include "gpu/array/iteration.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace lathe::gpu {
namespace {

/// Offsets of the elements of operand after operand, in the order of a loop over `shape`.
std::vector<std::vector<std::int64_t>> walked(const Extents& shape,
                                              std::span<const Extents> strides,
                                              std::span<const std::int64_t> begin) {
    const std::int64_t count = count_of(shape);
    std::vector<std::vector<std::int64_t>> all;
    for (std::int64_t i = 0; i < count; ++i) {
        std::vector<std::int64_t> at(begin.begin(), begin.end());
        std::int64_t left = i;
        for (std::size_t axis = shape.size(); axis-- > 0; left /= shape[axis])
            for (std::size_t k = 0; k < at.size(); ++k)
                at[k] += left % shape[axis] * strides[k][axis];
        all.push_back(at);
    }
    std::sort(all.begin(), all.end());
    return all;
}

TEST(Iteration, VisitsWhatTheLayoutsSay) {
    std::mt19937 random{1};
    for (int round = 0; round < 300; ++round) {
        Extents shape;
        const std::size_t axes = random() % 5;
        for (std::size_t k = 0; k < axes; ++k) shape.push_back(1 + random() % 4);
        std::vector<Layout> layouts;
        for (int operand = 0; operand < 3; ++operand) {
            Layout layout = compact(shape, 4);
            for (std::size_t k = 0; k < axes;
                 ++k) { // gaps, turned axes, broadcast ones, other orders
                const unsigned change = random() % 6;
                if (change == 0) layout.strides[k] *= -1;
                if (change == 1) layout.strides[k] = 0;
                if (change == 2) layout.strides[k] *= 8;
                if (change == 3) std::swap(layout.strides[k], layout.strides[0]);
            }
            layouts.push_back(layout);
        }
        const std::vector<const Layout*> operands{&layouts[0], &layouts[1], &layouts[2]};
        const Iteration it = plan(shape, operands);
        const std::vector<Extents> expected{layouts[0].strides, layouts[1].strides,
                                            layouts[2].strides};
        EXPECT_EQ(walked(it.shape, std::span{it.strides}.first(3), std::span{it.offsets}.first(3)),
                  walked(shape, expected, std::vector<std::int64_t>(3, 0)));
        EXPECT_LE(it.shape.size(), axes);
    }
}

TEST(Iteration, JoinsAxes) {
    const Layout c = compact({2, 3, 4}, 4), f = compact({2, 3, 4}, 8, Order::f);
    const std::vector<const Layout*> one{&c}, both{&c, &f};
    EXPECT_EQ(plan(c.shape, one).shape, (Extents{24}));
    EXPECT_EQ(plan(c.shape, both).shape.size(), 3u);
    const Layout backwards{{24}, {-4}};
    const std::vector<const Layout*> turned{&backwards};
    const Iteration it = plan(backwards.shape, turned);
    EXPECT_EQ(it.offsets[0], -92);
    EXPECT_EQ(it.strides[0][0], 4);
}

TEST(Iteration, NarrowUpTo31Bits) {
    const std::int64_t many = std::int64_t{1} << 31;
    const Layout small = compact({1 << 20}, 8), large = compact({many}, 1), spread{{2}, {many}};
    for (const auto& [layout, narrow] :
         {std::pair{&small, true}, {&large, false}, {&spread, false}}) {
        const std::vector<const Layout*> operands{layout};
        EXPECT_EQ(plan(layout->shape, operands).is_narrow(), narrow);
    }
}

TEST(Iteration, ResultsKeepTheOrderThatOperandsAgreeOn) {
    const Layout f = compact({3, 4}, 4, Order::f), c = compact({3, 4}, 4), row{{3, 4}, {0, 4}};
    const std::vector<const Layout*> only_f{&f}, c_then_f{&c, &f}, row_then_f{&row, &f};
    EXPECT_EQ(result_layout(f.shape, only_f, 8).strides, (Extents{8, 24}));
    EXPECT_EQ(result_layout(f.shape, c_then_f, 8).strides, (Extents{32, 8}));
    EXPECT_EQ(result_layout(f.shape, row_then_f, 8).strides, (Extents{8, 24}));
}

} // namespace
} // namespace lathe::gpu
