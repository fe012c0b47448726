// SPDX-License-Identifier: MIT
// The names that a place in a function can see, private to gpu/ptx: blocks nest, inner names hide
// outer ones, and `%r<12>` declares %r0 to %r11 at once.
#pragma once

#include "gpu/ptx/ast.h"

#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lathe::ptx {

class Scopes {
public:
    void open() { scopes_.emplace_back(); }
    void close() { scopes_.pop_back(); }

    /// False where the innermost block has the name already. The name must outlive the scope.
    bool add_register(std::string_view name, Type type, std::uint32_t count);
    bool add_symbol(std::string_view name);

    /// The type of a declared or special register, its component (".x") taken off.
    std::optional<Type> find_register(std::string_view name) const;
    bool has_symbol(std::string_view name) const;

private:
    struct Group {
        Type type;
        std::uint32_t count; ///< 0: the name itself
    };
    struct Scope {
        std::unordered_map<std::string_view, Group> registers;
        std::unordered_set<std::string_view> symbols;
    };

    std::vector<Scope> scopes_;
};

} // namespace lathe::ptx
