// SPDX-License-Identifier: MIT
// The text and its changes; marks, places on the screen and folds are in sources of their own.
#include "engine/ui/code_editor_state.h"
#include "engine/ui/code_palette.h"
#include "engine/ui/cuda_language.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lathe {

namespace {

/// Without panels nobody types.
CodeEditor::Typed kind_of(const std::vector<TextEditor::Change>& changes) {
    using enum CodeEditor::Typed;
    if (changes.empty() || !ImGui::GetCurrentContext()) return nothing;
    const TextEditor::Change& last = changes.back();
    const auto characters = std::ranges::count_if(last.text, begins_character);
    if (characters != 1 || last.text == "\n" || ImGui::GetIO().KeyCtrl) return other;
    return last.insert ? character : changes.size() == 1 ? removal : other;
}

/// A line that begins or ends behind a fold would be folded away with it.
bool breaks_lines() {
    const auto is_pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key); };
    return is_pressed(ImGuiKey_Enter) || is_pressed(ImGuiKey_KeypadEnter) ||
           is_pressed(ImGuiKey_Delete) || (ImGui::GetIO().KeyCtrl && is_pressed(ImGuiKey_V));
}

} // namespace

CodeEditor::CodeEditor() : s_{std::make_unique<State>()} {
    TextEditor& e = s_->editor;
    e.SetLanguage(cuda_language());
    e.SetTabSize(4);
    e.SetInsertSpacesOnTabs(true);
    e.SetShowWhitespacesEnabled(false);
    e.SetShowScrollbarMiniMapEnabled(true);
    e.SetCompletePairedGlyphs(false);
    e.SetLineFoldingEnabled(true);
    e.SetLineSpacing(1.15f);
    State* state = s_.get();
    e.SetChangeCallback([state] { state->changed = true; });
    e.SetTransactionCallback([state](const std::vector<TextEditor::Change>& changes) {
        state->typed = kind_of(changes);
    });
}

void CodeEditor::set_text(const std::string& text) {
    s_->editor.SetText(text);
    s_->changed = false;
}

std::string CodeEditor::text() const { return s_->editor.GetText(); }

bool CodeEditor::take_change() { return std::exchange(s_->changed, false); }

CodeEditor::Typed CodeEditor::take_typed() { return std::exchange(s_->typed, Typed::nothing); }

bool CodeEditor::has_many_cursors() const { return s_->editor.GetNumberOfCursors() > 1; }

void CodeEditor::set_gutter(int glyphs, DrawGutter draw) {
    s_->gutter = glyphs;
    if (glyphs == 0) return s_->editor.ClearLineDecorator();
    s_->editor.SetLineDecorator(std::size_t(glyphs), [state = s_.get(), draw = std::move(draw)](
                                                         TextEditor::Decorator& line) {
        const ImVec2 low = ImGui::GetCursorScreenPos();
        draw(int(line.line) + 1, int(state->last_of_row(line.line)) + 1, low,
             {low.x + line.width, low.y + line.height});
    });
}

void CodeEditor::set_number_menu(std::function<void(int line)> draw) {
    s_->editor.SetLineNumberContextMenuCallback(
        [draw = std::move(draw)](TextEditor::PopupData& popup) { draw(int(popup.pos.line) + 1); });
}

void CodeEditor::replace(TextPlace place, int bytes, const std::string& text, std::uint64_t id) {
    TextEditor& e = s_->editor;
    if (s_->is_change_open && s_->change_id == id && e.GetUndoIndex() == s_->change_index) e.Undo();
    const auto line = std::size_t(place.line - 1);
    const auto begin = std::size_t(place.column - 1);
    const auto end = begin + std::size_t(bytes);
    const std::string words = e.GetLineText(line);
    s_->is_change_open = end <= words.size() && words.substr(begin, end - begin) != text;
    if (s_->is_change_open)
        e.ReplaceSectionText({line, characters_before(words, begin)},
                             {line, characters_before(words, end)}, text);
    s_->change_id = id;
    s_->change_index = e.GetUndoIndex();
    s_->typed = Typed::nothing;
}

