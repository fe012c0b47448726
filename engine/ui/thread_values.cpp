// SPDX-License-Identifier: MIT
#include "engine/ui/thread_values.h"

#include "engine/core/log.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lathe {

namespace {

using theme::px;

constexpr unsigned kLanesOfWarp = 32;
constexpr std::size_t kMostShownElements = 6; ///< of an array that is not opened

void value_row(std::string_view name, std::string_view before, std::string_view after,
               unsigned name_ink, unsigned after_ink, unsigned before_ink = theme::kText) {
    ImGui::TableNextRow();
    for (const auto& [text, ink] :
         {std::pair{name, name_ink}, {before, before_ink}, {after, after_ink}}) {
        ImGui::TableNextColumn();
        theme::text(text, ink);
        const auto width = ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
        if (width > ImGui::GetColumnWidth()) theme::tooltip(text); // it is cut
    }
}

/// "[32][33]"
std::string words_of_shape(const gpu::TracedValue& value) {
    std::string text;
    for (const std::uint64_t size : value.type->shape) text += fmt::format("[{}]", size);
    return text;
}

void element_row(const gpu::TraceLine& line, const std::string& name, std::size_t number) {
    const gpu::TracedValue *const before = line.value(name), *const after = line.value_after(name);
    const gpu::TracedValue now = gpu::element_of(*after, number);
    const std::string is = gpu::to_text(now);
    std::string was;
    if (before && number < gpu::elements_of(*before))
        was = gpu::to_text(gpu::element_of(*before, number));
    value_row("  " + now.type->name.substr(name.size()), was, is == was ? "" : is, theme::kDim,
              theme::kAccent);
}

bool is_shared_array(const gpu::TracedValue& value) {
    return value.is_shared && value.type->kind == ptx::ParameterType::Kind::array &&
           !value.type->members.empty() && value.type->members.front().bytes > 0;
}

/// Before the line, and behind it if that differs; nothing for arrays, which have rows of their
/// own.
std::pair<std::string, std::string> texts_of(const gpu::TraceLine& line,
                                             const gpu::TracedValue& value) {
    if (is_shared_array(value)) return {};
    const std::string& name = value.type->name;
    const gpu::TracedValue *const before = line.value(name), *const after = line.value_after(name);
    return {before ? gpu::to_text(*before) : "", after != before ? gpu::to_text(*after) : ""};
}

} // namespace

void ThreadValues::begin(const gpu::LaneLines& lanes) {
    lane_ = lanes.warp() ? lanes.warp()->place().leader : 0;
}

void ThreadValues::go_to_lane(const gpu::LaneLines& lanes, unsigned lane) {
    if (!lanes.warp() || lane >= kLanesOfWarp || !(lanes.warp()->place().lanes() >> lane & 1))
        return;
    if (std::exchange(lane_, lane) == lane) return;
    log::info("trace.lane({}, step)", lane);
}

void ThreadValues::draw(const gpu::LaneLines& lanes, const gpu::TraceLine& line) {
    if (lanes.warp()) draw_lanes(lanes, line);
    const auto there = lanes.warp() ? lanes.at(lane_, line) : std::optional{line};
    if (there) return draw_table(*there);
    ImGui::PushTextWrapPos(0);
    const bool is_known = !(lanes.warp()->cut() >> lane_ & 1);
    theme::text(is_known
                    ? "This lane is not active at the line: it is at another one, or has ended."
                    : "This lane is not known to be here: it had more steps than there was "
                      "room for.",
                theme::kWarning);
    ImGui::PopTextWrapPos();
}

/// A cell for each lane, as bright as the line's mark where it is active.
void ThreadValues::draw_lanes(const gpu::LaneLines& lanes, const gpu::TraceLine& line) {
    const gpu::WarpPlace& place = lanes.warp()->place();
    const std::uint32_t active = lanes.active(line), there = place.lanes();
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float width = std::floor(
                    std::min(ImGui::GetContentRegionAvail().x / float(kLanesOfWarp), px(12))),
                height = px(12);
    ImGui::InvisibleButton("lanes", {width * float(kLanesOfWarp), height});
    const bool is_hovered = ImGui::IsItemHovered();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    for (unsigned lane = 0; lane < kLanesOfWarp; ++lane) {
        const ImVec2 corner{low.x + float(lane) * width, low.y};
        const ImVec2 end{corner.x + width - 1, corner.y + height};
        const unsigned ink = !(there >> lane & 1)  ? theme::kPanel
                             : active >> lane & 1u ? theme::kAccent
                                                   : theme::kFieldActive;
        draw.AddRectFilled(corner, end, theme::packed(ink));
        if (lane == lane_)
            theme::outline(draw, {corner.x - 1, corner.y - 1}, {end.x + 1, end.y + 1},
                           theme::packed(theme::kText), 0, px(1));
    }
    const auto words_of = [&](unsigned lane) {
        const gpu::Dim3 thread = place.thread(lane);
        return fmt::format("lane {}, thread ({}, {}, {})", lane, thread.x, thread.y, thread.z);
    };
    const auto under = unsigned(std::max(ImGui::GetMousePos().x - low.x, 0.0f) / width);
    if (is_hovered && there >> std::min(under, kLanesOfWarp - 1) & 1) {
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) go_to_lane(lanes, under);
        theme::push_font(theme::Font::small);
        ImGui::SetTooltip("%s%s\nCtrl with left and right goes from lane to lane",
                          words_of(under).c_str(),
                          active >> under & 1 ? "" : ": not active at this line");
        theme::pop_font();
    }
    theme::push_font(theme::Font::small);
    theme::text(words_of(lane_), lane_ == place.leader ? theme::kDim : theme::kText);
    theme::pop_font();
}

