// SPDX-License-Identifier: MIT
// The way to where a word is declared: F12 at the cursor, or Ctrl and a click on the word, which is
// underlined while Ctrl is held.
#pragma once

#include "engine/app/input.h"
#include "engine/live/source_index.h"
#include "engine/ui/code_editor.h"

#include <filesystem>
#include <optional>
#include <string>

namespace lathe {

struct Definition {
    std::string name;
    std::filesystem::path file; ///< empty: the text itself
    TextPlace place;
    std::string written;
    bool operator==(const Definition&) const = default;
};

/// Of the word at an offset; of a prototype the function, if it is there. Nothing where none is
/// known.
std::optional<Definition> definition_of(const SourceIndex& index, const Token& word);

class DefinitionHand {
public:
    /// True where the key is F12. A word without a definition is logged.
    bool handle(const KeyEvent& key, const CodeEditor& editor, const SourceIndex& index);
    /// Before the text is drawn; `may_take`: nothing else is in the mouse's hand.
    void take_click(CodeEditor& editor, const SourceIndex& index, bool may_take);
    /// Behind it: the line under the word.
    void draw(CodeEditor& editor) const;
    /// Where to go, once.
    std::optional<Definition> take();

private:
    std::optional<Definition> goal_;
    std::optional<TextPlace> linked_; ///< the word under the mouse
    int bytes_ = 0;                   ///< of it
    bool is_pressed_ = false;
};

} // namespace lathe
