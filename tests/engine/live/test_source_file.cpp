// SPDX-License-Identifier: MIT
// A source on disk that editors save in their ways.
#include "engine/live/source_file.h"

#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

namespace lathe {
namespace {

using namespace std::chrono_literals;

class SourceFileTest : public testing::Test {
protected:
    void write(std::string_view text) { std::ofstream{path} << text; }
    /// What a look finds; each sees the file's new time.
    std::optional<std::string> look(SourceFile& file, const std::string& text) {
        std::this_thread::sleep_for(5ms);
        return file.look(text, 0ms).text;
    }

    const test::TempFolder folder;
    const std::filesystem::path path = folder.path() / "kernel.cu";
};

TEST_F(SourceFileTest, ASaveKeepsASymbolicLink) {
    write("old");
    const std::filesystem::path link = folder.path() / "link.cu";
    std::filesystem::create_symlink(path, link);
    SourceFile file{link};
    file.write("new");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(SourceFile{path}.saved(), "new");
}

TEST_F(SourceFileTest, AnEditorThatTruncatesFirstIsSeenWhenItHasWritten) {
    write("old text");
    SourceFile file{path};
    write("");
    EXPECT_EQ(look(file, "old text"), std::nullopt);
    write("new text");
    EXPECT_EQ(look(file, "old text"), "new text");
}

TEST_F(SourceFileTest, AnEmptyFileIsTakenWhenItStays) {
    write("old text");
    SourceFile file{path};
    write("");
    EXPECT_EQ(look(file, "old text"), std::nullopt);
    EXPECT_EQ(look(file, "old text"), "");
    EXPECT_EQ(look(file, ""), std::nullopt);
}

} // namespace
} // namespace lathe
