// SPDX-License-Identifier: MIT
#include "gpu/driver/check.h"
#include "gpu/memory.h"
#include "tests/gpu/device_test.h"

#include <cstring>
#include <numeric>
#include <vector>

namespace lathe::gpu {
namespace {

using MemoryTest = DeviceTest;

std::vector<int> counting(std::size_t n, int first = 0) {
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), first);
    return v;
}

TEST_F(MemoryTest, RoundTrip) {
    const std::vector<int> sent = counting(100'003);
    DeviceBuffer buffer{sent.size() * sizeof(int)};
    EXPECT_EQ(buffer.address() % 256, 0u);
    copy_to_device(buffer.span<int>(), sent);
    std::vector<int> received(sent.size());
    copy_to_host(received, buffer.span<int>());
    EXPECT_EQ(received, sent);
}

TEST_F(MemoryTest, PiecesAndDeviceCopies) {
    DeviceBuffer a{100 * sizeof(int)};
    DeviceBuffer b{100 * sizeof(int)};
    copy_to_device(a.span<int>(), counting(100));
    copy_to_device(b.span<int>(), counting(100, 1000));
    copy_on_device(b.span<int>().subspan(10, 5), a.span<int>().subspan(50, 5));
    std::vector<int> got(100);
    copy_to_host(got, b.span<int>());
    std::vector<int> expected = counting(100, 1000);
    for (int i = 0; i < 5; ++i) expected[10 + i] = 50 + i;
    EXPECT_EQ(got, expected);
}

TEST_F(MemoryTest, StreamOrderedThroughPinnedMemory) {
    const Stream stream{StreamConfig{}};
    PinnedBuffer out{4096 * sizeof(int)};
    PinnedBuffer in{4096 * sizeof(int)};
    DeviceBuffer a{out.bytes()};
    DeviceBuffer b{out.bytes()};
    std::iota(out.span<int>().begin(), out.span<int>().end(), 7);
    std::memset(in.data(), 0, in.bytes());
    copy_to_device(a.span<int>(), out.span<int>(), stream);
    copy_on_device(b.span<int>(), a.span<int>(), stream);
    copy_to_host(in.span<int>(), b.span<int>(), stream);
    stream.synchronize();
    EXPECT_EQ(std::memcmp(in.data(), out.data(), in.bytes()), 0);
}

TEST_F(MemoryTest, FillsOfEachUnit) {
    DeviceBuffer buffer{64};
    const auto first_word = [&] {
        std::uint32_t word = 0;
        copy_to_host(&word, buffer.address(), sizeof word);
        return word;
    };
    fill(buffer.span<unsigned char>(), 0xab);
    EXPECT_EQ(first_word(), 0xababababu);
    fill(buffer.span<short>(), short{-2});
    EXPECT_EQ(first_word(), 0xfffefffeu);
    const Stream stream{StreamConfig{}};
    fill(buffer.span<float>(), 1.5f, stream);
    stream.synchronize();
    EXPECT_EQ(first_word(), 0x3fc00000u);
    std::vector<float> all(16);
    copy_to_host(all, buffer.span<float>());
    EXPECT_EQ(all, std::vector<float>(16, 1.5f));
}

TEST_F(MemoryTest, EmptyBuffersAndCopiesDoNothing) {
    const DeviceBuffer empty{0};
    EXPECT_FALSE(empty);
    EXPECT_EQ(empty.bytes(), 0u);
    std::vector<int> none;
    copy_to_device(empty.span<int>(), none);
    copy_to_host(none, empty.span<int>());
    fill(empty.span<int>(), 3);
    EXPECT_FALSE(PinnedBuffer{0});
}

TEST_F(MemoryTest, SizesMustAgree) {
    DeviceBuffer buffer{40};
    std::vector<int> nine(9);
    try {
        copy_to_host(nine, buffer.span<int>());
        FAIL();
    } catch (const lathe::Error& e) {
        EXPECT_STREQ(e.what(), "copy_to_host: the destination has 9 elements, the source 10");
    }
}

TEST_F(MemoryTest, ManagedMemoryIsSeenByBoth) {
    const DeviceBuffer buffer = DeviceBuffer::managed(16 * sizeof(int));
    fill(buffer.span<int>(), 11);
    Context::current().synchronize();
    EXPECT_EQ(reinterpret_cast<const int*>(buffer.address())[15], 11);
}

TEST_F(MemoryTest, MappedPinnedMemoryHasADeviceAddress) {
    PinnedBuffer pinned{64, {.mapped = true}};
    pinned.span<int>()[3] = 5;
    int got = 0;
    copy_to_host(&got, pinned.device_address() + 3 * sizeof(int), sizeof got);
    EXPECT_EQ(got, 5);
}

} // namespace
} // namespace lathe::gpu
