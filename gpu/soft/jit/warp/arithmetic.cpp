// SPDX-License-Identifier: MIT
// Instructions without memory: uniform and affine ones as scalars, varying ones as vectors.
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/warp/widener.h"

#include <fmt/format.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Operator.h>

#include <numeric>

namespace lathe::soft::jit::warp {

void Widener::emit(const llvm::Instruction& i) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return emit_call(*call);
    if (const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i)) return emit_alloca(*slot);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return emit_load(*load);
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return emit_store(*store);
    if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) return emit_atomic(i);
    if (llvm::isa<llvm::FenceInst>(i)) return emit_uniform(i);
    const Shape s = shape(&i);
    if (s.is_uniform()) {
        emit_uniform(i);
    } else if (s.is_affine()) {
        emit_affine(i);
    } else if (s.is_strips()) {
        emit_by_strip(i);
    } else {
        emit_vector(i);
    }
}

void Widener::emit_uniform(const llvm::Instruction& i) {
    llvm::Instruction* copy = i.clone();
    for (unsigned k = 0; k < copy->getNumOperands(); ++k) {
        if (!llvm::isa<llvm::MetadataAsValue>(i.getOperand(k)))
            copy->setOperand(k, first_of(i.getOperand(k)));
    }
    b.Insert(copy);
    if (!i.getType()->isVoidTy()) set(i, copy);
}

// Lane 0 may not run, so nothing is known of its value: no flags.
void Widener::emit_affine(const llvm::Instruction& i) {
    llvm::Instruction* copy = i.clone();
    copy->dropPoisonGeneratingFlags();
    copy->dropUnknownNonDebugMetadata();
    for (unsigned k = 0; k < copy->getNumOperands(); ++k)
        copy->setOperand(k, first_of(i.getOperand(k)));
    set(i, b.Insert(copy));
}

void Widener::emit_vector(const llvm::Instruction& i) {
    if (i.getType()->isVectorTy() || i.getType()->isArrayTy())
        throw Unsupported{fmt::format("{} of packed values", i.getOpcodeName())};
    const auto operand = [&](unsigned k) { return vector(i.getOperand(k)); };
    if (const auto* o = llvm::dyn_cast<llvm::BinaryOperator>(&i)) {
        set(i, o->isIntDivRem() ? vector_division(*o)
                                : b.CreateBinOp(o->getOpcode(), operand(0), operand(1)));
        return;
    }
    if (const auto* c = llvm::dyn_cast<llvm::CastInst>(&i)) {
        if (c->getSrcTy()->isVectorTy()) throw Unsupported{"conversion of packed values"};
        set(i, b.CreateCast(c->getOpcode(), operand(0), vector_type(c->getDestTy())));
        return;
    }
    if (const auto* c = llvm::dyn_cast<llvm::CmpInst>(&i)) {
        if (c->getOperand(0)->getType()->isVectorTy())
            throw Unsupported{"comparison of packed values"};
        set(i, b.CreateCmp(c->getPredicate(), operand(0), operand(1)));
        return;
    }
    if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
        set(i, vector_address(*gep));
        return;
    }
    switch (i.getOpcode()) {
    case llvm::Instruction::Select: {
        Value* condition = i.getOperand(0);
        set(i, b.CreateSelect(shapes_.is_uniform(condition) ? scalar(condition) : operand(0),
                              operand(1), operand(2)));
        return;
    }
    case llvm::Instruction::FNeg: set(i, b.CreateFNeg(operand(0))); return;
    case llvm::Instruction::Freeze: set(i, b.CreateFreeze(operand(0))); return;
    case llvm::Instruction::ExtractValue: {
        const auto& part = llvm::cast<llvm::ExtractValueInst>(i);
        const auto known = parts_.find(part.getAggregateOperand());
        if (known == parts_.end() || part.getNumIndices() != 1)
            throw Unsupported{"a structure is used where it is not known"};
        set(i, known->second[part.getIndices()[0]]);
        return;
    }
    default: throw Unsupported{fmt::format("LLVM instruction {}", i.getOpcodeName())};
    }
}

// A quotient of 32-bit integers rounded to double lies on the same side of every integer as the
// exact one: the processor has vectors of double division, and none of integers.
Value* Widener::quotient(Value* x, Value* d, bool is_signed) {
    llvm::Type* real = vector_type(b.getDoubleTy());
    const auto convert = [&](Value* v) {
        return is_signed ? b.CreateSIToFP(v, real) : b.CreateUIToFP(v, real);
    };
    Value* q = b.CreateFDiv(convert(x), convert(d));
    return is_signed ? b.CreateFPToSI(q, x->getType()) : b.CreateFPToUI(q, x->getType());
}

