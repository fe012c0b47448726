// SPDX-License-Identifier: MIT
#include "gpu/ptx/stale_variables.h"

#include <algorithm>

namespace lathe::ptx {
namespace {

bool join(VariableSet& to, const VariableSet& from) {
    bool has_grown = false;
    for (std::size_t v = 0; v < to.size(); ++v)
        if (from[v] && !to[v]) to[v] = has_grown = true;
    return has_grown;
}

class Flow {
public:
    Flow(const Function& function, const std::vector<DebugVariable>& variables,
         const std::vector<LookingPlace>& places)
        : statements_{function.body.statements}, places_{places}, count_{variables.size()},
          in_memory_(count_), found_(places.size(), VariableSet(count_)) {
        for (std::size_t v = 0; v < count_; ++v)
            for (const dwarf::Place& place : variables[v].places) {
                if (place.is_register) of_register_[place.name].push_back(v);
                else in_memory_[v] = true;
            }
        for (const Statement& s : statements_) {
            const auto* const label = std::get_if<Label>(&s);
            if (label) at_label_.emplace(label->name, VariableSet(count_));
        }
    }

    std::vector<VariableSet> run() {
        while (pass()) {}
        return std::move(found_);
    }

private:
    /// Once over all statements. True where a label was reached with more than before.
    bool pass() {
        has_grown_ = false;
        VariableSet state(count_, true);
        is_reached_ = true;
        std::size_t next = 0;
        for (std::size_t k = 0; k < statements_.size(); ++k) {
            if (const auto* label = std::get_if<Label>(&statements_[k])) enter(*label, state);
            bool is_still = false;
            for (; next < places_.size() && places_[next].statement == k; ++next) {
                look(next, state);
                is_still |= places_[next].is_still;
            }
            if (!is_still) step(statements_[k], state);
        }
        return has_grown_;
    }

    void enter(const Label& label, VariableSet& state) {
        VariableSet& known = at_label_.at(label.name);
        if (is_reached_) join(known, state);
        state = known;
        is_reached_ = true;
    }

    void look(std::size_t place, VariableSet& state) {
        const VariableSet& known = places_[place].known;
        for (std::size_t v = 0; v < count_; ++v) {
            if (!known[v]) continue;
            if (state[v]) found_[place][v] = true;
            state[v] = false;
        }
    }

    void step(const Statement& statement, VariableSet& state) {
        if (const auto* block = std::get_if<Block>(&statement)) {
            for (const Statement& s : block->statements) step(s, state);
        } else if (const auto* i = std::get_if<Instruction>(&statement)) {
            if (!i->operands.empty()) write(i->operands.front(), state);
            if (changes_memory(*i)) join(state, in_memory_);
            if (i->opcode == Opcode::bra || i->opcode == Opcode::brx) jump(*i, state);
            const bool ends = i->opcode == Opcode::ret || i->opcode == Opcode::exit ||
                              i->opcode == Opcode::trap || i->opcode == Opcode::bra ||
                              i->opcode == Opcode::brx;
            if (ends && !i->guard) is_reached_ = false;
        }
    }

    void write(const Operand& operand, VariableSet& state) const {
        if (const auto* r = std::get_if<Register>(&operand.value)) {
            const auto found = of_register_.find(r->name);
            if (found == of_register_.end()) return;
            for (const std::size_t v : found->second) state[v] = true;
        } else if (const auto* items = std::get_if<Vector>(&operand.value)) {
            for (const Operand& item : items->items) write(item, state);
        }
    }

    /// Loads, and what only computes, leave it as it is. Who loads so that it sees what others
    /// write meanwhile knows that they write.
    static bool changes_memory(const Instruction& i) {
        if (i.opcode == Opcode::ld)
            return i.has("volatile") || i.has("relaxed") || i.has("acquire") || i.has("mmio");
        if (i.opcode == Opcode::st)
            return i.space() == Space::generic || i.space() == Space::local ||
                   i.space() == Space::shared;
        return i.opcode == Opcode::call || i.opcode == Opcode::atom || i.opcode == Opcode::red ||
               i.opcode == Opcode::bar || i.opcode == Opcode::barrier ||
               i.opcode == Opcode::fence || i.opcode == Opcode::membar ||
               name_of(i.opcode).starts_with("cp");
    }

    void jump(const Instruction& i, const VariableSet& state) {
        if (i.opcode == Opcode::brx) {
            for (auto& [name, known] : at_label_) has_grown_ |= join(known, state);
            return;
        }
        for (const Operand& operand : i.operands)
            if (const auto* symbol = std::get_if<Symbol>(&operand.value))
                if (const auto found = at_label_.find(symbol->name); found != at_label_.end())
                    has_grown_ |= join(found->second, state);
    }

    const std::vector<Statement>& statements_;
    const std::vector<LookingPlace>& places_;
    std::size_t count_;
    VariableSet in_memory_;
    std::vector<VariableSet> found_;
    std::unordered_map<std::string, std::vector<std::size_t>> of_register_;
    std::unordered_map<std::string, VariableSet> at_label_;
    bool has_grown_ = false;
    bool is_reached_ = true; ///< the statement, from the one before it
};

} // namespace

std::vector<VariableSet> stale_variables(const Function& function,
                                         const std::vector<DebugVariable>& variables,
                                         const std::vector<LookingPlace>& places) {
    return Flow{function, variables, places}.run();
}

} // namespace lathe::ptx
