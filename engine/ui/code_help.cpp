// SPDX-License-Identifier: MIT
#include "engine/ui/code_help.h"

#include "engine/ui/theme.h"

namespace lathe {

bool CodeHelp::handle(const KeyEvent& key, CodeEditor& editor) {
    return completion_.handle(key, editor, index_) || signature_.handle(key) ||
           definition_.handle(key, editor, index_);
}

void CodeHelp::before(CodeEditor& editor, bool has_mouse) {
    completion_.take_click(editor);
    definition_.take_click(editor, index_, !has_mouse && !completion_.is_open());
}

void CodeHelp::after(CodeEditor& editor, const KernelSlot& slot, const std::string& text,
                     std::uint64_t version, bool has_mouse) {
    // Headers are looked at when the text or its compiled version is another.
    index_.update(text, version << 24 | (slot.compiles() + slot.generation()),
                  slot.included_files());
    const CodeEditor::Typed typed = editor.take_typed();
    completion_.update(editor, index_, typed);
    signature_.update(editor, index_, typed);
    definition_.draw(editor);
    signature_.draw(editor);
    completion_.draw(editor, signature_.below() + theme::px(2), signature_.above() + theme::px(2));
    tip_.draw(editor, index_, !has_mouse && !completion_.is_open());
}

void CodeHelp::hide() {
    completion_.close();
    signature_.hide();
}

} // namespace lathe
