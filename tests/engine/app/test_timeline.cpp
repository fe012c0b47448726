// SPDX-License-Identifier: MIT
#include "engine/app/timeline.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace lathe {

struct StateCopy {
    std::uint64_t step;
};

namespace {

using Steps = std::vector<std::uint64_t>;

/// Steps `from` until `to` for the first time, each with a moment of ten bytes.
void run(Timeline& line, std::uint64_t from, std::uint64_t to, double dt = 0.5) {
    for (std::uint64_t step = from; step < to; ++step) {
        line.add(step, 10, std::make_shared<StateCopy>(step));
        line.note_step(step, dt);
    }
}

TEST(Timeline, KnowsTheMomentsOfARun) {
    Timeline line;
    EXPECT_EQ(line.newest_until(5), nullptr);
    run(line, 0, 4);
    EXPECT_EQ(line.steps(), (Steps{0, 1, 2, 3}));
    EXPECT_EQ(line.current().end(), 4u);
    EXPECT_EQ(line.at(2)->step, 2u);
    EXPECT_EQ(line.at(4), nullptr);
    EXPECT_EQ(line.newest_until(9)->step, 3u);
    EXPECT_EQ(line.length_of(3), 0.5);
    EXPECT_EQ(line.length_of(4), std::nullopt);
    EXPECT_EQ(line.bytes(), 40u);
}

TEST(Timeline, ABranchHasItsParentsStepsUntilItsFork) {
    Timeline line;
    run(line, 0, 6, 0.5);
    line.fork(3, 4); // found at step 4: the state there is another one
    EXPECT_EQ(line.current().parent, 0);
    EXPECT_EQ(line.current().end(), 4u);
    EXPECT_EQ(line.at(4), nullptr);
    run(line, 4, 6, 0.25);
    EXPECT_EQ(line.steps(), (Steps{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(line.length_of(3), 0.5); // as it was
    EXPECT_EQ(line.length_of(5), 0.25);
    line.choose(0);
    EXPECT_EQ(line.length_of(5), 0.5);
    EXPECT_EQ(line.branches().size(), 2u);
    EXPECT_THROW(line.choose(7), std::out_of_range);
}

TEST(Timeline, ABranchOfWhatCameBeforeAForkIsTheParents) {
    Timeline line;
    run(line, 0, 6);
    line.fork(4, 5);
    run(line, 5, 8);
    line.fork(2, 3);
    EXPECT_EQ(line.current().parent, 0);
    run(line, 3, 4);
    EXPECT_EQ(line.steps(), (Steps{0, 1, 2, 3}));
}

TEST(Timeline, AResetBeginsABranchWithoutAParent) {
    Timeline line;
    run(line, 0, 3);
    line.begin();
    EXPECT_EQ(line.newest_until(9), nullptr);
    EXPECT_EQ(line.current().end(), 0u);
    run(line, 0, 2);
    EXPECT_EQ(line.steps(), (Steps{0, 1}));
    line.choose(0);
    EXPECT_EQ(line.steps(), (Steps{0, 1, 2}));
}

TEST(Timeline, OldMomentsBecomeSparseAndTheFirstAndTheNewestStay) {
    Timeline line;
    for (std::uint64_t step = 0; step < 1000; ++step) {
        run(line, step, step + 1);
        line.fit(200);
        EXPECT_LE(line.bytes(), 200u);
    }
    const Steps kept = line.steps();
    ASSERT_EQ(kept.size(), 20u);
    EXPECT_EQ(kept.front(), 0u);
    EXPECT_EQ(kept.back(), 999u);
    EXPECT_EQ(kept[kept.size() - 2], 998u); // dense at the end
    // The gaps grow with the age: each is at most a constant part of it.
    for (std::size_t k = 1; k + 1 < kept.size(); ++k)
        EXPECT_LE(double(kept[k + 1] - kept[k]), 0.7 * double(1000 - kept[k]) + 1) << kept[k];
    EXPECT_LT(kept[kept.size() / 2], 999u - 10) << "some reach far back";
}

TEST(Timeline, ABranchWithoutMomentsIsForgotten) {
    Timeline line;
    run(line, 0, 4);
    line.begin();
    run(line, 0, 4);
    line.fit(20);
    EXPECT_EQ(line.branches().size(), 1u);
    EXPECT_EQ(line.steps(), (Steps{0, 3}));
}

TEST(Timeline, SmallStatesAreCounted) {
    Timeline line;
    for (std::uint64_t step = 0; step < Timeline::kMostMoments + 10; ++step) {
        run(line, step, step + 1);
        line.fit(std::size_t(1) << 30);
    }
    EXPECT_EQ(line.steps().size(), Timeline::kMostMoments);
}

} // namespace
} // namespace lathe
