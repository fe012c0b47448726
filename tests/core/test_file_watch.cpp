// SPDX-License-Identifier: MIT
#include "engine/core/file_watch.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace fs = std::filesystem;

namespace {

struct FileWatchTest : testing::Test {
    const lathe::test::TempFolder folder;
    const fs::path file = folder / "watched";
    lathe::FileWatch watch;
    void SetUp() override { watch.interval = std::chrono::milliseconds{0}; }
    void write(const std::string& text) { std::ofstream{file} << text; }
};

TEST_F(FileWatchTest, ReportsAChangeOnce) {
    write("a");
    watch.add(file);
    EXPECT_TRUE(watch.changed().empty());
    write("longer");
    EXPECT_EQ(watch.changed(), std::vector{file});
    EXPECT_TRUE(watch.changed().empty());
}

TEST_F(FileWatchTest, SeesAFileThatAppearsAndOneThatComesBack) {
    watch.add(file);
    EXPECT_TRUE(watch.changed().empty());
    write("new");
    EXPECT_EQ(watch.changed().size(), 1u);
    fs::remove(file);
    EXPECT_TRUE(watch.changed().empty());
    write("back again");
    EXPECT_EQ(watch.changed().size(), 1u);
}

TEST_F(FileWatchTest, ARemovedFileIsNotReported) {
    watch.add(file);
    watch.remove(file);
    write("x");
    EXPECT_TRUE(watch.changed().empty());
}

} // namespace
