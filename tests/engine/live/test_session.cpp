// SPDX-License-Identifier: MIT
#include "engine/core/resources.h"
#include "engine/live/session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace lathe;
namespace fs = std::filesystem;

namespace {

class SessionTest : public testing::Test {
protected:
    void SetUp() override {
        dir_ = fs::temp_directory_path() /
               ("lathe-session-" + std::to_string(getpid()) + "-" +
                testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::remove_all(dir_);
    }
    void TearDown() override { fs::remove_all(dir_); }
    fs::path dir_;
};

} // namespace

TEST_F(SessionTest, KeepsEachVersionAndFindsTheNewest) {
    Session session{"apps/gray_scott.py", dir_};
    EXPECT_FALSE(session.newer_than("step.cu", "one"));
    const auto first = session.autosave("step.cu", "one");
    EXPECT_EQ(first.extension(), ".cu");
    EXPECT_EQ(session.autosave("step.cu", "one"), first) << "the same text is not written again";
    session.autosave("step.cu", "two");
    session.autosave("step.cu", "one");
    session.autosave("other.cu", "else");
    ASSERT_EQ(session.versions("step.cu").size(), 3u);
    EXPECT_EQ(read_text(session.versions("step.cu")[1]), "two");
    EXPECT_FALSE(session.newer_than("step.cu", "one"));
    ASSERT_TRUE(session.newer_than("step.cu", "zero"));
    EXPECT_EQ(session.newer_than("step.cu", "zero")->text, "one");
}

TEST_F(SessionTest, WhatWasSavedIsNotOffered) {
    Session session{"app", dir_};
    session.autosave("k.cu", "typed and saved");
    session.settle("k.cu");
    EXPECT_FALSE(session.newer_than("k.cu", "edited elsewhere later"));
    EXPECT_EQ(session.versions("k.cu").size(), 1u);
    session.autosave("k.cu", "typed after that");
    ASSERT_TRUE(session.newer_than("k.cu", "edited elsewhere later"));
}

TEST_F(SessionTest, KeepsTheLastFifty) {
    Session session{"app", dir_};
    for (int i = 0; i < 60; ++i) session.autosave("k.cu", "text " + std::to_string(i));
    const auto files = session.versions("k.cu");
    ASSERT_EQ(files.size(), 50u);
    EXPECT_EQ(read_text(files.front()), "text 59");
    EXPECT_EQ(read_text(files.back()), "text 10");
}

TEST_F(SessionTest, KeepsNoMoreBytesThanItMay) {
    Session session{"app", dir_};
    const std::string large(3 << 20, 'x');
    for (const char c : {'a', 'b', 'c', 'd'}) session.autosave("k.cu", large + c);
    auto files = session.versions("k.cu");
    ASSERT_EQ(files.size(), 2u) << "three have 9 MiB";
    EXPECT_EQ(read_text(files.back()).back(), 'c');
    session.autosave("k.cu", std::string(Session::kBytesKept + 1, 'y'));
    files = session.versions("k.cu");
    ASSERT_EQ(files.size(), 1u) << "the newest stays";
    session.autosave("k.cu", "small");
    EXPECT_EQ(session.versions("k.cu").size(), 1u);
}

TEST_F(SessionTest, TheHistorySurvivesTheRun) {
    const auto before = std::chrono::system_clock::now() - std::chrono::seconds{2};
    {
        Session session{"app", dir_};
        session.note(session.autosave("k.cu", "one"), Outcome::good);
        session.note(session.autosave("k.cu", "two"), Outcome::failed);
        const auto three = session.autosave("k.cu", "three");
        session.note(three, Outcome::good);
        session.note(three, Outcome::faulted); // it ran first
        session.autosave("k.cu", "four");
    }
    const Session session{"app", dir_};
    const auto found = session.history("k.cu");
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found[0].outcome, Outcome::unknown);
    EXPECT_EQ(found[1].outcome, Outcome::faulted);
    EXPECT_EQ(found[2].outcome, Outcome::failed);
    EXPECT_EQ(found[3].outcome, Outcome::good);
    EXPECT_EQ(Session::read(found[2].file).text, "two");
    EXPECT_GE(found[3].time, before);
    EXPECT_LE(found[0].time, std::chrono::system_clock::now() + std::chrono::seconds{2});
}

