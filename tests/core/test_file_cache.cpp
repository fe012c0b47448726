// SPDX-License-Identifier: MIT
// Bounds of the files on disk. tests/gpu/test_compile_cache.cpp has damage, sharing and read-only
// folders.
#include "engine/core/file_cache.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace lathe {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator{folder}) found.push_back(entry.path());
    return found;
}

TEST(FileCache, TheLeastRecentlyUsedLeaveBeyondTheLimit) {
    const test::TempFolder folder;
    const std::string payload(200'000, 'i');
    for (int i = 0; i < 10; ++i) {
        FileCache{folder, ".kept", "test 1\n"}.write("key" + std::to_string(i), payload);
        // Times far apart, so that the order of use is certain.
        for (const fs::path& file : files_in(folder))
            fs::last_write_time(file, fs::last_write_time(file) - std::chrono::minutes{1});
    }
    FileCache cache{folder, ".kept", "test 1\n"};
    cache.limit_bytes = 1'000'000;
    cache.write("last", payload);
    std::uintmax_t total = 0;
    for (const fs::path& file : files_in(folder)) total += fs::file_size(file);
    EXPECT_LE(total, 750'000u + 250'000u);
    EXPECT_TRUE(fs::exists(folder / "last.kept"));
    EXPECT_TRUE(fs::exists(folder / "key9.kept"));
    EXPECT_FALSE(fs::exists(folder / "key0.kept"));
}

} // namespace
} // namespace lathe
