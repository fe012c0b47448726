// SPDX-License-Identifier: MIT
// Backwards over the instructions of a function: a value is live from where it is written to where
// it is read last. Sets of registers are bits, one set a place that branches come to.
#include "gpu/ptx/registers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace lathe::ptx {

namespace {

using Number = std::uint32_t;

/// Of an instruction: what it writes, what it reads, where control goes on.
struct Step {
    std::vector<Number> writes, reads;
    std::vector<std::size_t> targets; ///< steps that it may branch to
    std::vector<std::string> labels;  ///< the same by name, or the names of lists of labels
    bool goes_on = true;              ///< to the next step, too
    bool is_guarded = false;          ///< it may write nothing
    const Function* callee = nullptr;
};

class Steps {
public:
    Steps(const Module& module, const Function& function) : module_{module} {
        enter(function.body);
        for (Step& step : steps)
            for (const std::string& name : step.labels) {
                if (const auto list = lists_.find(name); list != lists_.end())
                    for (const std::string& label : list->second) connect(step, label);
                connect(step, name);
            }
    }

    std::vector<Step> steps;
    std::vector<std::uint32_t> widths; ///< 32-bit registers of each register

private:
    struct Scope {
        std::map<std::string, RegisterDecl, std::less<>> declared;
        std::unordered_map<std::string, Number> numbers;
    };

    void connect(Step& step, const std::string& label) {
        if (const auto at = labels_.find(label); at != labels_.end())
            step.targets.push_back(at->second);
    }

    void enter(const Block& block) {
        scopes_.emplace_back();
        for (const Statement& statement : block.statements) {
            if (const auto* declared = std::get_if<RegisterDecl>(&statement))
                scopes_.back().declared.emplace(declared->name, *declared);
            else if (const auto* label = std::get_if<Label>(&statement))
                labels_[label->name] = steps.size();
            else if (const auto* list = std::get_if<TargetList>(&statement))
                lists_[list->name] = list->targets;
            else if (const auto* inner = std::get_if<Block>(&statement)) enter(*inner);
            else if (const auto* i = std::get_if<Instruction>(&statement)) add(*i);
        }
        scopes_.pop_back();
    }

    /// The innermost register of this name, if it is one that a function declares.
    void collect(const std::string& name, std::vector<Number>& to) {
        const std::size_t digits = name.find_last_not_of("0123456789") + 1;
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            auto declared = scope->declared.find(name);
            if (declared == scope->declared.end() && digits < name.size())
                declared = scope->declared.find(name.substr(0, digits));
            if (declared == scope->declared.end()) continue;
            const auto [number, is_new] =
                scope->numbers.emplace(name, static_cast<Number>(widths.size()));
            if (is_new)
                widths.push_back((bytes_of(declared->second.type) + 3) / 4 *
                                 declared->second.vector);
            to.push_back(number->second);
            return;
        }
    }

    void collect(const Operand& operand, std::vector<Number>& to) {
        if (const auto* r = std::get_if<Register>(&operand.value)) collect(r->name, to);
        if (const auto* a = std::get_if<Address>(&operand.value))
            if (const auto* base = std::get_if<Register>(&a->base)) collect(base->name, to);
        if (const auto* v = std::get_if<Vector>(&operand.value))
            for (const Operand& item : v->items) collect(item, to);
        if (!operand.second.empty()) collect(operand.second, to);
    }

    static bool writes_first(const Instruction& i) {
        switch (i.opcode) {
        case Opcode::bra:
        case Opcode::brx:
        case Opcode::ret:
        case Opcode::exit:
        case Opcode::nanosleep:
        case Opcode::st:
        case Opcode::red: return false;
        case Opcode::bar:
        case Opcode::barrier: return i.has("red");
        default: break;
        }
        return !i.operands.empty() && !std::holds_alternative<Address>(i.operands[0].value);
    }

