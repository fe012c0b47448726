// SPDX-License-Identifier: MIT
#include "engine/ui/console_panel.h"

#include "engine/ui/theme.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace lathe {

namespace {

constexpr std::size_t kLinesKept = 5000;

std::string_view source_name(ConsolePanel::Source source) {
    switch (source) {
    case ConsolePanel::Source::log: return "lathe";
    case ConsolePanel::Source::script: return "script";
    case ConsolePanel::Source::device: return "device";
    case ConsolePanel::Source::compiler: return "compiler";
    }
    return "";
}

unsigned color_of(const ConsolePanel::Line& line) {
    switch (line.level) {
    case log::Level::error: return theme::kError;
    case log::Level::warning: return theme::kWarning;
    case log::Level::debug: return theme::kDim;
    case log::Level::info: break;
    }
    return line.source == ConsolePanel::Source::device ? 0xa5d489 : theme::kText;
}

} // namespace

ConsolePanel::ConsolePanel() {
    sink_ = log::add_sink([this](const log::Record& r) {
        if (r.level != log::Level::debug) write(Source::log, r.level, r.text);
    });
}

ConsolePanel::~ConsolePanel() { log::remove_sink(sink_); }

void ConsolePanel::write(Source source, log::Level level, std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    std::lock_guard lock{mutex_};
    if (echo_ && (source == Source::script || source == Source::device)) {
        std::FILE* const to = level == log::Level::error ? stderr : stdout;
        fmt::print(to, "{}\n", text);
        std::fflush(to);
    }
    ++written_;
    if (level == log::Level::error) ++errors_;
    if (!lines_.empty()) {
        Line& last = lines_.back();
        if (last.source == source && last.level == level && last.text == text) {
            ++last.repeats;
            last.time = std::chrono::system_clock::now();
            return;
        }
    }
    lines_.push_back({level, source, std::chrono::system_clock::now(), std::string{text}, 1});
    if (lines_.size() > kLinesKept) lines_.pop_front();
}

void ConsolePanel::write_device(std::string_view piece) {
    std::vector<std::string> whole;
    {
        std::lock_guard lock{mutex_};
        for (std::size_t end; (end = piece.find('\n')) != piece.npos; piece.remove_prefix(end + 1))
            whole.push_back(std::exchange(unfinished_, {}).append(piece.substr(0, end)));
        unfinished_ += piece;
    }
    for (const auto& line : whole) write(Source::device, log::Level::info, line);
}

void ConsolePanel::end_device_line() {
    std::string line;
    {
        std::lock_guard lock{mutex_};
        line = std::exchange(unfinished_, {});
    }
    if (!line.empty()) write(Source::device, log::Level::info, line);
}

void ConsolePanel::clear() {
    std::lock_guard lock{mutex_};
    lines_.clear();
    errors_ = 0;
}

std::vector<ConsolePanel::Line> ConsolePanel::lines() const {
    std::lock_guard lock{mutex_};
    return {lines_.begin(), lines_.end()};
}

int ConsolePanel::errors() const {
    std::lock_guard lock{mutex_};
    return errors_;
}

bool ConsolePanel::shown(const Line& line) const {
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
        for (const Line& line : lines())
            if (shown(line)) all += line.text + "\n";
        ImGui::SetClipboardText(all.c_str());
    }
    theme::tooltip("Copies the lines that are shown");
    ImGui::SameLine();
    if (ImGui::Button("Clear")) clear();
    theme::pop_font();
    ImGui::PopStyleVar();
}

void ConsolePanel::draw_lines() {
    theme::push_font(theme::Font::small);
    const std::vector<Line> all = lines();
    const float indent = ImGui::CalcTextSize("00:00:00  compiler ").x;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Line& line = all[i];
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
    std::uint64_t written = 0;
    {
        std::lock_guard lock{mutex_};
        written = written_;
    }
    if (written != drawn_ && follow_) ImGui::SetScrollHereY(1);
    drawn_ = written;
    ImGui::EndChild();
}

} // namespace lathe
