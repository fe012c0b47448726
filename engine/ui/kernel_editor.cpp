// SPDX-License-Identifier: MIT
#include "engine/ui/kernel_editor.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/session.h"
#include "engine/live/source_tokens.h"
#include "engine/ui/kernel_editor_tab.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace lathe {

using std::chrono::steady_clock;

namespace {

/// One for each line that a hazard has.
std::vector<LineMark> hazards_of(const SlotInspection* inspection) {
    std::vector<LineMark> marks;
    if (!inspection) return marks;
    for (const LineFinding& finding : inspection->findings) {
        const int lines[] = {finding.first, finding.second};
        for (const int line : std::span{lines, finding.first == finding.second ? 1u : 2u}) {
            const auto known = std::ranges::find(marks, line, &LineMark::line);
            if (line == 0) continue;
            if (known == marks.end()) marks.push_back({line, theme::kHazard, explain(finding)});
            else known->text.append("\n\n").append(explain(finding));
        }
    }
    return marks;
}

/// Of each line one: where a thread stands, then where it stops, then a hazard, then the colour of
/// its code.
std::vector<LineMark> marks_of(const std::vector<LineMark>& hazards,
                               const std::vector<LineMark>& stops,
                               const std::vector<CodeTint>& tints, int step, int watched) {
    std::vector<LineMark> marks;
    const auto add = [&](LineMark mark) {
        if (std::ranges::find(marks, mark.line, &LineMark::line) == marks.end())
            marks.push_back(std::move(mark));
    };
    if (step > 0) add({step, theme::kAccent, "The step that Thread shows"});
    for (const LineMark& stop : stops) add(stop);
    for (const LineMark& hazard : hazards) add(hazard);
    if (watched > 0) add({watched, theme::kGood, "Values shows this line"});
    for (const CodeTint& tint : tints) add({tint.line, tint.rgb, {}, 0.2f});
    return marks;
}

/// The word of a text that a cursor touches; line and column (in bytes) from 1.
std::string word_at(std::string_view text, int line, int column) {
    for (; line > 1 && !text.empty(); --line)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    text = text.substr(0, text.find('\n'));
    const auto is_word = [&](std::size_t at) {
        return at < text.size() && is_word_character(text[at]);
    };
    std::size_t begin = std::min(std::size_t(column - 1), text.size()), end = begin;
    while (begin > 0 && is_word(begin - 1)) --begin;
    while (is_word(end)) ++end;
    return std::string{text.substr(begin, end - begin)};
}

/// Ctrl+Shift with a square bracket: what is around the cursor; Ctrl+Alt: all.
bool fold(CodeEditor& editor, const KeyEvent& key) {
    const bool is_all = key.modifiers == (kControl | kAlt);
    if (!is_all && key.modifiers != (kControl | kShift)) return false;
    if (key.key == Key::left_bracket) is_all ? editor.fold_all() : editor.fold();
    else if (key.key == Key::right_bracket) is_all ? editor.unfold_all() : editor.unfold();
    else return false;
    return true;
}

/// A text as the box spells it: without carriage returns.
std::string in_box(std::string text) {
    std::erase(text, '\r');
    return text;
}

} // namespace

KernelEditor::KernelEditor(Session* session, Inspector& inspector)
    : session_{session}, inspector_{inspector}, inspect_menu_{inspector} {}
KernelEditor::~KernelEditor() { autosave(true); }

void KernelEditor::add(KernelSlot& slot, bool offer_autosave) {
    auto tab = std::make_unique<Tab>();
    tab->slot = &slot;
    tab->label = fmt::format("{}###kernel{}", slot.name(), tabs_.size());
    if (session_ && offer_autosave) tab->offer = session_->newer_than(slot.key(), slot.source());
    tabs_.push_back(std::move(tab));
    if (number_menu)
        tabs_.back()->editor.set_number_menu([this, &slot](int line) { number_menu(slot, line); });
    sync(*tabs_.back());
    bring_folds(*tabs_.back());
}

