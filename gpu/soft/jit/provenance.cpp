// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/provenance.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace lathe::soft::jit {

namespace {

using Kind = Root::Kind;

const Root kNumber{Kind::number}, kLoaded{Kind::loaded}, kUnknown{Kind::unknown};

bool is_traced(const llvm::Type* type) {
    return type->isPointerTy() || type->isIntegerTy(64) || type->isIntegerTy(32);
}

/// An address and what is added to it.
Root sum(const Root& x, const Root& y) {
    if (x.kind == Kind::unvisited || y.kind == Kind::unvisited) return {};
    if (!x.is_place() && !y.is_place())
        return x.kind == Kind::number ? y : y.kind == Kind::number ? x : kLoaded;
    if (!y.is_place()) return x;
    if (!x.is_place()) return y;
    if (x.kind == Kind::unknown || y.kind == Kind::unknown) return kUnknown;
    if (x.is_guess != y.is_guess) return x.is_guess ? y : x;
    return kUnknown;
}

Root difference(const Root& x, const Root& y) {
    if (x.kind == Kind::unvisited || y.kind == Kind::unvisited) return {};
    if (!y.is_place() || y.is_guess) return x;
    return x == y ? kNumber : kUnknown;
}

/// What may be one or the other.
Root either(const Root& x, const Root& y) {
    if (x.kind == Kind::unvisited || x == y) return y;
    if (y.kind == Kind::unvisited) return x;
    if (!x.is_place() && !y.is_place()) return kLoaded;
    return kUnknown;
}

bool is_null(const llvm::Value* value) {
    if (llvm::isa<llvm::UndefValue>(value)) return true;
    const auto* c = llvm::dyn_cast<llvm::Constant>(value);
    return c && c->isNullValue();
}

/// A mask that takes low bits away.
bool aligns(const llvm::Value* mask) {
    const auto* c = llvm::dyn_cast<llvm::ConstantInt>(mask);
    return c && (-c->getValue()).isPowerOf2();
}

} // namespace

Provenance::Provenance(const llvm::Function& function, const KernelFacts* kernel)
    : layout_{function.getParent()->getDataLayout()}, kernel_{kernel} {
    // entry(context), loop(context, first, count), func(context, parameters, results),
    // body(context, x, y, z, linear, parameters)
    for (const llvm::Argument& argument : function.args()) {
        Kind kind = Kind::number;
        if (argument.getArgNo() == 0) kind = Kind::context;
        else if (argument.getType()->isPointerTy())
            kind = argument.getArgNo() == 5 ? Kind::parameters : Kind::frame;
        roots_[&argument] = {kind};
    }
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order{&function};
    for (bool changed = true; changed;) {
        changed = false;
        for (const llvm::BasicBlock* block : order) {
            for (const llvm::Instruction& i : *block) {
                if (!is_traced(i.getType())) continue;
                const Root old = roots_.lookup(&i);
                if (old.kind == Kind::unknown) continue;
                Root found = transfer(llvm::cast<llvm::Operator>(i));
                if (found == old) continue;
                if (old.kind != Kind::unvisited) found = either(old, found);
                if (found == old) continue;
                roots_[&i] = found;
                changed = true;
            }
        }
    }
}

Root Provenance::of(const llvm::Value* value) const {
    if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
        const bool is_table = global->isConstant() && global->hasPrivateLinkage();
        return is_table ? Root{Kind::context} : Root{Kind::variable, 0, false, global};
    }
    if (llvm::isa<llvm::GlobalValue>(value)) return kUnknown; // a function
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantExpr>(value))
        return transfer(llvm::cast<llvm::Operator>(*constant));
    if (llvm::isa<llvm::Constant>(value)) return kNumber;
    if (!is_traced(value->getType()))
        return value->getType()->isIntegerTy() && value->getType()->getIntegerBitWidth() > 64
                   ? kLoaded
                   : kNumber;
    return roots_.lookup(value);
}

Root Provenance::load(const llvm::Operator& i) const {
    if (layout_.getTypeStoreSize(i.getType()) != 8) return kNumber;
    const Root loaded{Kind::loaded, 0, false, &i};
    llvm::APInt offset{64, 0};
    const llvm::Value* base =
        i.getOperand(0)->stripAndAccumulateConstantOffsets(layout_, offset, true);
    const Root from = of(base);
    const bool is_start = llvm::isa<llvm::Argument, llvm::LoadInst>(base);
    if (from.kind == Kind::context && is_start) {
        if (offset == offsetof(ThreadContext, shared)) return {Kind::shared};
        if (offset == offsetof(ThreadContext, params)) return {Kind::parameters};
        return loaded;
    }
    if (from.kind != Kind::parameters || !is_start || !kernel_) return loaded;
    const std::vector<PointerSlot>& slots = kernel_->info.pointers;
    for (std::uint32_t k = 0; k < slots.size(); ++k) {
        if (offset == slots[k].offset) return {Kind::parameter, k, !slots[k].is_pointer};
    }
    return loaded;
}

