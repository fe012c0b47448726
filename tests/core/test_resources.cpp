// SPDX-License-Identifier: MIT
#include "engine/core/error.h"
#include "engine/core/resources.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace fs = std::filesystem;

TEST(Resources, AMissingFileIsNamed) {
    try {
        lathe::resource("shaders/none.glsl");
        FAIL();
    } catch (const lathe::Error& e) {
        EXPECT_NE(std::string{e.what()}.find("shaders/none.glsl"), std::string::npos);
    }
}

TEST(Resources, TheSourceTreeIsTheRoot) { EXPECT_TRUE(fs::exists(lathe::resource("LICENSE"))); }

TEST(Resources, ReadsWholeFilesEmptyOnesToo) {
    const lathe::test::TempFolder folder;
    const fs::path file = folder / "text";
    { std::ofstream{file} << "two\nlines\n"; }
    EXPECT_EQ(lathe::read_text(file), "two\nlines\n");
    { std::ofstream{file}; }
    EXPECT_EQ(lathe::read_text(file), "");
    fs::remove(file);
    EXPECT_THROW(lathe::read_text(file), lathe::Error);
    EXPECT_THROW(lathe::read_text(folder.path()), lathe::Error);
}

TEST(Resources, TheCacheFollowsTheEnvironment) {
    setenv("LATHE_CACHE_DIR", "/somewhere", 1);
    EXPECT_EQ(lathe::cache_directory(), fs::path{"/somewhere"});
    unsetenv("LATHE_CACHE_DIR");
}
