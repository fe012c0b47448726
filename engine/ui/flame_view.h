// SPDX-License-Identifier: MIT
// A frame's zones over time: rows of bars, those within another one below it, for each lane. The
// wheel zooms, a drag moves, a double click shows the whole frame again.
#pragma once

#include "engine/app/profile.h"

#include <imgui.h>

namespace lathe {

class FlameView {
public:
    void draw(const ProfiledFrame& frame, ImVec2 size);

private:
    void steer(float left, float width);
    double from_ = 0, to_ = 1; ///< what is shown, in parts of the frame
};

} // namespace lathe
