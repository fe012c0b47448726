// SPDX-License-Identifier: MIT
// What a CodeEditor folds away: brackets of several lines, which the text box finds by itself. It
// is told lines only, and keeps a fold where it may be seen; so the row of a fold is in sight
// first.
#include "engine/live/source_tokens.h"
#include "engine/ui/code_editor_state.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lathe {

namespace {

struct Fold {
    std::size_t first = 0, last = 0; ///< lines from 0
    bool is_braces = false;
};

/// Brackets of more than one line, in the order in which they begin.
std::vector<Fold> folds_of(const std::string& text) {
    std::vector<Token> tokens = tokens_of(text);
    std::erase_if(tokens, [](const Token& t) {
        return t.kind == TokenKind::comment || t.kind == TokenKind::text;
    });
    const BracketPairs pairs = pair_brackets(tokens);
    std::vector<Fold> folds;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::size_t other = pairs.partner[i];
        if (other == BracketPairs::kNone || other < i) continue;
        if (tokens[other].line > tokens[i].line)
            folds.push_back({std::size_t(tokens[i].line - 1), std::size_t(tokens[other].line - 1),
                             tokens[i].is('{')});
    }
    return folds;
}

} // namespace

std::size_t CodeEditor::State::row_of(std::size_t line) const {
    while (line > 0 && editor.IsLineHidden(line)) --line;
    return line;
}

std::size_t CodeEditor::State::last_of_row(std::size_t line) const {
    while (line + 1 < editor.GetLineCount() && editor.IsLineHidden(line + 1)) ++line;
    return line;
}

std::vector<std::size_t> CodeEditor::State::folded_lines() const {
    std::vector<std::size_t> lines;
    for (std::size_t line = 0; line < editor.GetLineCount(); ++line)
        if (editor.IsLineFolded(line)) lines.push_back(line);
    return lines;
}

void CodeEditor::State::fold_at(std::size_t line) {
    if (editor.IsLineFoldable(line)) editor.ToggleAtLine(line);
}

void CodeEditor::fold() {
    TextEditor& e = s_->editor;
    const std::size_t line = e.GetCurrentCursorPosition().line;
    std::optional<std::size_t> first;
    for (const Fold& fold : folds_of(e.GetText()))
        if (fold.first <= line && line <= fold.last && e.IsLineFoldable(fold.first))
            first = fold.first; // what begins later lies further inside
    if (!first) return;
    e.SetCursor({*first, e.GetLineText(*first).size()});
    if (*first < e.VisPos2DocPos({e.GetFirstVisibleRow(), 0}).line)
        e.ScrollToLine(*first, TextEditor::Scroll::alignTop);
    s_->fold_at(*first);
}

void CodeEditor::unfold() {
    const std::size_t line = s_->editor.GetCurrentCursorPosition().line;
    if (s_->editor.IsLineFolded(line)) s_->editor.ToggleAtLine(line);
}

void CodeEditor::fold_all() {
    TextEditor& e = s_->editor;
    std::size_t outside = 0; // the first line behind the last fold
    for (const Fold& fold : folds_of(e.GetText())) {
        if (!fold.is_braces || fold.first < outside) continue;
        outside = fold.last;
        s_->fold_at(fold.first);
    }
    const std::size_t line = s_->row_of(e.GetCurrentCursorPosition().line);
    e.SetCursor({line, 0});
    e.ScrollToLine(line, TextEditor::Scroll::alignMiddle);
}

void CodeEditor::unfold_all() { s_->editor.UnfoldAll(); }

std::vector<KeptFold> CodeEditor::folds() const {
    if (!s_->put.empty()) return s_->put;
    std::vector<FoldedLines> folds;
    for (const std::size_t line : s_->folded_lines())
        folds.push_back({line, s_->last_of_row(line)});
    return keep_folds(s_->editor.GetText(), folds);
}

void CodeEditor::put_folds(std::vector<KeptFold> folds) { s_->put = std::move(folds); }

/// What the box would fold away there must be what was folded away: not a line more or less. The
/// cursor stays in sight.
void CodeEditor::State::put_folds() {
    for (const FoldedLines& fold : find_folds(editor.GetText(), std::exchange(put, {}))) {
        const std::size_t cursor = editor.GetCurrentCursorPosition().line;
        if (fold.first < cursor && cursor <= fold.last) continue;
        if (!editor.IsLineFoldable(fold.first)) continue;
        editor.ToggleAtLine(fold.first);
        if (last_of_row(fold.first) != fold.last) editor.ToggleAtLine(fold.first);
    }
}

} // namespace lathe
