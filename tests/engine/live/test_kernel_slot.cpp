// SPDX-License-Identifier: MIT
// The slot's states with a compiler, a clock and executors under the test's hand.
#include "engine/core/error.h"
#include "engine/core/resources.h"
#include "engine/live/kernel_slot.h"

#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <unistd.h>

using namespace lathe;
using namespace std::chrono_literals;

namespace {

/// Compiles any text but those with "bad" in them; runs a task when told to.
struct Bench {
    std::deque<Task> builds, reflections;
    std::chrono::steady_clock::time_point now{};
    int compiled = 0, reflected = 0;
    bool has_quick = false;       ///< the compiler has a quick way
    std::filesystem::path header; ///< that each source includes, if any

    KernelSlotServices services() {
        KernelSlotServices s;
        s.build = [this](const KernelSource& source, Effort effort) {
            ++compiled;
            KernelBuild b;
            b.milliseconds = 12;
            b.effort = has_quick ? effort : Effort::full;
            std::string included;
            if (!header.empty()) {
                b.files = {header};
                included = "+" + read_text(header);
                b.key = source.text + included;
            }
            if (source.text.find("throw") != std::string::npos) throw Error{"no compiler"};
            const auto bad = source.text.find("bad");
            if (bad != std::string::npos) {
                const int line =
                    1 + int(std::count(source.text.begin(), source.text.begin() + long(bad), '\n'));
                b.diagnostics = {{source.name, line, 1, Diagnostic::Severity::error, "is bad"}};
                b.log = "bad";
                return b;
            }
            auto loaded = std::make_shared<LoadedKernels>();
            loaded->first =
                source.text + included +
                (b.effort == Effort::quick ? ", quick" : ""); // what the test knows a version by
            loaded->kernels[source.text];
            b.loaded = std::move(loaded);
            return b;
        };
        s.reflect = [this](const KernelSource&) {
            ++reflected;
            Parameter p;
            p.name = "F";
            return std::vector{p};
        };
        s.build_on = [this](Task t) { builds.push_back(std::move(t)); };
        s.reflect_on = [this](Task t) { reflections.push_back(std::move(t)); };
        s.now = [this] { return now; };
        s.watch_interval = 0ms;
        return s;
    }
    static void run(std::deque<Task>& tasks) {
        while (!tasks.empty()) {
            Task t = std::move(tasks.front());
            tasks.pop_front();
            t();
        }
    }
    void run_all() {
        run(builds);
        run(reflections);
    }
    /// Edit, pause, compile, swap.
    bool edit(KernelSlot& slot, std::string text) {
        slot.set_source(std::move(text));
        now += 120ms;
        slot.poll();
        run_all();
        return slot.poll();
    }
};

std::string running(const KernelSlot& slot) { return slot.ready() ? slot.loaded()->first : ""; }

} // namespace

TEST(KernelSlot, CompilesAtOnceAndSwapsBetweenFrames) {
    Bench bench;
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()};
    EXPECT_EQ(slot.state(), SlotState::compiling);
    EXPECT_FALSE(slot.poll());
    bench.run_all();
    EXPECT_FALSE(slot.ready()) << "only poll() swaps";
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(slot.state(), SlotState::good);
    EXPECT_EQ(running(slot), "a");
    EXPECT_EQ(slot.generation(), 1u);
    EXPECT_EQ(slot.compile_milliseconds(), 12);
    ASSERT_EQ(slot.parameters().size(), 1u);
    EXPECT_FALSE(slot.poll());
}

TEST(KernelSlot, AnEditRunsQuicklyCompiledUntilItsFullCompileIsReady) {
    Bench bench;
    bench.has_quick = true;
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    EXPECT_EQ(running(slot), "a") << "the first version has nobody waiting in front of a picture";
    EXPECT_TRUE(bench.edit(slot, "b"));
    EXPECT_EQ(running(slot), "b, quick");
    EXPECT_TRUE(slot.is_quick());
    EXPECT_EQ(slot.state(), SlotState::good);
    slot.confirm();
    const int reflected = bench.reflected;
    bench.now += 499ms;
    EXPECT_FALSE(slot.poll());
    EXPECT_TRUE(bench.builds.empty());
    bench.now += 1ms;
    EXPECT_FALSE(slot.poll());
    EXPECT_EQ(bench.builds.size(), 1u);
    EXPECT_FALSE(slot.poll()) << "still compiling";
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "b");
    EXPECT_FALSE(slot.is_quick());
    EXPECT_EQ(slot.generation(), 3u);
    EXPECT_EQ(bench.reflected, reflected);
    bench.now += 10s;
    EXPECT_FALSE(slot.poll());
    EXPECT_TRUE(bench.builds.empty());
}