void KernelEditor::show(const KernelSlot& slot) {
    wanted_ = &slot;
    for (const auto& tab : tabs_)
        if (tab->slot == &slot) tab->is_hidden = false;
}

void KernelEditor::show_alone(const KernelSlot& slot) {
    for (const auto& tab : tabs_) tab->is_hidden = true;
    show(slot);
}

void KernelEditor::rewrite(KernelSlot& slot, const std::string& text) {
    for (const auto& tab : tabs_)
        if (tab->slot == &slot) sync(*tab);
    slot.set_source(text);
    for (const auto& tab : tabs_) {
        if (tab->slot != &slot) continue;
        tab->editor.rewrite(in_box(text));
        tab->text = tab->editor.text();
        tab->version = slot.text_version();
        tab->changed_at = steady_clock::now();
        tab->unsaved = true;
        tab->offer.reset();
    }
}

/// Text and markers both ways: the user's into the slot, the slot's (file, restore) into the box.
void KernelEditor::sync(Tab& tab) {
    if (tab.editor.take_change()) {
        std::string text = tab.editor.text();
        if (text != tab.text) {
            tab.slot->set_source(text);
            tab.text = std::move(text);
            tab.version = tab.slot->text_version();
            tab.changed_at = steady_clock::now();
            tab.unsaved = true;
            tab.offer.reset();
        }
    }
    if (tab.version != tab.slot->text_version() && !follow(tab)) {
        keep(tab); // a script or a file replaces what was typed a moment ago
        tab.editor.put_folds(tab.editor.folds());
        tab.editor.set_text(tab.slot->source());
        tab.text = tab.editor.text(); // as the box spells it: line ends
        tab.version = tab.slot->text_version();
        begin_anew(tab);
        tab.shown.clear();
        tab.hazards.clear();
        tab.tints.clear();
        tab.stops.clear();
        tab.step = tab.watched = 0;
        tab.editor.set_marks({});
    }
    std::vector<LineMark> hazards = hazards_of(inspector_.of(*tab.slot));
    std::vector<LineMark> stops = stops_of ? stops_of(*tab.slot) : std::vector<LineMark>{};
    const int step = step_.in(tab.slot), watched = watched_.in(tab.slot);
    if (tab.shown != tab.slot->diagnostics() || tab.hazards != hazards ||
        tab.tints != tab.code.tints || tab.stops != stops || tab.step != step ||
        tab.watched != watched) {
        tab.shown = tab.slot->diagnostics();
        tab.hazards = std::move(hazards);
        tab.tints = tab.code.tints;
        tab.stops = std::move(stops);
        tab.step = step;
        tab.watched = watched;
        tab.editor.set_marks(tab.shown, marks_of(tab.hazards, tab.stops, tab.tints, step, watched));
    }
}

/// A number of the slot's text has moved: it moves in the box, too, which undo takes as one change.
/// False where the box has another text.
bool KernelEditor::follow(Tab& tab) {
    const MovedLiteral* const moved = tab.slot->moved_literal();
    if (!moved || (moved->id != tab.followed && tab.text != in_box(moved->base))) return false;
    tab.editor.replace({moved->place.line, moved->place.column},
                       int(moved->place.end - moved->place.begin),
                       in_place(moved->place, moved->number), moved->id);
    tab.followed = moved->id;
    tab.text = tab.editor.text();
    if (tab.text != in_box(tab.slot->source())) return false;
    tab.version = tab.slot->text_version();
    tab.changed_at = steady_clock::now();
    tab.unsaved = true;
    tab.offer.reset();
    return true;
}

const CodeHelp* KernelEditor::help() const {
    return front_ < tabs_.size() ? &tabs_[front_]->help : nullptr;
}

CodeEditor* KernelEditor::text_in_front() {
    return front_ < tabs_.size() ? &tabs_[front_]->editor : nullptr;
}

const std::string& KernelEditor::text() const {
    static const std::string kNone;
    return front_ < tabs_.size() ? tabs_[front_]->text : kNone;
}

KernelSlot* KernelEditor::current() const {
    return front_ < tabs_.size() ? tabs_[front_]->slot : nullptr;
}

bool KernelEditor::focused() const { return focused_; }

