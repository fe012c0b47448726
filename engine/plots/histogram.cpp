// SPDX-License-Identifier: MIT
#include "engine/plots/histogram.h"

#include "engine/plots/plot_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace lathe {

namespace {

using plot_kernels::CountedWords;

/// As numpy.linspace has them.
std::vector<double> edges_between(double low, double high, int bins) {
    std::vector<double> edges;
    const double width = (high - low) / bins;
    for (int i = 0; i < bins; ++i) {
        const double from_low = double(i) * width;
        edges.push_back(from_low + low);
    }
    edges.push_back(high);
    return edges;
}

} // namespace

void Histogram::count(const gpu::Array& array, const HistogramConfig& config) {
    const std::string function = fmt::format("histogram \"{}\"", name());
    if (config.bins < 1 || config.bins > kMostBins)
        throw std::invalid_argument{
            fmt::format("{} has 1 to {} bins, got {}", function, kMostBins, config.bins)};
    if (config.range) {
        const auto [low, high] = *config.range;
        if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
            throw std::invalid_argument{
                fmt::format("{} has a range from low to high, got ({}, {})", function, low, high)};
    }
    const gpu::Array words = plot_kernels::count(array, config.bins, config.range, function);
    config_ = config;
    run().reads.read(words, [counted = counts_, config, step = run().step](auto bytes) {
        if (bytes.empty()) return;
        std::vector<std::uint64_t> all(bytes.size() / sizeof(std::uint64_t));
        std::memcpy(all.data(), bytes.data(), bytes.size());
        const auto [low, high] = config.range ? *config.range : plot_kernels::range_in(all.data());
        *counted = {.edges = edges_between(low, high, config.bins),
                    .counts = {all.begin() + CountedWords::kHeader, all.end()},
                    .below = all[CountedWords::below],
                    .above = all[CountedWords::above],
                    .nan = all[CountedWords::nan],
                    .step = step};
    });
}

PlotShape Histogram::shape(const PlotWindow&) const {
    const Counts& now = counts();
    PlotShape shape;
    shape.title = name();
    shape.x.label = config_.unit;
    shape.y = {"count", config_.log_scale};
    shape.bars = PlotBars{now.edges, {now.counts.begin(), now.counts.end()}};
    std::vector<std::string> left_out;
    if (now.below > 0) left_out.push_back(fmt::format("{} below", now.below));
    if (now.above > 0) left_out.push_back(fmt::format("{} above", now.above));
    if (now.nan > 0) left_out.push_back(fmt::format("{} NaN", now.nan));
    if (!left_out.empty()) shape.note = fmt::format("not counted: {}", fmt::join(left_out, ", "));
    return shape;
}

PlotTable Histogram::table() {
    wait();
    const Counts& now = counts();
    PlotTable table{{"low", "high", "count"}, {{}, {}, {}}};
    for (std::size_t bin = 0; bin < now.counts.size(); ++bin) {
        table.columns[0].push_back(now.edges[bin]);
        table.columns[1].push_back(now.edges[bin + 1]);
        table.columns[2].push_back(double(now.counts[bin]));
    }
    return table;
}

} // namespace lathe
