// SPDX-License-Identifier: MIT
// Rows of a run that goes back, beside lists that the test keeps by hand.
#include "engine/plots/logged_rows.h"

#include "engine/app/timeline.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace lathe {

namespace {

using testing::ElementsAre;
using Row = std::pair<std::uint64_t, double>;

/// Step and first value.
std::vector<Row> rows_in(const std::vector<RowSpan>& spans) {
    std::vector<Row> all;
    for (const RowSpan& span : spans)
        for (std::size_t row = span.begin; row < span.end; ++row)
            all.emplace_back(span.rows->steps[row], span.rows->value(row, 0));
    return all;
}

RunBranches::OfTimeline current(const Timeline& line) {
    const Branch& branch = line.current();
    return {branch.number, branch.parent, branch.fork};
}

struct LoggedRun {
    RunBranches run;
    LoggedRows rows{1, 1000};

    void log(std::uint64_t from, std::uint64_t to, double offset = 0) {
        for (std::uint64_t step = from; step < to; ++step) {
            const double value = double(step) + offset;
            rows.add(run, step, 0.5 * double(step), {&value, 1});
        }
    }
    std::vector<Row> way() const { return rows_in(rows.on_way(run)); }
    std::vector<Row> aside() const { return rows_in(rows.aside(run)); }
};

TEST(LoggedRows, KeepsOneRowForAStep) {
    LoggedRun r;
    r.log(0, 2);
    r.log(1, 2, 0.25);
    EXPECT_THAT(r.way(), ElementsAre(Row{0, 0}, Row{1, 1.25}));
    EXPECT_THAT(r.aside(), ElementsAre());
}

TEST(LoggedRows, StayWhereARunGoesBackAndDoesTheSame) {
    LoggedRun r;
    r.log(0, 5);
    r.rows.go_elsewhere();
    r.log(2, 4);
    EXPECT_EQ(r.way().size(), 5u);
    r.log(4, 6);
    EXPECT_EQ(r.way().size(), 6u);
    EXPECT_THAT(r.aside(), ElementsAre());
}

/// The history finds a step late that something differs: what was done anew before is the new
/// branch's.
TEST(LoggedRows, OfABranchAreItsOwn) {
    LoggedRun r;
    Timeline line;
    for (std::uint64_t step = 0; step < 5; ++step) line.note_step(step, 0.5);
    r.run.follow(current(line));
    r.log(0, 5);
    r.rows.go_elsewhere();
    r.log(2, 4, 0.5);
    EXPECT_THAT(r.way().back(), (Row{4, 4})) << "nobody knows yet";
    line.fork(2, 4);
    ASSERT_TRUE(r.run.follow(current(line)));
    r.rows.begin_branch(r.run);
    r.log(4, 7, 0.5);
    EXPECT_THAT(r.way(), ElementsAre(Row{0, 0}, Row{1, 1}, Row{2, 2.5}, Row{3, 3.5}, Row{4, 4.5},
                                     Row{5, 5.5}, Row{6, 6.5}));
    EXPECT_THAT(r.aside(), ElementsAre(Row{2, 2}, Row{3, 3}, Row{4, 4}));

    const int first = *line.current().parent;
    line.choose(first); // back on the first branch: its rows are there again
    r.rows.go_elsewhere();
    EXPECT_FALSE(r.run.follow(current(line)));
    EXPECT_THAT(r.way(), ElementsAre(Row{0, 0}, Row{1, 1}, Row{2, 2}, Row{3, 3}, Row{4, 4}));
    EXPECT_EQ(r.aside().size(), 5u);
}

TEST(LoggedRows, BeginAgainWithAReset) {
    LoggedRun r;
    r.log(0, 3);
    r.run.begin(0);
    r.rows.go_elsewhere();
    r.log(0, 2, 0.5);
    EXPECT_THAT(r.way(), ElementsAre(Row{0, 0.5}, Row{1, 1.5}));
    EXPECT_THAT(r.aside(), ElementsAre(Row{0, 0}, Row{1, 1}, Row{2, 2}));
    r.run.begin(1); // a checkpoint: what was before it stays
    r.rows.go_elsewhere();
    r.log(1, 3, 0.75);
    EXPECT_THAT(r.way(), ElementsAre(Row{0, 0.5}, Row{1, 1.75}, Row{2, 2.75}));
}

TEST(LoggedRows, LetTheOldestGo) {
    LoggedRun r;
    r.rows = LoggedRows{1, 80};
    r.log(0, 30);
    r.run.begin(0);
    r.rows.go_elsewhere();
    r.log(0, 60);
    EXPECT_THAT(r.aside(), ElementsAre()) << "other branches go first";
    EXPECT_EQ(r.way().size(), 60u);
    r.log(60, 1000);
    EXPECT_LE(r.way().size(), 80u);
    EXPECT_GE(r.way().size(), 70u);
    EXPECT_EQ(r.way().back(), (Row{999, 999}));
    EXPECT_EQ(r.rows.dropped(), 30u + 1000u - r.way().size());
}

TEST(Thinned, HasTheExtremesOfEachPart) {
    RunBranches run;
    LoggedRows rows{2, 100'000};
    std::vector<double> all;
    for (std::uint64_t step = 0; step < 50'000; ++step) {
        const double t = double(step);
        const std::vector<double> values{std::sin(0.01 * t) + (step % 977 == 0 ? 3 : 0), 1};
        all.push_back(values[0]);
        rows.add(run, step, t, values);
    }
    constexpr std::size_t kColumns = 100;
    const Curve curve = thinned(rows.on_way(run), 0, true, 0, 49'999, kColumns);
    EXPECT_LE(curve.x.size(), 4 * kColumns + 4);
    EXPECT_EQ(std::ranges::max(curve.y), std::ranges::max(all));
    EXPECT_EQ(std::ranges::min(curve.y), std::ranges::min(all));
    EXPECT_TRUE(std::ranges::is_sorted(curve.x));
    for (std::size_t i = 0; i < curve.x.size(); ++i)
        EXPECT_EQ(curve.y[i], all[std::size_t(curve.x[i])]);
    for (std::size_t part = 0; part + 1 < kColumns; ++part) { // each has its own greatest
        const auto begin = std::size_t(std::ceil(double(part) * 499.99)),
                   end = std::size_t(std::ceil(double(part + 1) * 499.99));
        const double greatest = *std::max_element(all.begin() + std::ptrdiff_t(begin),
                                                  all.begin() + std::ptrdiff_t(end));
        EXPECT_TRUE(std::ranges::find(curve.y, greatest) != curve.y.end()) << part;
    }
}

TEST(Thinned, KeepsGapsAndTheNeighboursOfARange) {
    RunBranches run;
    LoggedRows rows{1, 100};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::uint64_t step = 0; step < 10; ++step) {
        const double value = step == 5 ? nan : double(step);
        rows.add(run, step, double(step), {&value, 1});
    }
    const Curve curve = thinned(rows.on_way(run), 0, false, 3.5, 6.5, 50);
    EXPECT_THAT(curve.x, ElementsAre(3, 4, 5, 6, 7));
    EXPECT_TRUE(std::isnan(curve.y[2]));
    EXPECT_THAT(thinned({}, 0, false, 0, 1, 50).x, ElementsAre());
    EXPECT_EQ(nearest(rows.on_way(run), true, 3.4).begin, 3u);
    EXPECT_EQ(nearest(rows.on_way(run), true, 3.6).begin, 4u);
    EXPECT_EQ(nearest(rows.on_way(run), true, 99).begin, 9u);
    EXPECT_EQ(nearest({}, true, 1).rows, nullptr);
}

} // namespace
} // namespace lathe
