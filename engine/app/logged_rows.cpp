// SPDX-License-Identifier: MIT
#include "engine/app/logged_rows.h"

#include <algorithm>
#include <array>
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
    ++changes_;
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

void LoggedRows::begin_branch(const RunBranches& run) {
    ++changes_;
    settle(run);
}

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

/// One part of a curve: at most four of its points, in order.
class PartOfCurve {
public:
    void add(double x, double y) {
        const Point point{x, y, count_++};
        if (count_ == 1) first_ = point;
        last_ = point;
        if (std::isnan(y)) return;
        if (!has_number_ || y < least_.y) least_ = point;
        if (!has_number_ || y > greatest_.y) greatest_ = point;
        has_number_ = true;
    }
    void move_to(Curve& curve) {
        if (count_ == 0) return;
        if (has_number_) {
            std::array points{first_, least_, greatest_, last_};
            std::ranges::sort(points, {}, &Point::index);
            for (std::size_t i = 0; i < points.size(); ++i)
                if (i == 0 || points[i].index != points[i - 1].index) put(curve, points[i]);
        } else {
            put(curve, first_);
        }
        count_ = 0;
        has_number_ = false;
    }

private:
    struct Point {
        double x = 0, y = 0;
        std::size_t index = 0;
    };
    static void put(Curve& curve, const Point& point) {
        curve.x.push_back(point.x);
        curve.y.push_back(point.y);
    }

    Point first_, least_, greatest_, last_;
    std::size_t count_ = 0;
    bool has_number_ = false;
};

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
    const double per_x = high > low ? double(columns) / (high - low) : 0;
    Curve curve;
    PartOfCurve part;
    double at = 0;
    for (const RowSpan& span : seen) {
        for (std::size_t row = span.begin; row < span.end; ++row) {
            const double x = span.x(row, by_step), here = std::floor((x - low) * per_x);
            if (is_whole || here != at) part.move_to(curve);
            at = here;
            part.add(x, span.rows->value(row, column));
        }
    }
    part.move_to(curve);
    return curve;
}

} // namespace lathe
