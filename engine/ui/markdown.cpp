// SPDX-License-Identifier: MIT
#include "engine/ui/markdown.h"

#include "engine/ui/markdown_text.h"
#include "engine/ui/theme.h"
#include "engine/ui/ui_state.h"

#include <algorithm>
#include <cmath>

namespace lathe {

namespace {

using Kind = MarkdownBlock::Kind;
using Style = MarkdownWord::Style;

constexpr unsigned kBody = 0xc3cad5;
constexpr float kTitleSize = 22, kHeadingSize = 17, kCodeSize = 13.5f;

void push(bool code, float size) {
    ImGui::PushFont(ui_state().fonts[code ? 2 : 0], std::round(size * theme::scale()));
}

ImVec2 size_of(std::string_view text) {
    return ImGui::CalcTextSize(text.data(), text.data() + text.size());
}

/// Puts words on lines, of which each is as high as one of `size`.
class Flow {
public:
    Flow(float indent, float size, unsigned ink)
        : size_{size}, ink_{ink}, origin_{ImGui::GetCursorScreenPos()} {
        origin_.x += indent;
        width_ = std::max(ImGui::GetContentRegionAvail().x - indent, theme::px(40));
        line_ = theme::px(size * 1.42f);
    }

    /// `count` words that no space parts.
    void add(const MarkdownWord* words, std::size_t count) {
        float width = 0;
        for (std::size_t i = 0; i < count; ++i) width += draw(words[i], {}, false);
        const float space = x_ > 0 ? theme::px(size_ * 0.27f) : 0;
        if (x_ > 0 && x_ + space + width > width_) x_ = 0, y_ += line_;
        else x_ += space;
        for (std::size_t i = 0; i < count; ++i)
            x_ += draw(words[i], {origin_.x + x_, origin_.y + y_}, true);
    }

    void end(float indent) const { ImGui::Dummy({width_ + indent, y_ + line_}); }

private:
    /// The width of a word; drawn if `seen`.
    float draw(const MarkdownWord& word, ImVec2 at, bool seen) const {
        const bool code = word.style == Style::code;
        push(code, code ? std::min(size_, kCodeSize) : size_);
        const ImVec2 box = size_of(word.text);
        const float margin = code ? theme::px(3) : 0;
        if (seen) paint(word, {at.x + margin, at.y + (line_ - box.y) / 2}, box, margin);
        ImGui::PopFont();
        return box.x + 2 * margin;
    }

    void paint(const MarkdownWord& word, ImVec2 at, ImVec2 box, float margin) const {
        ImDrawList& canvas = *ImGui::GetWindowDrawList();
        const char *first = word.text.data(), *last = first + word.text.size();
        if (margin > 0)
            canvas.AddRectFilled({at.x - margin, at.y - theme::px(1)},
                                 {at.x + box.x + margin, at.y + box.y + theme::px(1)},
                                 theme::packed(theme::kField), theme::px(3));
        const bool bold = word.style == Style::bold;
        const ImU32 ink = theme::packed(bold || margin > 0 ? theme::kText : ink_);
        canvas.AddText(at, ink, first, last);
        if (bold) canvas.AddText({at.x + 0.6f * theme::scale(), at.y}, ink, first, last);
    }

    float size_;
    unsigned ink_;
    ImVec2 origin_;
    float width_ = 0, line_ = 0, x_ = 0, y_ = 0;
};

void draw_words(const MarkdownBlock& block, float indent, float size, unsigned ink) {
    Flow flow{indent, size, ink};
    for (std::size_t i = 0, end = 0; i < block.words.size(); i = end) {
        for (end = i + 1; end < block.words.size() && !block.words[end].spaced; ++end) {}
        flow.add(&block.words[i], end - i);
    }
    flow.end(indent);
}

void draw_tick(ImDrawList& canvas, ImVec2 c, float r) {
    const ImU32 ink = theme::packed(theme::kGood);
    const ImVec2 low{c.x - r * 0.25f, c.y + r * 0.75f};
    canvas.AddLine({c.x - r, c.y}, low, ink, theme::px(2));
    canvas.AddLine(low, {c.x + r, c.y - r * 0.75f}, ink, theme::px(2));
}

void draw_cross(ImDrawList& canvas, ImVec2 c, float r) {
    const ImU32 ink = theme::packed(theme::kError);
    r *= 0.8f;
    canvas.AddLine({c.x - r, c.y - r}, {c.x + r, c.y + r}, ink, theme::px(2));
    canvas.AddLine({c.x - r, c.y + r}, {c.x + r, c.y - r}, ink, theme::px(2));
}

void draw_item(const MarkdownBlock& block) {
    const float step = theme::px(18), indent = step * float(block.depth + 1);
    ImDrawList& canvas = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = theme::px(theme::kUiFontSize * 1.42f), r = theme::px(5);
    const ImVec2 c{at.x + indent - step * 0.55f, at.y + line / 2};
    if (block.mark == "-") {
        canvas.AddCircleFilled(c, theme::px(2.2f), theme::packed(theme::kAccent));
    } else if (block.mark == "[x]") {
        draw_tick(canvas, c, r);
    } else if (block.mark == "[!]") {
        draw_cross(canvas, c, r);
    } else if (block.mark == "[ ]") {
        theme::outline(canvas, {c.x - r, c.y - r}, {c.x + r, c.y + r}, theme::packed(theme::kDim),
                       theme::px(2), theme::px(1));
    } else {
        const float high = size_of(block.mark).y;
        canvas.AddText({at.x + indent - step, at.y + (line - high) / 2},
                       theme::packed(theme::kAccent), block.mark.c_str());
    }
    draw_words(block, indent, theme::kUiFontSize, kBody);
}

void draw_code(const std::string& code) {
    push(true, kCodeSize);
    const ImVec2 at = ImGui::GetCursorScreenPos(), box = size_of(code);
    const float margin = theme::px(8), width = ImGui::GetContentRegionAvail().x;
    ImDrawList& canvas = *ImGui::GetWindowDrawList();
    const ImVec2 end{at.x + width, at.y + box.y + 2 * margin};
    canvas.AddRectFilled(at, end, theme::packed(theme::kBackground), theme::px(4));
    canvas.PushClipRect(at, end, true);
    canvas.AddText({at.x + margin, at.y + margin}, theme::packed(theme::kText), code.data(),
                   code.data() + code.size());
    canvas.PopClipRect();
    ImGui::Dummy({width, end.y - at.y});
    ImGui::PopFont();
}

} // namespace

void draw_markdown(std::string_view text) {
    bool first = true;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2{0, theme::px(5)});
    for (const MarkdownBlock& block : parse_markdown(text)) {
        const bool heads = block.kind == Kind::title || block.kind == Kind::heading;
        if (heads && !first) ImGui::Dummy({0, theme::px(4)});
        first = false;
        switch (block.kind) {
        case Kind::title: draw_words(block, 0, kTitleSize, theme::kText); break;
        case Kind::heading: draw_words(block, 0, kHeadingSize, theme::kText); break;
        case Kind::paragraph: draw_words(block, 0, theme::kUiFontSize, kBody); break;
        case Kind::item: draw_item(block); break;
        case Kind::code: draw_code(block.code); break;
        }
    }
    ImGui::PopStyleVar();
}

} // namespace lathe
