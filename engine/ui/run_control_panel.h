// SPDX-License-Identifier: MIT
// One row: reset, play or pause, single step, speed, steps a frame, frame count, simulation time.
// Keys, while no text field has the keyboard: Space, R, and the period for a step.
#pragma once

#include "engine/app/input.h"

#include <optional>
#include <string>

namespace lathe {

class RunControl;

class RunControlPanel {
public:
    explicit RunControlPanel(RunControl& control) : control_{control} {}

    /// True where the key was one of the panel's.
    bool handle(const KeyEvent& key);
    /// Inside a window. `fps` is shown at the right end.
    void draw(std::uint64_t frame, double frames_per_second);

    std::optional<double> time; ///< simulation time in seconds, where the program tells it
    std::string caption;        ///< the program's own words, after the time

private:
    RunControl& control_;
};

} // namespace lathe
