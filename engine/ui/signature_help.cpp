// SPDX-License-Identifier: MIT
#include "engine/ui/signature_help.h"

#include "engine/live/declarations.h"
#include "engine/ui/theme.h"
#include "engine/ui/word_help.h"

#include <imgui.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lathe {

namespace {

constexpr float kEdge = 6; ///< around the words, before px()

std::string name_before_bracket(const std::string& before) {
    std::size_t begin = before.size() - 1;
    while (begin > 0 && is_word_character(before[begin - 1])) --begin;
    return before.substr(begin);
}

} // namespace

std::optional<Signature> signature_of(std::string_view written, std::size_t argument,
                                      std::size_t most) {
    const std::optional<ParameterList> list = parameters_in(written);
    if (!list) return {};
    const std::vector<std::string>& parameters = list->parameters;
    const std::size_t count = parameters.size();
    if (argument >= count && count > 0 && parameters.back().ends_with("...")) argument = count - 1;
    const std::size_t here = std::min(argument, count);
    // What is left out, one after the other: the words around, then the parameters far away.
    for (std::size_t cut = 0;; ++cut) {
        Signature s{std::string{written.substr(0, list->begin)},
                    {},
                    std::string{written.substr(list->end)}};
        if (cut > 0) s = {name_before_bracket(s.before), {}, std::string(1, ')')};
        const std::size_t kept = cut < 2 ? count : std::max(count, cut) - (cut - 1);
        const std::size_t from = here > kept / 2 ? std::min(here - kept / 2, count - kept) : 0;
        const std::size_t to = from + kept;
        std::string behind;
        if (from > 0) s.before += "..., ";
        for (std::size_t i = from; i < to; ++i) {
            if (i < here) s.before += parameters[i] + (i + 1 < count ? ", " : "");
            if (i == here) s.present = parameters[i];
            if (i > here) behind += ", " + parameters[i];
        }
        s.after = behind + (to < count && here < to ? ", ..." : "") + s.after;
        if (s.whole().size() <= most || cut > count) return s;
    }
}

bool SignatureHelp::handle(const KeyEvent& key) {
    if (key.key == Key::space && key.modifiers == (kControl | kShift)) {
        is_asked_for_ = true;
        return true;
    }
    if (key.key != Key::escape || key.modifiers != 0 || !shown_) return false;
    dismissed_ = call_;
    shown_.reset();
    return true;
}

void SignatureHelp::update(const CodeEditor& editor, const SourceIndex& index,
                           CodeEditor::Typed typed) {
    const bool is_wanted = std::exchange(is_asked_for_, false);
    const TextPlace cursor = editor.cursor_place();
    const auto call = editor.focused() && !editor.has_many_cursors()
                          ? index.call_at(index.offset_of(cursor.line, cursor.column))
                          : std::nullopt;
    if (!call) {
        call_.reset();
        return shown_.reset();
    }
    const bool is_new = call_ != call->open;
    call_ = call->open;
    name_ = {call->line, call->column};
    if (is_new || is_wanted) dismissed_.reset();
    const bool types = typed == CodeEditor::Typed::character && dismissed_ != call_;
    const bool stays = shown_ && !is_new;
    shown_.reset();
    if (!types && !stays && !is_wanted) return;
    const auto help = help_of(index, call->name, call->offset);
    if (!help) return;
    theme::push_font(theme::Font::code);
    const float room = ImGui::GetIO().DisplaySize.x - 4 * theme::px(kEdge);
    const auto most = std::size_t(room / ImGui::CalcTextSize("m").x);
    theme::pop_font();
    shown_ = signature_of(help->written, call->argument, most);
}

void SignatureHelp::draw(const CodeEditor& editor, bool is_seen) {
    above_ = below_ = 0;
    if (!shown_ || !is_seen) return;
    theme::push_font(theme::Font::code);
    const float edge = theme::px(kEdge), gap = theme::px(2);
    const float width = ImGui::CalcTextSize(shown_->whole().c_str()).x + 2 * edge;
    const float height = ImGui::GetFontSize() + edge;
    const TextPlace place = editor.cursor_place();
    const ImVec2 cursor = editor.on_screen(place.line == name_.line ? name_ : place);
    const float room = ImGui::GetIO().DisplaySize.x - width - gap;
    ImVec2 low{std::clamp(cursor.x - edge, gap, std::max(room, gap)), cursor.y - height - gap};
    if (low.y < editor.top()) {
        low.y = cursor.y + editor.line_height() + gap;
        below_ = height + gap;
    } else {
        above_ = height + gap;
    }
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    theme::box(list, low, {low.x + width, low.y + height});
    ImVec2 at{low.x + edge, low.y + edge / 2};
    const auto put = [&](const std::string& words, unsigned rgb) {
        list.AddText(at, theme::packed(rgb), words.c_str());
        at.x += ImGui::CalcTextSize(words.c_str()).x;
    };
    put(shown_->before, theme::kDim);
    const float begin = at.x;
    put(shown_->present, theme::kAccent);
    if (at.x > begin)
        list.AddLine({begin, low.y + height - gap}, {at.x, low.y + height - gap},
                     theme::packed(theme::kAccent), theme::px(1));
    put(shown_->after, theme::kDim);
    theme::pop_font();
}

} // namespace lathe
