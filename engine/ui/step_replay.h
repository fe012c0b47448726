// SPDX-License-Identifier: MIT
// Does the step that is shown once more, so that a launch of it can be followed: the one that made
// what the picture shows. It needs the program's history. The launch that is followed has other
// last bits, so the step is done a third time as it was, and then the run goes on where it stood.
#pragma once

#include "engine/app/history.h"
#include "engine/app/run_control.h"
#include "engine/app/step_loop.h"
#include "engine/live/thread_watch.h"

#include <cstdint>

namespace lathe {

class StepReplay {
public:
    StepReplay(StepLoop& loop, RunControl& control, const History& history, ThreadWatch& watch)
        : loop_{loop}, control_{control}, history_{history}, watch_{watch} {}

    /// After watch.follow(): what is followed is the kernel's last launch in the step that is shown
    /// now. Without a history, and before the first step, it is the next launch.
    void begin();
    /// Once a frame.
    void update();

private:
    enum class Phase { off, compiling, following, putting_back };

    StepLoop& loop_;
    RunControl& control_;
    const History& history_;
    ThreadWatch& watch_;
    Phase phase_ = Phase::off;
    std::uint64_t step_ = 0;  ///< that is followed
    std::uint64_t shown_ = 0; ///< that the run goes back to
};

} // namespace lathe
