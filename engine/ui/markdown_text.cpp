// SPDX-License-Identifier: MIT
#include "engine/ui/markdown_text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace lathe {

namespace {

using Kind = MarkdownBlock::Kind;
using Style = MarkdownWord::Style;

std::string_view trimmed(std::string_view line) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == line.npos) return {};
    return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

/// Cuts at spaces; code keeps those within it.
void add_words(std::vector<MarkdownWord>& words, std::string_view text, Style style, bool& spaced) {
    while (!text.empty()) {
        if (text.front() == ' ' && style != Style::code) {
            spaced = true;
            text.remove_prefix(1);
            continue;
        }
        const auto end = style == Style::code ? text.size() : std::min(text.find(' '), text.size());
        words.push_back({std::string{text.substr(0, end)}, style, spaced});
        spaced = false;
        text.remove_prefix(end);
    }
}

void add_text(std::vector<MarkdownWord>& words, std::string_view text) {
    bool spaced = true;
    while (!text.empty()) {
        const std::size_t mark = std::min(text.find('`'), text.find("**"));
        if (mark == text.npos) return add_words(words, text, Style::plain, spaced);
        add_words(words, text.substr(0, mark), Style::plain, spaced);
        text.remove_prefix(mark);
        const std::string_view sign = text.front() == '`' ? "`" : "**";
        const std::size_t end = text.find(sign, sign.size());
        if (end == text.npos) return add_words(words, text, Style::plain, spaced);
        const auto inside = text.substr(sign.size(), end - sign.size());
        add_words(words, inside, sign == "`" ? Style::code : Style::bold, spaced);
        text.remove_prefix(end + sign.size());
    }
}

/// Takes "- ", "- [x] " or "12. " from the line; empty where it begins no item.
std::string take_mark(std::string_view& line) {
    if (line.starts_with("- ")) {
        line = trimmed(line.substr(2));
        for (const std::string_view box : {"[x]", "[!]", "[ ]"})
            if (line.starts_with(box)) {
                line = trimmed(line.substr(box.size()));
                return std::string{box};
            }
        return "-";
    }
    std::size_t digits = 0;
    while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits]))) ++digits;
    if (digits == 0 || digits > 3 || line.substr(digits, 2) != ". ") return {};
    const std::string mark{line.substr(0, digits + 1)};
    line = trimmed(line.substr(digits + 2));
    return mark;
}

class Parser {
public:
    void take(std::string_view line) {
        std::string_view inside = trimmed(line);
        if (inside.starts_with("```")) {
            in_code_ = !in_code_;
            if (in_code_) begin(Kind::code);
            open_ = false;
        } else if (in_code_) {
            auto& code = blocks.back().code;
            if (!code.empty()) code += '\n';
            code += line;
        } else if (inside.empty()) {
            open_ = false;
        } else {
            take_text(line, inside);
        }
    }

    std::vector<MarkdownBlock> blocks;

private:
    MarkdownBlock& begin(Kind kind) {
        blocks.push_back({});
        blocks.back().kind = kind;
        return blocks.back();
    }

    void take_text(std::string_view line, std::string_view inside) {
        const auto level = inside.find_first_not_of('#');
        if (level != inside.npos && level > 0 && inside[level] == ' ') {
            add_text(begin(level == 1 ? Kind::title : Kind::heading).words,
                     trimmed(inside.substr(level)));
            open_ = false;
            return;
        }
        if (std::string mark = take_mark(inside); !mark.empty()) {
            MarkdownBlock& item = begin(Kind::item);
            item.mark = std::move(mark);
            item.depth = int(std::min<std::size_t>(line.find_first_not_of(' ') / 2, 4));
        } else if (!open_) {
            begin(Kind::paragraph);
        }
        open_ = true;
        add_text(blocks.back().words, inside);
    }

    bool in_code_ = false;
    bool open_ = false; ///< the last block goes on with the next line of text
};

} // namespace

std::vector<MarkdownBlock> parse_markdown(std::string_view text) {
    Parser parser;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        parser.take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(parser.blocks);
}

} // namespace lathe
