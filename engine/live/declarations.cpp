// SPDX-License-Identifier: MIT
#include "engine/live/declarations.h"

#include "engine/live/declaration_reader.h"

#include <algorithm>

namespace lathe {

std::string_view name_of(DeclarationKind kind) {
    switch (kind) {
    case DeclarationKind::kernel: return "kernel";
    case DeclarationKind::function: return "function";
    case DeclarationKind::parameter: return "parameter";
    case DeclarationKind::variable: return "variable";
    case DeclarationKind::constant: return "constant";
    case DeclarationKind::structure: return "structure";
    case DeclarationKind::type: return "type";
    case DeclarationKind::macro: return "macro";
    }
    return "";
}

std::vector<Declaration> declarations_of(std::string_view source,
                                         const std::vector<Token>& tokens) {
    return DeclarationReader{source, tokens}.run();
}

const Declaration* find_declaration(const std::vector<Declaration>& declarations,
                                    std::string_view name, std::size_t offset, bool wants_member) {
    const Declaration* best = nullptr;
    const auto rank = [&](const Declaration& d) {
        if (d.is_member) return wants_member ? 4 : 0;
        if (!d.is_global()) return 3;
        return d.is_definition ? 2 : 1;
    };
    for (const Declaration& d : declarations) {
        if (d.name != name) continue;
        const bool is_seen =
            d.is_global() || d.is_member || (offset >= d.offset && offset <= d.scope_end);
        if (!is_seen) continue;
        const bool is_inner = best && rank(d) == rank(*best) && !d.is_global() && !d.is_member;
        if (!best || rank(d) > rank(*best) || is_inner) best = &d;
    }
    return best;
}

std::optional<ParameterList> parameters_in(std::string_view declaration) {
    const std::vector<Token> t = tokens_of(declaration);
    const BracketPairs pairs = pair_brackets(t);
    const std::size_t open = first_list(t, pairs, 0, t.size());
    if (open == t.size()) return {};
    const std::size_t close = pairs.closing(open, t.size());
    ParameterList list{t[open].end(), close < t.size() ? t[close].offset : declaration.size(), {}};
    for (const auto& [begin, end] : list_parts(t, pairs, open + 1, close))
        if (begin < end)
            list.parameters.emplace_back(
                declaration.substr(t[begin].offset, t[end - 1].end() - t[begin].offset));
    return list;
}

} // namespace lathe
