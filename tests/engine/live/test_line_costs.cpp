// SPDX-License-Identifier: MIT
// Rows of the inspector without a device: what was counted in between, which line it is of, and
// where that line is after an edit.
#include "engine/live/line_costs.h"
#include "engine/live/line_map.h"

#include <gtest/gtest.h>

using namespace lathe;

namespace {

gpu::LineCounts row(std::string kernel, int line, std::uint64_t executions) {
    gpu::LineCounts r;
    r.kernel = std::move(kernel);
    r.file = "step.cu";
    r.line = line;
    r.executions = executions;
    r.lanes = 8 * executions;
    return r;
}

} // namespace

TEST(LineMap, LinesMoveAndChangedOnesAreGone) {
    const LineMap moved{"a\nb\nc\nd", "a\nnew\nlines\nc\nd"};
    EXPECT_EQ(moved(1), 1);
    EXPECT_EQ(moved(2), std::nullopt);
    EXPECT_EQ(moved(3), 4);
    EXPECT_EQ(moved(4), 5);
    EXPECT_EQ(moved(5), std::nullopt);
    EXPECT_EQ(moved(0), std::nullopt);
}

TEST(LineMap, ALineThatIsInsertedPushesThoseBelow) {
    const LineMap moved{"a\nb", "a\n\nb"};
    EXPECT_EQ(moved(1), 1);
    EXPECT_EQ(moved(2), 3);
}

TEST(LineMap, EqualTextsAndNoText) {
    EXPECT_EQ((LineMap{"a\na\na", "a\na\na"}(2)), 2);
    EXPECT_EQ((LineMap{"", "a\nb"}(1)), std::nullopt);
}

TEST(LineCosts, CountedSinceIsTheGrowth) {
    const std::vector before{row("k", 4, 10), row("k", 5, 7)};
    auto now = std::vector{row("k", 4, 16), row("k", 5, 7), row("other", 4, 3)};
    const auto grown = counted_since(before, now);
    ASSERT_EQ(grown.size(), 2u); // line 5 was not run again
    EXPECT_EQ(grown[0].executions, 6u);
    EXPECT_EQ(grown[0].lanes, 48u);
    EXPECT_EQ(grown[1].kernel, "other");
    EXPECT_EQ(grown[1].executions, 3u);
}

TEST(LineCosts, ALineIsTheFilesOwnOrThatOfTheCall) {
    EXPECT_EQ(line_in("step.cu", "step.cu", 3, ""), 3);
    EXPECT_EQ(line_in("step.cu", "/tmp/step.cu", 3, "step.cu:9"), 3);
    EXPECT_EQ(line_in("step.cu", "math.h", 3, "vector.h:1;step.cu:12;step.cu:40"), 12);
    EXPECT_EQ(line_in("step.cu", "math.h", 3, "vector.h:1"), 0);
    EXPECT_EQ(line_in("step.cu", "other_step.cu", 3, ""), 0);
}

TEST(LineCosts, MeansAndWhatIsMissing) {
    LineCosts costs;
    EXPECT_FALSE(costs.active() || costs.waste() || costs.banks() || costs.divergence());
    costs.counts.instructions = 4;
    costs.counts.thread_instructions = 32;
    EXPECT_EQ(costs.active(), 0.25);
    costs.counts.global_accesses = 4;
    costs.counts.sectors = 128;
    costs.counts.ideal_sectors = 16;
    EXPECT_EQ(costs.sectors(), 32);
    EXPECT_EQ(costs.ideal_sectors(), 4);
    EXPECT_EQ(costs.waste(), 8);
    costs.counts.by_threads = true; // then lanes are executions
    costs.counts.thread_instructions = 4;
    EXPECT_EQ(costs.active(), 1);
}
