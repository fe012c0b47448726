// SPDX-License-Identifier: MIT
#include "engine/ui/literal_hand.h"

#include "engine/live/source_tokens.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <cstddef>
#include <string_view>

namespace lathe {

using std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kRest{500}; ///< after a step of the keys it is let go
constexpr float kRealPixels = 2;                ///< of the mouse for a step
constexpr float kWholePixels = 6;

/// What stands at a place of the text could be a part of a number: the whole text is read for its
/// numbers only then.
bool may_be_number(std::string_view text, TextPlace place) {
    for (int line = 1; line < place.line; ++line) {
        const std::size_t end = text.find('\n');
        if (end == text.npos) return false;
        text.remove_prefix(end + 1);
    }
    std::size_t at = std::size_t(place.column - 1);
    if (at >= text.size()) return false;
    if (text[at] == '-' || text[at] == '+') return true; // a sign, or an exponent's
    const auto continues = [](char c) { return is_word_character(c) || c == '.' || c == '\''; };
    if (!continues(text[at])) return false;
    while (at > 0 && continues(text[at - 1])) --at;
    if (at > 0 && (text[at - 1] == '-' || text[at - 1] == '+')) return true;
    return text[at] == '.' || (text[at] >= '0' && text[at] <= '9');
}

bool is_armed() { return ImGui::GetIO().KeyCtrl || ImGui::GetIO().KeyAlt; }

} // namespace

bool LiteralHand::holds(const KernelSlot& slot) const {
    const MovedLiteral* const moved = slot.moved_literal();
    return by_ != By::nothing && moved && moved->held && moved->id == id_;
}

const Literal* LiteralHand::under_mouse(const CodeEditor& editor, const std::string& text,
                                        std::uint64_t version) {
    const auto at = editor.under_mouse();
    if (!at || !may_be_number(text, *at)) return nullptr;
    if (version_ != version) literals_ = find_literals(text);
    version_ = version;
    for (const Literal& l : literals_)
        if (l.line == at->line && at->column >= l.column &&
            at->column < l.column + int(l.end - l.begin))
            return &l;
    return nullptr;
}

void LiteralHand::update(CodeEditor& editor, KernelSlot& slot, const std::string& text,
                         std::uint64_t version) {
    if (by_ == By::keys &&
        (!holds(slot) || !ImGui::GetIO().KeyAlt || steady_clock::now() - stepped_ > kRest))
        end_steps(slot);
    hint_.clear();
    hovered_ = by_ == By::mouse ? nullptr : under_mouse(editor, text, version);
    if (hovered_ && is_armed() && ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
        slot.grab_literal(hovered_->line, hovered_->column)) {
        by_ = By::mouse;
        id_ = slot.moved_literal()->id;
        place_ = slot.moved_literal()->first.step_place();
        from_ = ImGui::GetMousePos().x;
        has_moved_ = false;
        hovered_ = nullptr;
    }
    if (by_ == By::mouse) drag(editor, slot);
    else if (hovered_) hint_ = fmt::format("Ctrl+drag moves {}", hovered_->text(text));
}

void LiteralHand::drag(CodeEditor& editor, KernelSlot& slot) {
    editor.keep_mouse();
    if (!holds(slot)) { // an edit or a file has ended it
        if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) by_ = By::nothing;
        return;
    }
    const ImGuiIO& io = ImGui::GetIO();
    const LiteralNumber& number = slot.moved_literal()->number;
    const float pixels = theme::px(number.is_real() ? kRealPixels : kWholePixels);
    const auto steps = std::int64_t((ImGui::GetMousePos().x - from_) / pixels);
    if (steps != 0) {
        const int place = place_ + (io.KeyShift ? 1 : 0) - (io.KeyCtrl && io.KeyAlt ? 1 : 0);
        slot.move_literal(number.moved(steps, place));
        from_ += float(steps) * pixels;
        has_moved_ = true;
    }
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
    const Literal& at = slot.moved_literal()->place;
    if (!has_moved_) editor.put_cursor({at.line, at.column}); // a press is a press
    release(slot);
}

void LiteralHand::release(KernelSlot& slot) {
    if (holds(slot)) slot.release_literal();
    by_ = By::nothing;
}

bool LiteralHand::step(CodeEditor& editor, KernelSlot& slot, bool up, bool coarse, bool fine) {
    if (by_ == By::mouse) return true;
    if (!holds(slot)) {
        const TextPlace at = editor.cursor_place();
        if (!slot.grab_literal(at.line, at.column)) return false;
        by_ = By::keys;
        id_ = slot.moved_literal()->id;
        place_ = slot.moved_literal()->first.step_place();
    }
    const int place = place_ + (coarse ? 1 : 0) - (fine ? 1 : 0);
    slot.move_literal(slot.moved_literal()->number.moved(up ? 1 : -1, place));
    stepped_ = steady_clock::now();
    return true;
}

void LiteralHand::end_steps(KernelSlot& slot) {
    if (by_ == By::keys) release(slot);
}

void LiteralHand::draw(CodeEditor& editor, const KernelSlot& slot) const {
    if (holds(slot)) {
        const MovedLiteral& moved = *slot.moved_literal();
        const auto bytes = int(in_place(moved.place, moved.number).size());
        editor.underline({moved.place.line, moved.place.column}, bytes,
                         theme::packed(theme::kAccent), theme::px(2));
        if (by_ == By::mouse) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    } else if (hovered_) {
        const bool armed = is_armed();
        editor.underline({hovered_->line, hovered_->column}, int(hovered_->end - hovered_->begin),
                         theme::packed(theme::kAccent, armed ? 1.0f : 0.55f),
                         theme::px(armed ? 2.0f : 1.0f));
        if (armed) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    }
}

} // namespace lathe
