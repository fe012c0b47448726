// SPDX-License-Identifier: MIT
// Device memory: blocks between closed pages, limits, what the machine has, and what others see.
#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/fault.h"
#include "gpu/soft/rt/host_memory.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <vector>

namespace lathe::soft {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20, kPage = 4096;

bool writable(void* p) {
    return run_guarded([](void* q) { *static_cast<volatile char*>(q) = 1; }, p);
}

TEST(Arena, BlocksEndAtAClosedPage) {
    install_fault_handler();
    Arena arena{std::size_t{1} << 30, std::size_t{64} << 20};
    for (std::size_t bytes : {1u, 255u, 256u, 257u, 4095u, 4096u, 4097u, 100000u}) {
        auto* p = static_cast<char*>(arena.allocate(bytes));
        ASSERT_NE(p, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
        EXPECT_TRUE(writable(p));
        EXPECT_TRUE(writable(p + bytes - 1));
        EXPECT_FALSE(writable(p + (bytes + 255) / 256 * 256));
        EXPECT_TRUE(arena.contains(p));
        arena.release(p);
        EXPECT_FALSE(writable(p));
    }
    EXPECT_EQ(arena.used_bytes(), 0u);
}

TEST(Arena, LimitAndReuse) {
    Arena arena{std::size_t{1} << 30, std::size_t{1} << 20};
    EXPECT_EQ(arena.allocate(0), nullptr);
    EXPECT_EQ(arena.allocate((1 << 20) + 1), nullptr);
    void* whole = arena.allocate(1 << 20);
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(arena.allocate(1), nullptr);
    arena.release(whole);
    EXPECT_EQ(arena.allocate(1 << 20), whole);
}

TEST(Arena, RandomBlocksDoNotOverlap) {
    Arena arena{std::size_t{1} << 30, std::size_t{256} << 20};
    std::mt19937 random{7};
    std::vector<std::pair<unsigned char*, std::size_t>> live;
    for (int i = 0; i < 2000; ++i) {
        if (live.size() > 60 || (!live.empty() && random() % 3 == 0)) {
            std::size_t at = random() % live.size();
            auto [p, bytes] = live[at];
            auto mark = static_cast<unsigned char>(reinterpret_cast<std::uintptr_t>(p) >> 8);
            for (std::size_t k = 0; k < bytes; k += 64) ASSERT_EQ(p[k], mark);
            arena.release(p);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            std::size_t bytes = random() % 60000 + 1;
            auto* p = static_cast<unsigned char*>(arena.allocate(bytes));
            ASSERT_NE(p, nullptr);
            std::memset(p, static_cast<int>(reinterpret_cast<std::uintptr_t>(p) >> 8 & 255), bytes);
            live.emplace_back(p, bytes);
        }
    }
}

/// Of the pages of [p, p + bytes), how many have memory.
std::size_t pages_in_memory(void* p, std::size_t bytes) {
    auto* const first = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) & ~(kPage - 1));
    std::vector<unsigned char> pages((bytes + kPage - 1) / kPage);
    EXPECT_EQ(mincore(first, pages.size() * kPage, pages.data()), 0);
    return static_cast<std::size_t>(
        std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return page & 1; }));
}

/// Bytes of this process that the machine may take without asking.
std::size_t offered_bytes() {
    std::ifstream file{"/proc/self/smaps"};
    std::size_t kib = 0, sum = 0;
    for (std::string word; file >> word;)
        if (word == "LazyFree:" && file >> kib) sum += kib << 10;
    return sum;
}

TEST(ArenaMemory, LargeBlocksGoBackToTheMachineWhenFreed) {
    Arena arena{std::size_t{1} << 30, 600 * kMiB};
    void* p = arena.allocate(520 * kMiB);
    ASSERT_NE(p, nullptr);
    std::memset(p, 1, 520 * kMiB);
    EXPECT_EQ(pages_in_memory(p, 520 * kMiB), 520 * kMiB / kPage);
    arena.release(p);
    EXPECT_EQ(pages_in_memory(p, 520 * kMiB), 0u);
}

