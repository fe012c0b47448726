// SPDX-License-Identifier: MIT
// What is known of a word: its declaration in the text or in a header with the comment above it,
// or what cuda_words.inc says. It comes as a tip where the mouse rests, and the line of a call's
// parameters (signature_help.h) is made of it, too.
#pragma once

#include "engine/live/source_index.h"
#include "engine/ui/code_editor.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lathe {

struct WordHelp {
    std::string written; ///< "float sinf(float x)"
    std::string words;   ///< may be empty
    std::string place;   ///< "kernel, line 12", "function, wave.cuh:3", "CUDA"
    bool operator==(const WordHelp&) const = default;
};

/// Of a name that stands at an offset of the text; nothing where nothing is known.
std::optional<WordHelp> help_of(const SourceIndex& index, std::string_view name,
                                std::size_t offset);

class WordTip {
public:
    /// After the text was drawn. `may_show`: nothing else lies there or is in the mouse's hand.
    void draw(const CodeEditor& editor, const SourceIndex& index, bool may_show);
    /// What is shown now.
    const std::optional<WordHelp>& shown() const { return shown_; }

private:
    std::size_t word_ = ~std::size_t{}; ///< offset of the word under the mouse
    double since_ = 0;                  ///< by Dear ImGui's clock
    std::optional<WordHelp> shown_;
};

} // namespace lathe
