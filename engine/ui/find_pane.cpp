// SPDX-License-Identifier: MIT
#include "engine/ui/find_pane.h"

#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace lathe {

namespace {

constexpr float kPaneHeight = 230, kPaneShare = 0.5f; ///< before px(); at most, of the room

std::string_view line_around(std::string_view text, std::size_t offset) {
    const std::size_t before = offset == 0 ? text.npos : text.rfind('\n', offset - 1);
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    return text.substr(begin, std::min(text.find('\n', offset), text.size()) - begin);
}

std::string place_of(const FindTab& tab, const SearchHit& hit) {
    return fmt::format("{}:{}", tab.name, hit.line);
}

bool toggle(const char* label, bool& on, const char* tip) {
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, theme::color(theme::kAccent, 0.35f));
    const bool was = on;
    if (ImGui::Button(label)) on = !on;
    if (was) ImGui::PopStyleColor();
    theme::tooltip(tip);
    return on != was;
}

float button_width(const char* label) {
    return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

} // namespace

void FindPane::open(const std::string& words) {
    is_open_ = takes_keyboard_ = true;
    if (!words.empty()) wanted_.words = words;
}

float FindPane::height(float room) const {
    return is_open_ ? std::min(theme::px(kPaneHeight), room * kPaneShare) : 0;
}

void FindPane::step(int by) {
    if (hits_.empty()) return;
    const int count = int(hits_.size());
    selected_ = std::size_t((int(selected_) + by + count) % count);
    shows_selected_ = true;
}

bool FindPane::handle(const KeyEvent& key) {
    if (!is_open_) return false;
    if (key.key == Key::f4) {
        step(key.modifiers & kShift ? -1 : 1);
        return goes_ = true;
    }
    if (!has_keyboard_ || key.modifiers != 0) return false;
    switch (key.key) {
    case Key::down: step(1); return true;
    case Key::up: step(-1); return true;
    case Key::escape: return closes_ = true;
    default: return false;
    }
}

void FindPane::search(std::span<const FindTab> tabs) {
    std::vector<std::uint64_t> versions;
    for (const FindTab& tab : tabs) versions.push_back(tab.version);
    if (versions == versions_ && searched_ == wanted_) return;
    if (searched_ != wanted_) selected_ = 0;
    hits_.clear();
    place_width_ = 0;
    for (std::size_t i = 0; i < tabs.size(); ++i)
        for (const SearchHit& hit : find_all(*tabs[i].text, wanted_)) {
            hits_.push_back({i, hit});
            place_width_ = std::max(place_width_, place_of(tabs[i], hit).size());
        }
    if (selected_ >= hits_.size()) selected_ = 0;
    searched_ = wanted_;
    versions_ = std::move(versions);
}

void FindPane::draw_fields(Wish& wish) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float buttons =
        button_width("Aa") + button_width("Word") + button_width("Close") + 3 * gap;
    if (std::exchange(takes_keyboard_, false)) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-buttons);
    goes_ |= ImGui::InputTextWithHint("##find", "Find in all tabs", &wanted_.words,
                                      ImGuiInputTextFlags_EnterReturnsTrue |
                                          ImGuiInputTextFlags_AutoSelectAll) &&
             !hits_.empty();
    has_keyboard_ = ImGui::IsItemActive();
    ImGui::SameLine();
    toggle("Aa", wanted_.match_case, "Capital and small letters differ");
    ImGui::SameLine();
    toggle("Word", wanted_.whole_words, "Whole words only");
    ImGui::SameLine();
    closes_ |= ImGui::Button("Close");
    ImGui::SetNextItemWidth(-button_width("Replace all") - gap);
    ImGui::InputTextWithHint("##with", "Replace with", &with_);
    has_keyboard_ |= ImGui::IsItemActive();
    ImGui::SameLine();
    ImGui::BeginDisabled(hits_.empty());
    wish.replace_all = ImGui::Button("Replace all");
    ImGui::EndDisabled();
    theme::tooltip("In all tabs; Ctrl+Z in a tab takes it back there");
}

