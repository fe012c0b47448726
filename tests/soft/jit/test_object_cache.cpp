// SPDX-License-Identifier: MIT
// Code kept on disk: what hits, what must miss, and damage.
#include "gpu/soft/jit/object_cache.h"
#include "tests/soft/jit/mini_runtime.h"

#include "gpu/ptx/parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

namespace lathe::soft::test {
namespace {

namespace fs = std::filesystem;
using jit::ObjectCache;

/// out[t] = table[t % 4] + t, of a text that no run before has compiled.
std::string new_text() {
    static int number = 0;
    return fmt::format(R"(
.version 8.0
.target sm_75
.address_size 64
// {} {}
.global .align 4 .u32 table[4];
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %r<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 3;
    mul.wide.u32 %rd2, %r2, 4;
    mov.u64 %rd3, table;
    add.s64 %rd3, %rd3, %rd2;
    ld.global.u32 %r3, [%rd3];
    add.u32 %r3, %r3, %r1;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd1, %rd1, %rd4;
    st.global.u32 [%rd1], %r3;
    ret;
}}
)",
                       std::chrono::steady_clock::now().time_since_epoch().count(), ++number);
}

struct Loaded {
    std::uint64_t hits, misses;
    std::vector<std::uint32_t> out;
};

/// Loads and runs the kernel as a new program would.
Loaded load(const std::string& text, ExecutionMode mode) {
    std::uint32_t table[4] = {10, 20, 30, 40};
    const auto before = ObjectCache::instance().stats();
    auto module = std::make_shared<ptx::Module>(ptx::parse(text).module);
    const auto code = CompiledModule::create(
        module, [&](std::string_view name) -> void* { return name == "table" ? table : nullptr; },
        mode);
    constexpr std::uint32_t kBlock[3] = {64, 1, 1};
    const KernelCode kernel = code->code("k", kBlock);
    const auto after = ObjectCache::instance().stats();
    Loaded result{after.hits - before.hits, after.misses - before.misses,
                  std::vector<std::uint32_t>(64)};
    std::uint32_t* const out = result.out.data();
    ThreadContext context{};
    std::copy_n(kBlock, 3, context.ntid);
    context.params = reinterpret_cast<const std::uint8_t*>(&out);
    kernel.block(&context, 0, 64);
    return result;
}

std::set<fs::path> files() {
    std::set<fs::path> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator{ObjectCache::instance().folder(), none})
        if (entry.path().extension() != ".part") found.insert(entry.path()); // another program's
    return found;
}

void expect_right(const Loaded& loaded) {
    for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(loaded.out[t], (t % 4 + 1) * 10 + t);
}

class ObjectCacheTest : public testing::Test {
protected:
    void SetUp() override {
        if (ObjectCache::instance().folder().empty()) GTEST_SKIP() << "LATHE_SOFT_CACHE=off";
    }
};

TEST_F(ObjectCacheTest, TheSecondLoadCompilesNothing) {
    for (const ExecutionMode mode : {ExecutionMode{false, 0}, ExecutionMode{true, 16}}) {
        const std::string text = new_text();
        const Loaded first = load(text, mode), second = load(text, mode);
        EXPECT_EQ(first.misses, 1u);
        EXPECT_EQ(first.hits, 0u);
        EXPECT_EQ(second.misses, 0u);
        EXPECT_EQ(second.hits, 1u);
        expect_right(first);
        expect_right(second); // the table lies elsewhere than in the first run
    }
}

TEST_F(ObjectCacheTest, WidthsModesAndTextsAreKeptApart) {
    const std::string text = new_text();
    for (const ExecutionMode mode : {ExecutionMode{false, 0}, ExecutionMode{true, 8},
                                     ExecutionMode{true, 16}, ExecutionMode{true, 32}}) {
        const Loaded loaded = load(text, mode);
        EXPECT_EQ(loaded.misses, 1u) << mode.width;
        expect_right(loaded);
    }
    EXPECT_EQ(load(text + "\n", {true, 8}).misses, 1u);
}

TEST_F(ObjectCacheTest, AnotherProcessorMisses) {
    const std::string text = new_text();
    load(text, {true, 8});
    const char* before = std::getenv("LATHE_SOFT_CPU");
    const std::string kept = before ? before : "";
    setenv("LATHE_SOFT_CPU", kept == "x86-64-v2" ? "x86-64" : "x86-64-v2", 1);
    const Loaded other = load(text, {true, 8});
    before ? setenv("LATHE_SOFT_CPU", kept.c_str(), 1) : unsetenv("LATHE_SOFT_CPU");
    EXPECT_EQ(other.misses, 1u);
    expect_right(other);
    EXPECT_EQ(load(text, {true, 8}).hits, 1u);
}

TEST_F(ObjectCacheTest, DamagedFilesAreCompiledAgain) {
    for (int damage = 0; damage < 3; ++damage) {
        const std::string text = new_text();
        const std::set<fs::path> before = files();
        load(text, {true, 8});
        std::vector<fs::path> made;
        for (const fs::path& file : files())
            if (!before.count(file)) made.push_back(file);
        ASSERT_GE(made.size(), 1u); // other programs may add theirs meanwhile
        for (const fs::path& each : made) {
            if (damage == 0) fs::resize_file(each, fs::file_size(each) / 2);
            if (damage == 1) std::ofstream{each} << "not an object at all";
            if (damage == 2) {
                std::fstream file{each, std::ios::in | std::ios::out | std::ios::binary};
                file.seekp(static_cast<std::streamoff>(fs::file_size(each) / 2));
                file.put('\x5a');
                file.put('\xa5');
            }
        }
        const Loaded again = load(text, {true, 8});
        EXPECT_EQ(again.misses, 1u) << "damage " << damage;
        expect_right(again);
        EXPECT_EQ(load(text, {true, 8}).hits, 1u) << "written anew";
    }
}

// A kernel that cannot run by warps: that, too, is known the second time.
TEST_F(ObjectCacheTest, RefusalsAreKept) {
    std::string text = new_text();
    text.insert(text.find("ld.global"),
                "{ .reg .b64 %s; stacksave.u64 %s; stackrestore.u64 %s; }\n    ");
    const Loaded first = load(text, {true, 16}), second = load(text, {true, 16});
    EXPECT_EQ(first.misses, 2u); // by warps, then by threads
    EXPECT_EQ(second.hits, 2u);
    expect_right(second);
}

// Code that several threads link at the same time is each one's own: found by its module, and gone
// with it, whatever the others do.
TEST(Linking, ByManyThreads) {
    const std::string text = new_text();
    auto parsed = std::make_shared<ptx::Module>(ptx::parse(text).module);
    std::uint32_t table[4] = {};
    const auto linked = [&] {
        const auto code =
            CompiledModule::create(parsed, [&](std::string_view) -> void* { return table; }, {});
        return code->contains(reinterpret_cast<std::uintptr_t>(code->thread_code("k").entry));
    };
    ASSERT_TRUE(linked());
    std::atomic<int> lost{0};
    testing::internal::CaptureStderr();
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) lost += !linked();
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(lost, 0);
}

} // namespace
} // namespace lathe::soft::test
