// SPDX-License-Identifier: MIT
// Where the numbers of a source stand, and the source with one of them replaced: by another number,
// or by a variable that a program writes while the kernel runs. What a number's text means is in
// literal_number.h.
#pragma once

#include "engine/core/api.h"
#include "engine/live/literal_number.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

enum class LiteralPlace {
    code,
    macro,     ///< in what a #define stands for
    directive, ///< in another line of the preprocessor: #if, #pragma; always a constant
};

/// A number with the minus in front of it, if that is its sign.
struct Literal {
    std::size_t begin = 0, end = 0; ///< bytes of the source
    int line = 0, column = 0;       ///< of `begin`, from 1; columns count bytes
    LiteralPlace place = LiteralPlace::code;
    bool is_behind_minus = false; ///< directly: `a-2`. A negative number needs parentheses there
    bool is_subtracted = false;   ///< `a - 2`

    std::string_view text(std::string_view source) const {
        return source.substr(begin, end - begin);
    }
    bool operator==(const Literal&) const = default;
};

/// All numbers that LiteralNumber knows, in the order of the source. Those in comments (also
/// directives, `//@`), strings and names of files are none.
LATHE_API std::vector<Literal> find_literals(std::string_view source);

/// The one that covers the byte `column` (from 1) of `line`, or ends right before it.
LATHE_API std::optional<Literal> literal_at(std::string_view source, int line, int column);

/// The text that stands for the number there: in parentheses where it has to.
LATHE_API std::string in_place(const Literal& literal, const LiteralNumber& number);

/// The source with `text` in the place of the literal.
LATHE_API std::string with_text(std::string_view source, const Literal& literal,
                                std::string_view text);

/// The name of the variable that with_variable() declares.
inline constexpr std::string_view kLiteralVariable = "lathe_moved_literal_5c1e";

/// The source with the value of a __constant__ variable, of the number's type, in the place of the
/// literal. Lines keep their numbers. The same for all numbers of that type, so a compile of it
/// serves them all; it has errors where the literal must be a constant. Nothing for a directive.
LATHE_API std::optional<std::string> with_variable(std::string_view source, const Literal& literal);

/// What the variable must hold so that the source computes with `number`.
LATHE_API std::vector<std::byte> variable_bytes(const Literal& literal,
                                                const LiteralNumber& number);

} // namespace lathe
