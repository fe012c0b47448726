// SPDX-License-Identifier: MIT
// A file that is written is there as a whole, or as it was.
#include "engine/core/output_file.h"

#include "engine/core/error.h"
#include "tests/full_disk.h"
#include "tests/temp_folder.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace lathe {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string read_back(const fs::path& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::ptrdiff_t count_in(const fs::path& folder) {
    return std::distance(fs::directory_iterator{folder}, {});
}

TEST(OutputFile, IsThereOnceItIsClosed) {
    const test::TempFolder folder;
    const fs::path file = folder / "deep/er/a.txt";
    OutputFile out{file};
    out << "one " << "two";
    EXPECT_FALSE(fs::exists(file));
    out.seek(0);
    out << "One";
    out.close();
    EXPECT_EQ(read_back(file), "One two");
    EXPECT_EQ(count_in(file.parent_path()), 1);
}

TEST(OutputFile, OfAFullDiskLeavesWhatWasThere) {
    const test::TempFolder folder;
    write_file(folder / "old.txt", "old");
    const std::string large(100'000, 'x');
    for (const char* name : {"old.txt", "new.txt"}) {
        const test::FullDisk full{50'000};
        EXPECT_THAT([&] { write_file(folder / name, large); },
                    ThrowsMessage<Error>(HasSubstr("cannot write " + (folder / name).string() +
                                                   ": File too large")));
    }
    EXPECT_EQ(read_back(folder / "old.txt"), "old");
    EXPECT_EQ(count_in(folder), 1) << "nothing half written is left";
}

TEST(OutputFile, ThatNobodyClosesChangesNothing) {
    const test::TempFolder folder;
    write_file(folder / "a.txt", "old");
    { OutputFile{folder / "a.txt"} << "new"; }
    EXPECT_EQ(read_back(folder / "a.txt"), "old");
    EXPECT_EQ(count_in(folder), 1);
}

TEST(OutputFile, StaysInItsFolder) {
    const test::TempFolder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    OutputFile out{"a.txt"};
    fs::current_path(before);
    out << "here";
    out.close();
    EXPECT_EQ(read_back(folder / "a.txt"), "here");
}

TEST(OutputFile, KeepsALinkAndPermissions) {
    const test::TempFolder folder;
    write_file(folder / "real.txt", "old");
    fs::permissions(folder / "real.txt", fs::perms::owner_all);
    fs::create_symlink("real.txt", folder / "link.txt");
    write_file(folder / "link.txt", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link.txt"));
    EXPECT_EQ(read_back(folder / "real.txt"), "new");
    EXPECT_EQ(fs::status(folder / "real.txt").permissions(), fs::perms::owner_all);
}

TEST(OutputFile, MayBeADeviceOrAFolder) {
    const test::TempFolder folder;
    write_file("/dev/null", "gone");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_THAT([] { write_file("/dev/full", "more"); },
                ThrowsMessage<Error>("cannot write /dev/full: No space left on device"));
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    EXPECT_THAT([&] { write_file(folder.path(), "text"); },
                ThrowsMessage<Error>(HasSubstr("Is a directory")));
    EXPECT_THAT([&] { write_file("/dev/null/a.txt", "text"); },
                ThrowsMessage<Error>(HasSubstr("Not a directory")));
}

} // namespace
} // namespace lathe
