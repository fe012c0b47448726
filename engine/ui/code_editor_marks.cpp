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

} // namespace

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

} // namespace lathe
