// SPDX-License-Identifier: MIT
// What the inspector knows of a line, drawn beside it: a symbol where there is a hazard, a bar for
// the share of the work, one number. The rest comes when the mouse rests there. Words are in
// cost_words.h.
#pragma once

#include "engine/live/line_costs.h"
#include "engine/ui/cost_words.h"

#include <imgui.h>

namespace lathe {

class CostGutter {
public:
    /// In glyphs of the editor's font: symbol, bar, number.
    static constexpr int kGlyphs = 5 + kCostCellGlyphs;

    CostColumn column = CostColumn::worst; ///< the number that is always shown

    /// Inside the editor's window; `low` and `high` are the row's corners on the screen. A row of
    /// several lines has the hazards of all, the sum of their shares, and the number of the one
    /// that has most of it.
    void draw(const SlotInspection& inspection, int first, int last, ImVec2 low, ImVec2 high) const;
};

} // namespace lathe
