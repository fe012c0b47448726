// SPDX-License-Identifier: MIT
// What a CodeEditor is made of; shared by the code_editor*.cpp sources and seen by nobody else.
#pragma once

#include "engine/ui/code_editor.h"
#include "engine/ui/theme.h"

#include <TextEditor.h>

#include <cstdint>
#include <optional>
#include <string>

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

    TextEditor::DocPos at(TextPlace place) const;
};

} // namespace lathe