    void add(const Instruction& i) {
        Step step;
        step.is_guarded = i.guard.has_value();
        if (i.guard) collect(i.guard->predicate, step.reads);
        const bool writes = writes_first(i);
        for (std::size_t k = 0; k < i.operands.size(); ++k)
            collect(i.operands[k], k == 0 && writes ? step.writes : step.reads);
        if (i.opcode == Opcode::bra || i.opcode == Opcode::brx) {
            for (const Operand& operand : i.operands)
                if (const auto* target = std::get_if<Symbol>(&operand.value))
                    step.labels.push_back(target->name);
            step.goes_on = step.is_guarded;
        }
        if (i.opcode == Opcode::ret || i.opcode == Opcode::exit || i.opcode == Opcode::trap)
            step.goes_on = step.is_guarded;
        if (i.opcode == Opcode::call)
            for (const Operand& operand : i.operands)
                if (const auto* target = std::get_if<Symbol>(&operand.value);
                    target && !step.callee)
                    step.callee = module_.find_function(target->name);
        steps.push_back(std::move(step));
    }

    const Module& module_;
    std::vector<Scope> scopes_;
    std::map<std::string, std::size_t, std::less<>> labels_;
    std::map<std::string, std::vector<std::string>, std::less<>> lists_;
};

using Bits = std::vector<std::uint64_t>;

bool has(const Bits& bits, Number n) { return bits[n / 64] >> n % 64 & 1; }
bool join(Bits& into, const Bits& other) {
    bool grows = false;
    for (std::size_t k = 0; k < into.size(); ++k) {
        grows |= (other[k] & ~into[k]) != 0;
        into[k] |= other[k];
    }
    return grows;
}

class Liveness {
public:
    Liveness(const Module& module, const Function& function, std::set<const Function*>& callers)
        : module_{module}, code_{module, function}, callers_{callers},
          none_((code_.widths.size() + 63) / 64) {
        for (const Step& step : code_.steps)
            for (std::size_t target : step.targets) live_at_.emplace(target, none_);
    }

    std::uint32_t most() {
        while (pass()) {}
        return most_;
    }

private:
    /// Once from the end to the beginning; whether a branch's target wants more than was known.
    bool pass() {
        bool grows = false;
        most_ = 0;
        Bits live = none_;
        std::uint32_t count = 0;
        for (std::size_t k = code_.steps.size(); k-- > 0;) {
            const Step& step = code_.steps[k];
            if (!step.goes_on) live = none_;
            for (std::size_t target : step.targets)
                if (const auto at = live_at_.find(target); at != live_at_.end())
                    join(live, at->second);
            if (!step.goes_on || !step.targets.empty()) count = weight(live);
            for (Number n : step.writes) insert(live, count, n);
            most_ = std::max(most_, count);
            if (!step.is_guarded)
                for (Number n : step.writes) erase(live, count, n);
            if (step.callee) most_ = std::max(most_, count + of_callee(*step.callee));
            for (Number n : step.reads) insert(live, count, n);
            most_ = std::max(most_, count);
            if (const auto at = live_at_.find(k); at != live_at_.end())
                grows |= join(at->second, live);
        }
        return grows;
    }

    std::uint32_t weight(const Bits& bits) const {
        std::uint32_t sum = 0;
        for (Number n = 0; n < code_.widths.size(); ++n)
            if (has(bits, n)) sum += code_.widths[n];
        return sum;
    }
    void insert(Bits& bits, std::uint32_t& count, Number n) const {
        if (has(bits, n)) return;
        bits[n / 64] |= std::uint64_t{1} << n % 64;
        count += code_.widths[n];
    }
    void erase(Bits& bits, std::uint32_t& count, Number n) const {
        if (!has(bits, n)) return;
        bits[n / 64] &= ~(std::uint64_t{1} << n % 64);
        count -= code_.widths[n];
    }

    std::uint32_t of_callee(const Function& callee) {
        const auto [known, is_new] = callees_.emplace(&callee, 0);
        if (!is_new || !callee.has_body || !callers_.insert(&callee).second) return known->second;
        known->second = Liveness{module_, callee, callers_}.most();
        callers_.erase(&callee);
        return known->second;
    }

    const Module& module_;
    Steps code_;
    std::set<const Function*>& callers_; ///< whose callees are looked at: recursion counts once
    const Bits none_;
    std::map<std::size_t, Bits> live_at_; ///< what is live where branches come to
    std::map<const Function*, std::uint32_t> callees_;
    std::uint32_t most_ = 0;
};

} // namespace

std::uint32_t live_registers(const Module& module, const Function& function) {
    std::set<const Function*> callers{&function};
    return Liveness{module, function, callers}.most();
}

} // namespace lathe::ptx
