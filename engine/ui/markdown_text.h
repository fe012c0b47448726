// SPDX-License-Identifier: MIT
// Markdown into blocks of styled words; no Dear ImGui. markdown.h draws them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// Words of one style. `spaced`: a space, or the start of the block, stands before it.
struct MarkdownWord {
    enum class Style { plain, bold, code };
    std::string text;
    Style style = Style::plain;
    bool spaced = true;
};

struct MarkdownBlock {
    enum class Kind { title, heading, paragraph, item, code };
    Kind kind = Kind::paragraph;
    std::string mark;                ///< of an item: "-", "1.", "[x]", "[!]", "[ ]"
    int depth = 0;                   ///< of an item in lists, from 0
    std::vector<MarkdownWord> words; ///< of all kinds but code
    std::string code;                ///< lines as they are written, without the last line feed
};

/// Of the marks in widgets.h; all else is text. A line that begins with spaces goes on with the
/// item before. Never fails: a mark that nothing closes is text.
std::vector<MarkdownBlock> parse_markdown(std::string_view text);

} // namespace lathe
