// SPDX-License-Identifier: MIT
// What is read of a device beyond CUDA's API: of the software device all of it, of a GPU nothing.
#include "engine/core/library.h"
#include "gpu/driver/api.h"
#include "gpu/driver/device_traits.h"
#include "tests/gpu/device_test.h"

#include <gtest/gtest.h>

namespace lathe::gpu {
namespace {

class DeviceTraitsTest : public DeviceTest {};

TEST_F(DeviceTraitsTest, TheSoftwareDeviceHasAllAndAGpuNone) {
    const DeviceTraits& traits = device_traits();
    const bool is_software = driver().is_software();
    EXPECT_EQ(traits.access_bytes, 16u);
    EXPECT_EQ(traits.lone_threads, is_software);
    EXPECT_EQ(traits.host_memory, is_software);
    EXPECT_EQ(traits.device_runtime, is_software);
    EXPECT_EQ(traits.last_fault != nullptr, is_software);
    EXPECT_EQ(traits.last_error_text != nullptr, is_software);
    EXPECT_EQ(traits.set_printf_callback != nullptr, is_software);
    EXPECT_EQ(traits.cancel != nullptr, is_software);
    EXPECT_EQ(traits.set_time_limit != nullptr, is_software);
    EXPECT_EQ(traits.stream_wait != nullptr, is_software);
    EXPECT_EQ(traits.best_code_begin != nullptr, is_software);
    EXPECT_EQ(traits.best_code_end != nullptr, is_software);
    EXPECT_EQ(traits.interop_bytes_copied != nullptr, is_software);
    EXPECT_EQ(traits.counters_start != nullptr, is_software);
    EXPECT_EQ(traits.counters_stop != nullptr, is_software);
    EXPECT_EQ(traits.counters_read != nullptr, is_software);
    EXPECT_EQ(traits.times_start != nullptr, is_software);
    EXPECT_EQ(traits.times_stop != nullptr, is_software);
    EXPECT_EQ(traits.times_read != nullptr, is_software);
    EXPECT_EQ(traits.spans_start != nullptr, is_software);
    EXPECT_EQ(traits.spans_stop != nullptr, is_software);
    EXPECT_EQ(traits.spans_read != nullptr, is_software);
    EXPECT_EQ(traits.code_id != nullptr, is_software);
    EXPECT_EQ(traits.read_code != nullptr, is_software);
    EXPECT_EQ(traits.hazards_watch != nullptr, is_software);
    EXPECT_EQ(traits.hazards_read != nullptr, is_software);
    EXPECT_EQ(traits.host_has_written != nullptr, is_software);
    EXPECT_EQ(traits.memory_is_new != nullptr, is_software);
}

TEST_F(DeviceTraitsTest, AnotherLibraryIsAsAGpu) {
    const DeviceTraits traits = read_device_traits(SharedLibrary::open("libm.so.6"));
    EXPECT_EQ(traits.access_bytes, 16u);
    EXPECT_FALSE(traits.lone_threads);
    EXPECT_FALSE(traits.host_memory);
    EXPECT_FALSE(traits.device_runtime);
    EXPECT_EQ(traits.cancel, nullptr);
}

} // namespace
} // namespace lathe::gpu
