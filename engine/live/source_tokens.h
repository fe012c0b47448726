// SPDX-License-Identifier: MIT
// CUDA C++ as words, numbers, strings, marks and comments, and which bracket belongs to which. What
// is read from a source without a compiler (source_scan.h, declarations.h, open_bracket.h) is read
// from these tokens.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace lathe {

enum class TokenKind {
    word,
    number,
    text, ///< in quotes
    mark, ///< one character
    comment,
};

struct Token {
    std::string_view text;
    TokenKind kind = TokenKind::mark;
    int line = 0;               ///< from 1
    int column = 0;             ///< from 1, bytes
    std::size_t offset = 0;     ///< bytes
    bool in_directive = false;  ///< of a line that begins with #
    bool begins_line = false;   ///< only spaces stand before it
    bool is_open_ended = false; ///< a comment or a text whose end is missing
    std::size_t end() const { return offset + text.size(); }
    bool is(std::string_view other) const { return text == other; }
    bool is(char c) const { return text.size() == 1 && text[0] == c; }
    bool is_word() const { return kind == TokenKind::word; }
};

/// Of ASCII; unlike the C library's functions it asks for no locale.
constexpr bool is_word_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// All tokens of a source, which must outlive them. Never fails.
LATHE_API std::vector<Token> tokens_of(std::string_view source);

/// Which brackets belong together. Of the branches of an #if only the first one that is not
/// `#if 0` counts for what comes after it; a directive's own brackets pair among themselves.
struct BracketPairs {
    static constexpr std::size_t kNone = ~std::size_t{};
    std::vector<std::size_t> partner;  ///< of each token; kNone for what has none
    std::vector<std::size_t> unclosed; ///< opening brackets without an end, in order
    /// The token that closes this one; `end` where none does.
    std::size_t closing(std::size_t open, std::size_t end) const {
        return partner[open] == kNone ? end : partner[open];
    }
};
LATHE_API BracketPairs pair_brackets(const std::vector<Token>& tokens);

} // namespace lathe
