// SPDX-License-Identifier: MIT
// The KernelEditor on the screen: tabs, banner, text, footer, and what is found in all tabs.
#include "engine/core/log.h"
#include "engine/ui/kernel_editor_tab.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace lathe {

namespace {

struct StateText {
    unsigned rgb;
    std::string text;
};

StateText describe(const KernelSlot& slot) {
    int errors = 0, warnings = 0;
    for (const auto& d : slot.diagnostics()) {
        errors += d.severity == Diagnostic::Severity::error;
        warnings += d.severity == Diagnostic::Severity::warning;
    }
    const std::string runs = slot.ready() ? "the last good version runs" : "nothing runs yet";
    const auto plural = [](int n, const char* word) {
        return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
    };
    if (const MovedLiteral* const moved = slot.moved_literal();
        moved && moved->held && slot.state() != SlotState::faulted && !slot.shows_older())
        return {theme::kAccent,
                moved->number.text() + (moved->way == LiteralWay::variable ? " · no compile"
                                        : moved->way == LiteralWay::constant
                                            ? " · a constant: compiled at each step"
                                            : "")};
    switch (slot.state()) {
    case SlotState::empty: return {theme::kDim, "empty"};
    case SlotState::waiting: return {theme::kAccent, "edited"};
    case SlotState::compiling: return {theme::kAccent, "compiling"};
    case SlotState::failed:
        return {theme::kError, plural(std::max(errors, 1), "error") + " · " + runs};
    case SlotState::faulted: return {theme::kError, "faulted and stopped · " + runs};
    case SlotState::good: break;
    }
    std::string text =
        fmt::format("{} in {:.0f} ms", slot.compiled_from_cache() ? "cached" : "compiled",
                    slot.compile_milliseconds());
    if (warnings > 0) text += " · " + plural(warnings, "warning");
    return {warnings > 0 ? theme::kWarning : theme::kGood, text};
}

} // namespace

/// The gutter stands there while the tab's kernels are inspected.
void KernelEditor::show_costs(Tab& tab, bool may_show) {
    const bool wanted = may_show && inspector_.mode() != Inspecting::off;
    if (std::exchange(tab.has_gutter, wanted) == wanted) return;
    tab.editor.set_gutter(wanted ? CostGutter::kGlyphs : 0,
                          [this, &tab](int first, int last, ImVec2 low, ImVec2 high) {
                              if (const auto* known = inspector_.of(*tab.slot))
                                  gutter_.draw(*known, first, last, low, high);
                          });
}

void KernelEditor::draw_banner(Tab& tab) {
    KernelSlot& slot = *tab.slot;
    if (!tab.offer && !slot.conflict()) return;
    ImGui::PushStyleColor(ImGuiCol_ChildBg, theme::color(theme::kWarning, 0.14f));
    ImGui::PushStyleColor(ImGuiCol_Button, theme::color(theme::kWarning, 0.25f));
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, theme::color(theme::kWarning, 0.40f));
    ImGui::BeginChild("banner", {0, ImGui::GetFrameHeight() + theme::px(10)}, false,
                      ImGuiWindowFlags_NoScrollbar);
    ImGui::SetCursorPos({theme::px(8), theme::px(5)});
    ImGui::AlignTextToFramePadding();
    if (slot.conflict()) {
        theme::text("The file changed on disk, too.");
        ImGui::SameLine();
        if (ImGui::Button("Load it")) {
            keep(tab);
            if (session_) session_->settle(slot.key());
            slot.take_file();
        }
        ImGui::SameLine();
        if (ImGui::Button("Keep this text")) slot.keep_text();
    } else {
        const auto age = std::chrono::file_clock::now() - tab.offer->time;
        const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(age).count();
        theme::text(minutes < 60 ? fmt::format("Unsaved text from {} min ago.", minutes)
                                 : fmt::format("Unsaved text from {} h ago.", minutes / 60));
        ImGui::SameLine();
        if (ImGui::Button("Restore")) {
            slot.set_source(tab.offer->text);
            tab.offer.reset();
        }
        ImGui::SameLine();
        if (ImGui::Button("Dismiss")) {
            tab.offer.reset();
            session_->settle(slot.key());
        }
    }
    ImGui::EndChild();
    ImGui::PopStyleColor(3);
}

void KernelEditor::draw_footer(Tab& tab) {
    const StateText state = describe(*tab.slot);
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + theme::px(8));
    theme::push_font(theme::Font::small);
    theme::dot(state.rgb);
    theme::text(state.text, state.rgb == theme::kError ? theme::kText : theme::kDim);
    if (tab.slot->shows_older() && !tab.slot->diagnostics().empty()) {
        theme::tooltip(to_string(tab.slot->diagnostics().front()) + "\nA click goes there (F8)");
        if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        if (ImGui::IsItemClicked()) next_error();
    }
    const auto [line, column] = tab.editor.cursor();
    std::string place =
        fmt::format("{}Ln {}, Col {}", tab.slot->modified() ? "not saved · " : "", line, column);
    if (!tab.hand.hint().empty()) place = tab.hand.hint();
    const float width = ImGui::CalcTextSize(place.c_str()).x + theme::px(8);
    ImGui::SameLine(std::max(ImGui::GetWindowWidth() - width, 0.0f));
    theme::text(place, theme::kDim);
    theme::pop_font();
}

