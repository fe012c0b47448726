// SPDX-License-Identifier: MIT
// The plots of a program, by name, in the order in which they were made. A studio shows them in a
// panel; without one they are made, and saved, in the same way.
//
//   ValueLog& energy = app.plots().log_values("energy", {.curves = {"kinetic", "potential"}});
//   app.run([&](const Step&) {
//       energy({kinetic, potential}); // numbers, or arrays of one element
//       app.plots().histogram("speeds", speeds, {.bins = 64, .range = {{0, 4}}});
//   });
#pragma once

#include "engine/core/api.h"
#include "engine/plots/heat_map.h"
#include "engine/plots/histogram.h"
#include "engine/plots/phase_plot.h"
#include "engine/plots/plot.h"
#include "engine/plots/run_branches.h"
#include "engine/plots/value_log.h"
#include "gpu/stream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

class LATHE_API Plots {
public:
    /// Arrays are read in the order of this stream, which takes turns with the legacy default one.
    explicit Plots(gpu::StreamView stream);
    Plots(const Plots&) = delete;
    Plots& operator=(const Plots&) = delete;
    ~Plots();

    // The plot of that name is found again, with what it has, where it is of the same kind and, a
    // log, of the same configuration. One of another kind or configuration throws
    // std::invalid_argument; after a reload it takes the old one's place. So does an empty name.

    ValueLog& log_values(const std::string& name, const ValueLogConfig& config = {});
    /// See Histogram::count(); the others likewise.
    Histogram& histogram(const std::string& name, const gpu::Array& array,
                         const HistogramConfig& config = {});
    PhasePlot& phase_plot(const std::string& name, const gpu::Array& x, const gpu::Array& y,
                          const PhasePlotConfig& config = {});
    PhasePlot& phase_plot(const std::string& name, PhasePlot::LoggedCurve x,
                          PhasePlot::LoggedCurve y, const PhasePlotConfig& config = {});
    HeatMap& heat_map(const std::string& name, const gpu::Array& array,
                      const HeatMapConfig& config = {});

    const std::vector<std::shared_ptr<Plot>>& all() const noexcept { return plots_; }
    std::shared_ptr<Plot> find(std::string_view name) const;
    /// Of log_values(), by which phase_plot() follows it.
    std::shared_ptr<ValueLog> find(const ValueLog& log) const;

    // -- of the loop -----------------------------------------------------------------------------
    using OfTimeline = std::optional<RunBranches::OfTimeline>; ///< nothing without a history

    /// A step has begun, on the branch that the history is on.
    void begin_step(std::uint64_t step, double time, const OfTimeline& branch);
    /// The run starts over, or goes on from elsewhere: that step is its next one.
    void begin(std::uint64_t step, const OfTimeline& branch);
    /// The run goes to another step. Waits for what is under way.
    void go_elsewhere();
    /// Takes what has arrived from the device. Waits for nothing.
    void poll();
    /// What the program does not ask for again until its second step from now goes.
    void begin_reload();
    /// The program ends: what is under way is forgotten.
    void close() noexcept;

private:
    template <class Kind> Kind* claimed(const std::string& name);
    template <class Kind, class... Arguments>
    Kind& find_or_make(const std::string& name, const Arguments&... arguments);
    void drop_unclaimed();
    void follow(const RunBranches::OfTimeline& branch);
    void take_arrived();

    std::shared_ptr<PlotRun> run_;
    std::vector<std::shared_ptr<Plot>> plots_;
    std::vector<std::string> unclaimed_; ///< since the last reload
    int steps_until_drop_ = 0;
};

} // namespace lathe
