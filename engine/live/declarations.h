// SPDX-License-Identifier: MIT
// What a source declares, read without a compiler: functions, kernels, parameters, variables,
// structures, types and macros, each with its words and the comment above it. Half-typed text gives
// what can be seen of it. Types that a parameter panel relies on come from the compiler (reflect).
#pragma once

#include "engine/core/api.h"
#include "engine/live/source_tokens.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

enum class DeclarationKind {
    kernel,
    function,
    parameter,
    variable,
    constant, ///< an enumerator
    structure,
    type, ///< using, typedef
    macro,
};
/// "kernel", "function", ...
LATHE_API std::string_view name_of(DeclarationKind kind);

struct Declaration {
    std::string name;
    DeclarationKind kind = DeclarationKind::variable;
    std::string text;    ///< on one line: "float level", "__device__ float wave(float x)"
    std::string comment; ///< above it, or behind a variable; without its slashes
    int line = 0;        ///< of the name, from 1
    int column = 0;      ///< from 1, bytes
    std::size_t offset = 0;
    std::size_t scope_end = ~std::size_t{}; ///< known from `offset` to there
    bool is_definition = true;              ///< a prototype is none
    bool is_member = false;                 ///< of a structure
    bool is_global() const { return scope_end == ~std::size_t{} && !is_member; }
};

/// In the order of the text. `tokens` are all of the source, comments included.
LATHE_API std::vector<Declaration> declarations_of(std::string_view source,
                                                   const std::vector<Token>& tokens);

/// A word's declaration that is seen at a place: the innermost block's, of the same block the last
/// one before, a definition before a prototype. Members come last, or first if `wants_member`.
/// Null where there is none.
LATHE_API const Declaration* find_declaration(const std::vector<Declaration>& declarations,
                                              std::string_view name, std::size_t offset,
                                              bool wants_member = false);

/// The brackets with parameters in a declaration's text.
struct ParameterList {
    std::size_t begin = 0;               ///< bytes, behind the opening bracket
    std::size_t end = 0;                 ///< of the closing one, or of the text where it has none
    std::vector<std::string> parameters; ///< "float x"
};
/// Nothing where it has no such brackets.
LATHE_API std::optional<ParameterList> parameters_in(std::string_view declaration);

} // namespace lathe
