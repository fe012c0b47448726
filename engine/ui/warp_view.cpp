// SPDX-License-Identifier: MIT
#include "engine/ui/warp_view.h"

#include "engine/live/line_costs.h"
#include "engine/ui/access_picture.h"
#include "engine/ui/code_pane.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

namespace lathe {

namespace {

using gpu::WarpEvent;
using theme::px;

constexpr unsigned kLanes = 32;

std::string_view trimmed(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t");
    return begin == line.npos ? std::string_view{} : line.substr(begin);
}

} // namespace

void WarpView::take_result() {
    if (std::exchange(seen_, watch_.results()) == watch_.results()) return;
    text_.clear();
    std::istringstream lines{watch_.text()};
    for (std::string line; std::getline(lines, line);) text_.push_back(line);
    inks_.clear();
    const auto& steps = watch_.trace().steps;
    for (const gpu::WarpStep& step : steps) inks_.emplace(step.line, 0);
    std::size_t order = 0;
    for (auto& [line, ink] : inks_) ink = color_of_line(order++);
    const auto first = std::ranges::find_if(steps, &gpu::WarpStep::is_access);
    step_ = first == steps.end() ? 0 : int(first - steps.begin());
    has_moved_ = scrolls_ = true;
}

bool WarpView::is_of_text(const gpu::WarpStep& step) const {
    const int here = line_in(watch_.file(), step.file, step.line, {});
    return here > 0 && std::size_t(here) <= text_.size();
}

int WarpView::line() {
    take_result();
    const auto& steps = watch_.trace().steps;
    if (std::size_t(step_) >= steps.size()) return 0;
    return is_of_text(steps[std::size_t(step_)]) ? steps[std::size_t(step_)].line : 0;
}

void WarpView::go(int step) {
    step = std::clamp(step, 0, int(watch_.trace().steps.size()) - 1);
    if (std::exchange(step_, step) == step) return;
    has_moved_ = scrolls_ = true;
}

void WarpView::take_keys() {
    if (!ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) ||
        ImGui::GetIO().WantTextInput)
        return;
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key); };
    const auto& steps = watch_.trace().steps;
    const auto next_access = [&](int by) { // of memory
        for (int k = step_ + by; k >= 0 && k < int(steps.size()); k += by)
            if (steps[std::size_t(k)].is_access()) return go(k);
    };
    if (pressed(ImGuiKey_RightArrow)) go(step_ + 1);
    if (pressed(ImGuiKey_LeftArrow)) go(step_ - 1);
    if (pressed(ImGuiKey_DownArrow)) next_access(1);
    if (pressed(ImGuiKey_UpArrow)) next_access(-1);
    if (pressed(ImGuiKey_Home)) go(0);
    if (pressed(ImGuiKey_End)) go(int(steps.size()));
}

void WarpView::draw() {
    take_result();
    take_keys();
    const float all = ImGui::GetContentRegionAvail().x;
    const float right = std::clamp(all * 0.52f, px(260), px(640));
    if (ImGui::BeginChild("lanes", {all - right - px(8), 0}, 0,
                          ImGuiWindowFlags_HorizontalScrollbar))
        draw_lanes(ImGui::GetContentRegionAvail());
    ImGui::EndChild();
    ImGui::SameLine(0, px(8));
    if (ImGui::BeginChild("access")) draw_step();
    ImGui::EndChild();
}

unsigned WarpView::ink_of(const gpu::WarpStep& step, bool is_chosen) const {
    const auto known = inks_.find(step.line);
    const float alpha = is_chosen || step.event != WarpEvent::line ? 1.0f : 0.62f;
    return theme::packed(known == inks_.end() ? theme::kDim : known->second, alpha);
}

