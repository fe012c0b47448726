// SPDX-License-Identifier: MIT
// Pools on a device: contents, contexts, and who gets a block that a stream still works with.
#include "gpu/driver/check.h"
#include "gpu/memory_pool.h"
#include "tests/gpu/device_test.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace lathe::gpu {
namespace {

using PoolStreamTest = DeviceTest;

/// Holds a stream back until it is let go.
class Gate {
public:
    explicit Gate(const Stream& stream) {
        stream.add_host_function([open = open_] {
            while (!*open) std::this_thread::sleep_for(std::chrono::milliseconds{1});
        });
    }
    ~Gate() { open(); }
    void open() { *open_ = true; }

private:
    std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

TEST_F(PoolStreamTest, BlocksAreMemory) {
    const auto pool = make_device_pool();
    for (int round = 0; round < 3; ++round) {
        const auto block = DevicePool::allocate(pool, 4000);
        const std::vector<char> sent(4000, static_cast<char>(round + 1));
        std::vector<char> got(4000);
        copy_to_device(block.memory().address(), sent.data(), sent.size());
        copy_to_host(got.data(), block.memory().address(), got.size());
        EXPECT_EQ(got, sent);
    }
    EXPECT_EQ(pool->counts().held_blocks, 1u);
    const auto pinned = make_pinned_pool({.mapped = true});
    const auto host = PinnedPool::allocate(pinned, 100);
    std::memset(host.memory().data(), 7, 100);
    char last = 0;
    copy_to_host(&last, host.memory().device_address() + 99, 1);
    EXPECT_EQ(last, 7);
}

TEST_F(PoolStreamTest, ABlockInUseOnAStreamIsNotGivenAway) {
    const auto pool = make_device_pool();
    const Stream stream{StreamConfig{}};
    auto block = DevicePool::allocate(pool, 1 << 16);
    const CUdeviceptr address = block.memory().address();
    // Held, so that no driver allocates, and perhaps waits, while the gate is closed.
    const CUdeviceptr second = DevicePool::allocate(pool, 1 << 16).memory().address();
    Gate gate{stream};
    block.begin_use(stream);
    fill_units(address, 1, 1, 1 << 16, stream);
    block.end_use(stream);
    block.free();
    const auto other = DevicePool::allocate(pool, 1 << 16);
    EXPECT_EQ(other.memory().address(), second) << "the fill has not run yet";
    gate.open();
    stream.synchronize();
    EXPECT_EQ(DevicePool::allocate(pool, 1 << 16).memory().address(), address);
}

TEST_F(PoolStreamTest, ANewStreamWaitsForTheLastOwnersWork) {
    const auto pool = make_device_pool();
    const Stream blocking{StreamConfig{.non_blocking = false}};
    const Stream stream{StreamConfig{}};
    auto block = DevicePool::allocate(pool, 256);
    const CUdeviceptr address = block.memory().address();
    Gate gate{blocking}; // what comes on the legacy stream waits for it
    fill_units(address, 1, 4, 64, StreamView::legacy());
    block.free();
    block = DevicePool::allocate(pool, 256);
    ASSERT_EQ(block.memory().address(), address);
    block.begin_use(stream);
    fill_units(address, 2, 4, 64, stream);
    block.end_use(stream);
    EXPECT_FALSE(stream.done());
    gate.open();
    stream.synchronize();
    std::uint32_t got = 0;
    copy_to_host(&got, address, sizeof got);
    EXPECT_EQ(got, 2u);
}

TEST_F(PoolStreamTest, HostMemoryWaitsForCopiesOnEveryStream) {
    const auto pool = make_pinned_pool();
    const Stream blocking{StreamConfig{.non_blocking = false}};
    const DeviceBuffer device{256};
    auto block = PinnedPool::allocate(pool, 256);
    const void* address = block.memory().data();
    const void* second = PinnedPool::allocate(pool, 256).memory().data();
    Gate gate{blocking};
    copy_to_device(device.address(), address, 256, StreamView::legacy());
    block.end_use(StreamView::legacy());
    block.free();
    const auto other = PinnedPool::allocate(pool, 256);
    EXPECT_EQ(other.memory().data(), second);
    gate.open();
    Context::current().synchronize();
    EXPECT_EQ(PinnedPool::allocate(pool, 256).memory().data(), address);
}

TEST_F(PoolStreamTest, FreeingWhatIsInUseWaits) {
    const auto pool = make_device_pool();
    const Stream stream{StreamConfig{}};
    auto block = DevicePool::allocate(pool, 1 << 20);
    fill_units(block.memory().address(), 1, 1, 1 << 20, stream);
    block.end_use(stream);
    block.free();
    pool->free_held();
    EXPECT_EQ(pool->counts().managed_bytes, 0u);
    stream.synchronize();
}

TEST_F(PoolStreamTest, CapturesAreLeftAlone) {
    const auto symbol = [](const char* name) { return driver().find_symbol(name); };
    const auto begin = reinterpret_cast<CUresult (*)(CUstream, CUstreamCaptureMode)>(
        symbol("cuStreamBeginCapture_v2"));
    const auto end =
        reinterpret_cast<CUresult (*)(CUstream, CUgraph*)>(symbol("cuStreamEndCapture"));
    const auto destroy = reinterpret_cast<CUresult (*)(CUgraph)>(symbol("cuGraphDestroy"));
    ASSERT_TRUE(begin && end && destroy);
    const auto pool = make_device_pool();
    const Stream stream{StreamConfig{}};
    DevicePool::allocate(pool, 256).free();
    auto block = DevicePool::allocate(pool, 256); // has had an owner
    ASSERT_EQ(begin(stream.get(), CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    block.begin_use(stream);
    fill_units(block.memory().address(), 1, 1, 256, stream);
    block.end_use(stream);
    CUgraph graph = nullptr;
    EXPECT_EQ(end(stream.get(), &graph), CUDA_SUCCESS) << "the capture is still whole";
    destroy(graph);
    const CUdeviceptr address = block.memory().address();
    block.free();
    EXPECT_EQ(DevicePool::allocate(pool, 256).memory().address(), address);
}

TEST_F(PoolStreamTest, PoolsOutliveTheirContext) {
    const Context context = Context::create(Device{0});
    const auto pool = make_device_pool();
    auto block = DevicePool::allocate(pool, 100);
    DevicePool::allocate(pool, 1000).free();
    context.destroy();
    try {
        (void)DevicePool::allocate(pool, 100);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), CUDA_ERROR_INVALID_CONTEXT);
        EXPECT_NE(std::string{error.what()}.find("destroyed"), std::string::npos);
    }
    block.free();
    pool->free_held();
}

TEST_F(PoolStreamTest, BlocksAreMadeInThePoolsContext) {
    const auto pool = make_device_pool(); // of the primary one
    const Context context = Context::create(Device{0});
    const auto block = DevicePool::allocate(pool, 100);
    EXPECT_EQ(Context::current(), context);
    context.destroy();
    fill_units(block.memory().address(), 0, 1, 100); // still there
}

TEST_F(PoolStreamTest, ThreadsShareAPool) {
    const auto pool = make_device_pool();
    std::vector<std::thread> threads;
    for (unsigned n = 0; n < 16; ++n)
        threads.emplace_back([&pool, n] {
            for (unsigned round = 0; round < 20; ++round) {
                const auto block = DevicePool::allocate(pool, 256u << (n + round) % 3);
                const std::uint32_t sent = n * 1000 + round;
                std::uint32_t got = 0;
                copy_to_device(block.memory().address(), &sent, sizeof sent);
                copy_to_host(&got, block.memory().address(), sizeof got);
                EXPECT_EQ(got, sent);
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(pool->counts().active_blocks, 0u);
}

} // namespace
} // namespace lathe::gpu
