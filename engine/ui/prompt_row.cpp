// SPDX-License-Identifier: MIT
#include "engine/ui/prompt_row.h"

#include "engine/ui/theme.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

namespace lathe {

/// What Dear ImGui calls while the line is edited.
struct PromptRow::Callback {
    static int call(ImGuiInputTextCallbackData* data) {
        auto& row = *static_cast<PromptRow*>(data->UserData);
        std::string text{data->Buf, std::size_t(data->BufTextLen)};
        if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) row.complete(text);
        else row.recall(data->EventKey == ImGuiKey_UpArrow ? -1 : 1, text);
        data->DeleteChars(0, data->BufTextLen);
        data->InsertChars(0, text.c_str());
        return 0;
    }
};

/// As far as all candidates agree; with nothing typed a tab indents.
void PromptRow::complete(std::string& text) {
    if (text.find_first_not_of(' ') == text.npos) {
        text += "    ";
        return;
    }
    candidates = hooks.complete(text);
    if (candidates.empty()) return;
    std::string common = candidates.front();
    for (const std::string& each : candidates) {
        const auto end = std::ranges::mismatch(common, each).in1;
        common.erase(end, common.end());
    }
    has_candidates_ = candidates.size() > 1 && common == text;
    text = std::move(common);
}

void PromptRow::recall(int step, std::string& text) {
    const auto last = std::ptrdiff_t(history_.size());
    at_ = std::size_t(std::clamp(std::ptrdiff_t(at_) + step, std::ptrdiff_t{0}, last));
    text = at_ < history_.size() ? history_[at_] : std::string{};
}

void PromptRow::enter() {
    if (!text_.empty() && (history_.empty() || history_.back() != text_)) history_.push_back(text_);
    at_ = history_.size();
    hooks.take(std::exchange(text_, {}));
    if (ImGuiInputTextState* const state = ImGui::GetInputTextState(ImGui::GetItemID()))
        state->ReloadUserBufAndMoveToEnd();
}

bool PromptRow::draw() {
    has_candidates_ = false;
    theme::push_font(theme::Font::code);
    ImGui::AlignTextToFramePadding();
    theme::text(hooks.wants_more() ? "..." : ">>>", theme::kAccent);
    ImGui::SameLine(0, theme::px(6));
    ImGui::SetNextItemWidth(-1);
    if (std::exchange(wants_focus_, false)) ImGui::SetKeyboardFocusHere();
    constexpr int flags = ImGuiInputTextFlags_EnterReturnsTrue |
                          ImGuiInputTextFlags_CallbackCompletion |
                          ImGuiInputTextFlags_CallbackHistory;
    bool& keeps_keyboard = ImGui::GetIO().ConfigInputTextEnterKeepActive;
    const bool elsewhere = std::exchange(keeps_keyboard, true); // what is typed on is not lost
    if (ImGui::InputTextWithHint("##prompt", "Python of this program: app.parameters", &text_,
                                 flags, &Callback::call, this))
        enter();
    keeps_keyboard = elsewhere;
    theme::pop_font();
    return has_candidates_;
}

} // namespace lathe
