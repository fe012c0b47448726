// SPDX-License-Identifier: MIT
// One row: reset, a step back, play or pause, single step, record, speed, steps a frame, frame
// count, simulation time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lathe {

class RunControl;

class RunControlPanel {
public:
    explicit RunControlPanel(RunControl& control) : control_{control} {}

    /// Inside a window.
    void draw(std::uint64_t frame, double frames_per_second);

    std::uint64_t steps = 0;    ///< done since the start or the last reset
    std::optional<double> time; ///< simulation time in seconds, where the program tells it
    std::string caption;        ///< the program's own words, after the time
    bool wants_keys = false;    ///< set by a click on the button that shows them
    bool is_recording = false;
    std::function<void()> record; ///< begins a movie, or ends it

private:
    void go_to();

    RunControl& control_;
    std::string wanted_; ///< the step that is typed
};

} // namespace lathe
