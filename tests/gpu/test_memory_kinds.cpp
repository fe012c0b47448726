// SPDX-License-Identifier: MIT
// Memory that is registered, managed, or allocated in a stream's order; what is known of addresses.
#include "gpu/driver/check.h"
#include "gpu/managed_memory.h"
#include "gpu/memory.h"
#include "gpu/pointer.h"
#include "gpu/registered_memory.h"
#include "tests/gpu/device_test.h"

#include <vector>

namespace lathe::gpu {
namespace {

using MemoryKindsTest = DeviceTest;

TEST_F(MemoryKindsTest, MemoryIsRegisteredOnceAtATime) {
    std::vector<int> host(5000, 7);
    RegisteredMemory memory{host.data(), host.size() * sizeof(int), {.mapped = true}};
    EXPECT_NE(memory.device_address(), 0u);
    EXPECT_THROW((RegisteredMemory{host.data(), 64}), Error);
    memory.unregister();
    EXPECT_THROW(memory.unregister(), Error);
    const RegisteredMemory again{host.data(), host.size() * sizeof(int)};
    EXPECT_TRUE(again);
}

TEST_F(MemoryKindsTest, AddressesAreKnown) {
    const DeviceBuffer memory{1000};
    EXPECT_EQ(address_range(memory.address() + 10).begin, memory.address());
    EXPECT_EQ(pointer_attribute(memory.address(), CU_POINTER_ATTRIBUTE_MEMORY_TYPE),
              static_cast<std::uint64_t>(CU_MEMORYTYPE_DEVICE));
    EXPECT_THROW(address_range(16), Error);
}

TEST_F(MemoryKindsTest, MemoryInTheOrderOfAStream) {
    const Stream stream{StreamConfig{}};
    DeviceBuffer memory = DeviceBuffer::in_order(64, stream);
    fill(memory.span<int>(), 9, stream);
    std::vector<int> host(16);
    copy_to_host(std::span{host}, memory.span<int>(), stream);
    memory.free_in_order(stream);
    EXPECT_FALSE(memory);
    stream.synchronize();
    EXPECT_EQ(host, std::vector<int>(16, 9));
    const DeviceBuffer left = DeviceBuffer::in_order(64, stream);
    EXPECT_EQ(left.bytes(), 64u);
}

TEST_F(MemoryKindsTest, ManagedMemoryIsMovedAndAdvised) {
    const Stream stream{StreamConfig{}};
    const DeviceBuffer memory = DeviceBuffer::managed(4096);
    advise(memory.span(), CU_MEM_ADVISE_SET_PREFERRED_LOCATION, Device{0});
    prefetch(memory.span(), Device{0}, stream);
    prefetch(memory.span(), std::nullopt, stream);
    attach(memory.span(), CU_MEM_ATTACH_GLOBAL, stream);
    stream.synchronize();
    EXPECT_THROW(attach(memory.span(), 0x50, stream), Error);
    EXPECT_THROW(advise(memory.span(), static_cast<CUmem_advise>(77), Device{0}), Error);
}

} // namespace
} // namespace lathe::gpu
