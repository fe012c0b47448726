// SPDX-License-Identifier: MIT
#include "engine/ui/code_help.h"

#include "engine/ui/theme.h"

#include <utility>

namespace lathe {

bool CodeHelp::handle(const KeyEvent& key, CodeEditor& editor) {
    if (!is_read_) { // a key means what is there now
        reader_.finish();
        follow(editor);
    }
    const SourceIndex& index = reader_.index();
    return completion_.handle(key, editor, index) || signature_.handle(key) ||
           definition_.handle(key, editor, index);
}

void CodeHelp::before(CodeEditor& editor, bool has_mouse) {
    completion_.take_click(editor);
    const bool may_take = is_read_ && !has_mouse && !completion_.is_open();
    definition_.take_click(editor, reader_.index(), may_take);
}

/// The index is the text's.
void CodeHelp::follow(CodeEditor& editor) {
    is_read_ = true;
    const CodeEditor::Typed typed = std::exchange(typed_, CodeEditor::Typed::nothing);
    completion_.update(editor, reader_.index(), typed);
    signature_.update(editor, reader_.index(), typed);
}

void CodeHelp::after(CodeEditor& editor, const KernelSlot& slot, const std::string& text,
                     std::uint64_t version, bool has_mouse) {
    const CodeEditor::Typed typed = editor.take_typed();
    if (typed != CodeEditor::Typed::nothing) typed_ = typed;
    // Headers are looked at when the text or its compiled version is another.
    is_read_ = reader_.read(text, version << 24 | (slot.compiles() + slot.generation()),
                            slot.included_files());
    if (is_read_) follow(editor);
    definition_.draw(editor);
    const bool is_seen = editor.is_seen(editor.cursor_place());
    keep_cursor_in_sight(editor, typed, is_seen);
    signature_.draw(editor, is_seen);
    completion_.draw(editor, signature_.below() + theme::px(2), signature_.above() + theme::px(2),
                     is_seen);
    tip_.draw(editor, reader_.index(), is_read_ && !has_mouse && !completion_.is_open());
}

/// The box itself does not follow what is typed. It keeps the line that was uppermost two frames
/// ago, so one call may not be enough.
void CodeHelp::keep_cursor_in_sight(CodeEditor& editor, CodeEditor::Typed typed, bool is_seen) {
    constexpr int kFrames = 4;
    const bool edits = typed != CodeEditor::Typed::nothing && editor.focused();
    if (edits && !editor.has_many_cursors()) follow_frames_ = kFrames;
    if (follow_frames_ == 0) return;
    --follow_frames_;
    if (!is_seen) editor.follow_cursor();
}

void CodeHelp::hide() {
    completion_.close();
    signature_.hide();
}

} // namespace lathe
