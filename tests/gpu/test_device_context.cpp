// SPDX-License-Identifier: MIT
#include "gpu/driver/check.h"
#include "gpu/memory.h"
#include "gpu/status.h"
#include "tests/gpu/device_test.h"

#include <thread>

namespace lathe::gpu {
namespace {

using ContextTest = DeviceTest;

TEST_F(ContextTest, DevicesDescribeThemselves) {
    ASSERT_GE(Device::count(), 1);
    EXPECT_EQ(Device::all().size(), static_cast<std::size_t>(Device::count()));
    const Device device{0};
    EXPECT_FALSE(device.name().empty());
    EXPECT_GE(device.compute_capability(), (ComputeCapability{5, 0}));
    EXPECT_GT(device.total_bytes(), std::size_t{1} << 28);
    EXPECT_EQ(device.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
    EXPECT_FALSE(device.pci_bus_id().empty());
    EXPECT_EQ(device.uuid(), Device{0}.uuid());
    EXPECT_EQ(device, Device{0});
}

TEST_F(ContextTest, ThePrimaryContextIsOneAndTheSame) {
    const Context context = Context::primary();
    EXPECT_TRUE(context);
    EXPECT_EQ(context, Context::primary(Device{0}));
    EXPECT_EQ(context, Context::current());
    EXPECT_EQ(context.device(), Device{0});
    context.synchronize();
    const MemoryInfo memory = context.memory();
    EXPECT_GT(memory.total_bytes, 0u);
    EXPECT_LE(memory.free_bytes, memory.total_bytes);
}

TEST_F(ContextTest, AFreshThreadGetsThePrimaryContextWhenItNeedsOne) {
    std::thread{[] {
        EXPECT_FALSE(Context::current());
        {
            const CurrentContext scope{Context::primary()};
            EXPECT_EQ(Context::current(), Context::primary());
        }
        EXPECT_FALSE(Context::current()) << "the scope ended";
        const DeviceBuffer buffer{16};
        EXPECT_EQ(Context::current(), Context::primary());
    }}.join();
}

TEST_F(ContextTest, ObjectsDieOnThreadsWithoutAContext) {
    DeviceBuffer buffer{1 << 20};
    Stream stream{StreamConfig{}};
    const CUdeviceptr address = buffer.address();
    std::thread{[b = std::move(buffer), s = std::move(stream)]() mutable {
        EXPECT_FALSE(Context::current());
        b = {};
        s = {};
        EXPECT_FALSE(Context::current()) << "releasing leaves the thread as it was";
    }}.join();
    // The memory was really freed: a second free is refused.
    EXPECT_NE(driver().cuMemFree(address), CUDA_SUCCESS);
}

TEST_F(ContextTest, TheReportDescribesWhatIsThere) {
    const StatusReport report = status_report();
    EXPECT_TRUE(report.driver_ok);
    ASSERT_FALSE(report.devices.empty());
    EXPECT_EQ(report.devices[0].name, Device{0}.name());
    EXPECT_GT(report.devices[0].multiprocessors, 0);
    EXPECT_FALSE(report.driver_path.empty());
    EXPECT_NE(report.driver_version.find('.'), std::string::npos);
    EXPECT_EQ(report.summary().find(report.devices[0].name), 0u);
    if (report.nvrtc_ok) { EXPECT_FALSE(report.nvrtc_path.empty()); }
}

} // namespace
} // namespace lathe::gpu
