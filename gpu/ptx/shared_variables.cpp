// SPDX-License-Identifier: MIT
#include "gpu/ptx/shared_variables.h"

#include "engine/core/source_name.h"
#include "gpu/ptx/dwarf_types.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace lathe::ptx {
namespace {

/// "_0" is 1, "__10_" is 11; nothing where it is neither, and 0 where it is empty.
std::optional<unsigned> discriminator(std::string_view text) {
    if (text.empty()) return 0;
    if (text.starts_with("__") && text.ends_with("_")) text = text.substr(2, text.size() - 3);
    else if (text.starts_with("_")) text.remove_prefix(1);
    else return {};
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return number + 1;
}

/// Of what is behind the function: "E4tile", "E4tile_0".
std::optional<std::pair<std::string, unsigned>> local_name(std::string_view text) {
    std::size_t length = 0;
    const auto [begin, error] = std::from_chars(text.data() + 1, text.data() + text.size(), length);
    if (error != std::errc{} || length > std::size_t(text.data() + text.size() - begin)) return {};
    const auto which = discriminator({begin + length, text.data() + text.size()});
    if (!which) return {};
    return std::pair{std::string{begin, length}, *which};
}

class SymbolFinder {
public:
    SymbolFinder(const Module& module, const Function& function)
        : module_{module}, function_{function} {}

    std::vector<std::string> found;

    void look(const std::vector<Statement>& statements) {
        for (const Statement& s : statements) {
            if (const auto* block = std::get_if<Block>(&s)) look(block->statements);
            if (const auto* i = std::get_if<Instruction>(&s))
                for (const Operand& operand : i->operands) look(operand);
        }
    }

private:
    void look(const Operand& operand) {
        if (const auto* symbol = std::get_if<Symbol>(&operand.value)) add(symbol->name);
        if (const auto* address = std::get_if<Address>(&operand.value))
            if (const auto* base = std::get_if<Symbol>(&address->base)) add(base->name);
        if (const auto* items = std::get_if<Vector>(&operand.value))
            for (const Operand& item : items->items) look(item);
    }
    void add(const std::string& name) {
        if (std::ranges::find(found, name) == found.end() &&
            shared_variable(module_, function_, name))
            found.push_back(name);
    }

    const Module& module_;
    const Function& function_;
};

/// The pointer to a variable of the whole file.
DebugVariable pointer_of_file(const dwarf::Tree& tree, const std::string& name) {
    std::unordered_set<std::uint64_t> inside; // a function
    for (const auto& [offset, e] : tree)
        if (e.tag == dwarf::kSubprogram || e.tag == dwarf::kLexicalBlock)
            inside.insert(e.children.begin(), e.children.end());
    DebugVariable v;
    const std::string wanted = kSharedPointer + name;
    for (const auto& [offset, e] : tree)
        if (e.tag == dwarf::kVariable && e.name == wanted && e.type && !inside.contains(offset))
            v.type = dwarf::pointee_at(tree, e.type);
    return v;
}

} // namespace

std::pair<std::string, unsigned> shared_name(const std::string& symbol) {
    if (symbol.starts_with("_ZZ"))
        for (auto e = symbol.rfind('E'); e != symbol.npos && e > 3; e = symbol.rfind('E', e - 1))
            if (auto found = local_name(std::string_view{symbol}.substr(e))) return *found;
    std::string name = source_name(symbol);
    if (const auto colon = name.rfind("::"); colon != name.npos) name.erase(0, colon + 2);
    return {name, 0};
}

const Variable* shared_variable(const Module& module, const Function& function,
                                const std::string& symbol) {
    for (const Statement& s : function.body.statements)
        if (const auto* v = std::get_if<Variable>(&s); v && v->name == symbol)
            return v->space == Space::shared ? v : nullptr;
    const Variable* const v = module.find_variable(symbol);
    return v && v->space == Space::shared ? v : nullptr;
}

std::vector<std::string> shared_symbols(const Module& module, const Function& function) {
    SymbolFinder finder{module, function};
    finder.look(function.body.statements);
    return std::move(finder.found);
}

void add_shared_variables(const Module& module, const Function& function, const dwarf::Tree& tree,
                          std::vector<DebugVariable>& variables) {
    std::vector<DebugVariable> pointers;
    std::erase_if(variables, [&](DebugVariable& v) {
        if (!v.is_shared) return false;
        pointers.push_back(std::move(v));
        return true;
    });
    std::ranges::stable_sort(pointers, {}, &DebugVariable::line); // those of blocks come first
    for (const std::string& symbol : shared_symbols(module, function)) {
        const auto [name, which] = shared_name(symbol);
        DebugVariable added;
        unsigned number = 0;
        for (DebugVariable& v : pointers)
            if (v.type.name == name && number++ == which) added = v;
        if (number == 0) added = pointer_of_file(tree, name);
        const std::uint64_t bytes = shared_variable(module, function, symbol)->size_bytes();
        if (bytes) added.type.bytes = static_cast<std::uint32_t>(bytes);
        added.type.name = name;
        added.is_shared = true;
        added.places = {{{}, {}, false, symbol, 0}};
        variables.push_back(std::move(added));
    }
}

} // namespace lathe::ptx
