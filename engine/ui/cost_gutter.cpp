// SPDX-License-Identifier: MIT
#include "engine/ui/cost_gutter.h"

#include "engine/ui/theme.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lathe {

namespace {

std::vector<const LineFinding*> findings_in(const SlotInspection& inspection, int first, int last) {
    const auto is_in = [=](int line) { return first <= line && line <= last; };
    std::vector<const LineFinding*> found;
    for (const LineFinding& finding : inspection.findings)
        if (is_in(finding.first) || is_in(finding.second)) found.push_back(&finding);
    return found;
}

/// What a row costs: its share, and the line that has most of it; null where nothing ran.
struct RowCosts {
    double share = 0;
    const LineCosts* most = nullptr;
};
RowCosts costs_of(const SlotInspection& inspection, int first, int last) {
    RowCosts row;
    for (const LineCosts& costs : inspection.lines) {
        if (costs.line < first || costs.line > last) continue;
        row.share += costs.share;
        if (!row.most || costs.share > row.most->share) row.most = &costs;
    }
    return row;
}

ImU32 mix(unsigned from, unsigned to, float part) {
    const ImVec4 a = theme::color(from), b = theme::color(to);
    const auto between = [part](float x, float y) { return x + (y - x) * part; };
    return ImGui::ColorConvertFloat4ToU32(
        {between(a.x, b.x), between(a.y, b.y), between(a.z, b.z), 1});
}

/// Quiet where nothing is lost, orange where most is.
ImU32 ink_of(double waste) {
    return mix(theme::kDim, theme::kCostly, float(std::clamp(2 * waste, 0.0, 1.0)));
}

void draw_diamond(ImDrawList& list, ImVec2 at, float radius) {
    const ImU32 ink = theme::packed(theme::kHazard);
    list.AddQuadFilled({at.x, at.y - radius}, {at.x + radius, at.y}, {at.x, at.y + radius},
                       {at.x - radius, at.y}, ink);
}

void begin_tooltip() {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{theme::px(10), theme::px(8)});
    ImGui::BeginTooltip();
    theme::push_font(theme::Font::small);
}
void end_tooltip() {
    theme::pop_font();
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

void draw_findings(const std::vector<const LineFinding*>& findings) {
    ImGui::PushTextWrapPos(theme::px(440));
    for (const LineFinding* finding : findings) {
        if (finding != findings.front()) ImGui::Dummy({0, theme::px(2)});
        const std::string text = explain(*finding);
        const auto end = text.find('\n');
        theme::text(text.substr(0, end), theme::kHazard);
        theme::text(text.substr(std::min(end, text.size() - 1) + 1));
    }
    ImGui::PopTextWrapPos();
}

void draw_costs(const LineCosts& costs) {
    constexpr float kNumber = 52, kMeaning = 380;
    for (const CostSentence& sentence : explain(costs)) {
        const float left = ImGui::GetCursorPosX();
        const float width = ImGui::CalcTextSize(sentence.number.c_str()).x;
        ImGui::SetCursorPosX(left + theme::px(kNumber) - width);
        ImGui::PushStyleColor(ImGuiCol_Text, ink_of(sentence.waste));
        ImGui::TextUnformatted(sentence.number.c_str());
        ImGui::PopStyleColor();
        ImGui::SameLine(left + theme::px(kNumber + 10));
        ImGui::PushTextWrapPos(left + theme::px(kNumber + 10 + kMeaning));
        theme::text(sentence.meaning);
        ImGui::PopTextWrapPos();
    }
}

} // namespace

void CostGutter::draw(const SlotInspection& inspection, int first, int last, ImVec2 low,
                      ImVec2 high) const {
    const RowCosts row = costs_of(inspection, first, last);
    const LineCosts* const costs = row.most;
    const auto findings = findings_in(inspection, first, last);
    if (!costs && findings.empty()) return;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float glyph = (high.x - low.x) / kGlyphs, height = high.y - low.y;
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high)) {
        list.AddRectFilled(low, high, theme::packed(theme::kText, 0.06f));
        begin_tooltip();
        if (!findings.empty()) draw_findings(findings);
        if (!findings.empty() && costs) {
            ImGui::Dummy({0, theme::px(1)});
            ImGui::Separator();
            ImGui::Dummy({0, theme::px(1)});
        }
        if (costs) draw_costs(*costs);
        end_tooltip();
    }
    if (!findings.empty())
        draw_diamond(list, {low.x + 0.7f * glyph, low.y + 0.5f * height}, 0.3f * height);
    if (!costs) return;
    const float bar = low.x + 1.6f * glyph, bar_width = 3 * glyph;
    const float top = low.y + std::round(0.3f * height), foot = high.y - std::round(0.3f * height);
    list.AddRectFilled({bar, top}, {bar + bar_width, foot}, theme::packed(theme::kLine), 1);
    const auto share = float(row.share);
    const float part = share > 0 ? std::min(share / float(inspection.largest_share), 1.0f) : 0;
    list.AddRectFilled({bar, top}, {bar + std::max(part * bar_width, share > 0 ? 1.0f : 0), foot},
                       mix(theme::kAccent, theme::kCostly, std::min(2 * share, 1.0f)), 1);
    const CostCell cell = cell_of(*costs, column);
    const ImVec2 size = ImGui::CalcTextSize(cell.text.c_str());
    list.AddText({high.x - size.x, low.y + 0.5f * (height - size.y)}, ink_of(cell.waste),
                 cell.text.c_str());
}

} // namespace lathe
