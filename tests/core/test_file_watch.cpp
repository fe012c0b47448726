// SPDX-License-Identifier: MIT
#include "engine/core/file_watch.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

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

TEST_F(FileWatchTest, ReportsAChangeSinceAFileWasRead) {
    const auto tick = [] { std::this_thread::sleep_for(std::chrono::milliseconds{30}); };
    write("old");
    tick();
    const auto began = lathe::FileWatch::file_time();
    tick();
    const fs::path written = folder / "written", moved = folder / "moved", absent = folder / "no";
    std::ofstream{written} << "new";
    fs::rename(file, moved); // an old file in a new place
    write("whose place is taken");
    for (const fs::path& each : {written, moved, absent}) watch.add_read_since(each, began);
    EXPECT_EQ(watch.changed(), (std::vector{moved, written}));
    EXPECT_TRUE(watch.changed().empty());
    tick();
    watch.add_read_since(file, lathe::FileWatch::file_time());
    EXPECT_TRUE(watch.changed().empty()) << "not changed since";
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
