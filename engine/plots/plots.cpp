// SPDX-License-Identifier: MIT
#include "engine/plots/plots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace lathe {

Plots::Plots(gpu::StreamView stream) : run_{std::make_shared<PlotRun>(stream)} {}
Plots::~Plots() { close(); }

std::shared_ptr<Plot> Plots::find(std::string_view name) const {
    for (const auto& plot : plots_)
        if (plot->name() == name) return plot;
    return {};
}

std::shared_ptr<ValueLog> Plots::find(const ValueLog& log) const {
    for (const auto& plot : plots_)
        if (plot.get() == &log) return std::static_pointer_cast<ValueLog>(plot);
    throw std::invalid_argument{fmt::format("log \"{}\" is not one of this App", log.name())};
}

/// The plot of that name, if it is of this kind; null where there is none, or an old one that may
/// be replaced.
template <class Kind> Kind* Plots::claimed(const std::string& name) {
    if (name.empty()) throw std::invalid_argument{"a plot has a name"};
    const auto old = find(name);
    if (!old) return nullptr;
    auto* const plot = dynamic_cast<Kind*>(old.get());
    const bool is_claimed = std::erase(unclaimed_, name) == 0;
    if (!plot && is_claimed)
        throw std::invalid_argument{
            fmt::format("plot \"{}\" is there already, and is of another kind", name)};
    return plot;
}

template <class Kind, class... Arguments>
Kind& Plots::find_or_make(const std::string& name, const Arguments&... arguments) {
    if (Kind* const plot = claimed<Kind>(name)) return *plot;
    auto made = std::make_shared<Kind>(name, run_, arguments...);
    const auto old = std::ranges::find(plots_, name, &Plot::name);
    if (old == plots_.end()) plots_.push_back(made);
    else *old = made;
    return *made;
}

ValueLog& Plots::log_values(const std::string& name, const ValueLogConfig& config) {
    ValueLogConfig wanted = config;
    if (wanted.curves.empty()) wanted.curves.push_back(name);
    const bool is_unclaimed = std::ranges::find(unclaimed_, name) != unclaimed_.end();
    if (const auto* log = claimed<ValueLog>(name); log && log->config() != wanted) {
        if (!is_unclaimed)
            throw std::invalid_argument{
                fmt::format("log \"{}\" is there already, with the curves {} and other options "
                            "perhaps",
                            name, fmt::join(log->curves(), ", "))};
        std::erase_if(plots_, [&](const auto& plot) { return plot->name() == name; });
    }
    return find_or_make<ValueLog>(name, wanted);
}

Histogram& Plots::histogram(const std::string& name, const gpu::Array& array,
                            const HistogramConfig& config) {
    Histogram& plot = find_or_make<Histogram>(name);
    plot.count(array, config);
    return plot;
}

PhasePlot& Plots::phase_plot(const std::string& name, const gpu::Array& x, const gpu::Array& y,
                             const PhasePlotConfig& config) {
    PhasePlot& plot = find_or_make<PhasePlot>(name);
    plot.take(x, y, config);
    return plot;
}

PhasePlot& Plots::phase_plot(const std::string& name, PhasePlot::LoggedCurve x,
                             PhasePlot::LoggedCurve y, const PhasePlotConfig& config) {
    PhasePlot& plot = find_or_make<PhasePlot>(name);
    plot.follow(std::move(x), std::move(y), config);
    return plot;
}

HeatMap& Plots::heat_map(const std::string& name, const gpu::Array& array,
                         const HeatMapConfig& config) {
    HeatMap& plot = find_or_make<HeatMap>(name);
    plot.take(array, config);
    return plot;
}

void Plots::begin_step(std::uint64_t step, double time, const OfTimeline& branch) {
    if (!unclaimed_.empty() && --steps_until_drop_ < 0) drop_unclaimed();
    run_->step = step;
    run_->time = time;
    if (branch) follow(*branch);
}

void Plots::follow(const RunBranches::OfTimeline& branch) {
    RunBranches& branches = run_->branches;
    if (branches.at(branches.current()).in_timeline == branch.number) return;
    run_->reads.wait(); // rows on the way are of the branch before
    take_arrived();
    if (branches.follow(branch))
        for (const auto& plot : plots_) plot->begin_branch();
}

void Plots::begin(std::uint64_t step, const OfTimeline& branch) {
    go_elsewhere();
    if (branch) follow(*branch);
    else run_->branches.begin(step);
    run_->step = step;
    if (step == 0) run_->time = 0;
}

void Plots::go_elsewhere() {
    run_->reads.wait();
    take_arrived();
    for (const auto& plot : plots_) plot->go_elsewhere();
}

void Plots::poll() {
    run_->reads.poll();
    take_arrived();
}

void Plots::take_arrived() {
    for (const auto& plot : plots_) plot->take_arrived();
}

void Plots::begin_reload() {
    unclaimed_.clear();
    for (const auto& plot : plots_) unclaimed_.push_back(plot->name());
    steps_until_drop_ = 1;
}

void Plots::drop_unclaimed() {
    std::erase_if(plots_, [&](const auto& plot) {
        return std::ranges::find(unclaimed_, plot->name()) != unclaimed_.end();
    });
    unclaimed_.clear();
}

void Plots::close() noexcept { run_->reads.close(); }

} // namespace lathe
