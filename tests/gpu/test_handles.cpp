// SPDX-License-Identifier: MIT
// The wrappers as types: owners move and do not copy, views and values copy, empty is the default.
#include "gpu/cuda_array.h"
#include "gpu/event.h"
#include "gpu/graphics_resource.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/module.h"
#include "gpu/stream.h"
#include "gpu/texture.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace lathe::gpu {
namespace {

template <class T> class OwnerTest : public testing::Test {};
using Owners = testing::Types<Stream, Event, DeviceBuffer, PinnedBuffer, CudaArray, TextureObject,
                              SurfaceObject, GraphicsResource, GraphicsMapping, Module>;
TYPED_TEST_SUITE(OwnerTest, Owners);

TYPED_TEST(OwnerTest, MovesOnlyAndWithoutThrowing) {
    static_assert(!std::is_copy_constructible_v<TypeParam>);
    static_assert(!std::is_copy_assignable_v<TypeParam>);
    static_assert(std::is_nothrow_move_constructible_v<TypeParam>);
    static_assert(std::is_nothrow_move_assignable_v<TypeParam>);
    static_assert(std::is_nothrow_destructible_v<TypeParam>);
}

TYPED_TEST(OwnerTest, DefaultIsEmpty) {
    TypeParam empty;
    EXPECT_FALSE(empty);
    TypeParam moved{std::move(empty)};
    EXPECT_FALSE(moved);
}

TEST(Owners, WrapBorrowsAndMovesLeaveEmpty) {
    // Never released: a made-up handle that reached the driver would be an error.
    const auto stream = reinterpret_cast<CUstream>(0x1234);
    Stream borrowed = Stream::wrap(stream);
    Stream moved = std::move(borrowed);
    EXPECT_FALSE(borrowed); // NOLINT: moved-from is empty, that is the point
    EXPECT_EQ(moved.get(), stream);
    EXPECT_EQ(moved.view(), StreamView{stream});
    EXPECT_EQ(moved.release(), stream);
    EXPECT_FALSE(moved);

    DeviceBuffer memory = DeviceBuffer::wrap(4096, 12);
    EXPECT_EQ(memory.bytes(), 12u);
    DeviceBuffer taken;
    taken = std::move(memory);
    EXPECT_EQ(memory.bytes(), 0u); // NOLINT
    EXPECT_EQ(taken.address(), 4096u);
}

TEST(StreamViewType, RefusesNumbersAndNull) {
    static_assert(!std::is_constructible_v<StreamView, int>);
    static_assert(!std::is_constructible_v<StreamView, std::nullptr_t>);
    static_assert(std::is_trivially_copyable_v<StreamView>);
    static_assert(std::is_convertible_v<Stream, StreamView>);
}

TEST(DeviceSpanType, AddsConstAndCutsPieces) {
    static_assert(std::is_convertible_v<DeviceSpan<int>, DeviceSpan<const int>>);
    static_assert(!std::is_convertible_v<DeviceSpan<const int>, DeviceSpan<int>>);
    static_assert(!std::is_convertible_v<DeviceSpan<int>, DeviceSpan<float>>);
    const DeviceSpan<int> span{1000, 10};
    EXPECT_EQ(span.bytes(), 40u);
    EXPECT_EQ(span.subspan(2, 3).address(), 1008u);
    EXPECT_EQ(span.subspan(2, 3).size(), 3u);
    EXPECT_TRUE(DeviceSpan<int>{}.empty());
    EXPECT_EQ(DeviceBuffer::wrap(4096, 10).span<float>().size(), 2u) << "whole elements only";
}

TEST(LaunchTypes, GridsCoverTheElements) {
    EXPECT_EQ(blocks_for({1, 1, 1}, {256, 1, 1}), (Dim3{1, 1, 1}));
    EXPECT_EQ(blocks_for({256, 17, 3}, {256, 8, 1}), (Dim3{1, 3, 3}));
    EXPECT_EQ(blocks_for({257, 16, 1}, {256, 8, 4}), (Dim3{2, 2, 1}));
    EXPECT_EQ((Dim3{1u << 20, 1u << 12, 2}.total()), std::size_t{1} << 33);
}

} // namespace
} // namespace lathe::gpu
