// SPDX-License-Identifier: MIT
// Whether the simulation runs and how fast. Pausing stops steps, never frames: the window,
// the camera and the panels go on.
#pragma once

#include "engine/core/api.h"

#include <cstdint>
#include <optional>

namespace lathe {

struct KeyEvent;

class LATHE_API RunControl {
public:
    bool paused = false;
    double speed = 1; ///< simulated steps a frame are substeps × speed; kept within 0.01…100
    int substeps = 1; ///< steps a frame at speed 1; at least 1
    /// Simulated seconds of each step. Unset: in a window what passed since the frame before, 0.1
    /// at most; without one 1/60.
    std::optional<double> fixed_dt{};

    /// Space pauses, R resets, the period does one step, the comma goes one back. True where the
    /// key was one of them.
    bool handle(const KeyEvent& key);
    void toggle_pause() { paused = !paused; }
    /// Pauses, and the next frame does exactly one step.
    void request_step();
    /// The next frame begins with the simulation's first state, paused or not.
    void request_reset();
    /// The next frame shows what that step, from 0, has drawn: from the history where that has it,
    /// else simulated. `branch` is one of the history's.
    void request_go_to(std::uint64_t step, std::optional<int> branch = {});
    /// Pauses, and the next frame shows the step before. Several add up.
    void request_step_back();

    /// A step, a reset or a travel is to come.
    bool is_asked() const { return step_wanted_ || reset_wanted_ || travel_wanted_; }

    /// Called once a frame by the frame loop: decides what this frame does.
    void begin_frame();
    /// Steps the simulation shall do in this frame; fractions are carried to later frames.
    int steps() const { return steps_; }
    /// True in the one frame that starts over.
    bool reset() const { return reset_; }
    /// Where this frame goes to; it has no steps() then.
    struct Travel {
        std::optional<std::uint64_t> step{}; ///< unset: the one shown
        std::uint64_t back = 0;              ///< so many before it
        std::optional<int> branch{};         ///< unset: the current one
    };
    const std::optional<Travel>& travel() const { return travel_; }

private:
    bool step_wanted_ = false;
    bool reset_wanted_ = false;
    bool reset_ = false;
    int steps_ = 0;
    double carried_ = 0;
    std::optional<Travel> travel_, travel_wanted_;
};

} // namespace lathe
