// SPDX-License-Identifier: MIT
// Pitched memory, fills of rows, copies of boxes and of parts of arrays, against loops on the host.
#include "gpu/box_copy.h"
#include "gpu/driver/check.h"
#include "gpu/memory.h"
#include "gpu/mipmapped_array.h"
#include "tests/gpu/device_test.h"

#include <numeric>
#include <string>
#include <vector>

namespace lathe::gpu {
namespace {

class BoxCopyTest : public DeviceTest {
protected:
    static std::vector<unsigned char> numbers(std::size_t count) {
        std::vector<unsigned char> v(count);
        std::iota(v.begin(), v.end(), static_cast<unsigned char>(1));
        return v;
    }
    static CopySide host(std::vector<unsigned char>& v, std::size_t pitch_bytes) {
        return {.memory = CU_MEMORYTYPE_HOST,
                .host = v.data(),
                .pitch_bytes = pitch_bytes,
                .room = v.size()};
    }
    static std::string refusal(const BoxCopy& copy) {
        try {
            copy_box(copy);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), CUDA_ERROR_INVALID_VALUE);
            EXPECT_EQ(error.routine(), "cuMemcpy3D");
            return error.what();
        }
        return "";
    }
};

TEST_F(BoxCopyTest, RowsAreFilledAndTheirGapsAreNot) {
    for (const std::size_t unit : {1u, 2u, 4u}) {
        const PitchedBuffer rows = DeviceBuffer::pitched(10 * unit, 6, 4);
        ASSERT_GE(rows.pitch_bytes, 10 * unit);
        ASSERT_EQ(rows.buffer.bytes(), 6 * rows.pitch_bytes);
        fill_units(rows.buffer.address(), 0, 1, rows.buffer.bytes());
        fill_rows(rows.buffer.address(), rows.pitch_bytes, 0x01020304, unit, 10, 6);
        std::vector<unsigned char> got(rows.buffer.bytes());
        copy_to_host(got.data(), rows.buffer.address(), got.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            const std::size_t x = i % rows.pitch_bytes;
            ASSERT_EQ(got[i], x < 10 * unit ? 4 - x % unit : 0) << unit << ": " << i;
        }
    }
    EXPECT_THROW(DeviceBuffer::pitched(16, 4, 5), Error);
    EXPECT_THROW(fill_rows(0, 8, 0, 3, 1, 1), lathe::Error);
}

TEST_F(BoxCopyTest, BoxesGoThroughArrays) {
    const CudaArray array{
        {.width = 6, .height = 5, .depth = 4, .format = CU_AD_FORMAT_UNSIGNED_INT8}};
    auto from = numbers(6 * 5 * 4);
    copy_box({host(from, 6), {.memory = CU_MEMORYTYPE_ARRAY, .array = &array}, 6, 5, 4});
    std::vector<unsigned char> to(9 * 7 * 3);
    BoxCopy back{{.memory = CU_MEMORYTYPE_ARRAY, .array = &array, .x_bytes = 2, .y = 1, .z = 2},
                 host(to, 9),
                 3,
                 4,
                 2};
    back.to.x_bytes = 5;
    back.to.y = 2;
    back.to.z = 1;
    back.to.height = 7;
    const Stream stream{StreamConfig{}};
    copy_box(back, stream);
    stream.synchronize();
    for (std::size_t i = 0; i < to.size(); ++i) {
        const std::size_t x = i % 9, y = i / 9 % 7, z = i / 63;
        const bool inside = x >= 5 && x < 8 && y >= 2 && y < 6 && z >= 1;
        ASSERT_EQ(to[i], inside ? from[((z + 1) * 5 + y - 1) * 6 + x - 3] : 0) << x << y << z;
    }
    BoxCopy between = back;
    std::fill(to.begin(), to.end(), static_cast<unsigned char>(0));
    copy_box_between(between);
    EXPECT_EQ(to[(7 + 2) * 9 + 5], from[(2 * 5 + 1) * 6 + 2]);
}

