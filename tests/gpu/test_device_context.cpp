// SPDX-License-Identifier: MIT
#include "gpu/driver/check.h"
#include "gpu/memory.h"
#include "gpu/status.h"
#include "tests/gpu/device_test.h"

#include <thread>
#include <vector>

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

TEST_F(ContextTest, AContextOfOnesOwnIsOnTopUntilItIsPopped) {
    const Context before = Context::current();
    const Context own = Context::create(Device{0});
    EXPECT_NE(own, before);
    EXPECT_EQ(Context::current(), own);
    EXPECT_EQ(own.device(), Device{0});
    EXPECT_EQ(Context::pop(), own);
    EXPECT_EQ(Context::current(), before);
    own.push();
    EXPECT_EQ(Context::current(), own);
    own.destroy();
    EXPECT_EQ(Context::current(), before);
}

TEST_F(ContextTest, ObjectsMayOutliveTheirContext) {
    const Context own = Context::create(Device{0});
    DeviceBuffer buffer{1 << 16};
    Stream stream{StreamConfig{}};
    own.destroy();
    EXPECT_FALSE(own.is_alive());
    EXPECT_THROW(own.destroy(), Error);
    EXPECT_THROW(own.push(), Error);
    // The driver may use the context's address, and the memory's, again.
    std::vector<Context> others;
    for (int k = 0; k < 4; ++k) others.push_back(Context::create(Device{0}));
    DeviceBuffer other{1 << 16};
    fill(other.span<unsigned>(), 7u);
    buffer = {};
    stream = {};
    std::vector<unsigned> back(other.bytes() / sizeof(unsigned));
    copy_to_host<unsigned>(back, other.span<unsigned>());
    EXPECT_EQ(back, std::vector<unsigned>(back.size(), 7u));
    other = {};
    for (auto each = others.rbegin(); each != others.rend(); ++each) each->destroy();
    EXPECT_EQ(Context::current(), Context::primary());
}

TEST_F(ContextTest, OnlyContextsOfOnesOwnAreDestroyed) {
    EXPECT_TRUE(Context::primary().is_alive());
    EXPECT_THROW(Context::primary().destroy(), Error);
    EXPECT_THROW(Context{}.destroy(), Error);
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
