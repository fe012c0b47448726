// SPDX-License-Identifier: MIT
#include "gpu/ptx/aliases.h"

#include <map>

namespace lathe::ptx {
namespace {

class Renaming {
public:
    explicit Renaming(const Module& module) {
        for (const auto& [alias, target] : module.aliases) targets_.emplace(alias, target);
    }

    bool is_alias(const std::string& name) const { return targets_.contains(name); }

    void apply(std::string& name) const {
        // As many steps as there are aliases end in any case, also where they form a circle.
        for (std::size_t k = 0; k < targets_.size(); ++k) {
            const auto found = targets_.find(name);
            if (found == targets_.end()) return;
            name = found->second;
        }
    }

    void apply(Variable& variable) const {
        for (Variable::Relocation& each : variable.relocations) apply(each.target.name);
    }

    void apply(Block& block) const {
        for (Statement& statement : block.statements) {
            if (auto* const inner = std::get_if<Block>(&statement)) apply(*inner);
            if (auto* const variable = std::get_if<Variable>(&statement)) apply(*variable);
            if (auto* const list = std::get_if<TargetList>(&statement))
                if (list->is_call)
                    for (std::string& each : list->targets) apply(each);
            if (auto* const i = std::get_if<Instruction>(&statement))
                for (Operand& each : i->operands) apply(each);
        }
    }

private:
    void apply(Operand& operand) const {
        if (auto* const symbol = std::get_if<Symbol>(&operand.value)) apply(symbol->name);
        if (auto* const address = std::get_if<Address>(&operand.value))
            if (auto* const base = std::get_if<Symbol>(&address->base)) apply(base->name);
        if (auto* const list = std::get_if<Vector>(&operand.value))
            for (Operand& each : list->items) apply(each);
    }

    std::map<std::string, std::string> targets_;
};

} // namespace

void resolve_aliases(Module& module) {
    const Renaming renaming{module};
    std::erase_if(module.functions, [&](const Function& each) {
        return !each.has_body && renaming.is_alias(each.name);
    });
    for (Function& each : module.functions) renaming.apply(each.body);
    for (Variable& each : module.variables) renaming.apply(each);
    module.aliases.clear();
}

} // namespace lathe::ptx
