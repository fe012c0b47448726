// SPDX-License-Identifier: MIT
// The pool's bookkeeping, with blocks that no device gave: bins, reuse, shortage, many threads.
#include "gpu/driver/check.h"
#include "gpu/memory_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace lathe::gpu {
namespace {

/// Gives addresses that nobody dereferences, each once, and counts.
struct Fake {
    std::atomic<std::size_t> made{0};
    std::atomic<std::size_t> limit{~std::size_t{0}};
    explicit Fake(BlockSizes sizes = BlockSizes::binned)
        : pool{std::make_shared<DevicePool>(
              Context{},
              [this](std::size_t bytes) {
                  if (made >= limit) throw Error{"cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY};
                  return DeviceBuffer::wrap(++made << 32, bytes);
              },
              sizes)} {}

    std::shared_ptr<DevicePool> pool;
    PooledMemory<DeviceBuffer> get(std::size_t bytes,
                                   const std::function<void()>& room = {}) const {
        return DevicePool::allocate(pool, bytes, room);
    }
};

TEST(MemoryPoolBinTest, BlocksAreLargeEnoughAndNotMuchLarger) {
    std::mt19937_64 random{1};
    std::vector<std::size_t> sizes;
    for (std::size_t n = 0; n < 5000; ++n) sizes.push_back(n);
    for (int n = 0; n < 100'000; ++n) sizes.push_back(random() >> (2 + random() % 62));
    for (const std::size_t bytes : sizes) {
        const unsigned bin = pool_bin(bytes);
        const std::size_t block = pool_block_bytes(bin);
        ASSERT_GE(block, bytes);
        ASSERT_LE(block - bytes, std::max<std::size_t>(bytes / 16, bytes == 0)) << bytes;
        ASSERT_EQ(pool_bin(block), bin) << bytes;
        ASSERT_LE(pool_bin(bytes - (bytes > 1)), bin);
    }
    for (unsigned k = 0; k < 62; ++k)
        EXPECT_EQ(pool_block_bytes(pool_bin(std::size_t{1} << k)), std::size_t{1} << k);
}

TEST(MemoryPoolTest, FreedBlocksServeTheSameBin) {
    const Fake fake;
    auto a = fake.get(1000);
    const CUdeviceptr address = a.memory().address();
    EXPECT_EQ(a.bytes(), 1000u);
    EXPECT_GE(a.memory().bytes(), 1000u);
    auto b = fake.get(1000);
    EXPECT_NE(b.memory().address(), address);
    a.free();
    a.free();
    EXPECT_FALSE(a);
    EXPECT_EQ(a.bytes(), 0u);
    auto c = fake.get(995); // the bin of 993 to 1024
    EXPECT_EQ(c.memory().address(), address);
    EXPECT_EQ(fake.made, 2u);
    const auto other = fake.get(2000);
    EXPECT_EQ(fake.made, 3u);
    c = std::move(b); // c's block goes back
    EXPECT_EQ(fake.pool->counts().held_blocks, 1u);
    EXPECT_EQ(fake.get(1024).memory().address(), address);
}

TEST(MemoryPoolTest, ExactBlocksEndWhereTheirBytesDo) {
    const Fake fake{BlockSizes::exact};
    auto a = fake.get(1000);
    const CUdeviceptr address = a.memory().address();
    EXPECT_EQ(a.memory().bytes(), 1000u);
    a.free();
    EXPECT_EQ(fake.get(995).memory().bytes(), 995u);
    EXPECT_EQ(fake.get(1000).memory().address(), address);
    EXPECT_EQ(fake.get(0).memory().bytes(), 1u);
    EXPECT_EQ(fake.pool->counts().managed_bytes, 1996u);
}

TEST(MemoryPoolTest, FewSizesAreHeldWhateverIsAskedFor) {
    const Fake fake{BlockSizes::exact};
    for (std::size_t bytes = 1; bytes <= 10'000; ++bytes) fake.get(bytes).free();
    const PoolCounts counts = fake.pool->counts();
    EXPECT_EQ(counts.held_blocks, 512u);
    EXPECT_LT(counts.managed_bytes, 512u * 512 / 2 + 10'001); // the largest make room
    fake.pool->free_held();
    EXPECT_EQ(fake.pool->counts().managed_bytes, 0u);
}

TEST(MemoryPoolTest, Counts) {
    const Fake fake;
    {
        const auto a = fake.get(100), b = fake.get(1 << 20);
        const PoolCounts counts = fake.pool->counts();
        EXPECT_EQ(counts.active_blocks, 2u);
        EXPECT_EQ(counts.held_blocks, 0u);
        EXPECT_EQ(counts.active_bytes, 100u + (1 << 20));
        EXPECT_EQ(counts.managed_bytes, pool_block_bytes(pool_bin(100)) + (1 << 20));
    }
    EXPECT_EQ(fake.pool->counts().held_blocks, 2u);
    EXPECT_EQ(fake.pool->counts().active_blocks, 0u);
    EXPECT_EQ(fake.pool->counts().active_bytes, 0u);
    fake.pool->free_held();
    EXPECT_EQ(fake.pool->counts().held_blocks, 0u);
    EXPECT_EQ(fake.pool->counts().managed_bytes, 0u);
    fake.get(5).free();
    fake.pool->stop_holding();
    { const auto a = fake.get(5); }
    EXPECT_EQ(fake.pool->counts().held_blocks, 0u);
    EXPECT_EQ(fake.pool->counts().managed_bytes, 0u);
}

TEST(MemoryPoolTest, AShortageFreesWhatIsHeld) {
    Fake fake;
    fake.get(64).free();
    fake.limit = 1;
    int asked = 0;
    try {
        (void)fake.get(128, [&] { ++asked; });
        FAIL();
    } catch (const Error& error) { EXPECT_EQ(error.code(), CUDA_ERROR_OUT_OF_MEMORY); }
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(fake.pool->counts().held_blocks, 0u) << "freed before the last try";
    const auto a = fake.get(256, [&] { fake.limit = 2; });
    EXPECT_EQ(a.memory().address(), CUdeviceptr{2} << 32);
    // What the owner gives back is taken before the driver is asked again.
    fake.limit = 0;
    auto kept =
        std::make_unique<PooledMemory<DeviceBuffer>>(fake.get(256, [&] { fake.limit = 3; }));
    fake.limit = 0;
    const CUdeviceptr address = kept->memory().address();
    EXPECT_EQ(fake.get(256, [&] { kept.reset(); }).memory().address(), address);
    EXPECT_THROW((void)fake.get(~std::size_t{0}), Error);
}

TEST(MemoryPoolTest, BlocksKeepTheirPool) {
    PooledMemory<DeviceBuffer> block;
    {
        auto pool = std::make_shared<DevicePool>(
            Context{}, [](std::size_t n) { return DeviceBuffer::wrap(1, n); });
        block = DevicePool::allocate(pool, 10);
    }
    EXPECT_EQ(block.memory().address(), 1u);
}

TEST(MemoryPoolTest, ManyThreads) {
    const Fake fake;
    std::mutex mutex;
    std::set<CUdeviceptr> on_loan; // no block has two owners
    std::vector<PooledMemory<DeviceBuffer>> handed_over;
    const auto work = [&](unsigned seed) {
        std::mt19937 random{seed};
        for (int round = 0; round < 500; ++round) {
            auto block = fake.get(std::size_t{64} << random() % 4);
            const CUdeviceptr address = block.memory().address();
            {
                std::lock_guard lock{mutex};
                ASSERT_TRUE(on_loan.insert(address).second);
                std::swap(block, handed_over.size() > 50 ? handed_over[random() % 50]
                                                         : handed_over.emplace_back());
                if (block)
                    on_loan.erase(block.memory().address()); // freed by another than its maker
            }
            if (round % 100 == 99) fake.pool->free_held();
        }
    };
    std::vector<std::thread> threads;
    for (unsigned n = 0; n < 16; ++n) threads.emplace_back(work, n);
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(fake.pool->counts().active_blocks, handed_over.size());
    handed_over.clear();
    EXPECT_EQ(fake.pool->counts().active_blocks, 0u);
    EXPECT_EQ(fake.pool->counts().active_bytes, 0u);
    fake.pool->free_held();
    EXPECT_EQ(fake.pool->counts().managed_bytes, 0u);
}

} // namespace
} // namespace lathe::gpu
