// SPDX-License-Identifier: MIT
#include "gpu/ptx/memory_access.h"

namespace lathe::ptx {

std::optional<MemoryAccess> access_of(const Instruction& i) {
    auto kind = AccessKind::read;
    std::size_t operand = 1;
    switch (i.opcode) {
    case Opcode::ld: break;
    case Opcode::st: kind = AccessKind::write, operand = 0; break;
    case Opcode::atom: kind = AccessKind::atomic; break;
    case Opcode::red: kind = AccessKind::atomic, operand = 0; break;
    default: return {};
    }
    const Space space = i.space();
    if (space != Space::generic && space != Space::global && space != Space::shared) return {};
    if (i.types.empty() || operand >= i.operands.size()) return {};
    const auto* address = std::get_if<Address>(&i.operands[operand].value);
    if (!address) return {};
    const auto width = static_cast<std::uint32_t>(i.vector_width());
    return MemoryAccess{kind, space, address, bytes_of(i.types.back()) * width, i.types.back()};
}

void write_address(CodeWriter& code, const FunctionFacts& facts, const Address& address,
                   const char* into) {
    std::int64_t offset = address.offset;
    if (const auto* base = std::get_if<Register>(&address.base)) {
        if (bytes_of(facts.type_of(base->name)) == 4)
            code.add(Opcode::cvt, {}, {Type::u64, Type::u32}, {reg(into), reg(base->name)});
        else code.add(Opcode::mov, {}, {Type::u64}, {reg(into), reg(base->name)});
    } else if (const auto* symbol = std::get_if<Symbol>(&address.base)) {
        offset += symbol->offset;
        code.add(Opcode::mov, {}, {Type::u64}, {reg(into), address_of(symbol->name)});
    } else {
        code.add(Opcode::mov, {}, {Type::u64}, {reg(into), number(0)});
    }
    if (offset)
        code.add(Opcode::add, {}, {Type::s64},
                 {reg(into), reg(into), number(static_cast<std::uint64_t>(offset))});
}

} // namespace lathe::ptx