TEST(KernelSlot, TheNextEditComesBeforeTheFullCompile) {
    Bench bench;
    bench.has_quick = true;
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    bench.edit(slot, "b");
    bench.now += 500ms;
    slot.poll(); // posts the full compile of b
    slot.set_source("c");
    bench.run_all();
    EXPECT_FALSE(slot.poll());
    EXPECT_EQ(running(slot), "b, quick");
    bench.now += 120ms;
    slot.poll();
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "c, quick");
    EXPECT_FALSE(bench.edit(slot, "bad"));
    bench.now += 10s;
    EXPECT_FALSE(slot.poll()) << "a text with errors asks for no full compile";
    EXPECT_TRUE(bench.builds.empty());
}

TEST(KernelSlot, AFaultRejectsTheQuickAndTheFullVersion) {
    Bench bench;
    bench.has_quick = true;
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    slot.confirm();
    bench.edit(slot, "b");
    slot.confirm();
    bench.now += 500ms;
    slot.poll();
    slot.report_fault({"a.cu", 1, 1, Diagnostic::Severity::error, "illegal address"});
    bench.run_all();
    EXPECT_FALSE(slot.poll()) << "the full compile of what faulted is not wanted";
    EXPECT_EQ(running(slot), "a");
    bench.edit(slot, "c");
    slot.confirm();
    bench.now += 500ms;
    slot.poll();
    bench.run_all();
    slot.poll();
    EXPECT_EQ(running(slot), "c");
    slot.report_fault({"a.cu", 1, 1, Diagnostic::Severity::error, "illegal address"});
    EXPECT_EQ(running(slot), "a") << "not the quick version of the same text";
    EXPECT_EQ(slot.state(), SlotState::faulted);
}

TEST(KernelSlot, WaitsForThePauseAfterTheLastKey) {
    Bench bench;
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    slot.set_source("ab");
    EXPECT_EQ(slot.state(), SlotState::waiting);
    bench.now += 100ms;
    slot.set_source("abc");
    bench.now += 119ms;
    slot.poll();
    EXPECT_TRUE(bench.builds.empty());
    bench.now += 1ms;
    slot.poll();
    EXPECT_EQ(bench.builds.size(), 1u);
    EXPECT_EQ(slot.state(), SlotState::compiling);
    slot.set_source("abcd");
    slot.compile_now();
    EXPECT_EQ(bench.builds.size(), 2u) << "at once";
}

TEST(KernelSlot, DropsSupersededCompiles) {
    Bench bench;
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    slot.set_source("b");
    slot.compile_now();
    slot.set_source("c");
    slot.compile_now();
    bench.run_all();
    EXPECT_EQ(bench.compiled, 2) << "b was not even begun";
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "c");
    EXPECT_EQ(slot.generation(), 2u);

    slot.set_source("d");
    slot.compile_now();
    Bench::run(bench.builds);
    slot.set_source("e"); // d is ready, and too old
    EXPECT_FALSE(slot.poll());
    EXPECT_EQ(running(slot), "c");
}

TEST(KernelSlot, KeepsTheLastGoodOneWhileTheTextIsBad) {
    Bench bench;
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    EXPECT_FALSE(bench.edit(slot, "one\nbad\nthree"));
    EXPECT_EQ(slot.state(), SlotState::failed);
    EXPECT_TRUE(slot.shows_older());
    EXPECT_EQ(running(slot), "a");
    ASSERT_EQ(slot.diagnostics().size(), 1u);
    EXPECT_EQ(slot.diagnostics()[0].line, 2);
    EXPECT_TRUE(bench.edit(slot, "good again"));
    EXPECT_EQ(slot.state(), SlotState::good);
    EXPECT_TRUE(slot.diagnostics().empty());
    EXPECT_EQ(running(slot), "good again");
}

