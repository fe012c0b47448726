// SPDX-License-Identifier: MIT
#include "gpu/ptx/code_writer.h"

#include <utility>

namespace lathe::ptx {

Operand reg(const std::string& name) { return {Register{name}, false, {}}; }
Operand number(std::uint64_t value) { return {Immediate{Type::s64, value}, false, {}}; }
Operand address_of(const std::string& symbol) { return {Symbol{symbol, 0}, false, {}}; }
Operand at(const std::string& symbol, std::int64_t offset) {
    return {Address{Symbol{symbol, 0}, offset, 0}, false, {}};
}
Operand behind(const std::string& name, std::int64_t offset) {
    return {Address{Register{name}, offset, 0}, false, {}};
}

void CodeWriter::add(Opcode opcode, std::vector<std::string> modifiers, std::vector<Type> types,
                     std::vector<Operand> operands, const char* guard, bool negated) {
    Instruction i;
    i.opcode = opcode;
    i.modifiers = std::move(modifiers);
    i.types = std::move(types);
    i.operands = std::move(operands);
    if (guard) i.guard = Guard{guard, negated};
    i.location = location_;
    statements.emplace_back(std::move(i));
}

void CodeWriter::jump(const std::string& label, const char* guard, bool negated) {
    add(Opcode::bra, {}, {}, {Operand{Symbol{label, 0}, false, {}}}, guard, negated);
}

void CodeWriter::store_register(Type type, std::string source, const char* address,
                                std::uint32_t offset) {
    Type stored = Type::u32;
    if (type == Type::pred) {
        add(Opcode::selp, {}, {Type::u32}, {reg(kWord), number(1), number(0), reg(source)});
        source = kWord;
    } else {
        constexpr Type kBits[]{Type::none, Type::b8,   Type::b16,  Type::none, Type::b32,
                               Type::none, Type::none, Type::none, Type::b64};
        stored = kBits[bytes_of(type)];
    }
    add(Opcode::st, {"global"}, {stored}, {behind(address, offset), reg(source)});
}

void CodeWriter::store(const FunctionFacts& facts, const dwarf::Place& place, const char* address,
                       std::uint32_t offset, std::uint32_t bytes) {
    if (place.is_register)
        return store_register(facts.type_of(place.name), place.name, address, offset);
    const auto space = facts.space_of(place.name);
    const std::string from{name_of(space->first)};
    const auto source = static_cast<std::int64_t>(place.offset);
    const bool has_words = space->second % 4 == 0 && source % 4 == 0;
    for (std::uint32_t byte = 0; byte < bytes;) {
        const bool is_word = has_words && bytes - byte >= 4;
        const Type type = is_word ? Type::u32 : Type::u8;
        add(Opcode::ld, {from}, {type}, {reg(kWord), at(place.name, source + byte)});
        add(Opcode::st, {"global"}, {type},
            {behind(address, std::int64_t{offset} + byte), reg(kWord)});
        byte += is_word ? 4 : 1;
    }
}

const Instruction* first_instruction(const Statement& statement) {
    if (const auto* i = std::get_if<Instruction>(&statement)) return i;
    if (const auto* block = std::get_if<Block>(&statement))
        for (const Statement& s : block->statements)
            if (const Instruction* const found = first_instruction(s)) return found;
    return nullptr;
}

void insert_code(Function& function, const std::vector<std::size_t>& sites,
                 const std::function<void(CodeWriter&)>& prologue,
                 const std::function<void(CodeWriter&, std::size_t)>& at_site) {
    std::vector<Statement> before = std::move(function.body.statements);
    std::vector<Statement>& after = function.body.statements;
    after.clear();
    const auto write = [&](std::size_t k, const auto& what) {
        const Instruction* const next = k < before.size() ? first_instruction(before[k]) : nullptr;
        CodeWriter code{next ? next->location : 0};
        what(code);
        for (Statement& s : code.statements) after.push_back(std::move(s));
    };
    const auto is_code = [](const Statement& s) {
        return std::holds_alternative<Instruction>(s) || std::holds_alternative<Block>(s) ||
               std::holds_alternative<Label>(s);
    };
    std::size_t k = 0;
    for (; k < before.size() && !is_code(before[k]); ++k) after.push_back(std::move(before[k]));
    after.emplace_back(RegisterDecl{kWord, Type::b32, 1, 0, 0});
    write(k, prologue);
    for (std::size_t site = 0; k < before.size(); ++k) {
        if (site < sites.size() && sites[site] == k) {
            write(k, [&](CodeWriter& code) { at_site(code, site); });
            ++site;
        }
        after.push_back(std::move(before[k]));
    }
}

void end_writing(Module& module, const char* state, std::size_t state_bytes) {
    Variable variable;
    variable.name = state;
    variable.align = 8;
    variable.is_array = true;
    variable.dims = {state_bytes};
    variable.is_visible = true;
    module.variables.push_back(std::move(variable));
    module.sections.clear();
    std::erase(module.target_options, "debug");
    module.key.clear();
}

} // namespace lathe::ptx
