// SPDX-License-Identifier: MIT
// The words of a declaration: its own on one line, and the comment that belongs to it.
#include "engine/live/declaration_reader.h"

#include <algorithm>
#include <utility>

namespace lathe {

namespace {

constexpr std::size_t kLongest = 240; ///< bytes of a declaration that are kept

/// A comment without its marks, lines joined.
std::string plain(std::string_view comment) {
    std::string out;
    const bool is_block = comment.starts_with("/*");
    if (is_block && comment.ends_with("*/") && comment.size() > 3) comment.remove_suffix(2);
    while (!comment.empty()) {
        const std::size_t end = std::min(comment.find('\n'), comment.size());
        std::string_view line = comment.substr(0, end);
        comment.remove_prefix(std::min(end + 1, comment.size()));
        const std::size_t first = line.find_first_not_of(" \t/*!<");
        const std::size_t last = line.find_last_not_of(" \t\r");
        if (first == line.npos || last == line.npos || last < first) continue;
        if (!out.empty()) out += ' ';
        out += line.substr(first, last + 1 - first);
    }
    return out;
}

int last_line(const Token& t) {
    return t.line + int(std::count(t.text.begin(), t.text.end(), '\n'));
}

} // namespace

std::string DeclarationReader::words(std::size_t begin, std::size_t end) const {
    std::string out;
    for (std::size_t i = begin; i < end; ++i) {
        if (t_[i].is('\\')) continue;                     // a macro's line that goes on
        const bool hugs = t_[i].is(',') || t_[i].is(')'); // a comment or a line's end was between
        if (i > begin && t_[i - 1].end() != t_[i].offset && !hugs) out += ' ';
        out += t_[i].text;
        if (out.size() > kLongest) return out + " ...";
    }
    return out;
}

/// The comments on the lines directly above, if the declaration begins its line.
std::string DeclarationReader::comment_above(std::size_t begin) const {
    if (!t_[begin].begins_line) return {};
    auto at =
        std::lower_bound(all_.begin(), all_.end(), t_[begin].offset,
                         [](const Token& t, std::size_t offset) { return t.offset < offset; });
    std::string out;
    for (int line = t_[begin].line; at != all_.begin();) {
        --at;
        if (at->kind != TokenKind::comment || !at->begins_line || last_line(*at) != line - 1) break;
        line = at->line;
        if (at->text.starts_with("//@")) continue;
        const std::string above = plain(at->text);
        out = out.empty() ? above : above + ' ' + out;
    }
    return out;
}

/// The comment behind a declaration's last token, with no more than a mark between.
std::string DeclarationReader::comment_behind(std::size_t last) const {
    auto at =
        std::upper_bound(all_.begin(), all_.end(), t_[last].offset,
                         [](std::size_t offset, const Token& t) { return offset < t.offset; });
    bool is_after_value = false;
    for (; at != all_.end() && at->line == t_[last].line; ++at) {
        if (at->kind == TokenKind::comment)
            return at->text.starts_with("//@") ? std::string{} : plain(at->text);
        // Behind more than the value and a mark it is the next declaration's.
        if (std::exchange(is_after_value, at->is(";") || at->is(","))) break;
    }
    return {};
}

} // namespace lathe
