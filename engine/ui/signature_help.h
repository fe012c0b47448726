// SPDX-License-Identifier: MIT
// The parameters of the call that is typed, in one line over it, the present one in the accent's
// colour. It comes when something is typed within the brackets, or with Ctrl+Shift+Space, and goes
// with the brackets or with Escape.
#pragma once

#include "engine/app/input.h"
#include "engine/live/source_index.h"
#include "engine/ui/code_editor.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lathe {

/// A call's line, cut where the present parameter stands.
struct Signature {
    std::string before, present, after;
    std::string whole() const { return before + present + after; }
    bool operator==(const Signature&) const = default;
};
/// Of a declaration and an argument from 0. In `most` characters: what does not fit becomes "...",
/// the present parameter last. Nothing where the declaration has no brackets.
std::optional<Signature> signature_of(std::string_view written, std::size_t argument,
                                      std::size_t most);

class SignatureHelp {
public:
    /// The keys above; true where the key was one of them.
    bool handle(const KeyEvent& key);
    /// Behind the text, the index being the text's.
    void update(const CodeEditor& editor, const SourceIndex& index, CodeEditor::Typed typed);
    /// `is_seen`: the cursor is in sight, else nothing is drawn.
    void draw(const CodeEditor& editor, bool is_seen);
    void hide() { shown_.reset(); }
    /// What is shown now.
    const std::optional<Signature>& shown() const { return shown_; }
    /// Pixels over and below the cursor's line that the line of parameters takes.
    float above() const { return above_; }
    float below() const { return below_; }

private:
    std::optional<Signature> shown_;
    std::optional<std::size_t> call_;      ///< offset of the bracket whose call is shown
    std::optional<std::size_t> dismissed_; ///< the same, that Escape has closed
    TextPlace name_;                       ///< of the call
    bool is_asked_for_ = false;
    float above_ = 0, below_ = 0;
};

} // namespace lathe
