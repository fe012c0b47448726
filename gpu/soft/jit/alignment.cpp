// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/alignment.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>

namespace lathe::soft::jit {

namespace {

using Kind = Root::Kind;

constexpr std::uint8_t kMost = 8; // more is not asked

ZeroBits fixed(std::uint64_t bits) {
    const auto n = static_cast<std::uint8_t>(std::min<std::uint64_t>(bits, kMost));
    return {n, n, 0};
}

ZeroBits of_number(const llvm::APInt& number) { return fixed(number.countr_zero()); }

/// Of a sum, or of what may be one or the other.
ZeroBits both(const ZeroBits& x, const ZeroBits& y) {
    return {std::min(x.certain, y.certain), std::min(x.assumed, y.assumed), x.slots | y.slots};
}

ZeroBits product(const ZeroBits& x, const ZeroBits& y) {
    const auto sum = [](unsigned p, unsigned q) {
        return static_cast<std::uint8_t>(std::min<unsigned>(p + q, kMost));
    };
    return {sum(x.certain, y.certain), sum(x.assumed, y.assumed), x.slots | y.slots};
}

ZeroBits either_mask(const ZeroBits& x, const ZeroBits& y) {
    return {std::max(x.certain, y.certain), std::max(x.assumed, y.assumed), x.slots | y.slots};
}

ZeroBits less(const ZeroBits& x, std::uint64_t bits) {
    const auto minus = [&](std::uint8_t n) {
        return static_cast<std::uint8_t>(n > bits ? n - bits : 0);
    };
    return {minus(x.certain), minus(x.assumed), x.slots};
}

} // namespace

Alignments::Alignments(const llvm::Function& function, const ModuleFacts& facts,
                       const Provenance& origins)
    : facts_{facts}, origins_{origins}, layout_{function.getParent()->getDataLayout()} {
    // From all bits down: what a loop adds lowers what was thought of its start.
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order{&function};
    for (bool changed = true; changed;) {
        changed = false;
        for (const llvm::BasicBlock* block : order) {
            for (const llvm::Instruction& i : *block) {
                if (!i.getType()->isIntegerTy() && !i.getType()->isPointerTy()) continue;
                const ZeroBits found = transfer(llvm::cast<llvm::Operator>(i));
                const auto [at, is_new] = known_.try_emplace(&i, found);
                if (!is_new && at->second == found) continue;
                at->second = found;
                changed = true;
            }
        }
    }
}

ZeroBits Alignments::of(const llvm::Value* value) const {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value))
        return of_number(number->getValue());
    if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(value)) return fixed(kMost);
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
        llvm::StringRef name = variable->getName(); // tables of our own may have none
        if (!name.consume_front("sym.")) return {};
        const auto found = facts_.variables.find(name.str());
        const bool known = found != facts_.variables.end();
        return fixed(known ? std::countr_zero(std::max(1u, found->second->alignment())) : 0);
    }
    if (const auto* step = llvm::dyn_cast<llvm::ConstantExpr>(value))
        return transfer(llvm::cast<llvm::Operator>(*step));
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value))
        return fixed(origins_.of(argument).kind == Kind::parameters ? 4 : 0);
    if (llvm::isa<llvm::Instruction>(value)) {
        const auto found = known_.find(value);
        return found == known_.end() ? fixed(kMost) : found->second; // not come to yet
    }
    return {};
}

ZeroBits Alignments::address(const llvm::GEPOperator& step) const {
    llvm::MapVector<llvm::Value*, llvm::APInt> variables;
    llvm::APInt constant{64, 0};
    if (!step.collectOffset(layout_, 64, variables, constant)) return {};
    ZeroBits bits = both(of(step.getPointerOperand()), of_number(constant));
    for (const auto& [value, scale] : variables)
        bits = both(bits, product(of(value), of_number(scale)));
    return bits;
}

ZeroBits Alignments::transfer(const llvm::Operator& i) const {
    const auto operand = [&](unsigned k) { return of(i.getOperand(k)); };
    const auto* by =
        i.getNumOperands() == 2 ? llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1)) : nullptr;
    switch (i.getOpcode()) {
    case llvm::Instruction::Alloca:
        return fixed(llvm::Log2(llvm::cast<llvm::AllocaInst>(i).getAlign()));
    case llvm::Instruction::Load: {
        const Root root = origins_.of(&i);
        if (root.kind == Kind::shared) return fixed(7); // dynamic_shared_offset says 128
        if (root.kind == Kind::parameters) return fixed(4);
        if (root.kind == Kind::parameter && root.slot < 64)
            return {0, kMostAlignmentBits, std::uint64_t{1} << root.slot};
        return {};
    }
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor: return both(operand(0), operand(1));
    case llvm::Instruction::And: return either_mask(operand(0), operand(1));
    case llvm::Instruction::Mul: return product(operand(0), operand(1));
    case llvm::Instruction::Shl:
        return by ? product(operand(0), fixed(by->getLimitedValue())) : operand(0);
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr: return by ? less(operand(0), by->getLimitedValue()) : ZeroBits{};
    case llvm::Instruction::GetElementPtr: return address(llvm::cast<llvm::GEPOperator>(i));
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
    case llvm::Instruction::Freeze: return operand(0);
    case llvm::Instruction::Select: return both(operand(1), operand(2));
    case llvm::Instruction::PHI: {
        ZeroBits bits = fixed(kMost);
        for (const llvm::Use& use : i.operands()) bits = both(bits, of(use.get()));
        return bits;
    }
    case llvm::Instruction::Call:
        if (const auto* call = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&i))
            return both(of(call->getLHS()), of(call->getRHS()));
        return {};
    default: return {};
    }
}

} // namespace lathe::soft::jit
