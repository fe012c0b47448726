// SPDX-License-Identifier: MIT
// What a CodeEditor marks in its text and beside it.
#include "engine/ui/code_editor_state.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace lathe {

namespace {

unsigned color_of(Diagnostic::Severity severity) {
    return severity == Diagnostic::Severity::error     ? theme::kError
           : severity == Diagnostic::Severity::warning ? theme::kWarning
                                                       : theme::kAccent;
}

/// The end of the word or mark at a place: what a squiggle underlines.
std::size_t token_end(const std::string& line, std::size_t begin) {
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    std::size_t end = begin;
    while (end < line.size() && is_word(line[end])) ++end;
    return std::max(end, begin + 1);
}

/// Below the word at its column, or below the whole line.
void squiggle(TextEditor& editor, const Diagnostic& d) {
    const auto line = std::size_t(d.line - 1);
    const std::string words = editor.GetLineText(line);
    const std::size_t first = std::min(words.find_first_not_of(" \t"), words.size());
    const std::size_t begin =
        d.column > 0 ? std::min(std::size_t(d.column - 1), words.size()) : first;
    const std::size_t end = d.column > 0 ? token_end(words, begin) : words.size();
    if (end > begin && begin < words.size())
        editor.AddSquiggle({line, begin}, {line, end}, 0, theme::packed(color_of(d.severity)),
                           d.text);
}

} // namespace

void CodeEditor::set_marks(const std::vector<Diagnostic>& diagnostics,
                           const std::vector<LineMark>& marks) {
    s_->diagnostics = diagnostics;
    s_->marks = marks;
    s_->apply_marks();
}

/// One mark a row: of its diagnostics, else the first of the other ones.
void CodeEditor::State::apply_marks() {
    folded = folded_lines();
    editor.ClearMarkers();
    editor.ClearSquiggles();
    const auto is_here = [this](int line) {
        return line >= 1 && std::size_t(line) <= editor.GetLineCount();
    };
    std::vector<LineMark> rows;
    const auto add = [&](LineMark mark, bool adds_words) {
        mark.line = int(row_of(std::size_t(mark.line - 1))) + 1;
        const auto known = std::ranges::find(rows, mark.line, &LineMark::line);
        if (known == rows.end()) rows.push_back(std::move(mark));
        else if (adds_words) known->text += '\n' + mark.text;
    };
    for (const Diagnostic& d : diagnostics) {
        if (!is_here(d.line)) continue;
        add({d.line, color_of(d.severity), d.text}, true);
        squiggle(editor, d);
    }
    for (const LineMark& mark : marks)
        if (is_here(mark.line)) add(mark, false);
    for (const LineMark& row : rows)
        editor.AddMarker(std::size_t(row.line - 1), theme::packed(row.rgb, row.strength),
                         theme::packed(row.rgb, 0.10f), row.text, row.text);
}

} // namespace lathe
