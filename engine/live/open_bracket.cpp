// SPDX-License-Identifier: MIT
#include "engine/live/open_bracket.h"

#include "engine/live/source_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lathe {

namespace {

/// Column of the first token on a token's line.
int indent_of(const std::vector<Token>& tokens, std::size_t at) {
    while (at > 0 && !tokens[at].begins_line) --at;
    return tokens[at].column;
}

/// The last line that has a text.
int end_of_text(std::string_view source) {
    const auto last = source.find_last_not_of(" \t\r\n");
    if (last == source.npos) return 1;
    return 1 + int(std::count(source.begin(), source.begin() + std::ptrdiff_t(last), '\n'));
}

/// The compiler counts characters, tokens count bytes.
int characters(std::string_view source, const Token& t) {
    const auto line =
        source.substr(t.offset - std::size_t(t.column - 1), std::size_t(t.column - 1));
    return 1 + int(std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }));
}

char closing_of(char bracket) { return bracket == '(' ? ')' : bracket == '[' ? ']' : '}'; }

} // namespace

std::optional<OpenBracket> find_open_bracket(std::string_view source) {
    std::vector<Token> t = tokens_of(source);
    if (!t.empty() && t.back().is_open_ended) return {}; // a comment that has the rest in it
    std::erase_if(t, [](const Token& x) {
        return x.kind == TokenKind::comment || x.kind == TokenKind::text;
    });
    const BracketPairs pairs = pair_brackets(t);
    if (pairs.unclosed.empty()) return {};
    std::size_t found = pairs.unclosed.back();
    for (std::size_t i = 0; i < t.size() && t[found].is('{'); ++i) {
        if (!t[i].is('}') || !t[i].begins_line || pairs.partner[i] == BracketPairs::kNone) continue;
        if (t[i].column >= indent_of(t, pairs.partner[i])) continue;
        found = pairs.partner[i];
        break;
    }
    return OpenBracket{t[found].text[0], t[found].line, characters(source, t[found])};
}

std::vector<Diagnostic> point_at_open_bracket(std::vector<Diagnostic> diagnostics,
                                              std::string_view source, std::string_view name) {
    const int end = end_of_text(source);
    const auto is_error = [&](const Diagnostic& d) {
        return d.severity == Diagnostic::Severity::error && (d.file.empty() || d.file == name);
    };
    auto at = std::ranges::find_if(diagnostics, [&](const Diagnostic& d) {
        return is_error(d) && d.text.starts_with("expected a \"}\"");
    });
    if (at == diagnostics.end())
        at = std::ranges::find_if(diagnostics, [&](const Diagnostic& d) {
            return is_error(d) && d.line > 0 && d.line >= end;
        });
    if (at == diagnostics.end()) return diagnostics;
    const std::optional<OpenBracket> open = find_open_bracket(source);
    if (!open) return diagnostics;
    Diagnostic d = std::move(*at);
    diagnostics.erase(at);
    d.text = fmt::format("missing {}: the {} opened at line {} is not closed (line {}: {})",
                         closing_of(open->bracket), open->bracket, open->line, d.line, d.text);
    d.line = open->line;
    d.column = open->column;
    std::erase_if(diagnostics, [&](const Diagnostic& other) { // what follows from it
        return other.text.starts_with("to match this ") ||
               (is_error(other) && other.line >= end && other.text.starts_with("expected a "));
    });
    diagnostics.insert(diagnostics.begin(), std::move(d));
    return diagnostics;
}

} // namespace lathe
