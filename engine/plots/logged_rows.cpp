// SPDX-License-Identifier: MIT
#include "engine/plots/logged_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <ranges>

namespace lathe {

namespace {

template <class T> auto nth(std::vector<T>& all, std::size_t index) {
    return all.begin() + std::ptrdiff_t(index);
}

} // namespace

std::size_t Rows::find(std::uint64_t step) const {
    if (steps.empty() || steps.back() < step) return steps.size();
    return std::size_t(std::ranges::lower_bound(steps, step) - steps.begin());
}

void Rows::put(std::uint64_t step, double time, std::span<const double> row) {
    const std::size_t place = find(step);
    if (place < size() && steps[place] == step) {
        times[place] = time;
        std::ranges::copy(row, nth(values, place * columns));
        return;
    }
    steps.insert(nth(steps, place), step);
    times.insert(nth(times, place), time);
    values.insert(nth(values, place * columns), row.begin(), row.end());
}

void Rows::erase(std::size_t begin, std::size_t end) {
    steps.erase(nth(steps, begin), nth(steps, end));
    times.erase(nth(times, begin), nth(times, end));
    values.erase(nth(values, begin * columns), nth(values, end * columns));
}

LoggedRows::LoggedRows(std::size_t columns, std::size_t most)
    : columns_{columns}, most_{std::max<std::size_t>(most, 16)}, anew_{.columns = columns} {}

Rows& LoggedRows::rows_of(int branch) {
    return branches_.try_emplace(branch, Rows{.columns = columns_}).first->second;
}

void LoggedRows::go_elsewhere() {
    is_anew_ = true;
    anew_ = {.columns = columns_};
}

void LoggedRows::add(const RunBranches& run, std::uint64_t step, double time,
                     std::span<const double> values) {
    const auto way = on_way(run);
    const bool is_known = !way.empty() && step <= way.back().rows->steps[way.back().end - 1];
    if (is_known && is_anew_) return anew_.put(step, time, values);
    settle(run);
    Rows& rows = rows_of(run.owner(step));
    const std::size_t before = rows.size();
    rows.put(step, time, values);
    count_ += rows.size() - before;
    if (count_ > most_) make_room(run);
}

/// What was done anew takes the place of what was there.
void LoggedRows::settle(const RunBranches& run) {
    for (std::size_t row = 0; row < anew_.size(); ++row) {
        Rows& rows = rows_of(run.owner(anew_.steps[row]));
        const std::size_t before = rows.size();
        rows.put(anew_.steps[row], anew_.times[row],
                 std::span{anew_.values}.subspan(row * columns_, columns_));
        count_ += rows.size() - before;
    }
    anew_ = {.columns = columns_};
    is_anew_ = false;
}

void LoggedRows::begin_branch(const RunBranches& run) { settle(run); }

/// Other branches go first, then the oldest eighth of the way.
void LoggedRows::make_room(const RunBranches& run) {
    const auto way = run.way();
    for (auto each = branches_.begin(); each != branches_.end() && count_ > most_;) {
        const bool is_on_way = std::ranges::any_of(way, [&](const RunBranches::Stretch& stretch) {
            return stretch.branch == each->first;
        });
        if (is_on_way) {
            ++each;
            continue;
        }
        count_ -= each->second.size();
        dropped_ += each->second.size();
        each = branches_.erase(each);
    }
    for (const RunBranches::Stretch& stretch : way) {
        if (count_ <= most_) return;
        Rows& rows = rows_of(stretch.branch);
        const std::size_t gone = std::min(rows.size(), std::max<std::size_t>(most_ / 8, 1));
        rows.erase(0, gone);
        count_ -= gone;
        dropped_ += gone;
    }
}

std::vector<RowSpan> LoggedRows::on_way(const RunBranches& run) const {
    std::vector<RowSpan> found;
    for (const RunBranches::Stretch& stretch : run.way()) {
        const auto branch = branches_.find(stretch.branch);
        if (branch == branches_.end()) continue;
        const Rows& rows = branch->second;
        const RowSpan span{&rows, rows.find(stretch.begin), rows.find(stretch.end)};
        if (span.size() > 0) found.push_back(span);
    }
    return found;
}

std::vector<RowSpan> LoggedRows::aside(const RunBranches& run) const {
    const auto way = run.way();
    std::vector<RowSpan> found;
    for (const auto& [branch, rows] : branches_) {
        std::size_t begin = 0;
        for (const RunBranches::Stretch& stretch : way)
            if (stretch.branch == branch) begin = rows.find(stretch.end);
        if (begin < rows.size()) found.push_back({&rows, begin, rows.size()});
    }
    return found;
}

namespace {

/// The first row of which that does not hold; it holds for none behind it, since x ascends.
template <class IsBefore>
std::size_t first_row(const RowSpan& span, bool by_step, const IsBefore& is_before) {
    const auto rows = std::views::iota(span.begin, span.end);
    const auto found = std::ranges::partition_point(
        rows, [&](std::size_t row) { return is_before(span.x(row, by_step)); });
    return span.begin + std::size_t(found - rows.begin());
}

} // namespace

RowSpan nearest(std::span<const RowSpan> spans, bool by_step, double x) {
    RowSpan found;
    double least = std::numeric_limits<double>::infinity();
    for (const RowSpan& span : spans) {
        const std::size_t after = first_row(span, by_step, [&](double at) { return at < x; });
        for (const std::size_t row : {after > span.begin ? after - 1 : after, after}) {
            if (row >= span.end) continue;
            const double distance = std::abs(span.x(row, by_step) - x);
            if (distance >= least) continue;
            least = distance;
            found = {span.rows, row, row + 1};
        }
    }
    return found;
}

std::size_t count_of(std::span<const RowSpan> spans) {
    std::size_t count = 0;
    for (const RowSpan& span : spans) count += span.size();
    return count;
}

namespace {

/// Of rows [begin, end), which are some: the first, the least, the greatest and the last; the first
/// where all are NaN.
void add_part(Curve& curve, const RowSpan& part, std::size_t column, bool by_step) {
    const Rows& rows = *part.rows;
    const double* const values = rows.values.data() + column;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::size_t least = part.begin, greatest = part.begin;
    for (std::size_t row = part.begin; row < part.end; ++row) {
        const double value = values[row * rows.columns]; // a NaN is neither
        if (value < low) low = value, least = row;
        if (value > high) high = value, greatest = row;
    }
    const auto put = [&](std::size_t row) {
        curve.x.push_back(part.x(row, by_step));
        curve.y.push_back(values[row * rows.columns]);
    };
    put(part.begin);
    const auto [earlier, later] = std::minmax(least, greatest);
    if (earlier != part.begin) put(earlier);
    if (later != earlier) put(later);
    if (low <= high && part.end - 1 != later) put(part.end - 1);
}

} // namespace

Curve thinned(std::span<const RowSpan> spans, std::size_t column, bool by_step, double low,
              double high, std::size_t columns) {
    std::vector<RowSpan> seen;
    for (const RowSpan& span : spans) {
        const std::size_t from = first_row(span, by_step, [&](double x) { return x < low; });
        const std::size_t to = first_row(span, by_step, [&](double x) { return x <= high; });
        const RowSpan part{span.rows, from > span.begin ? from - 1 : from,
                           std::min(to + 1, span.end)};
        if (part.size() > 0) seen.push_back(part);
    }
    const bool is_whole = count_of(seen) <= 4 * columns;
    const double width = (high - low) / double(columns);
    Curve curve;
    for (RowSpan rest : seen) {
        while (rest.size() > 0) {
            RowSpan part{rest.rows, rest.begin, rest.begin + 1};
            if (!is_whole) {
                const double number = std::floor((rest.x(rest.begin, by_step) - low) / width),
                             end = low + (number + 1) * width;
                part.end =
                    std::max(first_row(rest, by_step, [&](double x) { return x < end; }), part.end);
            }
            add_part(curve, part, column, by_step);
            rest.begin = part.end;
        }
    }
    return curve;
}

} // namespace lathe
