// SPDX-License-Identifier: MIT
#include "engine/ui/console_panel.h"

#include "engine/ui/theme.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

namespace lathe {

namespace {

std::string_view source_name(Console::Source source) {
    switch (source) {
    case Console::Source::log: return "lathe";
    case Console::Source::script: return "script";
    case Console::Source::device: return "device";
    case Console::Source::compiler: return "compiler";
    }
    return "";
}

unsigned color_of(const Console::Line& line) {
    switch (line.level) {
    case log::Level::error: return theme::kError;
    case log::Level::warning: return theme::kWarning;
    case log::Level::debug: return theme::kDim;
    case log::Level::info: break;
    }
    return line.source == Console::Source::device ? 0xa5d489 : theme::kText;
}

std::string words_of(const Console::Line& line) {
    return line.repeats > 1 ? fmt::format("{}  (×{})", line.text, line.repeats) : line.text;
}

float height_of(const Console::Line& line, float wrap_width) {
    const std::string words = words_of(line);
    return ImGui::CalcTextSize(words.data(), words.data() + words.size(), false,
                               std::max(wrap_width, 1.0f))
        .y;
}

} // namespace

bool ConsolePanel::shown(const Console::Line& line) const {
    if (hide_info_ && line.level < log::Level::warning) return false;
    if (filter_.empty()) return true;
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(line.text.begin(), line.text.end(), filter_.begin(), filter_.end(), same) !=
           line.text.end();
}

void ConsolePanel::draw_toolbar() {
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2{theme::px(7), theme::px(2)});
    theme::push_font(theme::Font::small);
    ImGui::SetNextItemWidth(std::min(theme::px(200), ImGui::GetContentRegionAvail().x * 0.35f));
    if (ImGui::InputTextWithHint("##filter", "Filter", &filter_)) forget_heights();
    ImGui::SameLine();
    if (ImGui::Checkbox("Problems only", &hide_info_)) forget_heights();
    const float buttons = ImGui::CalcTextSize("CopyClear").x + theme::px(4 * 7 + 8);
    ImGui::SameLine(std::max(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - buttons,
                             ImGui::GetCursorPosX()));
    if (ImGui::Button("Copy")) {
        std::string all;
        for (const Console::Line& line : console_.lines())
            if (shown(line)) all += line.text + "\n";
        ImGui::SetClipboardText(all.c_str());
    }
    theme::tooltip("Copies the lines that are shown");
    ImGui::SameLine();
    if (ImGui::Button("Clear")) console_.clear();
    theme::pop_font();
    ImGui::PopStyleVar();
}

void ConsolePanel::read_lines() {
    const std::uint64_t first = console_.first(), written = console_.written();
    while (!rows_.empty() && rows_.front().line.number < first) rows_.pop_front();
    if (written == read_) return;
    read_ = written;
    std::uint64_t from = first;
    if (!rows_.empty()) { // the last one may be a repeat
        from = rows_.back().line.number;
        rows_.pop_back();
    }
    for (Console::Line& line : console_.lines(from)) {
        const std::time_t time = std::chrono::system_clock::to_time_t(line.time);
        std::string origin =
            fmt::format("{:%H:%M:%S}  {}", fmt::localtime(time), source_name(line.source));
        rows_.push_back({std::move(line), std::move(origin)});
    }
}

void ConsolePanel::draw_row(const Row& row, float indent) {
    const float left = ImGui::GetCursorPosX();
    theme::text(row.origin, 0x6d7789);
    ImGui::SameLine(left + indent);
    ImGui::PushTextWrapPos(0);
    theme::text(words_of(row.line), color_of(row.line));
    ImGui::PopTextWrapPos();
    if (ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
        menu_text_ = row.line.text;
        ImGui::OpenPopup("line");
    }
}

/// The line may leave the view, or the console, while its menu is open.
void ConsolePanel::draw_menu() const {
    if (!ImGui::BeginPopup("line")) return;
    if (ImGui::MenuItem("Copy line")) ImGui::SetClipboardText(menu_text_.c_str());
    ImGui::EndPopup();
}

void ConsolePanel::forget_heights() {
    for (Row& row : rows_) row.height = -1;
}

void ConsolePanel::draw_lines() {
    theme::push_font(theme::Font::small);
    read_lines();
    const float indent = ImGui::CalcTextSize("00:00:00  compiler ").x;
    const float width = ImGui::GetContentRegionAvail().x;
    if (width != width_ || ImGui::GetFontSize() != font_) forget_heights();
    width_ = width;
    font_ = ImGui::GetFontSize();
    const float gap = ImGui::GetStyle().ItemSpacing.y, line_height = ImGui::GetTextLineHeight();
    const float top = ImGui::GetScrollY(), bottom = top + ImGui::GetWindowHeight();
    float y = ImGui::GetCursorPosY();
    for (Row& row : rows_) {
        if (row.height < 0 && !shown(row.line)) row.height = 0;
        if (row.height < 0)
            row.height = gap + std::max(line_height, height_of(row.line, width - indent));
        if (row.height > 0 && y + row.height > top && y < bottom) {
            ImGui::SetCursorPosY(y);
            draw_row(row, indent);
        }
        y += row.height;
    }
    ImGui::SetCursorPosY(y - gap);
    ImGui::Dummy({0, 0}); // here the lines end, whichever were drawn
    draw_menu();
    theme::pop_font();
}

void ConsolePanel::draw() {
    errors_seen_ = console_.errors();
    draw_toolbar();
    const float row = ImGui::GetFrameHeightWithSpacing() + theme::px(2);
    ImGui::BeginChild("lines", {0, prompt ? -row : 0});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2{theme::px(8), theme::px(2)});
    draw_lines();
    ImGui::PopStyleVar();
    follow_ = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
    const std::uint64_t written = console_.written();
    if (written != drawn_ && follow_) ImGui::SetScrollHereY(1);
    drawn_ = written;
    ImGui::EndChild();
    if (prompt && prompt.draw())
        console_.write(Console::Source::script, log::Level::info,
                       fmt::format("{}", fmt::join(prompt.candidates, "  ")));
}

} // namespace lathe