Root Provenance::transfer(const llvm::Operator& i) const {
    const auto operand = [&](unsigned k) { return of(i.getOperand(k)); };
    switch (i.getOpcode()) {
    case llvm::Instruction::Alloca:
        return llvm::cast<llvm::AllocaInst>(i).isStaticAlloca() ? Root{Kind::local, 0, false, &i}
                                                                : kUnknown;
    case llvm::Instruction::Load: return load(i);
    case llvm::Instruction::Add: return sum(operand(0), operand(1));
    case llvm::Instruction::Sub: return difference(operand(0), operand(1));
    case llvm::Instruction::Or: return sum(operand(0), operand(1));
    case llvm::Instruction::And: {
        const Root from = operand(0);
        if (from.kind == Kind::unvisited || aligns(i.getOperand(1))) return from;
        return from.kind == Kind::loaded ? from : kNumber;
    }
    case llvm::Instruction::Xor: {
        const Root x = operand(0), y = operand(1);
        if (x.kind == Kind::unvisited || y.kind == Kind::unvisited) return {};
        return x.is_place() || y.is_place() ? kUnknown : sum(x, y);
    }
    case llvm::Instruction::GetElementPtr: {
        const auto& gep = llvm::cast<llvm::GEPOperator>(i);
        Root from = of(gep.getPointerOperand());
        const bool bytes = gep.getSourceElementType()->isIntegerTy(8);
        for (const llvm::Use& index : gep.indices()) {
            if (bytes && index->getType()->isIntegerTy(64)) from = sum(from, of(index.get()));
        }
        return from;
    }
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt: {
        const llvm::Type* from = i.getOperand(0)->getType();
        if (i.getOpcode() == llvm::Instruction::BitCast && !from->isIntegerTy()) return kLoaded;
        const Root root = operand(0);
        if (root.kind == Kind::unvisited) return {};
        const bool narrow = from->isIntegerTy(32) || i.getType()->isIntegerTy(32);
        // Addresses of shared memory have 32 bits.
        if (!narrow || root.kind == Kind::shared) return root;
        return root.kind == Kind::unknown && from->isIntegerTy(32) ? kUnknown : kNumber;
    }
    case llvm::Instruction::Select:
    case llvm::Instruction::PHI: {
        Root found;
        bool null = false;
        for (const llvm::Use& use : i.operands()) {
            if (i.getOpcode() == llvm::Instruction::Select && use.getOperandNo() == 0) continue;
            if (is_null(use.get())) null = true;
            else found = either(found, of(use.get()));
        }
        return found.kind == Kind::unvisited && null ? kNumber : found;
    }
    case llvm::Instruction::Call:
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::AtomicRMW:
        return i.getType()->isIntegerTy(32) || llvm::isa<llvm::IntrinsicInst>(i)
                   ? kNumber
                   : Root{Kind::loaded, 0, false, &i};
    default: return kNumber;
    }
}

Place place_of(llvm::Value* address, const llvm::DataLayout& layout, bool through_extensions) {
    Place place{address, 0};
    for (;;) {
        auto* i = llvm::dyn_cast<llvm::Operator>(place.base);
        if (!i) return place;
        switch (i->getOpcode()) {
        case llvm::Instruction::GetElementPtr: {
            llvm::APInt offset{64, 0};
            if (!llvm::cast<llvm::GEPOperator>(i)->accumulateConstantOffset(layout, offset))
                return place;
            place.offset += offset.getSExtValue();
            break;
        }
        case llvm::Instruction::Or:
            if (!llvm::cast<llvm::PossiblyDisjointInst>(i)->isDisjoint()) return place;
            [[fallthrough]];
        case llvm::Instruction::Add: {
            const auto* number = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(1));
            if (!number || number->getBitWidth() > 64) return place;
            place.offset += number->getSExtValue();
            break;
        }
        case llvm::Instruction::Trunc:
            if (!through_extensions || !i->getType()->isIntegerTy(32)) return place;
            break;
        case llvm::Instruction::ZExt:
            if (!through_extensions || !i->getOperand(0)->getType()->isIntegerTy(32)) return place;
            break;
        case llvm::Instruction::IntToPtr:
        case llvm::Instruction::PtrToInt:
            if (i->getOperand(0)->getType()->isIntegerTy(32) || i->getType()->isIntegerTy(32))
                return place;
            break;
        default: return place;
        }
        place.base = i->getOperand(0);
    }
}

} // namespace lathe::soft::jit