void KernelEditor::mark_step(const KernelSlot* slot, int line, bool goes_there) {
    step_ = {slot, line};
    if (!slot || !goes_there) return;
    show(*slot);
    for (auto& tab : tabs_)
        if (tab->slot == slot) tab->editor.show_line(line);
}

std::optional<KernelEditor::CursorPlace> KernelEditor::at_cursor() const {
    if (front_ >= tabs_.size()) return {};
    const Tab& tab = *tabs_[front_];
    const auto [line, column] = tab.editor.cursor_place();
    return CursorPlace{tab.slot, line, word_at(tab.text, line, column)};
}

void KernelEditor::focus() {
    if (front_ < tabs_.size()) tabs_[front_]->editor.focus();
}

bool KernelEditor::handle(const KeyEvent& key) {
    KernelSlot* slot = current();
    if (!slot || !key.down) return false;
    if (focused_ && tabs_[front_]->help.handle(key, tabs_[front_]->editor)) return true;
    if (step_number(*tabs_[front_], key)) return true;
    const bool control = key.modifiers & kControl;
    const bool enter = key.key == Key::enter || key.key == Key::keypad_enter;
    if (key.key == Key::f5 || (enter && control)) {
        sync(*tabs_[front_]);
        slot->compile_now();
        return true;
    }
    if (key.key == Key::f8) return next_error();
    if (key.key == Key::f && key.modifiers == (kControl | kShift)) {
        find_pane_.open(tabs_[front_]->editor.selected());
        return true;
    }
    if (find_pane_.handle(key)) return true;
    if (fold(tabs_[front_]->editor, key)) return true;
    if (inspect_menu_.handle(key) || code_pane_.handle(key)) return true;
    if (key.key == Key::s && control && !slot->file().empty()) {
        sync(*tabs_[front_]);
        try {
            slot->save();
            keep(*tabs_[front_]);
            if (session_) session_->settle(slot->key());
            log::info("{} written", slot->file().string());
        } catch (const Error& e) { log::error("{}", e.what()); }
        return true;
    }
    return false;
}

/// Alt with an arrow moves the number at the cursor, where there is one. Other keys let go of it.
bool KernelEditor::step_number(Tab& tab, const KeyEvent& key) {
    if (key.key >= Key::left_shift && key.key <= Key::menu) return false;
    const bool is_arrow = key.key == Key::up || key.key == Key::down;
    if (is_arrow && (key.modifiers & kAlt) && focused_) {
        sync(tab);
        const bool moves = tab.hand.step(tab.editor, *tab.slot, key.key == Key::up,
                                         key.modifiers & kShift, key.modifiers & kControl);
        if (moves) sync(tab);
        return moves;
    }
    tab.hand.end_steps(*tab.slot);
    return false;
}

/// A header that has no tab is told of.
void KernelEditor::go_to(Tab& tab, const Definition& goal) {
    if (goal.file.empty()) return tab.editor.put_cursor(goal.place);
    for (const auto& other : tabs_) {
        std::error_code ignored;
        if (other->slot->file().empty() ||
            !std::filesystem::equivalent(other->slot->file(), goal.file, ignored))
            continue;
        show(*other->slot);
        return other->editor.put_cursor(goal.place);
    }
    log::info("{}:{}: {}", goal.file.string(), goal.place.line, goal.written);
}

bool KernelEditor::next_error() {
    if (front_ >= tabs_.size()) return false;
    Tab& tab = *tabs_[front_];
    std::vector<std::pair<int, int>> places;
    for (const auto& d : tab.slot->diagnostics())
        if (d.line > 0) places.emplace_back(d.line, std::max(d.column, 1));
    for (const LineMark& hazard : tab.hazards) places.emplace_back(hazard.line, 1);
    if (places.empty()) return false;
    std::sort(places.begin(), places.end());
    const auto next = std::upper_bound(places.begin(), places.end(), tab.editor.cursor());
    const auto [line, column] = next == places.end() ? places.front() : *next;
    tab.editor.go_to(line, column);
    return true;
}

} // namespace lathe