/// A row for each lane; below accesses and barriers is a mark.
void WarpView::draw_column(const gpu::WarpStep& step, ImVec2 at, ImVec2 cell,
                           bool is_chosen) const {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float gap = cell.y >= px(5) ? 1 : 0, end = at.x + cell.x - 1;
    const unsigned on = ink_of(step, is_chosen), off = theme::packed(theme::kField);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const float y = at.y + float(lane) * cell.y;
        draw.AddRectFilled({at.x, y}, {end, y + cell.y - gap}, step.lanes >> lane & 1 ? on : off);
    }
    const float y = at.y + kLanes * cell.y;
    if (step.event != WarpEvent::line)
        draw.AddRectFilled(
            {at.x, y + px(2)}, {end, y + px(5)},
            theme::packed(step.event == WarpEvent::barrier ? theme::kWarning : theme::kText));
}

void WarpView::draw_lanes(ImVec2 room) {
    const auto& steps = watch_.trace().steps;
    const float foot = px(6), count = float(steps.size());
    const ImVec2 cell{std::floor(std::clamp(room.x / count, px(5), px(18))),
                      std::floor(std::clamp((room.y - foot) / kLanes, px(2), px(12)))};
    if (std::exchange(scrolls_, false)) {
        const float at = float(step_) * cell.x;
        if (at < ImGui::GetScrollX() || at + cell.x > ImGui::GetScrollX() + room.x)
            ImGui::SetScrollX(std::max(at - room.x / 2, 0.0f));
    }
    const ImVec2 low = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("steps", {std::max(cell.x * count, 1.0f), cell.y * kLanes + foot});
    const bool is_hovered = ImGui::IsItemHovered();
    const auto column_at = [&](float x) { return std::size_t(std::max(x, 0.0f) / cell.x); };
    const auto end = std::min(steps.size(), column_at(ImGui::GetScrollX() + room.x) + 2);
    for (std::size_t k = column_at(ImGui::GetScrollX()); k < end; ++k)
        draw_column(steps[k], {low.x + float(k) * cell.x, low.y}, cell, int(k) == step_);
    const float chosen = low.x + float(step_) * cell.x;
    theme::outline(*ImGui::GetWindowDrawList(), {chosen - 2, low.y - 1},
                   {chosen + cell.x + 1, low.y + kLanes * cell.y + 1}, theme::packed(theme::kText),
                   0, px(1));
    const std::size_t under = column_at(ImGui::GetMousePos().x - low.x);
    if (!is_hovered || under >= steps.size()) return;
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) go(int(under));
    theme::push_font(theme::Font::small);
    ImGui::SetTooltip("%s", words_of(steps[under]).c_str());
    theme::pop_font();
}

/// "line 12: out[i] = x;", then what happens and how many lanes take part.
std::string WarpView::words_of(const gpu::WarpStep& step) const {
    std::string text = fmt::format("line {}", step.line);
    if (is_of_text(step)) text += fmt::format(": {}", trimmed(text_[std::size_t(step.line) - 1]));
    text += fmt::format("\n{} of {} lanes", std::popcount(step.lanes), kLanes);
    if (step.is_access()) text += fmt::format("\n{}", words_of_access(step));
    if (step.event == WarpEvent::barrier) text += "\nbarrier";
    return text;
}

void WarpView::draw_step() {
    const auto& steps = watch_.trace().steps;
    const gpu::WarpStep& step = steps[std::size_t(step_)];
    theme::push_font(theme::Font::small);
    theme::text(fmt::format("step {} of {}{}, line {}: {} of {} lanes", step_ + 1, steps.size(),
                            watch_.trace().is_cut ? " and more" : "", step.line,
                            std::popcount(step.lanes), kLanes),
                theme::kDim);
    theme::tooltip("Left and right go from step to step, up and down from access to access");
    ImGui::PushTextWrapPos(0);
    if (step.is_access()) {
        const bool wastes = step.space == gpu::WarpSpace::shared
                                ? step.turns() > 1
                                : step.sectors() > step.ideal_sectors();
        theme::text(words_of_access(step), wastes ? theme::kCostly : theme::kText);
    } else {
        theme::text(step.event == WarpEvent::barrier ? "They come to a barrier."
                                                     : "White marks below the lanes are accesses.",
                    theme::kDim);
    }
    ImGui::PopTextWrapPos();
    theme::pop_font();
    if (step.is_access()) draw_access(step, ImGui::GetContentRegionAvail());
}

} // namespace lathe