TEST(KernelSlot, MarkersMoveWithTheirLinesAndGoWithTheirEdit) {
    Bench bench;
    KernelSlot slot{{"x\nbad\ny", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    slot.set_source("new\nx\nbad\ny");
    ASSERT_EQ(slot.diagnostics().size(), 1u);
    EXPECT_EQ(slot.diagnostics()[0].line, 3);
    slot.set_source("new\nx\nbad\nyy");
    EXPECT_EQ(slot.diagnostics().size(), 1u);
    slot.set_source("new\nx\nba\nyy");
    EXPECT_TRUE(slot.diagnostics().empty()) << "before any compile";
}

TEST(KernelSlot, SaysWhyNothingRuns) {
    Bench bench;
    KernelSlot slot{{"bad", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    EXPECT_FALSE(slot.ready());
    try {
        slot.kernel();
        FAIL();
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "a.cu has no version that runs\na.cu:1:1: error: is bad");
    }
    bench.edit(slot, "fine");
    EXPECT_THROW(slot.kernel("other"), Error);
    EXPECT_NO_THROW(slot.kernel());
}

TEST(KernelSlot, AnExceptionOfTheCompilerIsADiagnostic) {
    Bench bench;
    KernelSlot slot{{"throw", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    EXPECT_EQ(slot.state(), SlotState::failed);
    ASSERT_EQ(slot.diagnostics().size(), 1u);
    EXPECT_EQ(slot.diagnostics()[0].text, "no compiler");
}

TEST(KernelSlot, AFaultGoesBackToTheLastConfirmedVersion) {
    Bench bench;
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    slot.confirm();
    bench.edit(slot, "b");
    slot.confirm();
    bench.edit(slot, "c\nfaulty");
    slot.report_fault({"a.cu", 2, 0, Diagnostic::Severity::error, "illegal address"});
    EXPECT_EQ(slot.state(), SlotState::faulted);
    EXPECT_TRUE(slot.shows_older());
    EXPECT_EQ(running(slot), "b");
    EXPECT_EQ(slot.source(), "c\nfaulty") << "nothing typed is lost";
    ASSERT_EQ(slot.diagnostics().size(), 1u);
    EXPECT_EQ(slot.diagnostics()[0].line, 2);
    const int compiled = bench.compiled;
    bench.now += 1h;
    EXPECT_FALSE(slot.poll());
    EXPECT_EQ(bench.compiled, compiled) << "the faulty text is not tried again by itself";

    slot.report_fault({"a.cu", 1, 0, Diagnostic::Severity::error, "also b"});
    EXPECT_EQ(running(slot), "a");
    slot.report_fault({"a.cu", 1, 0, Diagnostic::Severity::error, "and a"});
    EXPECT_FALSE(slot.ready());
    EXPECT_TRUE(bench.edit(slot, "d"));
    EXPECT_EQ(running(slot), "d");
    EXPECT_EQ(slot.state(), SlotState::good);
}

TEST(KernelSlot, AFaultOfAnOlderTextMarksOnlyLinesThatAreStillThere) {
    Bench bench;
    KernelSlot slot{{"a\nb\nc", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    slot.set_source("a\nB\nc\nd");
    slot.report_fault({"a.cu", 2, 0, Diagnostic::Severity::error, "gone"});
    EXPECT_TRUE(slot.diagnostics().empty());
    EXPECT_EQ(slot.state(), SlotState::waiting);
}

TEST(KernelSlot, ReflectsOnlyWhenTheInterfaceChanged) {
    Bench bench;
    const std::string a = "__global__ void k(float F) { f(1); }";
    KernelSlot slot{{a, "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
    EXPECT_EQ(bench.reflected, 1);
    bench.edit(slot, "__global__ void k(float F) { f(2); }");
    EXPECT_EQ(bench.reflected, 1);
    EXPECT_EQ(slot.parameters_version(), 1u);
    bench.edit(slot, "__global__ void k(float F, float k) { f(2); }");
    EXPECT_EQ(bench.reflected, 2);
    EXPECT_EQ(slot.parameters_version(), 2u);
}

TEST(KernelSlot, SwapsOnceTheParametersAreKnown) {
    Bench bench;
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()};
    Bench::run(bench.builds);
    EXPECT_FALSE(slot.poll());
    Bench::run(bench.reflections);
    EXPECT_TRUE(slot.poll());
}

TEST(KernelSlot, SlotMayDieWhileItsTasksWait) {
    Bench bench;
    { KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()}; }
    bench.run_all();
    EXPECT_EQ(bench.compiled, 0);
}

TEST(KernelSlot, WarnsOfDirectivesItCannotRead) {
    Bench bench;
    KernelSlot slot{{"__global__ void k(float F) //@ 0..1 loog\n{}", "a.cu", "", {}, {}},
                    bench.services()};
    bench.run_all();
    slot.poll();
    EXPECT_EQ(slot.state(), SlotState::good);
    ASSERT_EQ(slot.diagnostics().size(), 1u);
    EXPECT_EQ(slot.diagnostics()[0].severity, Diagnostic::Severity::warning);
    EXPECT_EQ(slot.diagnostics()[0].line, 1);
}

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

TEST(Worker, RunsTasksInOrderOnAThread) {
    std::vector<int> order;
    std::mutex mutex;
    std::condition_variable done;
    Worker worker;
    for (int i = 0; i < 100; ++i)
        worker.run([&, i] {
            std::lock_guard lock{mutex};
            order.push_back(i);
            done.notify_all();
        });
    std::unique_lock lock{mutex};
    done.wait(lock, [&] { return order.size() == 100; });
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(KernelSlot, AChangedHeaderIsCompiledAgain) {
    Bench bench;
    bench.header = std::filesystem::temp_directory_path() /
                   ("lathe-header-" + std::to_string(getpid()) + ".cuh");
    const auto write = [&](const char* text) { std::ofstream{bench.header} << text; };
    write("1");
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, bench.services()};
    bench.run_all();
    slot.poll();
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