TEST_F(SessionTest, MarksGoWithTheirVersions) {
    Session session{"app", dir_};
    for (int i = 0; i < 60; ++i)
        session.note(session.autosave("k.cu", "text " + std::to_string(i)), Outcome::good);
    const fs::path folder = session.versions("k.cu").front().parent_path();
    EXPECT_EQ(std::distance(fs::directory_iterator{folder}, {}), 100);
    EXPECT_EQ(session.history("k.cu").back().outcome, Outcome::good);
}

TEST_F(SessionTest, AVersionThatIsGoneOrSpoiltSaysSo) {
    Session session{"app", dir_};
    const auto gone = session.autosave("k.cu", "one"), spoilt = session.autosave("k.cu", "two");
    const auto torn = session.autosave("k.cu", "three"), words = session.autosave("k.cu", "µ → 🙂");
    fs::remove(gone);
    std::ofstream{spoilt, std::ios::binary} << std::string(40, '\0');
    std::ofstream{torn, std::ios::binary} << "cut: \xe2\x86";
    EXPECT_EQ(Session::read(gone).problem, gone.string() + " is gone");
    EXPECT_EQ(Session::read(spoilt).problem, spoilt.string() + " holds no text");
    EXPECT_EQ(Session::read(torn).problem, torn.string() + " holds no text");
    EXPECT_EQ(Session::read(words).problem, "");
    EXPECT_EQ(Session::read(words).text, "µ → 🙂");
    session.note(gone, Outcome::good);
    EXPECT_EQ(session.history("k.cu").size(), 3u);
}

TEST_F(SessionTest, AnOrderlyEndIsNoCrash) {
    { Session session{"app", dir_}; }
    EXPECT_FALSE((Session{"app", dir_}.crashed_last_time()));
}

TEST_F(SessionTest, AKilledRunIsNoticedOnceAndItsTextIsThere) {
    const pid_t child = fork();
    if (child == 0) {
        Session session{"app", dir_};
        session.autosave("k.cu", "typed before the end");
        raise(SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    {
        Session session{"app", dir_};
        EXPECT_TRUE(session.crashed_last_time());
        ASSERT_TRUE(session.newer_than("k.cu", "on disk"));
        EXPECT_EQ(session.newer_than("k.cu", "on disk")->text, "typed before the end");
        EXPECT_FALSE((Session{"another", dir_}.crashed_last_time()));
    }
    EXPECT_FALSE((Session{"app", dir_}.crashed_last_time()));
}

TEST_F(SessionTest, ARunningTwinIsNoCrash) {
    int ready[2], done[2];
    ASSERT_EQ(pipe(ready) + pipe(done), 0);
    const pid_t child = fork();
    if (child == 0) {
        Session session{"app", dir_};
        char c = 'r';
        if (write(ready[1], &c, 1) == 1 && read(done[0], &c, 1) == 1) _exit(0);
        _exit(1);
    }
    char c = 0;
    ASSERT_EQ(read(ready[0], &c, 1), 1);
    EXPECT_FALSE((Session{"app", dir_}.crashed_last_time()));
    ASSERT_EQ(write(done[1], &c, 1), 1);
    waitpid(child, nullptr, 0);
}

TEST_F(SessionTest, AFolderThatCannotBeWrittenIsNoError) {
    fs::create_directories(dir_);
    std::ofstream{dir_ / "autosave"} << "a file where the folder should be";
    Session session{"app", dir_};
    EXPECT_EQ(session.autosave("k.cu", "text"), fs::path{});
    EXPECT_FALSE(session.newer_than("k.cu", "x"));
}
