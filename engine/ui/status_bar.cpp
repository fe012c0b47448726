// SPDX-License-Identifier: MIT
#include "engine/ui/status_bar.h"

#include "engine/ui/theme.h"

#include <algorithm>

namespace lathe {

namespace {

float width_of(const StatusItem& item) {
    const float mark =
        item.tone == StatusItem::Tone::plain ? 0 : ImGui::GetTextLineHeight() * 0.7f + theme::px(5);
    return mark + ImGui::CalcTextSize(item.text.c_str()).x;
}

void draw_item(const StatusItem& item) {
    ImGui::BeginGroup();
    if (item.tone == StatusItem::Tone::good) theme::dot(theme::kGood);
    if (item.tone == StatusItem::Tone::warning) theme::dot(theme::kWarning);
    if (item.tone == StatusItem::Tone::error) theme::dot(theme::kError);
    theme::text(item.text, item.tone == StatusItem::Tone::plain ? theme::kDim : theme::kText);
    ImGui::EndGroup();
    theme::tooltip(item.tip);
}

} // namespace

void StatusBar::draw(const std::vector<StatusItem>& left, const std::vector<StatusItem>& right) {
    theme::push_font(theme::Font::small);
    const float gap = theme::px(18),
                end = ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x;
    float right_width = 0;
    for (const auto& item : right) right_width += width_of(item) + gap;
    const float limit = end - std::max(right_width - gap, 0.0f);
    bool first = true;
    for (const auto& item : left) {
        if (!first) ImGui::SameLine(0, gap);
        if (!first && ImGui::GetCursorPosX() + width_of(item) > limit - gap) break;
        draw_item(item);
        first = false;
    }
    float x = limit;
    for (const auto& item : right) {
        ImGui::SameLine(x);
        draw_item(item);
        x += width_of(item) + gap;
    }
    theme::pop_font();
}

} // namespace lathe
