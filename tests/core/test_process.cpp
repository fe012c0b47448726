// SPDX-License-Identifier: MIT
#include "engine/core/error.h"
#include "engine/core/process.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <csignal>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace {

std::span<const std::byte> bytes_of(const std::string& s) {
    return std::as_bytes(std::span{s.data(), s.size()});
}

TEST(Process, FindsProgramsOnPath) {
    EXPECT_TRUE(lathe::program_exists("sh"));
    EXPECT_FALSE(lathe::program_exists("lathe-no-such-program"));
}

TEST(Process, AChildReadsWhatIsWritten) {
    const lathe::test::TempFolder folder;
    const auto file = folder / "out";
    lathe::PipeTo cat{{"sh", "-c", "cat > '" + file.string() + "'"}};
    const std::string text(300'000, 'x');
    cat.write(bytes_of(text));
    cat.finish();
    EXPECT_EQ(std::filesystem::file_size(file), text.size());
}

TEST(Process, AFailureBringsTheChildsLastWords) {
    lathe::PipeTo child{{"sh", "-c", "echo it broke >&2; exit 3"}};
    try {
        child.finish();
        FAIL();
    } catch (const lathe::Error& e) {
        EXPECT_TRUE(std::string{e.what()}.ends_with(": it broke")) << e.what();
    }
}

TEST(Process, TheOutputOfAProgramIsRead) {
    EXPECT_EQ(lathe::output_of({"sh", "-c", "echo words; echo more >&2"}), "words\n");
    EXPECT_EQ(lathe::output_of({"head", "-c", "100000", "/dev/zero"}).size(), 100'000u);
    EXPECT_EQ(lathe::output_of({"cat"}), "") << "it has no input";
    try {
        lathe::output_of({"sh", "-c", "echo it broke >&2; exit 3"});
        FAIL();
    } catch (const lathe::Error& e) { EXPECT_STREQ(e.what(), "sh failed (exit code 3): it broke"); }
    EXPECT_THROW(lathe::output_of({"lathe-no-such-program"}), lathe::Error);
}

TEST(Process, AnInterruptOfOurGroupDoesNotReachAChild) {
    const lathe::test::TempFolder folder;
    const auto file = folder / "group";
    lathe::PipeTo child{
        {"sh", "-c", "cut -d' ' -f5 /proc/$$/stat > '" + file.string() + "'; cat > /dev/null"}};
    child.finish();
    long group = 0;
    std::ifstream{file} >> group;
    EXPECT_GT(group, 0);
    EXPECT_NE(group, getpgrp());
}

TEST(Process, AnEndBySignalIsNamed) {
    lathe::PipeTo child{{"sh", "-c", "kill -9 $$"}};
    try {
        child.finish();
        FAIL();
    } catch (const lathe::Error& e) { EXPECT_STREQ(e.what(), "sh was ended by signal 9"); }
}

TEST(Process, AMissingProgramIsAnError) {
    EXPECT_THROW(lathe::PipeTo({"lathe-no-such-program"}), lathe::Error);
}

TEST(Process, AChildThatStopsReadingLeavesTheSignalsOfTheProgram) {
    std::signal(SIGPIPE, SIG_DFL);
    struct sigaction after{};
    lathe::PipeTo child{{"sh", "-c", "exec <&-; sleep 0.2"}};
    const std::vector<std::byte> much(1 << 20);
    EXPECT_THROW(
        {
            for (int i = 0; i < 100; ++i) child.write(much);
        },
        lathe::Error);
    sigaction(SIGPIPE, nullptr, &after);
    EXPECT_EQ(after.sa_handler, SIG_DFL);
    sigset_t pending;
    sigpending(&pending);
    EXPECT_FALSE(sigismember(&pending, SIGPIPE));
}

TEST(Process, WritingToADeadChildThrowsInsteadOfEndingUs) {
    lathe::PipeTo child{{"true"}};
    const std::string text(1 << 20, 'x');
    EXPECT_THROW(
        {
            for (int i = 0; i < 100; ++i) child.write(bytes_of(text));
        },
        lathe::Error);
}

} // namespace
