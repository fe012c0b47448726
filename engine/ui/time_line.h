// SPDX-License-Identifier: MIT
// The run's past as a strip: a drag goes back in it, other branches are thin lines that a click
// chooses.
#pragma once

namespace lathe {

class History;
class RunControl;
class StepLoop;

class TimeLine {
public:
    static float height();

    /// Inside a window, over its whole width. A drag pauses.
    void draw(const History& history, const StepLoop& loop, RunControl& control);

private:
    bool is_dragged_ = false;
};

} // namespace lathe
