// SPDX-License-Identifier: MIT
// Declarations and uses of names, over modules, functions and blocks; verify_operands.cpp has the
// types.
#include "gpu/ptx/verify.h"

#include "gpu/ptx/printer.h"
#include "gpu/ptx/verify_operands.h"
#include "gpu/ptx/verify_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_set>

namespace lathe::ptx {
namespace {

class Verifier {
public:
    explicit Verifier(const Module& module) : module_{module} {}

    std::vector<Diagnostic> run() {
        scopes_.open();
        for (const Function& function : module_.functions) declare(function);
        for (const auto& [alias, target] : module_.aliases) scopes_.add_symbol(alias);
        for (const Variable& variable : module_.variables)
            if (!scopes_.add_symbol(variable.name) && !variable.is_extern &&
                !is_declared_extern(variable.name))
                report(variable.line, "'{}' is declared twice", variable.name);
        for (const Variable& variable : module_.variables) addresses(variable);
        for (const auto& [alias, target] : module_.aliases)
            if (!module_.find_function(target))
                report(0, "'.alias {}' names the unknown function '{}'", alias, target);
        for (const Function& each : module_.functions)
            if (each.has_body) function(each);
        return std::move(found_);
    }

private:
    template <class... Args>
    void report(std::uint32_t line, fmt::format_string<Args...> format, Args&&... args) {
        found_.push_back({"", static_cast<int>(line), 0, Diagnostic::Severity::error,
                          fmt::format(format, std::forward<Args>(args)...)});
    }

    bool is_declared_extern(std::string_view name) const {
        return std::ranges::any_of(
            module_.variables, [name](const Variable& v) { return v.is_extern && v.name == name; });
    }

    /// A function may be declared often and defined once.
    void declare(const Function& function) {
        scopes_.add_symbol(function.name);
        if (function.has_body && !defined_.insert(function.name).second)
            report(function.line, "function '{}' is defined twice", function.name);
    }

    void addresses(const Variable& variable) {
        for (const Variable::Relocation& relocation : variable.relocations)
            if (!scopes_.has_symbol(relocation.target.name))
                report(variable.line, "the initialiser of '{}' names the unknown symbol '{}'",
                       variable.name, relocation.target.name);
    }

    void declare(const Variable& variable) {
        const bool added = variable.space == Space::reg
                               ? scopes_.add_register(variable.name, variable.type, 0)
                               : scopes_.add_symbol(variable.name);
        if (!added) report(variable.line, "'{}' is declared twice", variable.name);
    }

    void function(const Function& function) {
        scopes_.open();
        for (const Variable& each : function.returns) declare(each);
        for (const Variable& each : function.params) declare(each);
        for (const Prototype& each : function.prototypes) scopes_.add_symbol(each.name);
        labels_.clear();
        collect_labels(function.body);
        block(function.body);
        scopes_.close();
    }

    /// Labels and target lists are seen before they are written, and from inner blocks.
    void collect_labels(const Block& block) {
        std::unordered_set<std::string_view> own;
        const auto add = [&](const std::string& name, std::uint32_t line) {
            if (!own.insert(name).second) report(line, "label '{}' is set twice", name);
            labels_.insert(name);
        };
        for (const Statement& statement : block.statements) {
            if (const auto* label = std::get_if<Label>(&statement)) add(label->name, label->line);
            else if (const auto* list = std::get_if<TargetList>(&statement))
                add(list->name, list->line);
            else if (const auto* inner = std::get_if<Block>(&statement)) collect_labels(*inner);
        }
    }

    void block(const Block& block) {
        scopes_.open();
        for (const Statement& statement : block.statements)
            std::visit([this](const auto& each) { check(each); }, statement);
        scopes_.close();
    }

    void check(const Label&) {}
    void check(const Pragma&) {}
    void check(const Block& inner) { block(inner); }
    void check(const Variable& variable) {
        declare(variable);
        addresses(variable);
    }
    void check(const RegisterDecl& decl) {
        if (!scopes_.add_register(decl.name, decl.type, decl.count))
            report(decl.line, "register '{}' is declared twice", decl.name);
    }
    void check(const TargetList& list) {
        for (const std::string& target : list.targets)
            if (!(list.is_call ? scopes_.has_symbol(target) : labels_.contains(target)))
                report(list.line, "'{}' names the unknown {} '{}'", list.name,
                       list.is_call ? "function" : "label", target);
    }

    void check(const Instruction& instruction) {
        const std::size_t before = found_.size();
        if (instruction.guard) guard(instruction);
        for (const Operand& operand : instruction.operands) names(instruction, operand);
        if (found_.size() != before) return; // one cause, one finding
        const std::string fault = operand_fault(instruction, scopes_);
        if (!fault.empty()) report(instruction.line, "{} in '{}'", fault, print(instruction));
    }

    void guard(const Instruction& instruction) {
        const std::string& predicate = instruction.guard->predicate;
        const auto type = scopes_.find_register(predicate);
        if (!type) undefined(instruction, predicate);
        else if (*type != Type::pred)
            report(instruction.line, "the guard '{}' is no predicate in '{}'", predicate,
                   print(instruction));
    }

    void undefined(const Instruction& instruction, std::string_view name) {
        report(instruction.line, "undefined register '{}' in '{}'", name, print(instruction));
    }

    void need_register(const Instruction& instruction, std::string_view name) {
        if (!scopes_.find_register(name)) undefined(instruction, name);
    }

    void need_symbol(const Instruction& instruction, std::string_view name) {
        const bool branches =
            instruction.opcode == Opcode::bra || instruction.opcode == Opcode::brx;
        if (labels_.contains(name) || (!branches && scopes_.has_symbol(name))) return;
        report(instruction.line, "unknown {} '{}' in '{}'", branches ? "label" : "symbol", name,
               print(instruction));
    }

    void names(const Instruction& instruction, const Operand& operand) {
        if (!operand.second.empty() && operand.second != "_")
            need_register(instruction, operand.second);
        if (const auto* reg = std::get_if<Register>(&operand.value))
            need_register(instruction, reg->name);
        else if (const auto* symbol = std::get_if<Symbol>(&operand.value))
            need_symbol(instruction, symbol->name);
        else if (const auto* list = std::get_if<Vector>(&operand.value))
            for (const Operand& item : list->items) names(instruction, item);
        else if (const auto* address = std::get_if<Address>(&operand.value)) {
            if (const auto* base = std::get_if<Register>(&address->base))
                need_register(instruction, base->name);
            else if (const auto* place = std::get_if<Symbol>(&address->base))
                need_symbol(instruction, place->name);
        }
    }

    const Module& module_;
    std::vector<Diagnostic> found_;
    Scopes scopes_;
    std::unordered_set<std::string_view> defined_, labels_;
};

} // namespace

std::vector<Diagnostic> verify(const Module& module) { return Verifier{module}.run(); }

} // namespace lathe::ptx
