// SPDX-License-Identifier: MIT
#include "engine/plots/heat_map.h"

#include "engine/plots/plot_kernels.h"
#include "engine/render/colormap.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace lathe {

namespace {

/// Of the finite values; 0 to 1 where there are none.
std::pair<double, double> extremes_of(const std::vector<double>& values) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : values)
        if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    if (low > high) return {0, 1};
    return low < high ? std::pair{low, high} : std::pair{low - 0.5, high + 0.5};
}

void check_ends(const std::string& function, const char* what, double low, double high) {
    if (!std::isfinite(low) || !std::isfinite(high) || low == high)
        throw std::invalid_argument{fmt::format("{} has {} with two different ends, got {} and {}",
                                                function, what, low, high)};
}

} // namespace

void HeatMap::take(const gpu::Array& array, const HeatMapConfig& config) {
    const std::string function = fmt::format("heat map \"{}\"", name());
    if (array.dimensions() != 2 || array.size() == 0)
        throw std::invalid_argument{fmt::format("{} takes an array (rows, columns), got shape ({})",
                                                function, fmt::join(array.shape(), ", "))};
    if (config.range) check_ends(function, "a range", (*config.range)[0], (*config.range)[1]);
    if (config.extent)
        for (const std::size_t side : {0, 2})
            check_ends(function, "an extent", (*config.extent)[side], (*config.extent)[side + 1]);
    Colormap::named(config.colormap); // throws
    const auto most = std::int64_t(kMostCells);
    const std::int64_t height = (array.shape()[0] + most - 1) / most,
                       width = (array.shape()[1] + most - 1) / most;
    const gpu::Array means = plot_kernels::means(array, height, width, function);
    config_ = config;
    PlotCells made;
    made.label = config.unit;
    made.rows = std::size_t(means.shape()[0]);
    made.columns = std::size_t(means.shape()[1]);
    made.colormap = config.colormap;
    made.y_up = config.y_up;
    const auto rows = double(array.shape()[0]), columns = double(array.shape()[1]);
    const auto [left, right, bottom, top] = config.extent.value_or(
        std::array<double, 4>{0, columns, config.y_up ? 0 : rows, config.y_up ? rows : 0});
    made.left = left, made.right = right, made.bottom = bottom, made.top = top;
    // The last blocks are as large as the others, though the array may end within them.
    const double across = double(made.columns) * double(width) / columns,
                 down = double(made.rows) * double(height) / rows;
    made.right = left + across * (right - left);
    if (config.y_up) made.top = bottom + down * (top - bottom);
    else made.bottom = top + down * (bottom - top);
    run().reads.read(means, [cells = cells_, made, range = config.range](auto bytes) {
        if (bytes.empty()) return;
        auto now = std::make_shared<PlotCells>(made);
        now->values.resize(made.rows * made.columns);
        std::memcpy(now->values.data(), bytes.data(), bytes.size());
        std::tie(now->low, now->high) =
            range ? std::pair{(*range)[0], (*range)[1]} : extremes_of(now->values);
        *cells = std::move(now);
    });
}

PlotShape HeatMap::shape(const PlotWindow&) const {
    PlotShape shape;
    shape.title = name();
    shape.x.label = config_.x_label;
    shape.y.label = config_.y_label;
    shape.is_equal = !config_.extent;
    if (!cells().values.empty()) shape.cells = *cells_;
    return shape;
}

PlotTable HeatMap::table() {
    wait();
    const PlotCells& now = cells();
    PlotTable table;
    table.columns.resize(now.columns);
    for (std::size_t i = 0; i < now.values.size(); ++i)
        table.columns[i % now.columns].push_back(now.values[i]);
    return table;
}

} // namespace lathe
