// SPDX-License-Identifier: MIT
// The numbers of the inspector in words: the cells beside the lines of the editor, and what they
// mean. No Dear ImGui.
#pragma once

#include "engine/live/line_costs.h"

#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// Which number stands beside each line.
enum class CostColumn { worst, share, active, memory, banks, branches, atomics, barriers };
constexpr int kCostColumns = 8;
/// "worst of them", "share of the instructions", …: for a menu.
std::string_view name_of(CostColumn column);

struct CostCell {
    std::string text; ///< at most kCostCellGlyphs; empty where the line has no such number
    double waste = 0; ///< 0: as good as it can be, towards 1: most of the work is for nothing
};
constexpr int kCostCellGlyphs = 8;
CostCell cell_of(const LineCosts& costs, CostColumn column);

/// One number of a line with its meaning, and with what mends it where it is wasteful.
struct CostSentence {
    std::string number, meaning;
    double waste = 0;
};
/// All that is known of a line, the share first.
std::vector<CostSentence> explain(const LineCosts& costs);

/// A hazard in a few lines: title, both threads with their lines, the memory, what mends it.
/// Lines are those of the present text.
std::string explain(const LineFinding& finding);

} // namespace lathe
