// SPDX-License-Identifier: MIT
// The plots of an App, as Python's App makes them.
#pragma once

#include "engine/ui/studio.h"

#include <pybind11/pybind11.h>

#include <memory>

namespace lathe::bind {

/// The studio's part: log_values, histogram, phase_plot, heat_map, plots, save_plot.
void bind_plots_of(pybind11::class_<Studio, std::shared_ptr<Studio>>& c);

} // namespace lathe::bind
