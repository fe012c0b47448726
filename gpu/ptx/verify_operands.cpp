// SPDX-License-Identifier: MIT
// Operand counts and the PTX ISA's operand type checking: sizes agree, or may be larger where data
// is loaded, stored or converted; float meets float or bits, integer meets integer or bits.
#include "gpu/ptx/verify_operands.h"

#include "gpu/ptx/operand_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::ptx {
namespace {

enum class Family : std::uint8_t { bits, integer, floating, predicate };

Family family_of(Type type) {
    if (type == Type::pred) return Family::predicate;
    if (is_float(type)) return Family::floating;
    const bool is_integer = (type >= Type::u8 && type <= Type::s64);
    return is_integer ? Family::integer : Family::bits;
}

bool families_meet(Type a, Type b) {
    const Family x = family_of(a), y = family_of(b);
    if (x == Family::predicate || y == Family::predicate) return x == y;
    return x == y || x == Family::bits || y == Family::bits;
}

class OperandCheck {
public:
    OperandCheck(const Instruction& instruction, const Scopes& scopes)
        : instruction_{instruction}, scopes_{scopes} {}

    std::string run() {
        const std::string_view rule = operand_rule(instruction_);
        if (rule.empty()) return {};
        const std::size_t needed = std::min(rule.find('?'), rule.size());
        const std::size_t most = rule.size() - (needed < rule.size() ? 1 : 0);
        const std::size_t count = instruction_.operands.size();
        if (count < needed || count > most)
            return most == needed
                       ? fmt::format("takes {} operands, has {}", needed, count)
                       : fmt::format("takes {} to {} operands, has {}", needed, most, count);
        for (std::size_t i = 0; i < count; ++i) {
            std::string fault = operand(rule[i < needed ? i : i + 1], instruction_.operands[i]);
            if (!fault.empty()) return fmt::format("operand {}: {}", i + 1, fault);
        }
        return {};
    }

private:
    /// The type at the index, or the last there is.
    Type type(std::size_t index) const {
        const std::vector<Type>& types = instruction_.types;
        return types.empty() ? Type::none : types[std::min(index, types.size() - 1)];
    }

    std::string operand(char rule, const Operand& given) const {
        switch (rule) {
        case 'd':
        case 'D':
        case 'q':
        case 'o':
        case 'w':
            if (!is_destination(given)) return "a register is needed";
            break;
        case 'a':
            return std::holds_alternative<Address>(given.value)
                       ? ""
                       : "an address in brackets is needed";
        case 'l': return std::holds_alternative<Symbol>(given.value) ? "" : "a label is needed";
        default: break;
        }
        switch (rule) {
        case 'd':
        case 't': return value(given, type(0), false);
        case 'u': return value(given, type(1), false);
        case 'D':
        case 'S': return value(given, type(0), true);
        case 'U': return value(given, type(1), true);
        case 'i':
        case 'o': return value(given, Type::b32, false);
        case 'p':
        case 'q': return value(given, Type::pred, false);
        case 'w':
        case 'x': return instruction_.has("wide") ? wide(given) : value(given, type(0), false);
        default: return {};
        }
    }

    static bool is_destination(const Operand& given) {
        return std::holds_alternative<Register>(given.value) ||
               std::holds_alternative<Vector>(given.value) ||
               std::holds_alternative<Sink>(given.value);
    }

    std::string value(const Operand& given, Type wanted, bool may_be_wider) const {
        if (wanted == Type::none) return {};
        if (const auto* const list = std::get_if<Vector>(&given.value))
            return vector(*list, wanted, may_be_wider);
        if (const auto* const reg = std::get_if<Register>(&given.value)) {
            const auto declared = scopes_.find_register(reg->name);
            return declared ? register_type(*declared, wanted, may_be_wider) : std::string{};
        }
        if (const auto* const literal = std::get_if<Immediate>(&given.value))
            return immediate(*literal, wanted);
        return {};
    }

    static std::string register_type(Type declared, Type wanted, bool may_be_wider) {
        const std::uint32_t has = bytes_of(declared), needs = bytes_of(wanted);
        const bool size_fits = may_be_wider ? has >= needs : has == needs;
        // A float grows only through cvt, so a wider register must hold bits.
        const bool kept =
            has == needs || family_of(declared) != Family::floating || !is_float(wanted);
        if (size_fits && kept && families_meet(declared, wanted)) return {};
        return fmt::format("a .{} register where .{} is needed", name_of(declared),
                           name_of(wanted));
    }

    static std::string immediate(const Immediate& literal, Type wanted) {
        const bool is_float_literal = is_float(literal.type);
        if (wanted == Type::pred || family_of(wanted) == Family::bits) return {};
        if (is_float_literal == is_float(wanted)) return {};
        return fmt::format("{} number where .{} is needed",
                           is_float_literal ? "a floating-point" : "an integer", name_of(wanted));
    }

    /// A vector access has one item of the type each; mov packs items into one value.
    std::string vector(const Vector& list, Type wanted, bool may_be_wider) const {
        if (instruction_.opcode != Opcode::mov) {
            for (const Operand& item : list.items) {
                std::string fault = value(item, wanted, may_be_wider);
                if (!fault.empty()) return fault;
            }
            const int width = instruction_.vector_width();
            if (width > 1 && list.items.size() != static_cast<std::size_t>(width))
                return fmt::format("{} items where .v{} has {}", list.items.size(), width, width);
            return {};
        }
        if (list.items.empty() || bytes_of(wanted) % list.items.size())
            return fmt::format("{} items cannot fill .{}", list.items.size(), name_of(wanted));
        const std::uint32_t share =
            bytes_of(wanted) / static_cast<std::uint32_t>(list.items.size());
        for (const Operand& item : list.items) {
            const auto* const reg = std::get_if<Register>(&item.value);
            const auto declared = reg ? scopes_.find_register(reg->name) : std::nullopt;
            if (declared && bytes_of(*declared) != share)
                return fmt::format("a .{} register as one of {} items of .{}", name_of(*declared),
                                   list.items.size(), name_of(wanted));
        }
        return {};
    }

    std::string wide(const Operand& given) const {
        const auto* const reg = std::get_if<Register>(&given.value);
        const auto declared = reg ? scopes_.find_register(reg->name) : std::nullopt;
        if (!declared) return {};
        const bool fits = bytes_of(*declared) == 2 * bytes_of(type(0)) &&
                          family_of(*declared) != Family::floating;
        return fits ? ""
                    : fmt::format("a .{} register where twice .{} is needed", name_of(*declared),
                                  name_of(type(0)));
    }

    const Instruction& instruction_;
    const Scopes& scopes_;
};

} // namespace

std::string operand_fault(const Instruction& instruction, const Scopes& scopes) {
    return OperandCheck{instruction, scopes}.run();
}

} // namespace lathe::ptx
