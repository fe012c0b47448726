// SPDX-License-Identifier: MIT
// Rows of numbers that a run has logged, with step and time: kept by branch, so that a run that
// goes back and on from there has the rows of its own way. No device.
#pragma once

#include "engine/core/api.h"
#include "engine/plots/run_branches.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace lathe {

/// In the order of their steps.
struct Rows {
    std::size_t columns = 1;
    std::vector<std::uint64_t> steps{};
    std::vector<double> times{};  ///< seconds
    std::vector<double> values{}; ///< row by row

    std::size_t size() const { return steps.size(); }
    double value(std::size_t row, std::size_t column) const {
        return values[row * columns + column];
    }
    /// The first row of this step or a later one.
    std::size_t find(std::uint64_t step) const;
    /// In its place; a row of the same step is replaced.
    void put(std::uint64_t step, double time, std::span<const double> row);
    void erase(std::size_t begin, std::size_t end);
};

/// Neighbours of one branch.
struct RowSpan {
    const Rows* rows = nullptr;
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
    /// Of a row: its step, or its time.
    double x(std::size_t row, bool by_step) const {
        return by_step ? double(rows->steps[row]) : rows->times[row];
    }
};

class LATHE_API LoggedRows {
public:
    /// Keeps `most` rows, those of other branches included; the oldest go first.
    LoggedRows(std::size_t columns, std::size_t most);

    /// A row of the step that was logged last is replaced. Where the run does steps anew, their
    /// rows take the place of the old ones when it has left these behind, and are those of the new
    /// branch if one begins.
    void add(const RunBranches& run, std::uint64_t step, double time,
             std::span<const double> values);
    /// The run has gone to another step: what comes may be done anew.
    void go_elsewhere();
    /// A branch has begun: what was done anew from its fork on is its own.
    void begin_branch(const RunBranches& run);

    std::size_t most() const noexcept { return most_; }
    /// Rows that are not kept any more.
    std::uint64_t dropped() const noexcept { return dropped_; }
    /// On the run's way, in the order of their steps.
    std::vector<RowSpan> on_way(const RunBranches& run) const;
    /// All others, branch by branch; the newest branch comes last.
    std::vector<RowSpan> aside(const RunBranches& run) const;

private:
    Rows& rows_of(int branch);
    void settle(const RunBranches& run);
    void make_room(const RunBranches& run);

    std::size_t columns_, most_, count_ = 0;
    std::map<int, Rows> branches_;
    Rows anew_; ///< of steps that the way has rows of
    bool is_anew_ = false;
    std::uint64_t dropped_ = 0;
};

LATHE_API std::size_t count_of(std::span<const RowSpan> spans);
/// The row that is nearest along x; empty where there is none.
LATHE_API RowSpan nearest(std::span<const RowSpan> spans, bool by_step, double x);

/// A curve of at most some 4 points for each of `columns` equal parts of [low, high] along x, which
/// is the rows' time or step: in each part the first, the least, the greatest and the last value.
/// Where all values of a part are NaN, it has one. With the nearest rows at both sides.
struct Curve {
    std::vector<double> x, y;
};
LATHE_API Curve thinned(std::span<const RowSpan> spans, std::size_t column, bool by_step,
                        double low, double high, std::size_t columns);

} // namespace lathe
