// SPDX-License-Identifier: MIT
// An array of two axes as colours.
#pragma once

#include "engine/core/api.h"
#include "engine/plots/plot.h"
#include "gpu/array/array.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace lathe {

struct HeatMapConfig {
    std::string colormap = "viridis";
    /// Of the colours. Unset: from the least to the greatest finite value.
    std::optional<std::array<double, 2>> range{};
    /// Left, right, bottom and top of the array. Unset: columns and rows, counted from 0.
    std::optional<std::array<double, 4>> extent{};
    std::string x_label{}, y_label{}, unit{};
    bool y_up = false; ///< row 0 is at the bottom
};

/// A two-dimensional array as colours, with axes.
class LATHE_API HeatMap final : public Plot {
public:
    static constexpr std::size_t kMostCells = 512; ///< of a side

    using Plot::Plot;

    /// A longer side is shown by the means of equal blocks, NaN left out. Asynchronous. Throws
    /// std::invalid_argument for an array without two axes or without elements, and for a range or
    /// an extent that is not finite or empty, lathe::Error for an unknown colormap, gpu::TypeError
    /// for complex numbers and structures, gpu::Error.
    void take(const gpu::Array& array, const HeatMapConfig& config);

    /// What has arrived: (rows, columns) in C order.
    const PlotCells& cells() const noexcept { return **cells_; }

    PlotShape shape(const PlotWindow& window = {}) const override;
    /// The cells' values, without names. Waits.
    PlotTable table() override;

private:
    using Cells = std::shared_ptr<const PlotCells>;
    HeatMapConfig config_;
    /// Reads under way share it.
    std::shared_ptr<Cells> cells_ = std::make_shared<Cells>(std::make_shared<PlotCells>());
};

} // namespace lathe
