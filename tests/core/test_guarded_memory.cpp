// SPDX-License-Identifier: MIT
#include "engine/core/guarded_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

using lathe::GuardedMemory;

TEST(GuardedMemory, IsZeroedAlignedAndWritable) {
    for (std::size_t bytes : {1u, 256u, 4096u, 5000u, 1u << 20}) {
        GuardedMemory memory{bytes};
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % GuardedMemory::kAlignment, 0u);
        std::byte* end = memory.data() + bytes;
        EXPECT_TRUE(std::all_of(memory.data(), end, [](std::byte b) { return b == std::byte{}; }));
        std::fill(memory.data(), end, std::byte{7});
    }
}

TEST(GuardedMemoryDeathTest, FaultsAtTheFirstElementBeyondEitherEnd) {
    GuardedMemory memory{4096};
    volatile std::byte* data = memory.data();
    EXPECT_DEATH(data[4096] = std::byte{1}, "");
    EXPECT_DEATH(data[-1] = std::byte{1}, "");
    EXPECT_DEATH(data[std::ptrdiff_t{1} << 29] = std::byte{1}, "");
}

TEST(GuardedMemory, Moves) {
    GuardedMemory a{64};
    std::byte* data = a.data();
    GuardedMemory b{std::move(a)};
    EXPECT_EQ(a.data(), nullptr);
    EXPECT_EQ(b.data(), data);
    a = std::move(b);
    EXPECT_EQ(a.data(), data);
    EXPECT_EQ(a.bytes(), 64u);
}
