// SPDX-License-Identifier: MIT
// What is seen of a plot, whoever draws it: the panel, or a file.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

struct PlotAxis {
    std::string label{}; ///< with the unit in parentheses
    bool is_logarithmic = false;
};

/// Points that a line joins, or dots. A NaN is a gap.
struct PlotCurve {
    std::string label{}; ///< empty: none
    std::vector<double> x{}, y{};
    std::size_t color = 0; ///< the how manieth of the palette
    bool is_dim = false;   ///< of a branch that the run has left
    bool is_dots = false;
};

/// Bars from 0; bar i stands between edges i and i + 1.
struct PlotBars {
    std::vector<double> edges{}, heights{};
};

/// Numbers as colours.
struct PlotCells {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values{}; ///< row by row
    double low = 0, high = 1;     ///< of the colormap
    std::string colormap = "viridis";
    double left = 0, right = 1, bottom = 0, top = 1; ///< sides
    bool y_up = false;                               ///< row 0 is at the bottom
    std::string label{};                             ///< of the colours
};

/// A part of a plot that is to be drawn.
struct PlotWindow {
    double low = -std::numeric_limits<double>::infinity(); ///< of x
    double high = std::numeric_limits<double>::infinity();
    std::size_t columns = 1000; ///< pixels
};

struct PlotShape {
    std::string title{};
    PlotAxis x{}, y{};
    bool is_equal = false;           ///< a unit is as long along y as along x
    bool has_room = false;           ///< left and right of the points
    std::vector<PlotCurve> curves{}; ///< later ones lie over earlier ones
    std::optional<PlotBars> bars{};
    std::shared_ptr<const PlotCells> cells{}; ///< null: none
    std::optional<double> mark{};             ///< along x: where the run is
    std::string note{};                       ///< what cannot be seen: "3 values are NaN"
};

/// Named columns of numbers, all of one length; rows of cells have no names.
struct PlotTable {
    std::vector<std::string> names{};
    std::vector<std::vector<double>> columns{};
};

} // namespace lathe
