// SPDX-License-Identifier: MIT
// Where the milliseconds go: frame, simulation and drawing over the last frames, median and 95th
// percentile.
#pragma once

namespace lathe {

class FrameStats;

class TimingPanel {
public:
    /// Inside the panel's window.
    void draw(const FrameStats& stats);

private:
    double top_ = 20; ///< of the plot in ms; follows slowly so that the scale does not jump
};

} // namespace lathe
