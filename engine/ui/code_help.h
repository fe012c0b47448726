// SPDX-License-Identifier: MIT
// What helps to write the text of one tab: the words that continue it (completion.h), the
// parameters of a call (signature_help.h), what is known of the word under the mouse (word_help.h)
// and the way to its definition (definition_hand.h). It reads the text when that changes, and draws
// over the text box.
#pragma once

#include "engine/app/input.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/source_reader.h"
#include "engine/ui/code_editor.h"
#include "engine/ui/completion.h"
#include "engine/ui/definition_hand.h"
#include "engine/ui/signature_help.h"
#include "engine/ui/word_help.h"

#include <cstdint>
#include <optional>
#include <string>

namespace lathe {

class CodeHelp {
public:
    /// While the text box has the keyboard: the keys of its parts.
    bool handle(const KeyEvent& key, CodeEditor& editor);
    /// Before the text is drawn: what the mouse does. `has_mouse`: something else is in its hand.
    void before(CodeEditor& editor, bool has_mouse);
    /// Behind it. `text` is the editor's, `version` another one for another text.
    void after(CodeEditor& editor, const KernelSlot& slot, const std::string& text,
               std::uint64_t version, bool has_mouse);
    /// The tab is not in front.
    void hide();

    /// Where the user wants to go, once.
    std::optional<Definition> take_goal() { return definition_.take(); }
    const CompletionList& completion() const { return completion_; }
    const SignatureHelp& signature() const { return signature_; }
    const WordTip& tip() const { return tip_; }

private:
    void follow(CodeEditor& editor);
    void keep_cursor_in_sight(CodeEditor& editor, CodeEditor::Typed typed, bool is_seen);

    SourceReader reader_;
    int follow_frames_ = 0;
    bool is_read_ = false;                                 ///< the index is the text's
    CodeEditor::Typed typed_ = CodeEditor::Typed::nothing; ///< since it was
    CompletionList completion_;
    SignatureHelp signature_;
    WordTip tip_;
    DefinitionHand definition_;
};

} // namespace lathe
