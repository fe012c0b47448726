// SPDX-License-Identifier: MIT
#include "tests/soft/ptx/same_tree.h"

#include "gpu/ptx/printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::ptx::test {
namespace {

// Declared ahead: the templates below find them only so.
bool same(const Operand& a, const Operand& b);
bool same(const Vector& a, const Vector& b);
bool same(const Address& a, const Address& b);
bool same(const Variable::Relocation& a, const Variable::Relocation& b);
bool same(const Variable& a, const Variable& b);
bool same(const Section::Item& a, const Section::Item& b);
bool same(const Prototype& a, const Prototype& b);

bool same(const Symbol& a, const Symbol& b) { return a.name == b.name && a.offset == b.offset; }
bool same(const Register& a, const Register& b) { return a.name == b.name; }
bool same(const Immediate& a, const Immediate& b) { return a.type == b.type && a.bits == b.bits; }
bool same(const Sink&, const Sink&) { return true; }
bool same(std::monostate, std::monostate) { return true; }
bool same(std::uint64_t a, std::uint64_t b) { return a == b; }

template <class T> bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const T& x, const T& y) { return same(x, y); });
}

template <class... T> bool same(const std::variant<T...>& a, const std::variant<T...>& b) {
    if (a.index() != b.index()) return false;
    return std::visit(
        [&b](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b)); }, a);
}

bool same(const Vector& a, const Vector& b) { return same(a.items, b.items); }
bool same(const Address& a, const Address& b) {
    return same(a.base, b.base) && a.offset == b.offset && a.bracketed == b.bracketed;
}
bool same(const Operand& a, const Operand& b) {
    return same(a.value, b.value) && a.negated == b.negated && a.second == b.second;
}

bool same(const Variable::Relocation& a, const Variable::Relocation& b) {
    return a.offset == b.offset && same(a.target, b.target) && a.bytes == b.bytes &&
           a.generic == b.generic && a.shift == b.shift;
}

bool same(const Variable& a, const Variable& b) {
    return a.name == b.name && a.space == b.space && a.type == b.type && a.vector == b.vector &&
           a.align == b.align && a.is_array == b.is_array && a.dims == b.dims &&
           a.is_extern == b.is_extern && a.is_visible == b.is_visible && a.is_weak == b.is_weak &&
           a.is_common == b.is_common && a.managed == b.managed && a.is_pointer == b.is_pointer &&
           a.pointer_space == b.pointer_space && a.pointer_align == b.pointer_align &&
           a.init == b.init && same(a.relocations, b.relocations);
}

bool same(const Section::Item& a, const Section::Item& b) {
    return a.bytes == b.bytes && same(a.value, b.value) && a.label == b.label && a.minus == b.minus;
}

bool same(const Prototype& a, const Prototype& b) {
    return a.name == b.name && same(a.returns, b.returns) && same(a.params, b.params) &&
           a.noreturn == b.noreturn;
}

/// Compares the bodies of two modules, whose locations have numbers of their own.
class Comparison {
public:
    Comparison(const Module& a, const Module& b) : a_{a}, b_{b} {}

    bool location(LocationId a, LocationId b) const {
        const Location* const x = a_.location(a);
        const Location* const y = b_.location(b);
        if (!x || !y) return x == y;
        return x->file == y->file && x->line == y->line && x->column == y->column &&
               x->function == y->function && location(x->inlined_at, y->inlined_at);
    }

    bool equal(const Instruction& x, const Instruction& y) const {
        const bool guards = x.guard.has_value() == y.guard.has_value() &&
                            (!x.guard || (x.guard->predicate == y.guard->predicate &&
                                          x.guard->negated == y.guard->negated));
        return guards && x.opcode == y.opcode && x.modifiers == y.modifiers && x.types == y.types &&
               x.type_positions == y.type_positions && same(x.operands, y.operands) &&
               location(x.location, y.location);
    }
    bool equal(const Label& x, const Label& y) const { return x.name == y.name; }
    bool equal(const Pragma& x, const Pragma& y) const { return x.text == y.text; }
    bool equal(const Variable& x, const Variable& y) const { return same(x, y); }
    bool equal(const RegisterDecl& x, const RegisterDecl& y) const {
        return x.name == y.name && x.type == y.type && x.vector == y.vector && x.count == y.count;
    }
    bool equal(const TargetList& x, const TargetList& y) const {
        return x.name == y.name && x.targets == y.targets && x.is_call == y.is_call;
    }
    bool equal(const Block& x, const Block& y) { return block(x, y); }

    bool block(const Block& x, const Block& y) {
        if (x.statements.size() != y.statements.size())
            return differ("a block's number of statements");
        for (std::size_t i = 0; i < x.statements.size(); ++i) {
            const Statement &p = x.statements[i], &q = y.statements[i];
            const bool equal_here =
                p.index() == q.index() &&
                std::visit(
                    [&](const auto& each) {
                        return equal(each, std::get<std::decay_t<decltype(each)>>(q));
                    },
                    p);
            if (equal_here) continue;
            const auto* const instruction = std::get_if<Instruction>(&p);
            return differ(
                instruction ? fmt::format("'{}' of line {}", print(*instruction), instruction->line)
                            : fmt::format("statement {}", i));
        }
        return true;
    }

    bool function(const Function& x, const Function& y) {
        const bool heads =
            x.name == y.name && x.is_entry == y.is_entry && x.is_extern == y.is_extern &&
            x.is_visible == y.is_visible && x.is_weak == y.is_weak && x.noreturn == y.noreturn &&
            x.has_body == y.has_body && same(x.returns, y.returns) && same(x.params, y.params) &&
            std::ranges::equal(x.max_threads, y.max_threads) &&
            std::ranges::equal(x.required_threads, y.required_threads) &&
            x.min_blocks == y.min_blocks && x.max_registers == y.max_registers &&
            std::ranges::equal(x.required_cluster, y.required_cluster) &&
            x.max_cluster_rank == y.max_cluster_rank && x.explicit_cluster == y.explicit_cluster &&
            x.pragmas == y.pragmas && same(x.prototypes, y.prototypes);
        return heads ? block(x.body, y.body) : differ("the head");
    }

    std::string what;

private:
    bool differ(std::string text) {
        if (what.empty()) what = std::move(text);
        return false;
    }

    const Module& a_;
    const Module& b_;
};

} // namespace

std::string difference(const Module& a, const Module& b) {
    if (a.version_major != b.version_major || a.version_minor != b.version_minor ||
        a.target != b.target || a.target_options != b.target_options ||
        a.address_size != b.address_size || a.pragmas != b.pragmas || a.aliases != b.aliases ||
        a.files != b.files)
        return "the module's head, aliases or files";
    if (a.variables.size() != b.variables.size()) return "the number of variables";
    for (std::size_t i = 0; i < a.variables.size(); ++i)
        if (!same(a.variables[i], b.variables[i])) return "variable " + a.variables[i].name;
    if (a.functions.size() != b.functions.size()) return "the number of functions";
    Comparison comparison{a, b};
    for (std::size_t i = 0; i < a.functions.size(); ++i)
        if (!comparison.function(a.functions[i], b.functions[i]))
            return "function " + a.functions[i].name + ": " + comparison.what;
    if (a.sections.size() != b.sections.size()) return "the number of sections";
    for (std::size_t i = 0; i < a.sections.size(); ++i)
        if (a.sections[i].name != b.sections[i].name ||
            !same(a.sections[i].items, b.sections[i].items))
            return "section " + a.sections[i].name;
    return {};
}

} // namespace lathe::ptx::test
