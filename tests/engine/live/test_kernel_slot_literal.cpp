// SPDX-License-Identifier: MIT
// A number of a slot's text that moves, with a compiler and a clock under the test's hand.
#include "slot_bench.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace lathe;
using namespace lathe::test;

namespace {

/// Its compiler gives versions that read a variable one, unless the text says "array": there the
/// number must be a constant.
struct MovingBench : Bench {
    std::vector<float> written;

    KernelSlotServices services() {
        KernelSlotServices s = Bench::services();
        s.build = [this, build = s.build](const KernelSource& source, Effort effort) {
            const bool is_variant = source.text.find(kLiteralVariable) != std::string::npos;
            if (is_variant && source.text.find("array") != std::string::npos) {
                ++compiled;
                KernelBuild refused;
                refused.diagnostics = {
                    {source.name, 1, 1, Diagnostic::Severity::error, "must be constant"}};
                return refused;
            }
            KernelBuild built = build(source, effort);
            if (!is_variant || !built.loaded) return built;
            auto loaded = std::make_shared<LoadedKernels>();
            loaded->first = built.effort == Effort::quick ? "variable, quick" : "variable";
            loaded->variable = gpu::DeviceSpan<std::byte>{0x1000, 4};
            built.loaded = std::move(loaded);
            return built;
        };
        s.write = [this](const LoadedKernels& kernels, std::span<const std::byte> bytes) {
            ASSERT_TRUE(kernels.variable);
            ASSERT_EQ(bytes.size(), 4u);
            float value{};
            std::memcpy(&value, bytes.data(), 4);
            written.push_back(value);
        };
        return s;
    }
};

struct MovingSlot : KernelSlot {
    MovingSlot(MovingBench& bench, std::string text)
        : KernelSlot{{std::move(text), "a.cu", "", {}, {}}, bench.services()} {
        bench.run_all();
        poll();
    }
    void move(std::string_view text) { move_literal(*LiteralNumber::parse(text)); }
};

constexpr const char* kText = "x = 0.5f;";
constexpr const char* kArray = "array[2.0f];"; // of a type that the bench can write

} // namespace

TEST(MovedLiteral, IsWrittenBetweenFramesAndCompiledOnce) {
    MovingBench bench;
    MovingSlot slot{bench, kText};
    ASSERT_TRUE(slot.grab_literal(1, 5));
    EXPECT_EQ(slot.moved_literal()->first.text(), "0.5f");
    EXPECT_EQ(slot.state(), SlotState::good);
    EXPECT_EQ(bench.builds.size(), 1u) << "begins with the press";
    slot.move("0.6f");
    EXPECT_EQ(slot.source(), "x = 0.6f;");
    EXPECT_FALSE(slot.poll());
    EXPECT_EQ(running(slot), kText) << "goes on";
    slot.move("0.7f");
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "variable");
    EXPECT_EQ(bench.written, std::vector{0.7f}) << "the newest one";
    EXPECT_EQ(slot.state(), SlotState::good);
    const auto generation = slot.generation();
    const int compiled = bench.compiled;
    for (const char* text : {"0.8f", "0.9f", "1.0f"}) {
        slot.move(text);
        EXPECT_FALSE(slot.poll());
    }
    slot.poll();
    EXPECT_EQ(bench.written, (std::vector{0.7f, 0.8f, 0.9f, 1.0f})) << "each once";
    EXPECT_EQ(slot.generation(), generation);
    bench.now += 10s;
    slot.poll();
    EXPECT_EQ(bench.compiled, compiled);
    EXPECT_TRUE(bench.builds.empty());

    slot.release_literal();
    EXPECT_EQ(slot.state(), SlotState::compiling);
    EXPECT_EQ(running(slot), "variable") << "until the text's own version is there";
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "x = 1.0f;");
    EXPECT_EQ(slot.state(), SlotState::good);
    EXPECT_EQ(bench.compiled, compiled + 1);
    ASSERT_NE(slot.moved_literal(), nullptr);
    EXPECT_FALSE(slot.moved_literal()->held);
}

TEST(MovedLiteral, TheSameNumberAgainNeedsNoCompile) {
    MovingBench bench;
    MovingSlot slot{bench, kText};
    slot.grab_literal(1, 5);
    slot.move("0.6f");
    bench.run_all();
    slot.poll();
    slot.release_literal();
    bench.run_all();
    slot.poll();
    const int compiled = bench.compiled;
    slot.grab_literal(1, 5);
    slot.move("0.75f");
    EXPECT_TRUE(slot.poll()) << "at once";
    EXPECT_EQ(bench.written.back(), 0.75f);
    EXPECT_EQ(bench.compiled, compiled);
}

