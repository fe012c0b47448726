// SPDX-License-Identifier: MIT
// A text box for CUDA C++: highlighting, line numbers, markers, find and replace. Wraps
// ImGuiColorTextEdit; with Debian's ImGui (no docking) it is a plain text box with a list of
// messages below.
#pragma once

#include "engine/core/diagnostic.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

/// A place in a text: both from 1, columns count bytes.
struct TextPlace {
    int line = 1, column = 1;
    bool operator==(const TextPlace&) const = default;
};

class CodeEditor {
public:
    CodeEditor();
    CodeEditor(CodeEditor&&) noexcept;
    CodeEditor& operator=(CodeEditor&&) noexcept;
    ~CodeEditor();

    /// Replaces the text; cursor, scroll and undo begin anew.
    void set_text(const std::string& text);
    std::string text() const;
    /// The user changed the text since the last call.
    bool take_change();

    /// Marks lines and squiggles columns; replaces earlier marks.
    void set_diagnostics(const std::vector<Diagnostic>& diagnostics);
    /// Cursor to line and column (from 1), scrolled to the middle, keyboard here.
    void go_to(int line, int column);
    /// Line and column of the cursor, from 1.
    std::pair<int, int> cursor() const;
    TextPlace cursor_place() const;
    /// The cursor there, without a scroll unless it is out of sight.
    void put_cursor(TextPlace place);
    void focus();
    bool focused() const;

    /// Replaces `bytes` of a line, as the user would; the cursor goes behind them. Changes of one
    /// `id` that follow each other are one step for undo, and each replaces what was there before
    /// the first of them.
    void replace(TextPlace place, int bytes, const std::string& text, std::uint64_t id);

    /// The character under the mouse; nothing outside of the text or where something covers it.
    std::optional<TextPlace> under_mouse() const;
    /// In this frame the mouse does nothing to the text: before draw().
    void keep_mouse();
    /// A line under a part of the text, drawn over it: after draw(), on the screen it was drawn to.
    void underline(TextPlace place, int bytes, unsigned color, float thickness);

    /// Inside a window; fills `height` pixels (0: what is left).
    void draw(const char* id, float height = 0);

private:
    struct State;
    std::unique_ptr<State> s_;
};

} // namespace lathe