TEST(ArenaMemory, ManyFreedBlocksAreOfferedToTheMachine) {
    Arena arena{std::size_t{1} << 30, 512 * kMiB};
    const std::size_t before = offered_bytes();
    std::vector<void*> blocks;
    for (int i = 0; i < 30; ++i) {
        blocks.push_back(arena.allocate(10 * kMiB));
        std::memset(blocks.back(), 1, 10 * kMiB);
    }
    for (void* block : blocks) arena.release(block);
    EXPECT_GE(offered_bytes(), before + 250 * kMiB);
    auto* again = static_cast<char*>(arena.allocate(10 * kMiB));
    std::memset(again, 2, 10 * kMiB); // its own again
    EXPECT_EQ(again[10 * kMiB - 1], 2);
}

TEST(ArenaMemory, BlocksAreRefusedThatTheMachineCannotBack) {
    std::size_t spare = 300 * kMiB; // what the machine still has
    Arena arena{std::size_t{4} << 30, 2048 * kMiB, [&] { return spare; }};
    EXPECT_EQ(arena.free_bytes(), 300 * kMiB);
    EXPECT_EQ(arena.allocate(301 * kMiB), nullptr);
    void* first = arena.allocate(100 * kMiB);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(arena.free_bytes(), 200 * kMiB); // pages that nobody touched are promised
    EXPECT_EQ(arena.allocate(201 * kMiB), nullptr);
    std::memset(first, 1, 100 * kMiB);
    spare -= 100 * kMiB; // touched: now the machine counts them
    EXPECT_EQ(arena.allocate(201 * kMiB), nullptr);
    void* second = arena.allocate(200 * kMiB);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(arena.allocate(1), nullptr);
    arena.release(first);
    spare += 100 * kMiB;
    first = arena.allocate(100 * kMiB);
    EXPECT_NE(first, nullptr);
    spare = 0; // somebody else took it, and what was promised, too
    EXPECT_EQ(arena.allocate(kMiB), nullptr);
}

TEST(ArenaMemory, ManySmallBlocksAreCountedToo) {
    std::size_t spare = 1024 * kMiB;
    Arena arena{std::size_t{4} << 30, 2048 * kMiB, [&] { return spare; }};
    std::vector<void*> blocks;
    while (void* p = arena.allocate(kMiB)) {
        std::memset(p, 1, kMiB);
        blocks.push_back(p);
        spare -= 2 * kMiB; // as much again for something else, as for the host's copies
        ASSERT_LE(blocks.size(), 2048u);
    }
    EXPECT_LE(blocks.size(), 512u + 256); // looked at once in 256 MiB
    EXPECT_GE(blocks.size(), 300u);
}

TEST(ArenaMemory, AllOfALimitCanBeHadWhereTheMachineHasIt) {
    Arena arena{std::size_t{1} << 30, 48 * kMiB, [] { return std::size_t{1} << 40; }};
    EXPECT_EQ(arena.free_bytes(), 48 * kMiB);
    for (int i = 0; i < 48; ++i) EXPECT_NE(arena.allocate(kMiB), nullptr);
    EXPECT_EQ(arena.allocate(1), nullptr);
}