Value* Widener::vector_division(const llvm::BinaryOperator& i) {
    const auto op = i.getOpcode();
    const bool is_signed = op == llvm::Instruction::SDiv || op == llvm::Instruction::SRem;
    const bool remainder = op == llvm::Instruction::SRem || op == llvm::Instruction::URem;
    llvm::Type* type = vector_type(i.getType());
    llvm::Type* wide = vector_type(b.getInt32Ty());
    Value *x = vector(i.getOperand(0)), *d = vector(i.getOperand(1));
    // Lanes that do not run hold garbage, and a division by zero traps.
    d = b.CreateSelect(mask_vector(mask_), d, llvm::ConstantInt::get(type, 1));
    if (i.getType()->getIntegerBitWidth() > 32) return b.CreateBinOp(op, x, d);
    if (type != wide) {
        x = b.CreateCast(is_signed ? llvm::Instruction::SExt : llvm::Instruction::ZExt, x, wide);
        d = b.CreateCast(is_signed ? llvm::Instruction::SExt : llvm::Instruction::ZExt, d, wide);
    }
    Value* q = quotient(x, d, is_signed);
    Value* result = remainder ? b.CreateSub(x, b.CreateMul(q, d)) : q;
    return type == wide ? result : b.CreateTrunc(result, type);
}

// Sixteen lanes an instruction.
Value* Widener::rounded_multiply_add(const llvm::IntrinsicInst& i) {
    constexpr unsigned kLanes = 16;
    const auto part = [&](Value* all, unsigned first) {
        std::vector<int> lanes(kLanes);
        for (unsigned k = 0; k < kLanes; ++k)
            lanes[k] = first + k < width_ ? static_cast<int>(first + k) : 0;
        return b.CreateShuffleVector(all, lanes);
    };
    Value* operands[3];
    for (unsigned k = 0; k < 3; ++k) operands[k] = vector(i.getArgOperand(k));
    std::vector<Value*> parts;
    for (unsigned first = 0; first < width_; first += kLanes)
        parts.push_back(b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vfmadd_ps_512, {},
                                          {part(operands[0], first), part(operands[1], first),
                                           part(operands[2], first), i.getArgOperand(3)}));
    std::vector<int> all(width_);
    std::iota(all.begin(), all.end(), 0);
    return b.CreateShuffleVector(parts.front(), parts.back(), all);
}

Value* Widener::vector_intrinsic(const llvm::IntrinsicInst& i) {
    const llvm::Intrinsic::ID id = i.getIntrinsicID();
    if (id == llvm::Intrinsic::x86_avx512_vfmadd_f32) return rounded_multiply_add(i);
    if (!llvm::isTriviallyVectorizable(id) || i.getType()->isVectorTy()) return nullptr;
    llvm::SmallVector<llvm::Type*, 2> overload;
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1))
        overload.push_back(vector_type(i.getType()));
    std::vector<Value*> arguments;
    for (unsigned k = 0; k < i.arg_size(); ++k) {
        Value* argument = i.getArgOperand(k);
        if (llvm::isVectorIntrinsicWithScalarOpAtArg(id, k)) {
            if (!shapes_.is_uniform(argument)) return nullptr;
            arguments.push_back(scalar(argument));
        } else {
            arguments.push_back(vector(argument));
        }
        if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(k)))
            overload.push_back(arguments.back()->getType());
    }
    return b.CreateIntrinsic(id, overload, arguments);
}

Value* Widener::vector_address(const llvm::GetElementPtrInst& i) {
    const Value* base = i.getPointerOperand();
    Value* place = shapes_.is_uniform(base) ? scalar(base) : vector(base);
    std::vector<Value*> indices;
    bool any = place->getType()->isVectorTy();
    for (const llvm::Use& index : i.indices()) {
        const bool uniform = shapes_.is_uniform(index.get());
        indices.push_back(uniform ? scalar(index.get()) : vector(index.get()));
        any |= !uniform;
    }
    Value* result = b.CreateGEP(i.getSourceElementType(), place, indices);
    return any ? result : splat(result);
}

} // namespace lathe::soft::jit::warp
