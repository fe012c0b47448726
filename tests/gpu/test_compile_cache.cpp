// SPDX-License-Identifier: MIT
// The cache without a compiler: keys, memory, files, damage, limits, processes side by side.
#include "gpu/compile_cache.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <span>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;

class CompileCacheTest : public testing::Test {
protected:
    void SetUp() override {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::path{testing::TempDir()} /
                  (std::string{"lathe-cache-"} + test->name() + std::to_string(getpid()));
        fs::remove_all(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    static CompileResult result_of(std::string_view image) {
        CompileResult r;
        r.ok = true;
        r.target = {ImageKind::cubin, {9, 0}};
        const auto bytes = std::as_bytes(std::span{image});
        r.image.assign(bytes.begin(), bytes.end());
        r.log = "k.cu(1): warning #177-D: variable \"x\" was declared but never referenced\n"
                "  int x;\n"
                "      ^\n";
        r.command_line = "--gpu-architecture=sm_90 k.cu";
        r.lowered_names = {{"&f<int>", "_Z1fIiEvv"}};
        return r;
    }
    std::vector<fs::path> files() const {
        std::vector<fs::path> found;
        if (fs::exists(folder_))
            for (const auto& entry : fs::directory_iterator{folder_}) found.push_back(entry.path());
        return found;
    }

    fs::path folder_;
};

TEST(CacheKey, DependsOnTextsAndTheirBorders) {
    std::set<std::string> keys;
    keys.insert(CacheKey{}.hex());
    keys.insert(CacheKey{}.add("").hex());
    keys.insert(CacheKey{}.add("ab").add("c").hex());
    keys.insert(CacheKey{}.add("a").add("bc").hex());
    keys.insert(CacheKey{}.add("abc").hex());
    keys.insert(CacheKey{}.add(std::string_view{"abc\0", 4}).hex());
    EXPECT_EQ(keys.size(), 6u);
    for (const std::string& key : keys) EXPECT_EQ(key.size(), 32u);
    EXPECT_EQ(CacheKey{}.add("abc").hex(), CacheKey{}.add("abc").hex());
}

TEST(CacheKey, OneBitChangesHalfOfTheBits) {
    std::string text(100, 'x');
    const std::string before = CacheKey{}.add(text).hex();
    for (const std::size_t place : {0u, 50u, 99u}) {
        std::string changed = text;
        changed[place] ^= 1;
        const std::string after = CacheKey{}.add(changed).hex();
        int different = 0;
        for (std::size_t i = 0; i < before.size(); ++i) different += before[i] != after[i];
        EXPECT_GT(different, 20) << "of 32 digits, at " << place;
    }
}

TEST_F(CompileCacheTest, AnswersFromMemoryThenFromDisk) {
    CompileCache first{folder_};
    EXPECT_FALSE(first.find("k"));
    first.store("k", result_of("image"));
    const auto from_memory = first.find("k");
    ASSERT_TRUE(from_memory);
    EXPECT_TRUE(from_memory->from_cache);
    EXPECT_FALSE(from_memory->from_disk);

    CompileCache second{folder_}; // as another process would
    const auto from_disk = second.find("k");
    ASSERT_TRUE(from_disk);
    EXPECT_TRUE(from_disk->from_cache);
    EXPECT_TRUE(from_disk->from_disk);
    EXPECT_EQ(from_disk->ptx(), "image");
    EXPECT_EQ(from_disk->target, (CompileTarget{ImageKind::cubin, {9, 0}}));
    EXPECT_EQ(from_disk->log, result_of("").log);
    EXPECT_EQ(from_disk->command_line, "--gpu-architecture=sm_90 k.cu");
    EXPECT_EQ(from_disk->lowered_names.at("&f<int>"), "_Z1fIiEvv");
    ASSERT_EQ(from_disk->diagnostics.size(), 1u);
    EXPECT_EQ(from_disk->diagnostics[0].column, 5);
    EXPECT_FALSE(second.find("k")->from_disk) << "now in memory";
    EXPECT_EQ(second.stats().disk_hits, 1u);
    EXPECT_EQ(second.stats().memory_hits, 1u);
}

TEST_F(CompileCacheTest, FailuresAreNotKept) {
    CompileCache cache{folder_};
    CompileResult failed = result_of("");
    failed.ok = false;
    cache.store("k", failed);
    EXPECT_FALSE(cache.find("k"));
    EXPECT_TRUE(files().empty());
}

TEST_F(CompileCacheTest, DamagedFilesAreMissesAndGo) {
    for (int damage = 0; damage < 4; ++damage) {
        CompileCache{folder_}.store("k", result_of(std::string(1000, 'i')));
        ASSERT_EQ(files().size(), 1u);
        const fs::path file = files()[0];
        if (damage == 0) fs::resize_file(file, 700);
        if (damage == 1) fs::resize_file(file, 0);
        if (damage == 2) std::ofstream{file} << "not a kernel at all";
        if (damage == 3) {
            std::fstream f{file, std::ios::in | std::ios::out | std::ios::binary};
            f.seekp(600);
            f.put('\x7f');
        }
        CompileCache cache{folder_};
        EXPECT_FALSE(cache.find("k")) << "damage " << damage;
        EXPECT_EQ(cache.stats().damaged_files, 1u);
        EXPECT_TRUE(files().empty());
    }
}

TEST_F(CompileCacheTest, AFileOfAnotherKeyIsNotTaken) {
    CompileCache{folder_}.store("a", result_of("image"));
    fs::rename(folder_ / "a.kernel", folder_ / "b.kernel");
    EXPECT_FALSE(CompileCache{folder_}.find("b"));
}

TEST_F(CompileCacheTest, AnUnusableFolderCostsOnlyTheDisk) {
    std::ofstream{folder_} << "a file where the folder should be";
    CompileCache cache{folder_};
    cache.store("k", result_of("image"));
    EXPECT_TRUE(cache.find("k"));
    cache.clear_memory();
    EXPECT_FALSE(cache.find("k"));
    cache.clear();
}

TEST_F(CompileCacheTest, MemoryOnlyWithoutAFolder) {
    CompileCache cache{fs::path{}};
    cache.store("k", result_of("image"));
    EXPECT_TRUE(cache.find("k"));
}

TEST_F(CompileCacheTest, MemoryStaysBelowItsLimit) {
    CompileCache cache{fs::path{}};
    cache.memory_limit_bytes = 100'000;
    for (int i = 0; i < 20; ++i)
        cache.store("key" + std::to_string(i), result_of(std::string(10'000, 'i')));
    EXPECT_TRUE(cache.find("key19"));
    EXPECT_FALSE(cache.find("key0"));
}

TEST_F(CompileCacheTest, ThreadsAndCachesSideBySide) {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            CompileCache own{folder_};
            for (int i = 0; i < 60; ++i) {
                const std::string key = "key" + std::to_string(i % 7);
                if (auto found = own.find(key)) {
                    if (found->ptx() != key) ++wrong;
                } else {
                    own.store(key, result_of(key));
                }
                if (i % 10 == t) own.clear_memory();
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    for (const fs::path& file : files()) EXPECT_EQ(file.extension(), ".kernel") << file;
}

} // namespace
} // namespace lathe::gpu