TEST_F(BoxCopyTest, WhatLeavesItsMemoryIsRefusedWithTheFigures) {
    const CudaArray array{{.width = 8, .height = 4, .format = CU_AD_FORMAT_UNSIGNED_INT8}};
    auto from = numbers(32);
    const BoxCopy good{host(from, 8), {.memory = CU_MEMORYTYPE_ARRAY, .array = &array}, 8, 4, 1};
    EXPECT_EQ(refusal(good), "");
    const auto expect = [&](auto change, const char* words) {
        BoxCopy bad = good;
        change(bad);
        EXPECT_NE(refusal(bad).find(words), std::string::npos) << refusal(bad);
    };
    expect([](BoxCopy& c) { c.from.y = 1; }, "source ends at byte 40, its memory has 32");
    expect([](BoxCopy& c) { c.to.x_bytes = 1; }, "ends at byte x = 9, the CUDA array has 8");
    expect([](BoxCopy& c) { c.to.y = 1; }, "ends at row 5, the CUDA array has 4");
    expect([](BoxCopy& c) { c.depth = 2; }, "source ends at byte 64");
    expect([](BoxCopy& c) { c.from.pitch_bytes = 7; }, "pitch is 7, its rows end at byte 8");
    expect([](BoxCopy& c) { c.from.z = SIZE_MAX; }, "source ends at byte");
    expect([](BoxCopy& c) { c.width_bytes = SIZE_MAX; }, "its rows end at byte");
    expect([](BoxCopy& c) { c.to.lod = 1; }, "LOD is 1");
    expect([](BoxCopy& c) { c.from.host = nullptr; }, "host memory, and none was given");
    expect([](BoxCopy& c) { c.to.array = nullptr; }, "CUDA array, and none was given");
    expect([](BoxCopy& c) { c.to.memory = CU_MEMORYTYPE_DEVICE; }, "device memory, and none");
    expect([](BoxCopy& c) { c.to.memory = static_cast<CUmemorytype>(7); }, "memory type 7");
    EXPECT_NO_THROW(copy_rows({.width_bytes = 0}));
}

TEST_F(BoxCopyTest, PartsOfLines) {
    CudaArray line{{.width = 16, .format = CU_AD_FORMAT_UNSIGNED_INT8}};
    CudaArray other{{.width = 8, .format = CU_AD_FORMAT_UNSIGNED_INT8}};
    const auto from = numbers(16);
    line.copy_part_from_host(0, from.data(), 16);
    DeviceBuffer memory{4};
    line.copy_part_to_device(10, memory.address(), 4);
    line.copy_part_from_device(0, memory.address(), 4);
    other.copy_part_from(2, line, 1, 5);
    std::vector<unsigned char> got(5);
    other.copy_part_to_host(2, got.data(), 5);
    EXPECT_EQ(got, (std::vector<unsigned char>{12, 13, 14, 5, 6}));
    EXPECT_THROW(line.copy_part_from_host(10, from.data(), 7), Error);
    EXPECT_THROW(line.copy_part_to_host(SIZE_MAX, got.data(), 5), Error);
    EXPECT_THROW(line.copy_part_from(12, other, 0, 5), Error);
    CudaArray plane{{.width = 4, .height = 4}};
    EXPECT_THROW(plane.copy_part_from_host(0, from.data(), 4), Error);
}

TEST_F(BoxCopyTest, ArraysBelongToTheirContext) {
    const Context before = Context::current();
    const Context other = Context::create(Device{0});
    CudaArray line{{.width = 16, .format = CU_AD_FORMAT_UNSIGNED_INT8}};
    Context::pop();
    ASSERT_EQ(Context::current(), before);
    const auto from = numbers(16);
    EXPECT_THROW(line.copy_part_from_host(0, from.data(), 16), Error);
    EXPECT_NO_THROW(line.require_alive("test"));
    other.push();
    EXPECT_NO_THROW(line.copy_part_from_host(0, from.data(), 16));
    other.destroy();
    EXPECT_THROW(line.require_alive("test"), Error);
}

TEST_F(BoxCopyTest, MipmappedArraysHalveThemselves) {
    const MipmappedArray array{{.width = 20, .height = 6}, 0};
    ASSERT_EQ(array.levels(), 5u);
    const std::vector<std::pair<std::size_t, std::size_t>> sizes{
        {20, 6}, {10, 3}, {5, 1}, {2, 1}, {1, 1}};
    for (unsigned k = 0; k < 5; ++k) {
        const CudaArray level = array.level(k);
        EXPECT_FALSE(level.owned());
        EXPECT_EQ(std::pair(level.config().width, level.config().height), sizes[k]);
    }
    EXPECT_THROW(array.level(5), Error);
    EXPECT_EQ((MipmappedArray{{.width = 20, .height = 6}, 2}.levels()), 2u);
}

} // namespace
} // namespace lathe::gpu
