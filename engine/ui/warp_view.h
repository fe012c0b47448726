// SPDX-License-Identifier: MIT
// A warp over time (engine/live/warp_watch.h): a column for each step, a row for each lane, which
// has the colour of the line where it takes part; and what the chosen step accesses.
#pragma once

#include "engine/live/warp_watch.h"

#include <imgui.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

class WarpView {
public:
    explicit WarpView(WarpWatch& watch) : watch_{watch} {}

    /// In the rest of the window. The watch has steps.
    void draw();
    /// The line of the chosen step in the text that was followed; 0 where it is of another file.
    int line();
    /// Another step is chosen since the last call.
    bool take_move() { return std::exchange(has_moved_, false); }

private:
    void take_result();
    void take_keys();
    void go(int step);
    void draw_lanes(ImVec2 room);
    void draw_column(const gpu::WarpStep& step, ImVec2 at, ImVec2 cell, bool is_chosen) const;
    void draw_step();
    unsigned ink_of(const gpu::WarpStep& step, bool is_chosen) const;
    std::string words_of(const gpu::WarpStep& step) const;
    bool is_of_text(const gpu::WarpStep& step) const;

    WarpWatch& watch_;
    std::uint64_t seen_ = 0; ///< result
    std::vector<std::string> text_;
    std::map<int, unsigned> inks_; ///< by line
    int step_ = 0;
    bool has_moved_ = false;
    bool scrolls_ = false; ///< to the step
};

} // namespace lathe
