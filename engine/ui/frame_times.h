// SPDX-License-Identifier: MIT
// Frame, simulation and drawing over the last frames: a table with median and 95th percentile, and
// a plot beside it.
#pragma once

#include <cstdint>
#include <optional>

namespace lathe {

class FrameStats;

class FrameTimes {
public:
    /// As wide as the window. Returns the frame that was clicked in the plot.
    std::optional<std::uint64_t> draw(const FrameStats& stats, float height);

private:
    double top_ = 20; ///< of the plot in ms; follows slowly so that the scale does not jump
};

} // namespace lathe
