// SPDX-License-Identifier: MIT
#include "engine/ui/code_editor.h"

#include "engine/ui/theme.h"

#include "engine/ui/cuda_language.h"

#include <TextEditor.h>

#include <algorithm>
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

TextEditor::Palette palette() {
    using enum TextEditor::Color;
    TextEditor::Palette p = TextEditor::GetDarkPalette();
    const auto set = [&p](TextEditor::Color which, unsigned rgb, float alpha = 1) {
        p[std::size_t(which)] = theme::packed(rgb, alpha);
    };
    set(text, 0xd9dee7);
    set(keyword, 0xc792ea);
    set(declaration, 0x6fb8e8);
    set(number, 0xf2a97e);
    set(string, 0xa5d489);
    set(punctuation, 0xa9b3c3);
    set(preprocessor, 0xd9a3c0);
    set(identifier, 0xd9dee7);
    set(knownIdentifier, 0x6fd0c0);
    set(comment, 0x7f8b9c);
    set(background, 0x15181d);
    set(cursor, 0xffffff);
    set(selection, theme::kAccent, 0.30f);
    set(whitespace, 0x3a4250);
    set(matchingBracketBackground, theme::kAccent, 0.22f);
    set(matchingBracketActive, 0xffffff);
    set(matchingBracketLevel1, 0xa9b3c3);
    set(matchingBracketLevel2, 0xa9b3c3);
    set(matchingBracketLevel3, 0xa9b3c3);
    set(matchingBracketError, theme::kError);
    set(lineNumber, 0x8a94a6); // also legible on a marker
    set(currentLineNumber, 0xe4e8ef);
    return p;
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

struct CodeEditor::State {
    TextEditor editor;
    bool changed = false;
    bool focused = false;
};

CodeEditor::CodeEditor() : s_{std::make_unique<State>()} {
    TextEditor& e = s_->editor;
    e.SetLanguage(cuda_language());
    e.SetPalette(palette());
    e.SetTabSize(4);
    e.SetInsertSpacesOnTabs(true);
    e.SetShowWhitespacesEnabled(false);
    e.SetShowScrollbarMiniMapEnabled(true);
    e.SetCompletePairedGlyphs(false);
    e.SetLineSpacing(1.15f);
    State* state = s_.get();
    e.SetChangeCallback([state] { state->changed = true; });
}

void CodeEditor::set_text(const std::string& text) {
    s_->editor.SetText(text);
    s_->changed = false;
}

std::string CodeEditor::text() const { return s_->editor.GetText(); }

bool CodeEditor::take_change() { return std::exchange(s_->changed, false); }

void CodeEditor::set_diagnostics(const std::vector<Diagnostic>& diagnostics) {
    TextEditor& e = s_->editor;
    e.ClearMarkers();
    e.ClearSquiggles();
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

void CodeEditor::focus() { s_->editor.SetFocus(); }

bool CodeEditor::focused() const { return s_->focused; }

void CodeEditor::draw(const char* id, float height) {
    theme::push_font(theme::Font::code);
    s_->editor.Render(id, {0, height});
    theme::pop_font();
    // The editor is a child window: its id ends with the name it was given.
    s_->focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
}

CodeEditor::CodeEditor(CodeEditor&&) noexcept = default;
CodeEditor& CodeEditor::operator=(CodeEditor&&) noexcept = default;
CodeEditor::~CodeEditor() = default;

} // namespace lathe