TEST(ArenaMemory, SharedBlocksKeepTheirContentsAndAreSeenThroughTheFile) {
    install_fault_handler();
    Arena arena{std::size_t{1} << 30, 512 * kMiB};
    constexpr std::size_t kCount = 100'000;
    auto* const block = static_cast<int*>(arena.allocate(kCount * sizeof(int)));
    std::iota(block, block + kCount, 0);
    const Arena::Shared shared = arena.share(block);
    ASSERT_GE(shared.file, 0);
    EXPECT_EQ(arena.share(block).file, shared.file);
    auto* const seen = static_cast<std::byte*>(
        mmap(nullptr, shared.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared.file, 0));
    ASSERT_NE(seen, MAP_FAILED);
    auto* const other = reinterpret_cast<int*>(seen + shared.offset);
    EXPECT_TRUE(std::equal(block, block + kCount, other));
    other[77] = -1;
    EXPECT_EQ(block[77], -1);
    block[78] = -2;
    EXPECT_EQ(other[78], -2);
    EXPECT_FALSE(writable(reinterpret_cast<char*>(block + kCount) + 255));
    arena.release(block);
    EXPECT_FALSE(writable(block));
    EXPECT_EQ(other[77], -1); // who has it mapped keeps it
    EXPECT_EQ(arena.used_bytes(), 0u);
    auto* const next = static_cast<int*>(arena.allocate(kCount * sizeof(int)));
    ASSERT_NE(next, nullptr);
    next[77] = 5;
    EXPECT_EQ(other[77], -1);
    munmap(seen, shared.bytes);
}

TEST(ArenaMemory, SharingNeedsRoomForACopy) {
    std::size_t spare = 1024 * kMiB;
    Arena arena{std::size_t{1} << 30, 512 * kMiB, [&] { return spare; }};
    void* block = arena.allocate(10 * kMiB);
    spare = 5 * kMiB;
    EXPECT_EQ(arena.share(block).file, -1);
    EXPECT_TRUE(writable(block));
}

// --- what the machine has ------------------------------------------------------------------------

class Machine {
public:
    explicit Machine(const char* groups) {
        write("proc/meminfo", "MemTotal:       24684096 kB\nMemFree:        17000000 kB\n"
                              "MemAvailable:   22829000 kB\nBuffers:          1000 kB\n");
        write("proc/self/cgroup", groups);
    }
    void write(const std::string& name, const std::string& text) const {
        const auto path = folder_.path() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream{path} << text;
    }
    HostMemory look() const { return host_memory(folder_.path().string()); }

private:
    test::TempFolder folder_;
};

TEST(HostMemory, WithoutLimitsItIsTheMachines) {
    const Machine machine{"0::/\n"};
    EXPECT_EQ(machine.look().total, std::size_t{24684096} << 10);
    EXPECT_EQ(machine.look().available, std::size_t{22829000} << 10);
}

TEST(HostMemory, GroupsOfVersionTwoNarrowIt) {
    const Machine machine{"0::/user/program\n"};
    machine.write("sys/fs/cgroup/user/program/memory.max", "max\n");
    machine.write("sys/fs/cgroup/user/memory.max", "4294967296\n");
    machine.write("sys/fs/cgroup/user/memory.current", "3221225472\n");
    machine.write("sys/fs/cgroup/user/memory.stat",
                  "anon 1\ninactive_anon 5\nactive_file 1048576\ninactive_file 1072693248\n");
    EXPECT_EQ(machine.look().total, 4096 * kMiB);
    EXPECT_EQ(machine.look().available, 2048 * kMiB); // files in memory may go
}

TEST(HostMemory, GroupsOfVersionOneNarrowIt) {
    const Machine machine{"9:name=systemd:/\n4:cpu,memory:/docker/abc\n0::/\n"};
    // In a container the group's path is one of the machine outside.
    machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "536870912\n");
    machine.write("sys/fs/cgroup/memory/memory.stat", "cache 9\ntotal_inactive_file 0\n");
    EXPECT_EQ(machine.look().total, 1024 * kMiB);
    EXPECT_EQ(machine.look().available, 512 * kMiB);
    machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "2073741824\n");
    EXPECT_EQ(machine.look().available, 0u);
    machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(machine.look().total, std::size_t{24684096} << 10);
}

TEST(HostMemory, ThisMachineHasSome) {
    const HostMemory here = host_memory();
    EXPECT_GT(here.total, 64 * kMiB);
    EXPECT_GT(here.available, kMiB);
    EXPECT_LE(here.available, here.total);
}

} // namespace
} // namespace lathe::soft
