// SPDX-License-Identifier: MIT
#include "engine/ui/word_help.h"

#include "engine/ui/cuda_words.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

namespace lathe {

namespace {

constexpr double kRestSeconds = 0.45;
constexpr float kTipWidth = 480; ///< before px()

void wrapped(const std::string& words, unsigned rgb) {
    ImGui::PushTextWrapPos(theme::px(kTipWidth));
    theme::text(words, rgb);
    ImGui::PopTextWrapPos();
}

} // namespace

std::optional<WordHelp> help_of(const SourceIndex& index, std::string_view name,
                                std::size_t offset) {
    if (const SourceIndex::Found found = index.find(name, offset)) {
        const Declaration& d = *found.declaration;
        const std::string_view kind = d.is_member && d.kind == DeclarationKind::variable
                                          ? std::string_view{"member"}
                                          : name_of(d.kind);
        return WordHelp{d.text, d.comment,
                        found.header ? fmt::format("{}, {}:{}", kind,
                                                   found.header->path.filename().string(), d.line)
                                     : fmt::format("{}, line {}", kind, d.line)};
    }
    const CudaWord* const word = find_cuda_word(name);
    if (!word || word->words.empty() || index.is_member(offset)) return {};
    return WordHelp{word->written, word->words, "CUDA"};
}

void WordTip::draw(const CodeEditor& editor, const SourceIndex& index, bool may_show) {
    shown_.reset();
    const auto at = may_show && !ImGui::IsAnyMouseDown() ? editor.under_mouse() : std::nullopt;
    const std::size_t place = at ? index.offset_of(at->line, at->column) : 0;
    const Token* const token = at ? index.token_at(place) : nullptr;
    if (!token || !token->is_word()) {
        word_ = ~std::size_t{};
        return;
    }
    if (word_ != token->offset) {
        word_ = token->offset;
        since_ = ImGui::GetTime();
    }
    if (ImGui::GetTime() - since_ < kRestSeconds) return;
    shown_ = help_of(index, token->text, token->offset);
    if (!shown_) return;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{theme::px(10), theme::px(8)});
    ImGui::BeginTooltip();
    theme::push_font(theme::Font::code);
    wrapped(shown_->written, theme::kText);
    theme::pop_font();
    if (!shown_->words.empty()) wrapped(shown_->words, theme::kText);
    theme::push_font(theme::Font::small);
    theme::text(shown_->place, theme::kDim);
    theme::pop_font();
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

} // namespace lathe