TEST(MovedLiteral, AnotherNumberMayBeTakenWhileTheFirstIsCompiled) {
    MovingBench bench;
    MovingSlot slot{bench, "x = 0.5f; y = 2.0f;"};
    slot.grab_literal(1, 5);
    slot.move("0.6f");
    bench.run_all();
    slot.poll();
    slot.release_literal();
    slot.grab_literal(1, 15); // the text's own version is on its way
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "x = 0.6f; y = 2.0f;");
    EXPECT_EQ(slot.state(), SlotState::good);
    EXPECT_EQ(bench.written, std::vector{0.6f}) << "nothing has moved yet";
    slot.move("3.0f");
    slot.poll();
    EXPECT_EQ(bench.written.back(), 3.0f);
    slot.grab_literal(1, 5); // lets go of the second
    slot.move("0.7f");
    bench.run_all();
    slot.poll();
    slot.poll();
    EXPECT_EQ(bench.written.back(), 0.7f);
    slot.release_literal();
    bench.run_all();
    slot.poll();
    EXPECT_EQ(running(slot), "x = 0.7f; y = 3.0f;");
}

TEST(MovedLiteral, AMoveBackRunsTheOldVersionWithoutACompile) {
    MovingBench bench;
    MovingSlot slot{bench, kText};
    slot.grab_literal(1, 5);
    slot.move("0.6f");
    bench.run_all();
    slot.poll();
    slot.move("0.5f");
    slot.poll();
    const int compiled = bench.compiled;
    slot.release_literal();
    EXPECT_EQ(running(slot), kText);
    EXPECT_EQ(slot.state(), SlotState::good);
    slot.poll();
    EXPECT_TRUE(bench.builds.empty());
    EXPECT_EQ(bench.compiled, compiled);
}

TEST(MovedLiteral, APressWithoutAMoveChangesNothing) {
    MovingBench bench;
    MovingSlot slot{bench, kText};
    const auto generation = slot.generation();
    const auto version = slot.text_version();
    slot.grab_literal(1, 6);
    slot.release_literal();
    bench.run_all();
    EXPECT_FALSE(slot.poll());
    EXPECT_EQ(slot.generation(), generation);
    EXPECT_EQ(slot.text_version(), version);
    EXPECT_EQ(slot.state(), SlotState::good);
    EXPECT_FALSE(slot.grab_literal(1, 1)) << "no number";
    EXPECT_THROW(slot.move("1.0f"), Error);
}

TEST(MovedLiteral, LetGoBeforeTheVariantIsThereIsAnEdit) {
    MovingBench bench;
    MovingSlot slot{bench, kText};
    slot.grab_literal(1, 5);
    slot.move("0.6f");
    slot.release_literal();
    bench.run_all(); // the variant's compile is dropped
    EXPECT_FALSE(slot.poll());
    EXPECT_EQ(slot.state(), SlotState::compiling);
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "x = 0.6f;");
    EXPECT_TRUE(bench.written.empty());
}

TEST(MovedLiteral, WhereItMustBeAConstantEachValueIsCompiled) {
    MovingBench bench;
    MovingSlot slot{bench, kArray};
    slot.grab_literal(1, 7);
    slot.move("3.0f");
    bench.run_all(); // refuses
    EXPECT_FALSE(slot.poll());
    EXPECT_FALSE(slot.shows_older()) << "nobody sees the compile that failed";
    EXPECT_TRUE(slot.diagnostics().empty());
    EXPECT_EQ(slot.moved_literal()->way, LiteralWay::constant);
    // A steady hand: a compile takes longer than a step, and pictures come nevertheless.
    slot.move("4.0f");
    slot.poll();
    slot.move("5.0f");
    slot.poll();
    ASSERT_EQ(bench.builds.size(), 1u);
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "array[3.0f];") << "of the value when the compile began";
    EXPECT_EQ(slot.state(), SlotState::waiting);
    slot.poll(); // begins with the newest
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "array[5.0f];");
    EXPECT_EQ(slot.state(), SlotState::good);
    slot.release_literal();
    slot.poll();
    EXPECT_TRUE(bench.builds.empty());
    EXPECT_TRUE(bench.written.empty());

    const int compiled = bench.compiled;
    slot.grab_literal(1, 7);
    EXPECT_EQ(bench.compiled, compiled) << "what was refused is not tried again";
    slot.move("6.0f");
    slot.poll(); // finds the way and begins
    bench.run_all();
    slot.poll();
    EXPECT_EQ(running(slot), "array[6.0f];");
}