/// The text has a window of its own, with and without other things around it: it stays where it was
/// scrolled to.
void KernelEditor::draw_box(Tab& tab, ImVec2 size, bool is_presented) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::BeginChild("source", size, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    tab.editor.set_presented(is_presented);
    show_costs(tab, !is_presented);
    tab.hand.update(tab.editor, *tab.slot, tab.text, tab.version);
    tab.help.before(tab.editor, tab.hand.has_mouse());
    sync(tab);
    tab.editor.draw("##text", size.y);
    sync(tab);
    tab.hand.draw(tab.editor, *tab.slot);
    tab.help.after(tab.editor, *tab.slot, tab.text, tab.version, tab.hand.has_mouse());
    if (const auto goal = tab.help.take_goal()) go_to(tab, *goal);
    focused_ = tab.editor.focused();
    ImGui::EndChild();
    // The state's edge: a line down the left side, as high as the text.
    ImGui::GetWindowDrawList()->AddRectFilled(
        corner, {corner.x + theme::px(2), corner.y + size.y},
        theme::packed(describe(*tab.slot).rgb, tab.slot->shows_older() ? 1 : 0.7f));
}

/// The text and the code that became of it.
void KernelEditor::draw_text(Tab& tab) {
    const float footer = ImGui::GetTextLineHeight() + theme::px(8);
    ImVec2 room = ImGui::GetContentRegionAvail();
    room.y -= find_pane_.height(room.y);
    code_pane_.follow(tab.code, *tab.slot);
    draw_box(tab, code_pane_.text_size({room.x, room.y - footer}), false);
    if (!code_pane_.is_open()) return;
    if (const auto line = code_pane_.draw(tab.code, tab.editor.cursor().first))
        tab.editor.put_cursor({*line, 1});
}

void KernelEditor::draw_find() {
    std::vector<FindTab> texts;
    for (const auto& tab : tabs_) texts.push_back({tab->slot->name(), &tab->text, tab->version});
    const FindPane::Wish wish = find_pane_.draw(texts, ImGui::GetContentRegionAvail().y);
    if (wish.go_to) {
        Tab& tab = *tabs_[wish.go_to->tab];
        show(*tab.slot);
        tab.editor.put_cursor({wish.go_to->hit.line, wish.go_to->hit.column});
    }
    if (wish.replace_all) replace_all();
    if (wish.is_closed) focus();
}

/// One change of each tab's text, which undo takes back there.
void KernelEditor::replace_all() {
    const auto bytes = find_pane_.wanted().words.size();
    std::size_t count = 0, changed = 0;
    for (std::size_t i = 0; i < tabs_.size(); ++i) {
        std::vector<SearchHit> hits;
        for (const FindHit& found : find_pane_.hits())
            if (found.tab == i) hits.push_back(found.hit);
        if (hits.empty()) continue;
        Tab& tab = *tabs_[i];
        tab.editor.replace_range({hits.front().line, hits.front().column},
                                 {hits.back().line, hits.back().column + int(bytes)},
                                 replaced(tab.text, hits, bytes, find_pane_.other_words()));
        count += hits.size();
        ++changed;
    }
    log::info("'{}' is '{}' now: {} places in {} tabs", find_pane_.wanted().words,
              find_pane_.other_words(), count, changed);
}

/// Where there are none, says so.
bool KernelEditor::has_tabs() {
    focused_ = false;
    if (!tabs_.empty()) return true;
    ImGui::SetCursorPos({theme::px(12), theme::px(12)});
    theme::text("No kernels to edit yet.", theme::kDim);
    return false;
}

void KernelEditor::draw_presented() {
    if (!has_tabs()) return;
    for (std::size_t i = 0; i < tabs_.size(); ++i) {
        sync(*tabs_[i]);
        if (tabs_[i]->slot == wanted_) front_ = i; // the tab bar brings it to the front later
    }
    Tab& tab = *tabs_[front_];
    draw_banner(tab);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    draw_box(tab, {room.x, room.y - find_pane_.height(room.y)}, true);
    if (find_pane_.is_open()) draw_find();
}

void KernelEditor::draw() {
    if (!has_tabs()) return;
    if (!ImGui::BeginTabBar("kernels", ImGuiTabBarFlags_FittingPolicyScroll)) return;
    for (std::size_t i = 0; i < tabs_.size(); ++i) {
        Tab& tab = *tabs_[i];
        sync(tab);
        if (tab.is_hidden) continue;
        const bool red = tab.slot->shows_older();
        if (red) ImGui::PushStyleColor(ImGuiCol_Text, theme::color(theme::kError));
        int flags = tab.slot->modified() ? ImGuiTabItemFlags_UnsavedDocument : 0;
        if (tab.slot == wanted_) {
            flags |= ImGuiTabItemFlags_SetSelected;
            wanted_ = nullptr;
        }
        const bool open = ImGui::BeginTabItem(tab.label.c_str(), nullptr, flags);
        if (red) ImGui::PopStyleColor();
        if (!open) {
            tab.hand.end_steps(*tab.slot);
            tab.help.hide();
            continue;
        }
        front_ = i;
        draw_banner(tab);
        draw_text(tab);
        draw_footer(tab);
        if (find_pane_.is_open()) draw_find();
        ImGui::EndTabItem();
    }
    inspect_menu_.draw_button();
    code_pane_.draw_button();
    ImGui::EndTabBar();
    inspect_menu_.draw_menu(gutter_.column);
}

} // namespace lathe
