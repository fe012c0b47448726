// SPDX-License-Identifier: MIT
// Instructions and their operands as text.
#include "gpu/ptx/print_operand.h"
#include "gpu/ptx/printer.h"

#include <fmt/format.h>

#include <iterator>

namespace lathe::ptx {
namespace {

void append(std::string& out, const Operand& operand);

void append_list(std::string& out, const Vector& list, char open, char close) {
    out += open;
    for (const Operand& item : list.items) {
        if (&item != list.items.data()) out += ", ";
        append(out, item);
    }
    out += close;
}

void append_immediate(std::string& out, const Immediate& value) {
    const auto to = std::back_inserter(out);
    if (value.type == Type::f32) fmt::format_to(to, "0f{:08X}", value.bits);
    else if (value.type == Type::f64) fmt::format_to(to, "0d{:016X}", value.bits);
    else if (value.type == Type::u64) fmt::format_to(to, "{}U", value.bits);
    else fmt::format_to(to, "{}", static_cast<std::int64_t>(value.bits));
}

/// "base+offset" without the brackets.
void append_address(std::string& out, const Address& address) {
    const auto to = std::back_inserter(out);
    if (const auto* base = std::get_if<Register>(&address.base)) out += base->name;
    else if (const auto* symbol = std::get_if<Symbol>(&address.base))
        lathe::ptx::append(out, *symbol);
    else {
        fmt::format_to(to, "{}", address.offset);
        return;
    }
    if (address.offset) fmt::format_to(to, "+{}", address.offset);
}

void append(std::string& out, const Operand& operand) {
    if (operand.negated) out += '!';
    if (const auto* reg = std::get_if<Register>(&operand.value)) out += reg->name;
    else if (const auto* value = std::get_if<Immediate>(&operand.value))
        append_immediate(out, *value);
    else if (const auto* symbol = std::get_if<Symbol>(&operand.value))
        lathe::ptx::append(out, *symbol);
    else if (const auto* list = std::get_if<Vector>(&operand.value))
        append_list(out, *list, '{', '}');
    else if (const auto* address = std::get_if<Address>(&operand.value)) {
        out += '[';
        append_address(out, *address);
        out += ']';
    } else out += '_';
    if (!operand.second.empty()) out += '|' + operand.second;
}

void append_operands(std::string& out, const std::vector<Operand>& operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        out += i ? ", " : " ";
        const auto* address = std::get_if<Address>(&operands[i].value);
        if (!address || address->bracketed == 0) {
            append(out, operands[i]);
            continue;
        }
        out += '[';
        append_address(out, *address);
        const std::size_t last = std::min(i + address->bracketed, operands.size() - 1);
        while (i < last) {
            out += ", ";
            append(out, operands[++i]);
        }
        out += ']';
    }
}

void append_call(std::string& out, const std::vector<Operand>& operands) {
    if (operands.size() < 3) return append_operands(out, operands);
    const auto* const returns = std::get_if<Vector>(&operands[0].value);
    const auto* const arguments = std::get_if<Vector>(&operands[2].value);
    out += ' ';
    if (returns && !returns->items.empty()) {
        append_list(out, *returns, '(', ')');
        out += ", ";
    }
    append(out, operands[1]);
    const bool has_prototype = operands.size() > 3;
    if (arguments && (!arguments->items.empty() || has_prototype)) {
        out += ", ";
        append_list(out, *arguments, '(', ')');
    }
    if (has_prototype) {
        out += ", ";
        append(out, operands[3]);
    }
}

/// ".global.v4.f32", each word in the place it was read from.
void append_dotted(std::string& out, const Instruction& instruction) {
    auto modifier = instruction.modifiers.begin();
    auto type = instruction.types.begin();
    const std::size_t words = instruction.modifiers.size() + instruction.types.size();
    for (std::size_t i = 0; i < words; ++i) {
        const bool type_here = i < 32 && instruction.type_positions >> i & 1;
        const bool modifiers_left = modifier != instruction.modifiers.end();
        const bool take_type = type != instruction.types.end() && (type_here || !modifiers_left);
        out += '.';
        if (take_type) out += name_of(*type++);
        else out += *modifier++;
    }
}

} // namespace

void append(std::string& out, const Symbol& symbol) {
    out += symbol.name;
    if (symbol.offset) fmt::format_to(std::back_inserter(out), "{:+}", symbol.offset);
}

void append(std::string& out, const Instruction& instruction) {
    if (instruction.guard) {
        out += instruction.guard->negated ? "@!" : "@";
        out += instruction.guard->predicate;
        out += ' ';
    }
    out += name_of(instruction.opcode);
    append_dotted(out, instruction);
    if (instruction.opcode == Opcode::call) append_call(out, instruction.operands);
    else append_operands(out, instruction.operands);
    out += ';';
}

std::string print(const Instruction& instruction) {
    std::string out;
    append(out, instruction);
    return out;
}

} // namespace lathe::ptx
