// SPDX-License-Identifier: MIT
// How declarations.h reads a source: statement by statement, block by block. Seen by nobody else,
// but for the small functions that lists of parameters are read with (source_scan.cpp).
#pragma once

#include "engine/live/declarations.h"
#include "engine/live/source_tokens.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

/// __launch_bounds__ and others whose brackets are not the function's.
bool takes_arguments_before_name(std::string_view word);
/// The bracket that opens a function's list of parameters in [begin, end); `end` where none does.
std::size_t first_list(const std::vector<Token>& t, const BracketPairs& pairs, std::size_t begin,
                       std::size_t end);
/// [begin, end) cut at commas that stand in no brackets, <> counted as such.
std::vector<std::pair<std::size_t, std::size_t>> list_parts(const std::vector<Token>& t,
                                                            const BracketPairs& pairs,
                                                            std::size_t begin, std::size_t end);
/// The name in a declarator in [begin, end): its last word before a default value or an array
/// bound, where a type stands before it; `end` where none is. `words` stand before `begin`.
std::size_t declared_name(const std::vector<Token>& t, std::size_t begin, std::size_t end,
                          int words = 0);

class DeclarationReader {
public:
    DeclarationReader(std::string_view source, const std::vector<Token>& tokens);
    std::vector<Declaration> run();

private:
    enum class Scope { file, structure, enumeration, body };

    void block(std::size_t begin, std::size_t end, Scope scope);
    std::size_t directive(std::size_t at);
    std::size_t braces(std::size_t head, std::size_t open, std::size_t end, Scope scope);
    void structure(std::size_t head, std::size_t word, std::size_t open, std::size_t close,
                   Scope scope);
    void function(std::size_t head, std::size_t list, std::size_t end_of_head, Scope scope,
                  std::size_t body_end, bool is_definition);
    void control(std::size_t head, std::size_t open, std::size_t close);
    void statement(std::size_t begin, std::size_t end, Scope scope);
    std::size_t end_of_name(std::size_t begin, std::size_t end) const;
    void variables(std::size_t begin, std::size_t end, Scope scope, std::size_t scope_end,
                   bool needs_value = false);
    void enumerators(std::size_t begin, std::size_t end);
    void add(DeclarationKind kind, std::size_t name, std::size_t begin, std::size_t end,
             Scope scope, std::size_t scope_end);
    std::string words(std::size_t begin, std::size_t end) const;
    std::string comment_above(std::size_t begin) const;
    std::string comment_behind(std::size_t last) const;

    std::string_view source_;
    const std::vector<Token>& all_;
    std::vector<Token> t_; ///< without comments
    BracketPairs pairs_;
    std::size_t scope_end_ = ~std::size_t{}; ///< offset, of the block that is read
    int depth_ = 0;                          ///< of blocks
    std::vector<Declaration> found_;
};

} // namespace lathe
