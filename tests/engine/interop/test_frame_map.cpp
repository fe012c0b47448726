// SPDX-License-Identifier: MIT
// Arrays that lie in OpenGL's memory: mapped when their address is asked for, one driver call a
// frame, handed back together, ended on any thread and in any order.
#include "engine/core/error.h"
#include "engine/interop/interop_mode.h"
#include "engine/interop/shared_array.h"
#include "gl/headless_context.h"
#include "gpu/memory.h"
#include "tests/gpu/device_test.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace lathe {
namespace {

class FrameMapTest : public gpu::DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        context_.emplace();
        stream_ = gpu::Stream{gpu::StreamConfig{.non_blocking = false}};
        map_ = std::make_shared<FrameMap>(*context_, gpu::Context::current(), stream_);
        reset_interop_stats();
    }

    gpu::Array make(std::int64_t count) { return make_shared_array(map_, DType::float32, {count}); }
    /// On the legacy default stream, as array operations do.
    static void fill(const gpu::Array& array, float value) {
        gpu::fill(gpu::DeviceSpan<float>{array.address(), std::size_t(array.size())}, value);
    }
    /// As OpenGL has it.
    std::vector<float> seen_by_gl(const gpu::Array& array) {
        map_->unmap_all();
        const auto place = place_in_gl(array, *map_);
        if (!place) return {};
        std::vector<float> all(place->buffer->bytes() / sizeof(float));
        place->buffer->download(std::as_writable_bytes(std::span{all}));
        const auto first = all.begin() + std::ptrdiff_t(place->offset_bytes / sizeof(float));
        return {first, first + array.size()};
    }

    std::optional<gl::HeadlessContext> context_;
    gpu::Stream stream_;
    std::shared_ptr<FrameMap> map_;
};

TEST_F(FrameMapTest, AnAddressIsThereFromItsFirstUseToTheHandBack) {
    gpu::Array array = make(100);
    ASSERT_TRUE(array.graphics());
    EXPECT_EQ(array.present_address(), 0u);
    EXPECT_EQ(map_->mapped(), 0u);
    fill(array, 3);
    EXPECT_EQ(map_->mapped(), 1u);
    EXPECT_EQ(array.present_address(), array.address());
    const gpu::Array part = array.view(DType::float32, {{10}, {4}}, 40);
    EXPECT_EQ(part.address(), array.address() + 40);
    EXPECT_EQ(seen_by_gl(part), std::vector<float>(10, 3.0f));
    EXPECT_EQ(map_->mapped(), 0u);
    EXPECT_EQ(part.present_address(), 0u);
}

TEST_F(FrameMapTest, WhatTheFrameBeforeUsedComesByOneCall) {
    std::vector<gpu::Array> arrays;
    for (int k = 0; k < 5; ++k) arrays.push_back(make(64));
    for (gpu::Array& each : arrays) fill(each, 1);
    map_->unmap_all();
    const auto before = interop_stats().maps;
    for (int frame = 0; frame < 3; ++frame) {
        fill(arrays[4], 2);
        EXPECT_EQ(map_->mapped(), 5u - unsigned(frame > 0) * 4);
        map_->unmap_all(); // of what was not used the next frame maps nothing
    }
    EXPECT_EQ(interop_stats().maps, before + 3);
}

TEST_F(FrameMapTest, ArraysOverlapByTheirPlacesWhetherMappedOrNot) {
    const gpu::Array a = make(16), b = make(16);
    const gpu::Array left = a.view(DType::float32, {{8}, {4}});
    const gpu::Array right = a.view(DType::float32, {{8}, {4}}, 32);
    const auto check = [&] {
        EXPECT_TRUE(a.may_share_memory(left));
        EXPECT_TRUE(a.may_share_memory(right));
        EXPECT_FALSE(left.may_share_memory(right));
        EXPECT_FALSE(a.may_share_memory(b));
    };
    check();
    const gpu::Array alias =
        gpu::Array::over(a.address() + 32, DType::float32, {{8}, {4}}, a.owner());
    (void)b.address();
    check();
    EXPECT_TRUE(alias.may_share_memory(right));
    EXPECT_FALSE(alias.may_share_memory(left));
    map_->unmap_all();
    check();
}

TEST_F(FrameMapTest, MemoryEndsWhileMappedAndOnOtherThreads) {
    for (int round = 0; round < 20; ++round) {
        std::vector<gpu::Array> arrays;
        for (int k = 0; k < 4; ++k) arrays.push_back(make(64));
        fill(arrays[0], 1);
        fill(arrays[1], 1);
        arrays.erase(arrays.begin()); // mapped
        std::thread{[&] { arrays.clear(); }}.join();
        map_->unmap_all();
        EXPECT_EQ(map_->mapped(), 0u);
    }
}

TEST_F(FrameMapTest, OtherThreadsMayUseWhatIsMappedAndMapNothing) {
    gpu::Array array = make(8);
    const auto on_another_thread = [&] {
        std::string said;
        std::thread{[&] {
            try {
                gpu::Context::ensure_current();
                (void)array.address();
            } catch (const Error& error) { said = error.what(); }
        }}.join();
        return said;
    };
    EXPECT_THAT(on_another_thread(), testing::HasSubstr("on the thread of its frames"));
    (void)array.address();
    EXPECT_EQ(on_another_thread(), "");
    std::thread{[&] { EXPECT_THROW(make(8), Error); }}.join();
}

TEST_F(FrameMapTest, WhatOpenGLCannotDrawHasNoPlaceThere) {
    const gpu::Array array = make_shared_array(map_, DType::float32, {4, 6});
    EXPECT_TRUE(place_in_gl(array, *map_));
    EXPECT_FALSE(place_in_gl(array.view(DType::float32, {{6, 4}, {4, 24}}), *map_));
    EXPECT_FALSE(place_in_gl(gpu::Array::empty(DType::float32, {4, 6}), *map_));
    const auto other = std::make_shared<FrameMap>(*context_, gpu::Context::current(), stream_);
    EXPECT_FALSE(place_in_gl(array, *other));
    EXPECT_EQ(make_shared_array(map_, DType::float32, {0, 6}).graphics(), nullptr);
    EXPECT_THROW(make_shared_array(map_, DType::float32, {-1}), gpu::ShapeError);
    EXPECT_THROW(make_shared_array(map_, DType::float32, {std::int64_t{1} << 62}), gpu::ShapeError);
}

TEST_F(FrameMapTest, ItsWaitsAreCalledWhereADriverWouldWait) {
    int waited = 0, synchronised = 0;
    map_->set_waits({[&] { ++waited; }, [&] { ++synchronised; }});
    gpu::Array array = make(8);
    fill(array, 1);
    array.graphics()->wait();
    EXPECT_EQ(synchronised, 1);
    const int before = waited;
    map_->unmap_all();
    array = {};
    EXPECT_EQ(waited, before + 1); // before the unmap, or before the end of the registration
}

} // namespace
} // namespace lathe
