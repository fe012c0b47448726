// SPDX-License-Identifier: MIT
// The slot's states: edits, compiles, swaps, faults.
#include "tests/engine/live/slot_bench.h"

#include <gtest/gtest.h>

using namespace lathe;
using namespace lathe::test;

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

// Between the two polls a frame ends, which keeps the text: what it runs next may never end.
TEST(KernelSlot, ACompileThatEndsAtOnceIsSwappedInByTheNextPoll) {
    Bench bench;
    auto services = bench.services();
    services.build_on = services.reflect_on = [](const Task& task) { task(); };
    KernelSlot slot{{"a", "a.cu", "", {}, {}}, services};
    EXPECT_TRUE(slot.poll());
    slot.set_source("b");
    bench.now += 120ms;
    EXPECT_FALSE(slot.poll());
    EXPECT_EQ(slot.state(), SlotState::compiling);
    EXPECT_EQ(running(slot), "a");
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "b");
}

TEST(KernelSlot, AnEditRunsQuicklyCompiledUntilItsFullCompileIsReady) {
    Bench bench;
    bench.has_quick = true;
    CompiledSlot slot{bench, "a"};
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
    CompiledSlot slot{bench, "a"};
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
    CompiledSlot slot{bench, "a"};
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
    CompiledSlot slot{bench, "a"};
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
    CompiledSlot slot{bench, "a"};
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
    CompiledSlot slot{bench, "a"};
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
    CompiledSlot slot{bench, "x\nbad\ny"};
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
    CompiledSlot slot{bench, "bad"};
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
    CompiledSlot slot{bench, "throw"};
    EXPECT_EQ(slot.state(), SlotState::failed);
    ASSERT_EQ(slot.diagnostics().size(), 1u);
    EXPECT_EQ(slot.diagnostics()[0].text, "no compiler");
}

TEST(KernelSlot, AFaultGoesBackToTheLastConfirmedVersion) {
    Bench bench;
    CompiledSlot slot{bench, "a"};
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
    CompiledSlot slot{bench, "a\nb\nc"};
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
