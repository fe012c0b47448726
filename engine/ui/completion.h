// SPDX-License-Identifier: MIT
// Words that continue what is typed: those of the text, of its headers, of CUDA and of C++. The
// list comes from the second letter of a word on, or at once with Ctrl+Space; Tab, Enter and a
// click take a word, arrows move, Escape closes. The text box has a list of its own, which is not
// used: it is cut at the window's edge, shows an empty box after the first letter, and has names
// alone.
#pragma once

#include "engine/app/input.h"
#include "engine/live/source_index.h"
#include "engine/ui/code_editor.h"

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

struct Candidate {
    std::string name;
    std::string_view kind; ///< "kernel", "CUDA"; "word" for what is only written there
    std::string written;   ///< its declaration; may be empty
    std::string words;     ///< what is said of it; may be empty
    bool operator==(const Candidate&) const = default;
};

/// The words for the beginning [begin, at) of one, nearest first: the word itself, those that begin
/// so, those that begin so in another case or behind underscores, those that have it in them; of
/// each what the text declares, then what else stands in it, before the others. Behind a dot
/// members alone.
std::vector<Candidate> find_candidates(const SourceIndex& index, std::size_t begin, std::size_t at);

class CompletionList {
public:
    bool is_open() const { return !items_.empty(); }
    void close();
    const std::vector<Candidate>& items() const { return items_; }
    std::size_t selected() const { return selected_; }

    /// The keys above; true where the key was for the list.
    bool handle(const KeyEvent& key, CodeEditor& editor, const SourceIndex& index);
    /// Before the text is drawn: a click into the list.
    void take_click(CodeEditor& editor);
    /// Behind it, the index being the text's: opens, follows or closes.
    void update(CodeEditor& editor, const SourceIndex& index, CodeEditor::Typed typed);
    /// `gap` pixels below the line stay free, and `above` over it. `is_seen`: the cursor is in
    /// sight, else nothing is drawn.
    void draw(const CodeEditor& editor, float gap, float above, bool is_seen);
    /// Corner and height of the first row on the screen, when it was drawn last.
    std::pair<ImVec2, float> rows() const { return {rows_, row_}; }
    /// The list covers this place of the screen.
    bool covers(ImVec2 place) const;

private:
    void open(CodeEditor& editor, const SourceIndex& index, bool is_asked_for);
    void take(CodeEditor& editor);
    void move(int by);
    float draw_rows(ImDrawList& list, ImVec2 at, float width) const;

    std::vector<Candidate> items_;
    std::size_t selected_ = 0, first_ = 0; ///< first_: the uppermost row
    TextPlace begin_;                      ///< of the word
    int bytes_ = 0;                        ///< of the word, to be replaced
    std::string typed_;                    ///< of it, before the cursor
    std::size_t cursor_ = 0;               ///< offset
    std::optional<std::size_t> dismissed_; ///< offset of the word for which it was closed
    ImVec2 low_{}, high_{};                ///< on the screen, when it was drawn last
    ImVec2 rows_{};                        ///< the first row's corner
    float row_ = 0;                        ///< height
};

} // namespace lathe
