// SPDX-License-Identifier: MIT
#include "engine/ui/definition_hand.h"

#include "engine/core/log.h"
#include "engine/ui/cuda_words.h"
#include "engine/ui/theme.h"

#include <imgui.h>

#include <utility>

namespace lathe {

std::optional<Definition> definition_of(const SourceIndex& index, const Token& word) {
    if (!word.is_word()) return {};
    const SourceIndex::Found found = index.find(word.text, word.offset);
    if (!found) return {};
    const Declaration& d = *found.declaration;
    return Definition{d.name,
                      found.header ? found.header->path : std::filesystem::path{},
                      {d.line, d.column},
                      d.text};
}

bool DefinitionHand::handle(const KeyEvent& key, const CodeEditor& editor,
                            const SourceIndex& index) {
    if (key.key != Key::f12 || key.modifiers != 0) return false;
    const TextPlace cursor = editor.cursor_place();
    const Token* const word = index.token_at(index.offset_of(cursor.line, cursor.column), true);
    if (!word || !word->is_word()) return true;
    goal_ = definition_of(index, *word);
    if (goal_) return true;
    const CudaWord* const known = find_cuda_word(word->text);
    if (!known) log::info("no definition of {} is known", word->text);
    else if (known->kind == CudaWord::Kind::keyword) log::info("{} is a word of C++", word->text);
    else log::info("{} is CUDA's own", word->text);
    return true;
}

void DefinitionHand::take_click(CodeEditor& editor, const SourceIndex& index, bool may_take) {
    linked_.reset();
    if (is_pressed_) {
        editor.keep_mouse(); // until it is released, for the text would select
        is_pressed_ = ImGui::IsMouseDown(ImGuiMouseButton_Left);
        return;
    }
    const ImGuiIO& io = ImGui::GetIO();
    if (!may_take || !io.KeyCtrl || io.KeyAlt || io.KeyShift) return;
    const std::optional<TextPlace> at = editor.under_mouse();
    const Token* const word = at ? index.token_at(index.offset_of(at->line, at->column)) : nullptr;
    if (!word) return;
    std::optional<Definition> found = definition_of(index, *word);
    const TextPlace here{word->line, word->column};
    if (!found || (found->file.empty() && found->place == here)) return;
    linked_ = here;
    bytes_ = int(word->text.size());
    if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
    goal_ = std::move(found);
    is_pressed_ = true;
    editor.keep_mouse();
}

void DefinitionHand::draw(CodeEditor& editor) const {
    if (!linked_) return;
    editor.underline(*linked_, bytes_, theme::packed(theme::kAccent), theme::px(1));
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
}

std::optional<Definition> DefinitionHand::take() { return std::exchange(goal_, std::nullopt); }

} // namespace lathe
