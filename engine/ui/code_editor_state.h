// SPDX-License-Identifier: MIT
// What a CodeEditor is made of; shared by the code_editor*.cpp sources and seen by nobody else.
#pragma once

#include "engine/ui/code_editor.h"
#include "engine/ui/theme.h"

#include <TextEditor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct ImGuiWindow;

namespace lathe {

inline bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }
/// The editor counts characters, the compiler bytes.
std::size_t characters_before(const std::string& line, std::size_t byte);
/// From 1, in bytes.
int column_of(const std::string& line, std::size_t character);

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

    std::vector<Diagnostic> diagnostics;
    std::vector<LineMark> marks;
    std::vector<KeptFold> put;       ///< to be folded away when the box knows its brackets
    std::vector<std::size_t> folded; ///< lines that had something folded away when marks were set

    TextEditor::DocPos at(TextPlace place) const;
    bool is_row_seen(std::size_t line) const; ///< from 0
    // code_editor_marks.cpp
    void apply_marks();
    // code_editor_folds.cpp: lines are from 0
    std::size_t row_of(std::size_t line) const; ///< the line that stands for it
    std::size_t last_of_row(std::size_t line) const;
    std::vector<std::size_t> folded_lines() const;
    void fold_at(std::size_t line);
    void put_folds();
};

} // namespace lathe
