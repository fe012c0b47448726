// SPDX-License-Identifier: MIT
#include "engine/ui/code_editor.h"

#include "engine/ui/theme.h"

#include "engine/ui/code_palette.h"
#include "engine/ui/cuda_language.h"

#include <imgui_internal.h>
#include <TextEditor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace lathe {

namespace {

unsigned color_of(Diagnostic::Severity severity) {
    return severity == Diagnostic::Severity::error     ? theme::kError
           : severity == Diagnostic::Severity::warning ? theme::kWarning
                                                       : theme::kAccent;
}

} // namespace

namespace {

/// The end of the word or mark at a place: what a squiggle underlines.
std::size_t token_end(const std::string& line, std::size_t begin) {
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    std::size_t end = begin;
    while (end < line.size() && is_word(line[end])) ++end;
    return std::max(end, begin + 1);
}

} // namespace

namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

/// The editor counts characters, the compiler bytes.
std::size_t characters_before(const std::string& line, std::size_t byte) {
    const auto end = line.begin() + std::ptrdiff_t(std::min(byte, line.size()));
    return std::size_t(std::count_if(line.begin(), end, begins_character));
}
int column_of(const std::string& line, std::size_t character) {
    std::size_t byte = 0;
    for (; byte < line.size(); ++byte)
        if (begins_character(line[byte]) && character-- == 0) break;
    return int(byte) + 1;
}

} // namespace

struct CodeEditor::State {
    TextEditor editor;
    ImGuiWindow* window = nullptr; ///< of the last draw()
    std::uint64_t change_id = 0;   ///< of the last replace()
    std::size_t change_index = 0;  ///< of undo, behind it
    bool is_change_open = false;   ///< there is something to undo
    int gutter = 0;                ///< in glyphs
    bool changed = false;
    bool focused = false;
    Typed typed = Typed::nothing;
    bool is_presented = false;
    std::optional<Look> look; ///< that the palette is of

    TextEditor::DocPos at(TextPlace place) const {
        const auto line = std::size_t(std::max(place.line, 1) - 1);
        const auto byte = std::size_t(std::max(place.column, 1) - 1);
        return {line, characters_before(editor.GetLineText(line), byte)};
    }
};

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

} // namespace

