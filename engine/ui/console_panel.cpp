// SPDX-License-Identifier: MIT
#include "engine/ui/console_panel.h"

#include "engine/ui/theme.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
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
    ImGui::InputTextWithHint("##filter", "Filter", &filter_);
    ImGui::SameLine();
    ImGui::Checkbox("Problems only", &hide_info_);
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

void ConsolePanel::draw_lines() {
    theme::push_font(theme::Font::small);
    const std::vector<Console::Line> all = console_.lines();
    const float indent = ImGui::CalcTextSize("00:00:00  compiler ").x;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Console::Line& line = all[i];
        if (!shown(line)) continue;
        ImGui::PushID(int(i));
        const std::time_t time = std::chrono::system_clock::to_time_t(line.time);
        const float left = ImGui::GetCursorPosX();
        theme::text(fmt::format("{:%H:%M:%S}  {}", fmt::localtime(time), source_name(line.source)),
                    0x6d7789);
        ImGui::SameLine(left + indent);
        ImGui::PushTextWrapPos(0);
        theme::text(line.repeats > 1 ? fmt::format("{}  (×{})", line.text, line.repeats)
                                     : line.text,
                    color_of(line));
        ImGui::PopTextWrapPos();
        if (ImGui::BeginPopupContextItem("line")) {
            if (ImGui::MenuItem("Copy line")) ImGui::SetClipboardText(line.text.c_str());
            ImGui::EndPopup();
        }
        ImGui::PopID();
    }
    theme::pop_font();
}

void ConsolePanel::draw() {
    draw_toolbar();
    ImGui::BeginChild("lines", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2{theme::px(8), theme::px(2)});
    draw_lines();
    ImGui::PopStyleVar();
    follow_ = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
    const std::uint64_t written = console_.written();
    if (written != drawn_ && follow_) ImGui::SetScrollHereY(1);
    drawn_ = written;
    ImGui::EndChild();
}

} // namespace lathe