TEST(MovedLiteral, AnOlderValueThatFailsShowsNoError) {
    MovingBench bench;
    MovingSlot slot{bench, "array[bad2.0f]; array[2.0f]"}; // as a size below zero would be
    ASSERT_EQ(slot.state(), SlotState::failed);
    ASSERT_TRUE(slot.grab_literal(1, 23));
    slot.move("3.0f");
    bench.run_all();
    slot.poll();
    slot.poll();
    slot.move("4.0f");
    bench.run_all();
    slot.poll();
    EXPECT_EQ(slot.state(), SlotState::waiting) << "a newer value is to come";
    slot.poll();
    bench.run_all();
    slot.poll();
    EXPECT_EQ(slot.state(), SlotState::failed);
}

TEST(MovedLiteral, OfAPreprocessorsLineIsAlwaysAConstant) {
    MovingBench bench;
    MovingSlot slot{bench, "#if 1.0f\n#endif"};
    const int compiled = bench.compiled;
    ASSERT_TRUE(slot.grab_literal(1, 5));
    EXPECT_TRUE(bench.builds.empty()) << "no variant is tried";
    slot.move("2.0f");
    slot.poll();
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "#if 2.0f\n#endif");
    EXPECT_EQ(bench.compiled, compiled + 1);
}

TEST(MovedLiteral, ItsFaultGoesBackAndAnotherValueRunsAgain) {
    MovingBench bench;
    MovingSlot slot{bench, kText};
    slot.confirm();
    slot.grab_literal(1, 5);
    slot.move("0.6f");
    bench.run_all();
    slot.poll();
    slot.confirm(); // keeps the text's own version, not one whose values come and go
    slot.report_fault({"a.cu", 1, 0, Diagnostic::Severity::error, "out of bounds"});
    EXPECT_EQ(running(slot), kText);
    EXPECT_EQ(slot.state(), SlotState::faulted);
    ASSERT_EQ(slot.diagnostics().size(), 1u);
    slot.poll();
    EXPECT_EQ(running(slot), kText) << "the value that faults is not tried again";
    slot.move("0.55f");
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "variable");
    EXPECT_EQ(slot.state(), SlotState::good);
    EXPECT_TRUE(slot.diagnostics().empty());
    slot.report_fault({"a.cu", 1, 0, Diagnostic::Severity::error, "out of bounds"});
    slot.release_literal();
    slot.poll();
    EXPECT_TRUE(bench.builds.empty()) << "nor is it compiled";
    EXPECT_EQ(slot.state(), SlotState::faulted);
}

TEST(MovedLiteral, AnEditOrAFileEndsIt) {
    MovingBench bench;
    MovingSlot slot{bench, kText};
    slot.grab_literal(1, 5);
    slot.move("0.6f");
    bench.run_all();
    slot.poll();
    slot.set_source("y = 0.6f;");
    EXPECT_EQ(slot.moved_literal(), nullptr);
    EXPECT_THROW(slot.move("0.7f"), Error);
    EXPECT_EQ(running(slot), "variable") << "the last good one";
    bench.now += 120ms;
    slot.poll();
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "y = 0.6f;");
}

TEST(MovedLiteral, IsCompiledInFullAfterItsQuickVersion) {
    MovingBench bench;
    bench.has_quick = true;
    MovingSlot slot{bench, kText};
    slot.grab_literal(1, 5);
    slot.move("0.6f");
    bench.builds.front()();
    bench.builds.pop_front();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "variable, quick");
    ASSERT_EQ(bench.builds.size(), 1u) << "beside it, without a rest";
    bench.run_all();
    EXPECT_TRUE(slot.poll());
    EXPECT_EQ(running(slot), "variable");
    EXPECT_EQ(bench.written, (std::vector{0.6f, 0.6f})) << "the new version has the value, too";
    slot.release_literal();
    bench.run_all();
    slot.poll();
    EXPECT_EQ(running(slot), "x = 0.6f;") << "in full at once: nobody waits for it";
}

TEST(MovedLiteral, AWaitWaitsForItsVersion) {
    MovingBench bench;
    KernelSlotServices services = bench.services();
    services.build_on = services.reflect_on = [](const Task& task) { task(); };
    KernelSlot slot{{kText, "a.cu", "", {}, {}}, services};
    slot.poll();
    slot.grab_literal(1, 5);
    slot.move_literal(*LiteralNumber::parse("0.6f"));
    EXPECT_TRUE(slot.wait());
    EXPECT_EQ(bench.written, std::vector{0.6f});
    KernelSlot array{{kArray, "a.cu", "", {}, {}}, services};
    array.poll();
    array.grab_literal(1, 7);
    array.move_literal(*LiteralNumber::parse("6.0f"));
    EXPECT_TRUE(array.wait());
    EXPECT_EQ(running(array), "array[6.0f];");
}
