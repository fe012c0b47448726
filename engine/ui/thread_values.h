// SPDX-License-Identifier: MIT
// What variables are at a step of a followed thread, before and after the line, in any lane of its
// warp. Arrays in shared memory show the elements that the line has to do with, and all of them
// once they are opened.
#pragma once

#include "gpu/inspect/trace_lines.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

class ThreadValues {
public:
    /// Shows the lane that was followed.
    void begin(const gpu::LaneLines& lanes);
    /// In the rest of the window. `line` is the leader's.
    void draw(const gpu::LaneLines& lanes, const gpu::TraceLine& line);
    /// Another lane, as the keys and a click choose it; the block must have it.
    void go_to_lane(const gpu::LaneLines& lanes, unsigned lane);
    unsigned lane() const { return lane_; }

private:
    void draw_lanes(const gpu::LaneLines& lanes, const gpu::TraceLine& line);
    static std::vector<const gpu::TracedValue*> rows_of(const gpu::TraceLine& line);
    void draw_table(const gpu::TraceLine& line);
    void draw_array(const gpu::TraceLine& line, const gpu::TracedValue& value);

    unsigned lane_ = 0;
    std::set<std::string, std::less<>> open_; ///< arrays that show all
};

} // namespace lathe
