// SPDX-License-Identifier: MIT
// A plot's shape by ImPlot, within BeginPlot() unless said otherwise.
#pragma once

#include "engine/plots/plot_shape.h"

#include <cstddef>

namespace lathe {

/// Of a curve, 0xRRGGBB as theme.h names colours.
unsigned plot_ink(std::size_t color);

/// The y axis, before SetupFinish(). `fits`: to the numbers. ImPlot would put room around the
/// numbers, not around their logarithms, and has no numbers within a decade.
void set_up_logarithmic(const PlotShape& shape, bool fits);
/// Bars, curves and the mark.
void draw_lines(const PlotShape& shape);
/// A tooltip, of bars and cells.
void draw_number_under_mouse(const PlotShape& shape);
/// The colours and what they mean, right of a heat map of that height, after EndPlot().
void draw_scale(const PlotCells& cells, float height);

} // namespace lathe
