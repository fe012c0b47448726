// SPDX-License-Identifier: MIT
// One access of a warp: of global memory its sectors of 32 bytes, of shared memory its banks. A
// cell of 4 bytes has the colour of the lane that accesses it.
#pragma once

#include "gpu/inspect/warp_trace.h"

#include <imgui.h>

#include <string>

namespace lathe {

/// Of lanes 0 to 31, from violet to yellow.
unsigned color_of_lane(unsigned lane);

/// "read of global memory, 4 bytes a lane", then what it costs and what would do.
std::string words_of_access(const gpu::WarpStep& step);

/// In `room` at the cursor; rows that do not fit are left out, and their number is told.
void draw_access(const gpu::WarpStep& step, ImVec2 room);

} // namespace lathe