void CodeEditor::rewrite(const std::string& text) {
    TextEditor& e = s_->editor;
    const std::string old = e.GetText();
    if (old == text) return;
    // Whole lines, from the first to the last that differ.
    const auto same = std::mismatch(old.begin(), old.end(), text.begin(), text.end()).first;
    const auto line = std::size_t(std::count(old.begin(), same, '\n'));
    const auto begin =
        std::size_t(std::find(std::reverse_iterator{same}, old.rend(), '\n').base() - old.begin());
    const auto after = std::mismatch(old.rbegin(), old.rend() - std::ptrdiff_t(begin),
                                     text.rbegin(), text.rend() - std::ptrdiff_t(begin));
    const auto end = std::size_t(std::find(after.first.base(), old.end(), '\n') - old.begin());
    const auto last = line + std::size_t(std::count(old.begin() + std::ptrdiff_t(begin),
                                                    old.begin() + std::ptrdiff_t(end), '\n'));
    const auto cursor = e.GetCurrentCursorPosition();
    const std::string words = e.GetLineText(last);
    e.ReplaceSectionText({line, 0}, {last, characters_before(words, words.size())},
                         text.substr(begin, text.size() - (old.size() - end) - begin));
    e.SetCursor({std::min(cursor.line, e.GetLineCount() - 1), 0});
    s_->is_change_open = false;
}

void CodeEditor::replace_range(TextPlace begin, TextPlace end, const std::string& text) {
    s_->editor.ReplaceSectionText(s_->at(begin), s_->at(end), text);
    s_->changed = true; // a box that is not drawn would not say so
    s_->typed = Typed::nothing;
}

void CodeEditor::undo() { s_->editor.Undo(); }
void CodeEditor::redo() { s_->editor.Redo(); }
bool CodeEditor::can_undo() const { return s_->editor.CanUndo(); }
bool CodeEditor::can_redo() const { return s_->editor.CanRedo(); }
void CodeEditor::find() { s_->editor.OpenFindReplaceWindow(); }

void CodeEditor::keep_mouse() {
    // While another item is active the editor takes itself for not hovered.
    const ImGuiID id = ImGui::GetID("mouse is taken");
    if (ImGui::GetActiveID() != id) ImGui::SetActiveID(id, ImGui::GetCurrentWindow());
    ImGui::KeepAliveID(id);
}

void CodeEditor::focus() { s_->editor.SetFocus(); }

bool CodeEditor::focused() const { return s_->focused; }

void CodeEditor::set_presented(bool is_presented) {
    if (s_->is_presented == is_presented) return;
    s_->is_presented = is_presented;
    s_->look.reset();
    TextEditor& e = s_->editor;
    e.SetShowLineNumbersEnabled(!is_presented);
    e.SetShowScrollbarMiniMapEnabled(!is_presented);
    // It has another window now: the place that was seen comes along.
    const std::size_t cursor = e.GetCurrentCursorPosition().line;
    if (s_->is_row_seen(cursor)) return e.ScrollToLine(cursor, TextEditor::Scroll::alignMiddle);
    e.ScrollToLine(e.VisPos2DocPos({e.GetFirstVisibleRow(), 0}).line, TextEditor::Scroll::alignTop);
}

void CodeEditor::draw(const char* id, float height) {
    if (s_->look != theme::look()) s_->editor.SetPalette(code_palette(s_->is_presented));
    s_->look = theme::look();
    if (s_->focused && breaks_lines()) unfold();
    theme::push_font(s_->is_presented ? theme::Font::large_code : theme::Font::code);
    s_->editor.Render(id, {0, height});
    theme::pop_font();
    if (!s_->put.empty()) s_->put_folds();
    if (s_->folded != s_->folded_lines()) s_->apply_marks();
    const ImGuiID child = ImGui::GetID(id);
    for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
        if (window->ChildId == child) s_->window = window;
    // The editor is a child window: its id ends with the name it was given.
    s_->focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
}

CodeEditor::CodeEditor(CodeEditor&&) noexcept = default;
CodeEditor& CodeEditor::operator=(CodeEditor&&) noexcept = default;
CodeEditor::~CodeEditor() = default;

} // namespace lathe
