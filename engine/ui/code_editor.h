// SPDX-License-Identifier: MIT
// A text box for CUDA C++: highlighting, line numbers, markers, find and replace. Wraps
// ImGuiColorTextEdit; with Debian's ImGui (no docking) it is a plain text box with a list of
// messages below.
#pragma once

#include "engine/core/diagnostic.h"
#include "engine/live/kept_folds.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct ImVec2;

namespace lathe {

/// A line that is tinted; the words come where the mouse rests on it.
struct LineMark {
    int line = 0; ///< from 1
    unsigned rgb = 0;
    std::string text;
    float strength = 0.32f; ///< behind the line's number, 0 to 1
    bool operator==(const LineMark&) const = default;
};

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
    /// What the user's last change was, once: a key's character, one that is gone, or another one.
    enum class Typed { nothing, character, removal, other };
    Typed take_typed();

    /// Marks lines and squiggles columns; replaces earlier marks. A line that has a diagnostic has
    /// no other mark. Of lines that are folded away the mark stands at the row that stands for
    /// them.
    void set_marks(const std::vector<Diagnostic>& diagnostics,
                   const std::vector<LineMark>& marks = {});
    /// Draws between a line's number and its text, in a box of so many glyphs whose corners on the
    /// screen it is given, for each row that is seen: a line, and those that are folded away behind
    /// it. 0 glyphs: nothing stands there.
    using DrawGutter = std::function<void(int first, int last, ImVec2 low, ImVec2 high)>;
    void set_gutter(int glyphs, DrawGutter draw);
    /// A right click on a line's number opens a popup; what it shows of the line.
    void set_number_menu(std::function<void(int line)> draw);
    /// Cursor to line and column (from 1), scrolled to the middle, keyboard here.
    void go_to(int line, int column);
    /// Line and column of the cursor, from 1.
    std::pair<int, int> cursor() const;
    TextPlace cursor_place() const;
    /// The cursor there; if that is out of sight, it is scrolled to the middle.
    void put_cursor(TextPlace place);
    /// Scrolls to the cursor, as far as it must.
    void follow_cursor();
    /// put_cursor() at a line's begin; the keyboard stays where it is.
    void show_line(int line);
    void focus();
    bool focused() const;
    bool has_many_cursors() const;

    /// Replaces `bytes` of a line, as the user would; the cursor goes behind them. Changes of one
    /// `id` that follow each other are one step for undo, and each replaces what was there before
    /// the first of them.
    void replace(TextPlace place, int bytes, const std::string& text, std::uint64_t id);

    /// Makes this the text, as the user would: one step for undo, and the cursor stays on its line.
    void rewrite(const std::string& text);
    /// Replaces what stands between two places, which undo takes back at once.
    void replace_range(TextPlace begin, TextPlace end, const std::string& text);
    /// The user's own undo, redo and search in this text.
    void undo();
    void redo();
    bool can_undo() const;
    bool can_redo() const;
    void find();
    /// What is selected, if it is a part of one line; else nothing.
    std::string selected() const;

    /// Folds the innermost brackets around the cursor that are on lines of their own, and what is
    /// between them; the cursor goes to their first line.
    void fold();
    /// Shows what is folded away at the cursor's line.
    void unfold();
    /// Folds all braces that are not within others.
    void fold_all();
    void unfold_all();
    /// What is folded away.
    std::vector<KeptFold> folds() const;
    /// Folds this much away when the text is drawn next, as far as the text still has it.
    void put_folds(std::vector<KeptFold> folds);

    /// The character under the mouse; nothing outside of the text or where something covers it.
    std::optional<TextPlace> under_mouse() const;
    /// In this frame the mouse does nothing to the text: before draw().
    void keep_mouse();
    /// A line under a part of the text, drawn over it: after draw(), on the screen it was drawn to.
    void underline(TextPlace place, int bytes, unsigned color, float thickness);

    /// Where a character begins on the screen, its upper left corner; after draw(). Of a line that
    /// is folded away the end of the row that stands for it.
    ImVec2 on_screen(TextPlace place) const;
    /// It is neither scrolled out of sight nor folded away.
    bool is_seen(TextPlace place) const;
    float line_height() const;
    /// The text's upper edge on the screen, below which lines are seen.
    float top() const;

    /// For an audience: large letters over what is behind them, and nothing beside them.
    void set_presented(bool is_presented);
    /// Inside a window; fills `height` pixels (0: what is left).
    void draw(const char* id, float height = 0);

private:
    struct State;
    std::unique_ptr<State> s_;
};

} // namespace lathe
