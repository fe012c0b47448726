// SPDX-License-Identifier: MIT
#include "engine/plots/plot.h"

#include <utility>

namespace lathe {

Plot::Plot(std::string name, std::shared_ptr<PlotRun> run)
    : name_{std::move(name)}, run_{std::move(run)} {}

Plot::~Plot() = default;

void Plot::wait() {
    run_->reads.wait();
    take_arrived();
}

} // namespace lathe