CodeEditor::CodeEditor() : s_{std::make_unique<State>()} {
    TextEditor& e = s_->editor;
    e.SetLanguage(cuda_language());
    e.SetTabSize(4);
    e.SetInsertSpacesOnTabs(true);
    e.SetShowWhitespacesEnabled(false);
    e.SetShowScrollbarMiniMapEnabled(true);
    e.SetCompletePairedGlyphs(false);
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

void CodeEditor::set_marks(const std::vector<Diagnostic>& diagnostics,
                           const std::vector<LineMark>& marks) {
    TextEditor& e = s_->editor;
    e.ClearMarkers();
    e.ClearSquiggles();
    for (const LineMark& m : marks)
        if (m.line >= 1 && std::size_t(m.line) <= e.GetLineCount())
            e.AddMarker(std::size_t(m.line - 1), theme::packed(m.rgb, m.strength),
                        theme::packed(m.rgb, 0.10f), m.text, m.text);
    for (const Diagnostic& d : diagnostics) {
        if (d.line < 1 || std::size_t(d.line) > e.GetLineCount()) continue;
        const auto line = std::size_t(d.line - 1);
        const unsigned rgb = color_of(d.severity);
        e.AddMarker(line, theme::packed(rgb, 0.32f), theme::packed(rgb, 0.10f), d.text, d.text);
        const std::string words = e.GetLineText(line);
        const std::size_t first = std::min(words.find_first_not_of(" \t"), words.size());
        const std::size_t begin =
            d.column > 0 ? std::min(std::size_t(d.column - 1), words.size()) : first;
        const std::size_t end = d.column > 0 ? token_end(words, begin) : words.size();
        if (end > begin && begin < words.size())
            e.AddSquiggle({line, begin}, {line, end}, 0, theme::packed(rgb), d.text);
    }
}

void CodeEditor::set_gutter(int glyphs, DrawGutter draw) {
    s_->gutter = glyphs;
    if (glyphs == 0) return s_->editor.ClearLineDecorator();
    s_->editor.SetLineDecorator(
        std::size_t(glyphs), [draw = std::move(draw)](TextEditor::Decorator& line) {
            const ImVec2 low = ImGui::GetCursorScreenPos();
            draw(int(line.line) + 1, low, {low.x + line.width, low.y + line.height});
        });
}

void CodeEditor::go_to(int line, int column) {
    const TextEditor::DocPos at{std::size_t(std::max(line, 1) - 1),
                                std::size_t(std::max(column, 1) - 1)};
    s_->editor.SetCursor(at);
    s_->editor.ScrollToLine(at.line, TextEditor::Scroll::alignMiddle);
    s_->editor.SetFocus();
}

std::pair<int, int> CodeEditor::cursor() const {
    const auto at = s_->editor.GetCurrentCursorPosition();
    return {int(at.line) + 1, int(at.index) + 1};
}

TextPlace CodeEditor::cursor_place() const {
    const auto at = s_->editor.GetCurrentCursorPosition();
    return {int(at.line) + 1, column_of(s_->editor.GetLineText(at.line), at.index)};
}

void CodeEditor::put_cursor(TextPlace place) {
    const TextEditor::DocPos at = s_->at(place);
    const std::size_t row = s_->editor.DocPos2VisPos(at).row;
    const bool is_row_seen =
        row >= s_->editor.GetFirstVisibleRow() && row < s_->editor.GetLastVisibleRow();
    s_->editor.SetCursor(at); // scrolls as far as it must, also to the side
    if (!is_row_seen) s_->editor.ScrollToLine(at.line, TextEditor::Scroll::alignMiddle);
    s_->editor.SetFocus();
}

void CodeEditor::follow_cursor() { s_->editor.SetCursor(s_->editor.GetCurrentCursorPosition()); }

void CodeEditor::show_line(int line) {
    s_->editor.SetCursor({std::size_t(std::max(line, 1) - 1), 0});
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

std::string CodeEditor::selected() const {
    const auto [begin, end] = s_->editor.GetCurrentCursorSelection();
    return begin.line == end.line ? s_->editor.GetSectionText(begin, end) : std::string{};
}

std::optional<TextPlace> CodeEditor::under_mouse() const {
    const ImVec2 mouse = ImGui::GetMousePos();
    const ImGuiWindow* const window = s_->window;
    if (!window || ImGui::GetCurrentContext()->HoveredWindow != window) return {};
    if (!window->InnerRect.Contains(mouse) || !s_->editor.IsMousePosOverGlyph(mouse)) return {};
    const auto at = s_->editor.GetDocPosAtMousePos(mouse);
    return TextPlace{int(at.line) + 1, column_of(s_->editor.GetLineText(at.line), at.index)};
}

void CodeEditor::keep_mouse() {
    // While another item is active the editor takes itself for not hovered.
    const ImGuiID id = ImGui::GetID("mouse is taken");
    if (ImGui::GetActiveID() != id) ImGui::SetActiveID(id, ImGui::GetCurrentWindow());
    ImGui::KeepAliveID(id);
}

ImVec2 CodeEditor::on_screen(TextPlace place) const {
    const TextEditor& e = s_->editor;
    if (!s_->window) return {};
    const auto at = e.DocPos2VisPos(s_->at(place));
    // As the editor lays it out: line numbers, the gutter, a margin, the text.
    const std::size_t digits = std::size_t(std::log10(float(e.GetLineCount() + 1)) + 1);
    const std::size_t numbers =
        e.IsShowLineNumbersEnabled() ? e.GetLineNumberLeftMargin() + digits : 0;
    const std::size_t gutter =
        s_->gutter ? std::size_t(s_->gutter) + e.GetDecorationLeftMargin() : 0;
    const auto margins = float(numbers + gutter + e.GetTextLeftMargin());
    const ImVec2 origin = s_->window->DC.CursorStartPos;
    return {origin.x + (margins + float(at.column)) * e.GetGlyphWidth(),
            origin.y + float(at.row) * e.GetLineHeight()};
}

bool CodeEditor::is_seen(TextPlace place) const {
    return s_->editor.IsDocPosVisible(s_->at(place));
}

float CodeEditor::line_height() const { return s_->editor.GetLineHeight(); }

float CodeEditor::top() const { return s_->window ? s_->window->InnerRect.Min.y : 0; }

void CodeEditor::underline(TextPlace place, int bytes, unsigned color, float thickness) {
    if (!s_->window || !s_->editor.IsLineVisible(std::size_t(place.line - 1))) return;
    const ImVec2 low = on_screen(place);
    const ImVec2 high = on_screen({place.line, place.column + bytes});
    const float y = low.y + line_height() - theme::px(3);
    ImDrawList* const list = s_->window->DrawList;
    list->PushClipRect(s_->window->InnerRect.Min, s_->window->InnerRect.Max, true);
    list->AddRectFilled({low.x, y}, {high.x, y + thickness}, color);
    list->PopClipRect();
}

void CodeEditor::focus() { s_->editor.SetFocus(); }

bool CodeEditor::focused() const { return s_->focused; }

void CodeEditor::set_presented(bool is_presented) {
    if (s_->is_presented == is_presented) return;
    s_->is_presented = is_presented;
    s_->look.reset();
    s_->editor.SetShowLineNumbersEnabled(!is_presented);
    s_->editor.SetShowScrollbarMiniMapEnabled(!is_presented);
}

void CodeEditor::draw(const char* id, float height) {
    if (s_->look != theme::look()) s_->editor.SetPalette(code_palette(s_->is_presented));
    s_->look = theme::look();
    theme::push_font(s_->is_presented ? theme::Font::large_code : theme::Font::code);
    s_->editor.Render(id, {0, height});
    theme::pop_font();
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
