// SPDX-License-Identifier: MIT
#include "engine/plots/phase_plot.h"

#include "engine/plots/plot_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <tuple>

namespace lathe {

namespace {

std::vector<double> doubles_of(std::span<const std::byte> bytes) {
    std::vector<double> all(bytes.size() / sizeof(double));
    if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
}

/// Points of the steps that both have.
void join(Curve& to, const RowSpan& x, std::size_t x_column, const RowSpan& y,
          std::size_t y_column) {
    std::size_t i = x.begin, k = y.begin;
    while (i < x.end && k < y.end) {
        const std::uint64_t step = x.rows->steps[i], other = y.rows->steps[k];
        if (step == other) {
            to.x.push_back(x.rows->value(i, x_column));
            to.y.push_back(y.rows->value(k, y_column));
        }
        if (step <= other) ++i;
        if (other <= step) ++k;
    }
}

} // namespace

void PhasePlot::take(const gpu::Array& x, const gpu::Array& y, const PhasePlotConfig& config) {
    const std::string function = fmt::format("phase plot \"{}\"", name());
    if (x.size() != y.size())
        throw std::invalid_argument{fmt::format("{} takes two arrays of one size, got {} and {}",
                                                function, x.size(), y.size())};
    const auto most = std::int64_t(kMostPoints);
    const std::int64_t step = std::max<std::int64_t>((x.size() + most - 1) / most, 1);
    const gpu::Array picked_x = plot_kernels::each(x, step, function),
                     picked_y = plot_kernels::each(y, step, function);
    config_ = config;
    follows_.reset();
    auto taken = std::make_shared<std::vector<double>>();
    run().reads.read(picked_x, [taken](auto bytes) { *taken = doubles_of(bytes); });
    run().reads.read(picked_y, [taken, state = state_, count = x.size()](auto bytes) {
        state->y = doubles_of(bytes);
        state->x = std::move(*taken);
        if (state->x.size() != state->y.size()) state->x = state->y = {};
        state->elements = std::size_t(count);
    });
}

void PhasePlot::follow(LoggedCurve x, LoggedCurve y, const PhasePlotConfig& config) {
    config_ = config;
    follows_ = std::pair{std::move(x), std::move(y)};
}

Curve PhasePlot::logged() const {
    const auto& [x, y] = *follows_;
    Curve curve;
    for (const RowSpan& a : x.log->on_way())
        for (const RowSpan& b : y.log->on_way()) {
            if (a.begin == a.end || b.begin == b.end) continue;
            const bool overlap = a.rows->steps[a.begin] <= b.rows->steps[b.end - 1] &&
                                 b.rows->steps[b.begin] <= a.rows->steps[a.end - 1];
            if (overlap) join(curve, a, x.column, b, y.column);
        }
    return curve;
}

std::pair<std::string, std::string> PhasePlot::labels() const {
    std::pair labels{config_.x_label, config_.y_label};
    if (!follows_) return labels;
    const auto name_of_curve = [](const LoggedCurve& curve) {
        const std::string& unit = curve.log->config().unit;
        return curve.log->curves()[curve.column] + (unit.empty() ? "" : " (" + unit + ")");
    };
    if (labels.first.empty()) labels.first = name_of_curve(follows_->first);
    if (labels.second.empty()) labels.second = name_of_curve(follows_->second);
    return labels;
}

PlotShape PhasePlot::shape(const PlotWindow&) const {
    PlotShape shape;
    shape.title = name();
    std::tie(shape.x.label, shape.y.label) = labels();
    shape.is_equal = config_.equal;
    shape.has_room = true;
    if (!follows_) {
        shape.curves.push_back({.x = state_->x, .y = state_->y, .is_dots = !config_.line});
        if (state_->elements > state_->x.size())
            shape.note = fmt::format("{} of {} points", state_->x.size(), state_->elements);
        return shape;
    }
    Curve way = logged();
    shape.curves.push_back({.x = std::move(way.x), .y = std::move(way.y)});
    const auto& [x, y] = *follows_;
    const auto at_x = x.log->present(), at_y = y.log->present();
    if (!at_x.empty() && !at_y.empty()) // where the run is
        shape.curves.push_back(
            {.x = {at_x[x.column]}, .y = {at_y[y.column]}, .color = 1, .is_dots = true});
    return shape;
}

PlotTable PhasePlot::table() {
    wait();
    const auto [x, y] = labels();
    PlotTable table{{x.empty() ? "x" : x, y.empty() ? "y" : y}, {}};
    if (follows_) {
        follows_->first.log->wait();
        follows_->second.log->wait();
        Curve all = logged();
        table.columns = {std::move(all.x), std::move(all.y)};
    } else {
        table.columns = {state_->x, state_->y};
    }
    return table;
}

} // namespace lathe