/// "step.cu:12", then the line with the hit in colour, cut so that it is seen.
void FindPane::draw_row(const FindTab& tab, const SearchHit& hit, float width) const {
    std::string_view line = line_around(*tab.text, hit.offset);
    std::size_t at = std::size_t(hit.column - 1);
    const std::size_t indent = std::min(line.find_first_not_of(" \t"), at);
    line.remove_prefix(indent);
    at -= indent;
    theme::text(fmt::format("{:<{}}", place_of(tab, hit), place_width_), theme::kDim);
    ImGui::SameLine(0, theme::px(12));
    const float room = width - ImGui::GetCursorPosX() - theme::px(4);
    const auto fits = std::size_t(std::max(room / ImGui::CalcTextSize("m").x, 8.0f));
    std::string before{line.substr(0, at)};
    const std::size_t bytes = std::min(wanted_.words.size(), line.size() - at);
    constexpr std::size_t kDots = 3; // at either end
    if (const std::size_t needs = at + bytes + kDots; needs > fits)
        before = "..." + before.substr(std::min(at, needs + kDots - fits));
    theme::text(before);
    ImGui::SameLine(0, 0);
    theme::text(line.substr(at, bytes), theme::kAccent);
    ImGui::SameLine(0, 0);
    const std::size_t used = before.size() + bytes, left = fits > used ? fits - used : 0;
    const std::string_view after = line.substr(at + bytes);
    if (after.size() <= left) return theme::text(after);
    theme::text(fmt::format("{}...", after.substr(0, left > 3 ? left - 3 : 0)));
}

void FindPane::draw_hits(std::span<const FindTab> tabs, Wish& wish) {
    std::set<std::size_t> touched;
    for (const FindHit& hit : hits_) touched.insert(hit.tab);
    theme::push_font(theme::Font::small);
    theme::text(hits_.empty() ? wanted_.words.empty() ? "" : "No hits"
                              : fmt::format("{} hit{} in {} tab{}", hits_.size(),
                                            hits_.size() == 1 ? "" : "s", touched.size(),
                                            touched.size() == 1 ? "" : "s"),
                theme::kDim);
    theme::pop_font();
    ImGui::BeginChild("hits", {0, 0});
    theme::push_font(theme::Font::code);
    ImGuiListClipper clipper;
    clipper.Begin(int(hits_.size()));
    if (shows_selected_) clipper.IncludeItemByIndex(int(selected_));
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const auto n = std::size_t(i);
            ImGui::PushID(i);
            if (ImGui::Selectable("##hit", n == selected_)) {
                selected_ = n;
                goes_ = true;
            }
            if (n == selected_ && std::exchange(shows_selected_, false)) ImGui::SetScrollHereY();
            ImGui::SameLine(theme::px(6), 0);
            draw_row(tabs[hits_[n].tab], hits_[n].hit, ImGui::GetWindowWidth());
            ImGui::PopID();
        }
    theme::pop_font();
    ImGui::EndChild();
    if (std::exchange(goes_, false) && selected_ < hits_.size()) wish.go_to = hits_[selected_];
}

FindPane::Wish FindPane::draw(std::span<const FindTab> tabs, float height) {
    Wish wish;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{theme::px(8), theme::px(6)});
    ImGui::PushStyleColor(ImGuiCol_ChildBg, theme::color(theme::kPanel));
    ImGui::BeginChild("find", {0, height}, ImGuiChildFlags_AlwaysUseWindowPadding);
    draw_fields(wish);
    search(tabs);
    draw_hits(tabs, wish);
    ImGui::EndChild();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (std::exchange(closes_, false)) {
        wish.is_closed = true;
        is_open_ = has_keyboard_ = false;
    }
    return wish;
}

} // namespace lathe
