// SPDX-License-Identifier: MIT
// The slot and the disk: its file, saved by whom, and the files that it includes.
#include "tests/engine/live/slot_bench.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace lathe;
using namespace lathe::test;

class KernelSlotFile : public testing::Test {
protected:
    void SetUp() override {
        file_ = std::filesystem::temp_directory_path() /
                ("lathe-slot-" + std::to_string(getpid()) + ".cu");
        put("first");
    }
    void TearDown() override { std::filesystem::remove(file_); }
    void put(const std::string& text) { std::ofstream{file_} << text; }
    std::filesystem::path file_;
    Bench bench_;
};

TEST_F(KernelSlotFile, FollowsTheFile) {
    KernelSlot slot{file_, "", {}, bench_.services()};
    bench_.run_all();
    slot.poll();
    EXPECT_EQ(running(slot), "first");
    put("second version");
    slot.poll(); // sees the file and starts at once
    EXPECT_EQ(slot.source(), "second version");
    bench_.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "second version");
    EXPECT_FALSE(slot.modified());
}

/// A worker thread that compiles at once; the bench's are run by hand.
KernelSlotServices at_once(Bench& bench) {
    KernelSlotServices services = bench.services();
    services.build_on = services.reflect_on = [](const Task& task) { task(); };
    return services;
}

TEST_F(KernelSlotFile, ASaveBeforeAWaitIsWaitedFor) {
    KernelSlot slot{file_, "", {}, at_once(bench_)};
    put("saved before the wait");
    EXPECT_TRUE(slot.wait());
    EXPECT_EQ(slot.state(), SlotState::good);
    EXPECT_EQ(running(slot), "saved before the wait");
}

TEST_F(KernelSlotFile, ASaveDuringAWaitComesAfterIt) {
    KernelSlotServices services = at_once(bench_);
    bool save = false;
    services.build = [&, compile = services.build](const KernelSource& source, Effort effort) {
        if (std::exchange(save, false)) put("saved during the compile");
        return compile(source, effort);
    };
    KernelSlot slot{file_, "", {}, services};
    EXPECT_TRUE(slot.wait());
    put("second version");
    save = true;
    EXPECT_TRUE(slot.wait());
    EXPECT_EQ(slot.state(), SlotState::good);
    EXPECT_EQ(running(slot), "second version");
    slot.poll(); // sees the file
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "saved during the compile");
}

TEST_F(KernelSlotFile, AHeaderSavedDuringAWaitComesAfterIt) {
    bench_.header = file_.string() + ".cuh";
    const auto write = [&](const char* text) { std::ofstream{bench_.header} << text; };
    write("1");
    KernelSlotServices services = at_once(bench_);
    bool save = false;
    services.build = [&, compile = services.build](const KernelSource& source, Effort effort) {
        KernelBuild built = compile(source, effort);
        if (std::exchange(save, false)) write("two");
        return built;
    };
    KernelSlot slot{file_, "", {}, services};
    EXPECT_TRUE(slot.wait());
    slot.set_source("edited");
    save = true;
    EXPECT_TRUE(slot.wait());
    EXPECT_EQ(running(slot), "edited+1");
    slot.poll(); // sees the header
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "edited+two");
    std::filesystem::remove(bench_.header);
}

TEST_F(KernelSlotFile, AHeaderSavedDuringTheFirstCompileComesAfterIt) {
    bench_.header = file_.string() + ".cuh";
    const auto write = [&](const char* text) { std::ofstream{bench_.header} << text; };
    write("1");
    KernelSlotServices services = at_once(bench_);
    bool save = true;
    services.build = [&, compile = services.build](const KernelSource& source, Effort effort) {
        KernelBuild built = compile(source, effort);
        std::this_thread::sleep_for(30ms); // more than a tick of the clock of files
        if (std::exchange(save, false)) {  // as editors do: a new file in the place of the old
            std::ofstream{bench_.header.string() + "~"} << "two";
            std::filesystem::rename(bench_.header.string() + "~", bench_.header);
        }
        return built;
    };
    KernelSlot slot{file_, "", {}, services};
    EXPECT_TRUE(slot.wait());
    EXPECT_EQ(running(slot), "first+1");
    slot.poll(); // sees the header
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "first+two");
    slot.poll();
    EXPECT_EQ(slot.compiles(), 2u) << "once";
    std::filesystem::remove(bench_.header);
}

TEST_F(KernelSlotFile, AsksWhereBothChanged) {
    KernelSlot slot{file_, "", {}, bench_.services()};
    slot.set_source("mine");
    EXPECT_TRUE(slot.modified());
    put("theirs, longer");
    slot.poll();
    EXPECT_TRUE(slot.conflict());
    EXPECT_EQ(slot.source(), "mine");
    slot.keep_text();
    EXPECT_FALSE(slot.conflict());
    EXPECT_TRUE(slot.modified());
    put("theirs again, longest");
    slot.poll();
    slot.take_file();
    EXPECT_EQ(slot.source(), "theirs again, longest");
    EXPECT_FALSE(slot.modified());
}

TEST_F(KernelSlotFile, SavesWhole) {
    KernelSlot slot{file_, "", {}, bench_.services()};
    slot.set_source("edited");
    slot.save();
    EXPECT_FALSE(slot.modified());
    EXPECT_EQ(read_text(file_), "edited");
    slot.poll();
    EXPECT_FALSE(slot.conflict()) << "our own write is no change from elsewhere";
    EXPECT_EQ(slot.source(), "edited");
}

TEST_F(KernelSlotFile, NamesAFileThatIsNotThere) {
    std::filesystem::remove(file_);
    EXPECT_THROW((KernelSlot{file_, "", {}, bench_.services()}), Error);
}

TEST(KernelSlot, AChangedHeaderIsCompiledAgain) {
    Bench bench;
    bench.header = std::filesystem::temp_directory_path() /
                   ("lathe-header-" + std::to_string(getpid()) + ".cuh");
    const auto write = [&](const char* text) { std::ofstream{bench.header} << text; };
    write("1");
    CompiledSlot slot{bench, "a"};
    slot.confirm();
    EXPECT_EQ(running(slot), "a+1");
    const auto text = slot.text_version();

    write("two");
    slot.poll();
    EXPECT_EQ(slot.state(), SlotState::compiling);
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "a+two");
    EXPECT_EQ(slot.text_version(), text) << "the editor's text is as it was";
    EXPECT_EQ(slot.compiles(), 2u);
    EXPECT_EQ(bench.reflected, 2) << "types may be the header's";

    // It faults: the version before has the same text, and is another one.
    slot.report_fault({"a.cu", 1, 0, Diagnostic::Severity::error, "out of bounds"});
    EXPECT_EQ(running(slot), "a+1");
    EXPECT_EQ(slot.state(), SlotState::faulted);

    write("mended");
    slot.poll();
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "a+mended");
    std::filesystem::remove(bench.header);
}
