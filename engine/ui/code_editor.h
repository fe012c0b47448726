// SPDX-License-Identifier: MIT
// A text box for CUDA C++: highlighting, line numbers, markers, find and replace. Wraps
// ImGuiColorTextEdit; with Debian's ImGui (no docking) it is a plain text box with a list of
// messages below.
#pragma once

#include "engine/core/diagnostic.h"

#include <memory>
#include <string>
#include <vector>

namespace lathe {

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
    void focus();
    bool focused() const;

    /// Inside a window; fills `height` pixels (0: what is left).
    void draw(const char* id, float height = 0);

private:
    struct State;
    std::unique_ptr<State> s_;
};

} // namespace lathe
