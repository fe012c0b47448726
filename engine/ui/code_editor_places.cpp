// SPDX-License-Identifier: MIT
// A CodeEditor's cursor, and where its characters are on the screen.
#include "engine/ui/code_editor_state.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lathe {

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

TextEditor::DocPos CodeEditor::State::at(TextPlace place) const {
    const auto line = std::size_t(std::max(place.line, 1) - 1);
    const auto byte = std::size_t(std::max(place.column, 1) - 1);
    return {line, characters_before(editor.GetLineText(line), byte)};
}

bool CodeEditor::State::is_row_seen(std::size_t line) const {
    if (editor.IsLineHidden(line)) return false;
    const std::size_t row = editor.DocPos2VisPos({line, 0}).row;
    return row >= editor.GetFirstVisibleRow() && row < editor.GetLastVisibleRow();
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
    const bool is_row_seen = s_->is_row_seen(at.line);
    s_->editor.SetCursor(at); // scrolls as far as it must, also to the side
    if (!is_row_seen) s_->editor.ScrollToLine(at.line, TextEditor::Scroll::alignMiddle);
    s_->editor.SetFocus();
}

void CodeEditor::follow_cursor() { s_->editor.SetCursor(s_->editor.GetCurrentCursorPosition()); }

void CodeEditor::show_line(int line) {
    s_->editor.SetCursor({std::size_t(std::max(line, 1) - 1), 0});
}

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

ImVec2 CodeEditor::on_screen(TextPlace place) const {
    const TextEditor& e = s_->editor;
    if (!s_->window) return {};
    TextEditor::DocPos to = s_->at(place);
    if (const std::size_t line = s_->row_of(to.line); line != to.line)
        to = {line, e.GetLineText(line).size()};
    const auto at = e.DocPos2VisPos(to);
    // As the editor lays it out: line numbers, the gutter, a margin, the text.
    const std::size_t digits = std::size_t(std::log10(float(e.GetLineCount() + 1)) + 1);
    const std::size_t arrow = e.IsLineFoldingEnabled();
    const std::size_t numbers =
        e.IsShowLineNumbersEnabled() ? e.GetLineNumberLeftMargin() + digits : 0;
    const std::size_t gutter =
        s_->gutter ? std::size_t(s_->gutter) + e.GetDecorationLeftMargin() : 0;
    const auto margins = float(numbers + arrow + gutter + e.GetTextLeftMargin());
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
    if (!s_->window || !s_->is_row_seen(std::size_t(place.line - 1))) return;
    const ImVec2 low = on_screen(place);
    const ImVec2 high = on_screen({place.line, place.column + bytes});
    const float y = low.y + line_height() - theme::px(3);
    ImDrawList* const list = s_->window->DrawList;
    list->PushClipRect(s_->window->InnerRect.Min, s_->window->InnerRect.Max, true);
    list->AddRectFilled({low.x, y}, {high.x, y + thickness}, color);
    list->PopClipRect();
}

} // namespace lathe
