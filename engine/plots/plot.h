// SPDX-License-Identifier: MIT
// What plots have in common: a name, a shape that is drawn, a table that is saved. A plot needs no
// window, and waits for the device only where it says so. Plots (plots.h) makes them.
#pragma once

#include "engine/core/api.h"
#include "engine/plots/host_reads.h"
#include "engine/plots/plot_shape.h"
#include "engine/plots/run_branches.h"
#include "gpu/stream.h"

#include <cstdint>
#include <memory>
#include <string>

namespace lathe {

/// What all plots of a program share. It may outlive the program.
struct PlotRun {
    explicit PlotRun(gpu::StreamView stream) : reads{stream} {}

    HostReads reads;
    RunBranches branches;
    std::uint64_t step = 0; ///< the last one
    double time = 0;        ///< its time, seconds
};

class LATHE_API Plot {
public:
    Plot(std::string name, std::shared_ptr<PlotRun> run);
    Plot(const Plot&) = delete;
    Plot& operator=(const Plot&) = delete;
    virtual ~Plot();

    const std::string& name() const noexcept { return name_; }
    /// As it is on the host now.
    virtual PlotShape shape(const PlotWindow& window = {}) const = 0;
    /// All numbers, for a file. Waits for what is under way.
    virtual PlotTable table() = 0;
    /// Takes what has arrived from the device.
    virtual void take_arrived() {}
    /// Waits for what is under way from the device, and takes it.
    void wait();

    // Of the loop.
    virtual void go_elsewhere() {}
    virtual void begin_branch() {}

protected:
    PlotRun& run() const noexcept { return *run_; }

private:
    std::string name_;
    std::shared_ptr<PlotRun> run_;
};

} // namespace lathe
