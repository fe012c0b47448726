// SPDX-License-Identifier: MIT
// PTX text to tokens. A dotted word (".global", ".L2::128B") is one token, so `ld.global.f32` is a
// word and two dotted words; whether they touch is known from their positions.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace lathe::ptx {

struct LATHE_API Token {
    enum class Kind : std::uint8_t { end, word, dotted, number, string, mark, invalid };

    Kind kind = Kind::end;
    char mark = 0;         ///< the character of a mark: , ; { } [ ] ( ) : = + ...
    std::string_view text; ///< points into the source; a string without its quotes
    std::uint32_t line = 1, column = 1;

    bool is(char c) const { return kind == Kind::mark && mark == c; }
    bool is(Kind k) const { return kind == k; }
    /// True where `next` follows with nothing between.
    bool touches(const Token& next) const { return text.data() + text.size() == next.text.data(); }
};

class LATHE_API Lexer {
public:
    /// `text` must outlive the lexer and its tokens.
    explicit Lexer(std::string_view text)
        : at_{text.data()}, end_{at_ + text.size()}, line_start_{at_} {}

    /// The next token; Kind::end for ever at the end, Kind::invalid for a character PTX lacks or
    /// an unclosed string or comment.
    Token next();

private:
    bool skip_space(); ///< false: an unclosed comment
    Token make(Token::Kind kind, const char* first, const char* last) const;
    const char* end_of_number() const;

    const char* at_;
    const char* end_;
    const char* line_start_;
    std::uint32_t line_ = 1;
};

/// The value of a number token: 12, 0x1fU, 0b101, 017, 0f3F800000, 0d3FF0000000000000, 1.5e3.
/// Nothing where the text is no number of PTX or does not fit 64 bits.
LATHE_API std::optional<Immediate> number_value(std::string_view text);

} // namespace lathe::ptx
