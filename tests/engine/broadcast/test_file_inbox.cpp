// SPDX-License-Identifier: MIT
// Files that are dropped on a page.
#include "engine/broadcast/file_inbox.h"

#include "engine/broadcast/broadcast.h"
#include "engine/broadcast/client_message.h"
#include "engine/core/error.h"
#include "tests/engine/broadcast/pictures.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace {

using namespace lathe;
using test::Page;

std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

TEST(SafeFileName, IsALastPart) {
    EXPECT_EQ(safe_file_name("kernel.cu"), "kernel.cu");
    EXPECT_EQ(safe_file_name("my data ä.npy"), "my data ä.npy");
    EXPECT_EQ(safe_file_name("../../etc/x"), "x");
    EXPECT_EQ(safe_file_name("C:\\folder\\x.py"), "x.py");
    for (const char* nothing : {"", ".", "..", "/", "../..", "a/", "  ", "\n\t", "..."})
        EXPECT_EQ(safe_file_name(nothing), "file") << nothing;
    EXPECT_EQ(safe_file_name(".bashrc"), "bashrc");
    EXPECT_EQ(safe_file_name("a\x1b[2J\nb\x7f"), "a[2Jb");
    EXPECT_EQ(safe_file_name(std::string("a\0b", 3)), "ab");
}

TEST(SafeFileName, IsShortAndKeepsItsEnding) {
    const std::string name = safe_file_name(std::string(5000, 'n') + ".npy");
    EXPECT_EQ(name, std::string(96, 'n') + ".npy");
    EXPECT_EQ(safe_file_name("a." + std::string(300, 'e')).size(), 100u);
    std::string umlauts;
    for (int k = 0; k < 200; ++k) umlauts += "ä";
    const std::string cut = safe_file_name("x" + umlauts + ".py");
    EXPECT_LE(cut.size(), 100u);
    EXPECT_NO_THROW(client::parse("text " + client::percent_encoded(cut))) << "still UTF-8";
}

/// Files come into a folder of the test.
struct FileInboxTest : testing::Test {
    FileInboxTest() { setenv("TMPDIR", folder.path().c_str(), 1); }
    ~FileInboxTest() override { unsetenv("TMPDIR"); }

    std::size_t files_left() const {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator{folder.path()})
            count += entry.is_regular_file();
        return count;
    }
    test::TempFolder folder;
};

TEST_F(FileInboxTest, FilesComeInPieces) {
    std::vector<std::filesystem::path> files;
    {
        FileInbox inbox;
        EXPECT_FALSE(inbox.begin(6, "../a.npy"));
        EXPECT_FALSE(inbox.add("one"));
        EXPECT_FALSE(inbox.add("two"));
        EXPECT_FALSE(inbox.begin(0, "empty.txt"));
        EXPECT_FALSE(inbox.begin(1, "a.npy"));
        EXPECT_FALSE(inbox.add("x"));
        files = inbox.take();
        ASSERT_EQ(files.size(), 3u);
        EXPECT_EQ(text_of(files[0]), "onetwo");
        EXPECT_EQ(files[0].filename(), "a.npy");
        EXPECT_EQ(files[0].parent_path().parent_path(), folder.path());
        EXPECT_EQ(text_of(files[1]), "");
        EXPECT_EQ(files[2].filename(), "a-2.npy");
        EXPECT_TRUE(inbox.take().empty());
        inbox.begin(1, "k.cu");
        inbox.add("k");
        EXPECT_NE(inbox.take().at(0).parent_path(), files[0].parent_path());
    }
    EXPECT_FALSE(std::filesystem::exists(files[0].parent_path()));
    EXPECT_EQ(files_left(), 1u) << "a kernel may have been edited";
}

TEST_F(FileInboxTest, WhatIsNotWholeIsForgotten) {
    FileInbox inbox;
    inbox.begin(6, "half");
    inbox.add("one");
    inbox.begin(3, "whole");
    inbox.add("two");
    inbox.begin(6, "half");
    inbox.add("one");
    const auto files = inbox.take();
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(text_of(files[0]), "two");
    EXPECT_EQ(files_left(), 1u);
    EXPECT_THROW(inbox.add("x"), Error) << "nobody announced it";
    inbox.begin(2, "short");
    EXPECT_THROW(inbox.add("long"), Error);
}

TEST_F(FileInboxTest, TooMuchIsRefusedAndItsBytesAreThrownAway) {
    FileInbox inbox;
    const auto why = inbox.begin(FileInbox::kMostBytes + 1, "large.npy");
    ASSERT_TRUE(why);
    EXPECT_EQ(*why, "large.npy was not taken: files of 256 MiB at once are the most");
    EXPECT_FALSE(inbox.add(std::string(1 << 20, 'x')));
    EXPECT_FALSE(inbox.begin(FileInbox::kMostBytes, "all"));
    EXPECT_TRUE(inbox.begin(1, "more"));
    EXPECT_TRUE(inbox.begin(std::uint64_t(-1), "more"));
    EXPECT_TRUE(inbox.take().empty());
    std::size_t refused = 0;
    for (std::size_t k = 0; k < 2 * FileInbox::kMostFiles; ++k)
        refused += inbox.begin(0, "f").has_value();
    EXPECT_EQ(refused, FileInbox::kMostFiles);
    EXPECT_EQ(inbox.take().size(), FileInbox::kMostFiles);
}

TEST_F(FileInboxTest, WithoutAFolderItSaysSo) {
    setenv("TMPDIR", (folder / "none").c_str(), 1);
    FileInbox inbox;
    const std::string why = inbox.begin(3, "a").value_or("");
    EXPECT_TRUE(why.starts_with("a was not taken: no folder for it")) << why;
    EXPECT_FALSE(inbox.add("one"));
    EXPECT_TRUE(inbox.take().empty());
}

TEST_F(FileInboxTest, OnlyWhoSteersDropsFiles) {
    const auto broadcast = Broadcast::make();
    broadcast->open({64, 48});
    Page first{broadcast->connect()}, second{broadcast->connect()};
    for (Page* page : {&second, &first}) {
        page->say("file 3 a%2Fb.npy");
        page->viewer->receive_bytes("one");
        page->say("move 3 4\ndrop\ndrop");
    }
    std::vector<InputEvent> events;
    broadcast->take_events(events);
    ASSERT_EQ(events.size(), 2u);
    const auto& drop = std::get<DropEvent>(events[1]);
    ASSERT_EQ(drop.files.size(), 1u);
    EXPECT_EQ(drop.files[0].filename(), "b.npy");
    EXPECT_EQ(text_of(drop.files[0]), "one");
    second.take(10);
    EXPECT_TRUE(second.has("told Only%20who%20steers%20drops%20files."));
    first.viewer.reset();
    EXPECT_TRUE(std::filesystem::exists(drop.files[0])) << "the App has it";
    EXPECT_THROW(second.viewer->receive_bytes("more"), Error);
    broadcast->close();
}

} // namespace
