// SPDX-License-Identifier: MIT
#include "engine/ui/code_help.h"

#include "engine/ui/theme.h"

namespace lathe {

bool CodeHelp::handle(const KeyEvent& key, CodeEditor& editor) {
    return completion_.handle(key, editor, index_);
}

void CodeHelp::before(CodeEditor& editor) { completion_.take_click(editor); }

void CodeHelp::after(CodeEditor& editor, const KernelSlot& slot, const std::string& text,
                     std::uint64_t version) {
    // Headers are looked at when the text or its compiled version is another.
    index_.update(text, version << 24 | (slot.compiles() + slot.generation()),
                  slot.included_files());
    completion_.update(editor, index_, editor.take_typed());
    completion_.draw(editor, theme::px(2), theme::px(2));
}

void CodeHelp::hide() { completion_.close(); }

} // namespace lathe
