// SPDX-License-Identifier: MIT
#include "gpu/array/layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace lathe::gpu {
namespace {

TEST(Layout, CompactStrides) {
    EXPECT_EQ(compact({2, 3, 4}, 8).strides, (Extents{96, 32, 8}));
    EXPECT_EQ(compact({2, 3, 4}, 8, Order::f).strides, (Extents{8, 16, 48}));
    EXPECT_EQ(compact({2, 0, 4}, 8).strides, (Extents{32, 32, 8}));
    EXPECT_EQ(compact({}, 8).strides, Extents{});
}

TEST(Layout, Flags) {
    EXPECT_TRUE(is_c_contiguous(compact({3, 4}, 4), 4));
    EXPECT_FALSE(is_f_contiguous(compact({3, 4}, 4), 4));
    EXPECT_TRUE(is_f_contiguous(compact({3, 4}, 4, Order::f), 4));
    EXPECT_TRUE(is_c_contiguous({{1, 4}, {999, 4}}, 4)); // an axis of one may have any stride
    EXPECT_TRUE(is_c_contiguous({{0, 4}, {7, 9}}, 4));
    EXPECT_TRUE(is_dense(transpose(compact({2, 3, 4}, 4), std::vector<std::int64_t>{1, 0, 2}), 4));
    EXPECT_FALSE(is_dense({{3, 4}, {32, 4}}, 4));
}

TEST(Layout, KOrderKeepsTheAxesOfMemory) {
    const Layout mixed = transpose(compact({2, 3, 4}, 4), std::vector<std::int64_t>{1, 2, 0});
    EXPECT_EQ(compact_like(mixed, 8).strides, (Extents{32, 8, 96}));
}

TEST(Layout, Broadcasting) {
    EXPECT_EQ(broadcast_shapes({3, 1}, {4}), (Extents{3, 4}));
    EXPECT_EQ(broadcast_shapes({}, {2, 0}), (Extents{2, 0}));
    EXPECT_EQ(broadcast_shapes({1}, {0}), (Extents{0}));
    EXPECT_EQ(broadcast_to({{4}, {8}}, {3, 4}).strides, (Extents{0, 8}));
    EXPECT_THROW(broadcast_shapes({3}, {4}), ShapeError);
    EXPECT_THROW(broadcast_to({{4}, {8}}, {4, 1}), ShapeError);
}

TEST(Layout, ReshapeWithoutACopyWhereStridesAllowIt) {
    const Layout whole = compact({2, 3, 4}, 4);
    EXPECT_EQ(reshape(whole, {6, -1}, 4)->strides, (Extents{16, 4}));
    EXPECT_EQ(reshape(whole, {24, 1}, 4)->shape, (Extents{24, 1}));
    const Layout every_other{{4, 3}, {24, 4}}; // rows of three, every second one
    EXPECT_EQ(reshape(every_other, {2, 2, 3}, 4)->strides, (Extents{48, 24, 4}));
    EXPECT_FALSE(reshape(every_other, {12}, 4).has_value());
    EXPECT_FALSE(reshape(reverse_axes(whole), {24}, 4).has_value());
    EXPECT_TRUE(reshape(reverse_axes(whole), {24}, 4, Order::f).has_value());
    EXPECT_EQ(reshape({{5}, {-4}}, {5, 1}, 4)->strides[0], -4);
    EXPECT_THROW(reshape(whole, {5, -1}, 4), ShapeError);
    EXPECT_THROW(reshape(whole, {-1, -1}, 4), ShapeError);
    EXPECT_THROW(reshape(whole, {25}, 4), ShapeError);
}

TEST(Layout, AxesAreChecked) {
    EXPECT_EQ(checked_axis(-1, 3), 2u);
    EXPECT_THROW(checked_axis(3, 3), ShapeError);
    EXPECT_THROW(transpose(compact({2, 3}, 4), std::vector<std::int64_t>{0, 0}), ShapeError);
    EXPECT_THROW(transpose(compact({2, 3}, 4), std::vector<std::int64_t>{0}), ShapeError);
    EXPECT_THROW(count_of({-1}), ShapeError);
    EXPECT_THROW(count_of({std::int64_t{1} << 40, std::int64_t{1} << 40}), ShapeError);
    EXPECT_EQ(count_of({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}), 0);
    EXPECT_THROW(Extents(33, 1), ShapeError);
}

TEST(Layout, ReachCoversNegativeStrides) {
    const Reach reach = reach_of({{3, 4}, {-16, 4}}, 4);
    EXPECT_EQ(reach.begin, -32);
    EXPECT_EQ(reach.end, 16);
    EXPECT_EQ(reach_of({{3, 0}, {4, 4}}, 4).end, 0);
}

} // namespace
} // namespace lathe::gpu