/// What changes first, then what the line touches, then the others, of which the newest are next.
std::vector<const gpu::TracedValue*> ThreadValues::rows_of(const gpu::TraceLine& line) {
    std::vector<const gpu::TracedValue*> rows, rest;
    for (const gpu::TracedValue& change : line.changes) rows.push_back(&change);
    for (auto value = line.values.rbegin(); value != line.values.rend(); ++value) {
        const std::string& name = value->type->name;
        const auto has_name = [&](const gpu::TracedValue* v) { return v->type->name == name; };
        if (std::ranges::any_of(rows, has_name) || std::ranges::any_of(rest, has_name)) continue;
        const bool is_touched = !gpu::touched_elements(line, name).empty();
        (is_touched ? rows : rest).push_back(&*value);
    }
    rows.insert(rows.end(), rest.begin(), rest.end());
    return rows;
}

void ThreadValues::draw_table(const gpu::TraceLine& line) {
    const ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoPadOuterX;
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2{px(4), px(1)});
    if (!ImGui::BeginTable("values", 3, flags)) return ImGui::PopStyleVar();
    const auto rows = rows_of(line);
    std::size_t letters[] = {5, 6, 6}; // the widest text of each column, as far as it has room
    std::vector<std::pair<std::string, std::string>> texts;
    for (const gpu::TracedValue* const value : rows) {
        const auto& [before, after] = texts.emplace_back(texts_of(line, *value));
        letters[0] = std::max(letters[0], value->type->name.size());
        letters[1] = std::max(letters[1], before.size());
        letters[2] = std::max(letters[2], after.size());
    }
    for (const std::size_t count : letters)
        ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch,
                                float(std::min<std::size_t>(count, 16) + 1));
    theme::push_font(theme::Font::small);
    value_row(line.function, "before", "after", theme::kDim, theme::kDim, theme::kDim);
    theme::pop_font();
    theme::push_font(theme::Font::code);
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (is_shared_array(*rows[k])) draw_array(line, *rows[k]);
        else
            value_row(rows[k]->type->name, texts[k].first, texts[k].second, theme::kText,
                      theme::kAccent);
    theme::pop_font();
    ImGui::EndTable();
    ImGui::PopStyleVar();
}

void ThreadValues::draw_array(const gpu::TraceLine& line, const gpu::TracedValue& value) {
    const std::string& name = value.type->name;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool was_open = open_.contains(name);
    ImGui::SetNextItemOpen(was_open);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2{0, 0});
    const bool is_open = ImGui::TreeNodeEx(name.c_str(), ImGuiTreeNodeFlags_NoTreePushOnOpen |
                                                             ImGuiTreeNodeFlags_SpanAvailWidth);
    ImGui::PopStyleVar();
    if (is_open && !was_open) open_.insert(name);
    if (!is_open && was_open) open_.erase(name);
    theme::tooltip("In shared memory. First come elements that the line has to do with; a click "
                   "shows all of them below.");
    ImGui::TableNextColumn();
    theme::text(words_of_shape(value), theme::kDim);
    ImGui::TableNextColumn();
    theme::text(value.type->members.front().type_name, theme::kDim);
    for (const std::size_t number : gpu::elements_at(line, name, kMostShownElements))
        element_row(line, name, number);
    if (!is_open) return;
    ImGuiListClipper clipper;
    clipper.Begin(int(gpu::elements_of(value)));
    while (clipper.Step())
        for (int number = clipper.DisplayStart; number < clipper.DisplayEnd; ++number)
            element_row(line, name, std::size_t(number));
}

} // namespace lathe
