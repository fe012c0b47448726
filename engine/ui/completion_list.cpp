// SPDX-License-Identifier: MIT
// The list of completion.h on the screen, and its keys.
#include "engine/ui/completion.h"
#include "engine/ui/theme.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

namespace lathe {

namespace {

constexpr std::size_t kRows = 10;
constexpr std::size_t kFromLetters = 2;
constexpr float kWidest = 460, kNarrowest = 220; ///< before px()

/// Of changes of the text: a number for undo that no other change has.
std::uint64_t new_change() {
    static std::atomic<std::uint64_t> last{std::uint64_t{1} << 62};
    return ++last;
}

} // namespace

void CompletionList::close() {
    items_.clear();
    selected_ = first_ = 0;
    high_ = low_;
}

void CompletionList::open(CodeEditor& editor, const SourceIndex& index, bool is_asked_for) {
    const TextPlace cursor = editor.cursor_place();
    const std::size_t at = index.offset_of(cursor.line, cursor.column);
    const Token* const token = index.token_at(at, true);
    const bool has_word = token && token->is_word();
    const bool is_number = token && token->kind == TokenKind::number;
    close();
    if (index.is_in_words(at) || is_number || editor.has_many_cursors()) return;
    const std::size_t begin = has_word ? token->offset : at;
    if (!is_asked_for && dismissed_ == begin) return;
    if (!is_asked_for && (!has_word || at != token->end() || at - begin < kFromLetters)) return;
    dismissed_.reset();
    items_ = find_candidates(index, begin, at);
    begin_ = {cursor.line, cursor.column - int(at - begin)};
    bytes_ = has_word ? int(token->text.size()) : 0;
    typed_ = index.text().substr(begin, at - begin);
    cursor_ = at;
    if (items_.size() == 1 && items_[0].name == typed_) close(); // nothing is left to type
}

void CompletionList::update(CodeEditor& editor, const SourceIndex& index, CodeEditor::Typed typed) {
    using enum CodeEditor::Typed;
    if (!editor.focused()) return close();
    const TextPlace cursor = editor.cursor_place();
    const std::size_t at = index.offset_of(cursor.line, cursor.column);
    const Token* const word = index.token_at(at, true);
    if (dismissed_ && (!word || word->offset != *dismissed_)) dismissed_.reset();
    if (typed == character || (typed == removal && is_open())) open(editor, index, false);
    else if (typed != nothing || at != cursor_) close();
}

void CompletionList::take(CodeEditor& editor) {
    editor.replace(begin_, bytes_, items_[selected_].name, new_change());
    close();
}

void CompletionList::move(int by) {
    const int count = int(items_.size());
    const bool is_page = by != 1 && by != -1;
    const int to = int(selected_) + by;
    selected_ = std::size_t(is_page ? std::clamp(to, 0, count - 1) : (to + count) % count);
    first_ = std::clamp(first_, selected_ >= kRows ? selected_ - kRows + 1 : 0, selected_);
}

bool CompletionList::handle(const KeyEvent& key, CodeEditor& editor, const SourceIndex& index) {
    if (key.key == Key::space && key.modifiers == kControl) {
        open(editor, index, true);
        return true;
    }
    if (!is_open() || key.modifiers != 0) return false;
    switch (key.key) {
    case Key::up: move(-1); return true;
    case Key::down: move(1); return true;
    case Key::page_up: move(-int(kRows)); return true;
    case Key::page_down: move(int(kRows)); return true;
    case Key::escape:
        dismissed_ = cursor_ - typed_.size();
        close();
        return true;
    case Key::enter:
    case Key::keypad_enter:
        if (items_[selected_].name == typed_) { // it is there already: a new line is wanted
            close();
            return false;
        }
        [[fallthrough]];
    case Key::tab: take(editor); return true;
    default: return false;
    }
}

bool CompletionList::covers(ImVec2 place) const {
    return is_open() && place.x >= low_.x && place.x < high_.x && place.y >= low_.y &&
           place.y < high_.y;
}

void CompletionList::take_click(CodeEditor& editor) {
    if (!covers(ImGui::GetMousePos()) || !ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
    editor.keep_mouse();
    const auto row = std::size_t(std::max(ImGui::GetMousePos().y - rows_.y, 0.0f) / row_);
    if (row >= std::min(kRows, items_.size())) return;
    selected_ = first_ + row;
    take(editor);
}

/// The rows; how high they are.
float CompletionList::draw_rows(ImDrawList& list, ImVec2 at, float width) const {
    const float size = ImGui::GetFontSize(), small = theme::px(theme::kSmallFontSize);
    float y = at.y;
    for (std::size_t i = first_; i < std::min(first_ + kRows, items_.size()); ++i, y += row_) {
        const Candidate& item = items_[i];
        if (i == selected_)
            list.AddRectFilled({at.x, y}, {at.x + width, y + row_},
                               theme::packed(theme::kAccent, 0.28f), theme::px(3));
        const float x = at.x + theme::px(6), text_y = y + (row_ - size) / 2;
        list.AddText({x, text_y}, theme::packed(theme::kText), item.name.c_str());
        const std::string kind{item.kind};
        const float room = ImGui::GetFont()->CalcTextSizeA(small, 1e4f, 0, kind.c_str()).x;
        list.AddText(ImGui::GetFont(), small,
                     {at.x + width - room - theme::px(6), y + (row_ - small) / 2},
                     theme::packed(theme::kDim), kind.c_str());
    }
    return y - at.y;
}

void CompletionList::draw(const CodeEditor& editor, float gap, float above, bool is_seen) {
    high_ = low_;
    if (!is_open() || !is_seen) return;
    theme::push_font(theme::Font::code);
    const float edge = theme::px(4), small = theme::px(theme::kSmallFontSize);
    const std::size_t rows = std::min(kRows, items_.size());
    row_ = ImGui::GetFontSize() + theme::px(6);
    float width = theme::px(kNarrowest);
    for (std::size_t i = first_; i < first_ + rows; ++i)
        width = std::max(width, ImGui::CalcTextSize(items_[i].name.c_str()).x + theme::px(110));
    const Candidate& chosen = items_[selected_];
    std::string about{chosen.written};
    if (!chosen.words.empty()) about.append(about.empty() ? "" : "\n").append(chosen.words);
    if (!about.empty()) width = std::max(width, theme::px(kWidest));
    const float wrap = width - 2 * theme::px(6);
    const ImVec2 room = ImGui::GetFont()->CalcTextSizeA(small, 1e4f, wrap, about.c_str());
    const float below = about.empty() ? 0 : room.y + theme::px(10);
    const ImVec2 size{width + 2 * edge, row_ * float(rows) + 2 * edge + below};

    const ImVec2 screen = ImGui::GetIO().DisplaySize, word = editor.on_screen(begin_);
    low_ = {word.x - theme::px(6) - edge, word.y + editor.line_height() + gap};
    if (low_.y + size.y > screen.y) low_.y = word.y - above - size.y;
    low_.x = std::clamp(low_.x, 0.0f, std::max(screen.x - size.x - edge, 0.0f));
    low_.y = std::max(low_.y, 0.0f);
    high_ = {low_.x + size.x, low_.y + size.y};
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    theme::box(list, low_, high_);
    rows_ = {low_.x + edge, low_.y + edge};
    const float rows_height = draw_rows(list, rows_, width);
    if (!about.empty()) {
        const float y = low_.y + edge + rows_height + theme::px(4);
        list.AddLine({low_.x + edge, y}, {high_.x - edge, y}, theme::packed(theme::kFieldActive));
        list.AddText(ImGui::GetFont(), small, {low_.x + edge + theme::px(6), y + theme::px(5)},
                     theme::packed(theme::kDim), about.c_str(), nullptr, wrap);
    }
    theme::pop_font();
}

} // namespace lathe
