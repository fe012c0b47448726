// SPDX-License-Identifier: MIT
#include "gpu/ptx/function_facts.h"

#include <algorithm>

namespace lathe::ptx {

FunctionFacts::FunctionFacts(const Module& module, const Function& function) : module_{module} {
    for (const Variable& v : function.params) spaces_[v.name] = {Space::param, v.alignment()};
    for (const Variable& v : function.returns) spaces_[v.name] = {Space::param, v.alignment()};
    const auto& all = function.body.statements;
    for (std::size_t k = 0; k < all.size(); ++k) add(all[k], k, true);
    size_ = all.size();
}

Type FunctionFacts::type_of(const std::string& name) const {
    const auto found = registers_.find(name);
    return found == registers_.end() ? Type::none : found->second;
}

std::optional<std::pair<Space, std::uint32_t>>
FunctionFacts::space_of(const std::string& symbol) const {
    if (const auto found = spaces_.find(symbol); found != spaces_.end()) return found->second;
    const Variable* const v = module_.find_variable(symbol);
    if (!v) return {};
    return std::pair{v->space, v->alignment()};
}

std::size_t FunctionFacts::place(const std::string& label, std::size_t otherwise) const {
    const auto found = labels_.find(label);
    return found == labels_.end() ? otherwise : found->second;
}

std::optional<std::size_t> FunctionFacts::first_write(const std::string& name) const {
    const auto found = writes_.find(name);
    if (found == writes_.end()) return {};
    return found->second;
}

std::optional<std::size_t> FunctionFacts::first_of_line(std::uint32_t line,
                                                        std::size_t from) const {
    const auto found = lines_.find(line);
    if (found == lines_.end()) return {};
    const auto first = std::ranges::lower_bound(found->second, from);
    if (first == found->second.end()) return {};
    return *first;
}

void FunctionFacts::note_write(const Operand& operand, std::size_t k) {
    if (const auto* r = std::get_if<Register>(&operand.value)) writes_.try_emplace(r->name, k);
    if (const auto* v = std::get_if<Vector>(&operand.value))
        for (const Operand& item : v->items) note_write(item, k);
}

void FunctionFacts::add(const Statement& statement, std::size_t k, bool is_outside) {
    if (const auto* label = std::get_if<Label>(&statement)) {
        labels_.emplace(label->name, is_outside ? k : k + 1);
    } else if (const auto* v = std::get_if<Variable>(&statement)) {
        if (is_outside) spaces_[v->name] = {v->space, v->alignment()};
    } else if (const auto* r = std::get_if<RegisterDecl>(&statement)) {
        if (!is_outside || r->vector != 1) return;
        if (r->count == 0) registers_[r->name] = r->type;
        for (std::uint32_t n = 0; n < r->count; ++n)
            registers_[r->name + std::to_string(n)] = r->type;
    } else if (const auto* block = std::get_if<Block>(&statement)) {
        for (const Statement& s : block->statements) add(s, k, false);
    } else if (const auto* i = std::get_if<Instruction>(&statement)) {
        if (!i->operands.empty()) note_write(i->operands.front(), k);
        const Location* const where = module_.location(i->location);
        if (!where) return;
        auto& line = lines_[where->line];
        if (line.empty() || line.back() != k) line.push_back(k);
    }
}

} // namespace lathe::ptx
