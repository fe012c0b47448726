// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/flushing.h"

#include "gpu/soft/jit/floats.h"
#include "gpu/soft/jit/toolchain.h"

#include <llvm/IR/InstIterator.h>

#include <algorithm>

namespace lathe::soft::jit {

namespace {

using ptx::Opcode;
using ptx::Type;

bool is_single(Type type) { return type == Type::f32; }

/// Operations on float values, f32 in and out.
Subnormals of_arithmetic(const ptx::Instruction& i) {
    const bool single = std::all_of(i.types.begin(), i.types.end(), is_single);
    return single && i.has("ftz") && rounding_of(i) == Rounding::nearest ? Subnormals::flushed
                                                                         : Subnormals::kept;
}

/// Flushes its operands by itself where asked (emit_float.cpp), and moves bits where not.
Subnormals of_choice(const ptx::Instruction& i) {
    const bool single = std::all_of(i.types.begin(), i.types.end(), is_single);
    return single && i.has("ftz") ? Subnormals::indifferent : Subnormals::kept;
}

Subnormals of_comparison(const ptx::Instruction& i) {
    const bool real = std::any_of(i.types.begin(), i.types.end(), ptx::is_float);
    if (!real) return Subnormals::indifferent;
    const bool single = std::all_of(i.types.begin(), i.types.end(),
                                    [](Type t) { return !ptx::is_float(t) || t == Type::f32; });
    return single && i.has("ftz") ? Subnormals::flushed : Subnormals::kept;
}

/// The compared operand of slct is the last one.
Subnormals of_selection(const ptx::Instruction& i) {
    if (i.types.size() < 2 || !ptx::is_float(i.types[1])) return Subnormals::indifferent;
    return i.types[1] == Type::f32 && i.has("ftz") ? Subnormals::flushed : Subnormals::kept;
}

Subnormals of_conversion(const ptx::Instruction& i) {
    if (i.types.size() < 2) return Subnormals::kept;
    const Type to = i.types[0], from = i.types[1];
    const bool to_real = ptx::is_float(to), from_real = ptx::is_float(from);
    if (!to_real && !from_real) return Subnormals::indifferent;
    if (from == Type::f16 || from == Type::bf16) // subnormal halves are normal floats
        return to == Type::f32 && from == Type::f16 ? Subnormals::indifferent : Subnormals::kept;
    if (!from_real) return to == Type::f32 ? Subnormals::indifferent : Subnormals::kept;
    if (from != Type::f32) return Subnormals::kept;
    if (to == Type::f16 || to == Type::f16x2)
        return rounding_of(i) == Rounding::nearest ? Subnormals::indifferent : Subnormals::kept;
    // Doubles that printf takes are made of flushed floats.
    const bool known = !to_real || to == Type::f32 || to == Type::f64;
    return known && i.has("ftz") ? Subnormals::indifferent : Subnormals::kept;
}

} // namespace

Subnormals subnormals_of(const ptx::Instruction& i) {
    const bool real = std::any_of(i.types.begin(), i.types.end(), ptx::is_float);
    switch (i.opcode) {
    case Opcode::cvt: return of_conversion(i);
    case Opcode::set:
    case Opcode::setp: return of_comparison(i);
    case Opcode::slct: return of_selection(i);
    case Opcode::mov:
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
    case Opcode::selp:
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::call: return Subnormals::indifferent;
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::fma:
    case Opcode::mad:
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2: return real ? of_arithmetic(i) : Subnormals::indifferent;
    case Opcode::abs:
    case Opcode::neg:
        if (real && !i.has("ftz") && is_single(i.types[0])) return Subnormals::indifferent;
        [[fallthrough]];
    case Opcode::min:
    case Opcode::max: return real ? of_choice(i) : Subnormals::indifferent;
    case Opcode::copysign:
        return is_single(i.types[0]) ? Subnormals::indifferent : Subnormals::kept;
    case Opcode::atom:
    case Opcode::red: // sums in shared memory keep subnormal numbers
        if (!real || i.has("exch")) return Subnormals::indifferent;
        return is_single(i.types[0]) && i.has("add") && !i.has("shared") ? Subnormals::indifferent
                                                                         : Subnormals::kept;
    default: return real ? Subnormals::kept : Subnormals::indifferent;
    }
}

void keep_chosen_bits(llvm::Module& module) {
    for (llvm::Function& function : module) {
        for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* const choice = llvm::dyn_cast<llvm::SelectInst>(&i);
            if (!choice || !choice->getType()->getScalarType()->isFloatTy()) continue;
            const auto* const test = llvm::dyn_cast<llvm::FCmpInst>(choice->getCondition());
            if (!test) continue;
            const auto compares = [&](const Value* v) {
                return v == test->getOperand(0) || v == test->getOperand(1);
            };
            Value *yes = choice->getTrueValue(), *no = choice->getFalseValue();
            if (!compares(yes) || !compares(no)) continue;
            llvm::IRBuilder<> b{choice};
            llvm::Type* const bits = choice->getType()->getWithNewType(b.getInt32Ty());
            Value* const chosen = b.CreateSelect(choice->getCondition(), b.CreateBitCast(yes, bits),
                                                 b.CreateBitCast(no, bits));
            choice->replaceAllUsesWith(b.CreateBitCast(chosen, choice->getType()));
            choice->eraseFromParent();
        }
    }
}

bool can_flush() { return has_fused_multiply_add(); }

} // namespace lathe::soft::jit
