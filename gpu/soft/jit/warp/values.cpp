// SPDX-License-Identifier: MIT
// Operands as scalars and vectors, results, and loops over lanes.
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/warp/widener.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace lathe::soft::jit::warp {

llvm::BasicBlock* Widener::block(const char* name) {
    return llvm::BasicBlock::Create(b.getContext(), name, &wide_);
}

llvm::AllocaInst* Widener::stack(llvm::Type* type, const char* name) {
    return llvm::IRBuilder<>{alloca_point_}.CreateAlloca(type, nullptr, name);
}

llvm::Type* Widener::type_in_slot(const llvm::Instruction& i) {
    return shape(&i).is_affine() ? i.getType() : static_cast<llvm::Type*>(vector_type(i.getType()));
}

Value* Widener::scalar(const Value* value) {
    if (llvm::isa<llvm::Constant, llvm::MetadataAsValue, llvm::InlineAsm>(value))
        return const_cast<Value*>(value);
    const auto known = values_.find(value);
    if (known != values_.end()) return known->second;
    if (shape(value).is_strips()) return join(value);
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
        const unsigned number = argument->getArgNo();
        return shape(value).is_affine() ? wide_.getArg(number) : places_[number - 1];
    }
    llvm::AllocaInst* slot = slots_.lookup(value);
    if (!slot) throw Unsupported{"a value is used where it is not known"};
    return b.CreateLoad(slot->getAllocatedType(), slot);
}

Value* Widener::vector(const Value* value) {
    if (const auto* c = llvm::dyn_cast<llvm::Constant>(value))
        return splat(const_cast<llvm::Constant*>(c));
    const Shape s = shape(value);
    return s.is_affine() ? spread(scalar(value), s.stride) : scalar(value);
}

Value* Widener::lane_numbers(llvm::IntegerType* type, std::int64_t stride) {
    std::vector<llvm::Constant*> lanes;
    for (unsigned k = 0; k < width_; ++k) {
        lanes.push_back(
            llvm::ConstantInt::get(type, static_cast<std::uint64_t>(stride * std::int64_t{k})));
    }
    return llvm::ConstantVector::get(lanes);
}

Value* Widener::spread(Value* base, std::int64_t stride) {
    if (stride == 0) return splat(base);
    if (base->getType()->isPointerTy())
        return b.CreateGEP(b.getInt8Ty(), base, lane_numbers(b.getInt64Ty(), stride));
    auto* type = llvm::cast<llvm::IntegerType>(base->getType());
    return b.CreateAdd(splat(base), lane_numbers(type, stride));
}

void Widener::set(const llvm::Instruction& i, Value* value) {
    if (shape(&i).is_varying() && !value->getType()->isVectorTy()) value = splat(value);
    values_[&i] = value;
    llvm::AllocaInst* slot = slots_.lookup(&i);
    if (!slot) return;
    if (shapes_.is_torn(&i))
        value = b.CreateSelect(mask_vector(mask_), value, b.CreateLoad(value->getType(), slot));
    b.CreateStore(value, slot);
}

// --- lane loops
// ------------------------------------------------------------------------------------

Widener::Spilled Widener::spill_vector(Value* v) {
    llvm::Type* type = llvm::cast<llvm::FixedVectorType>(v->getType())->getElementType();
    if (type->isIntegerTy(1)) return {Shape::varying(), type, mask_bits(v)};
    llvm::AllocaInst* array = stack(v->getType(), "lanes");
    b.CreateStore(v, array);
    return {Shape::varying(), type, array};
}

/// How a varying value follows from one other varying value of its block, by an instruction that
/// costs a lane next to nothing.
std::optional<Widener::Step> Widener::step_to(const Value* value) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i || i->getParent() != frontier_.block(current_) || !shape(i).is_varying()) return {};
    if (const auto* o = llvm::dyn_cast<llvm::BinaryOperator>(i)) {
        if (o->isIntDivRem() || !o->getType()->isIntegerTy()) return {};
    } else if (!llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst, llvm::PtrToIntInst,
                          llvm::IntToPtrInst, llvm::GetElementPtrInst>(i)) {
        return {};
    }
    std::optional<unsigned> from;
    for (const llvm::Use& use : i->operands()) {
        if (shape(use.get()).is_uniform()) continue;
        if (from || !shape(use.get()).is_varying()) return {};
        from = use.getOperandNo();
    }
    if (!from || i->getOperand(*from)->getType()->isIntegerTy(1)) return {};
    return Step{i, *from, {}};
}

// Of addresses, the narrow numbers that they are made of are laid out: a processor adds what is
// uniform when it uses them.
Widener::Spilled Widener::spill(const Value* value) {
    const Shape s = shape(value);
    if (s.is_affine()) return {s, value->getType(), scalar(value)};
    if (s.is_strips() && !value->getType()->isIntegerTy(1)) {
        llvm::Type* type = value->getType();
        llvm::AllocaInst* array = stack(llvm::ArrayType::get(type, options_.strips()), "strips");
        for (unsigned r = 0; r < options_.strips(); ++r)
            b.CreateStore(strip(value, r), b.CreateConstGEP1_32(type, array, r));
        return {s, type, array};
    }
    std::vector<Step> steps;
    std::size_t narrow = 0; ///< how many steps from the end the narrowest number lies
    auto bits = layout_.getTypeSizeInBits(value->getType()).getFixedValue();
    const Value* from = value;
    for (const Value* at = value; steps.size() < 8;) {
        const std::optional<Step> step = step_to(at);
        if (!step) break;
        at = step->instruction->getOperand(step->operand);
        steps.push_back(*step);
        const auto width = layout_.getTypeSizeInBits(at->getType()).getFixedValue();
        if (width >= bits) continue;
        bits = width;
        narrow = steps.size();
        from = at;
    }
    Spilled spilled = spill_vector(scalar(from));
    steps.resize(narrow);
    for (Step& step : steps)
        for (const llvm::Use& use : step.instruction->operands())
            step.others.push_back(use.getOperandNo() == step.operand ? nullptr : scalar(use.get()));
    std::reverse(steps.begin(), steps.end());
    spilled.steps = std::move(steps);
    return spilled;
}

Value* Widener::lane(const Spilled& from, Value* index) {
    if (from.shape.is_uniform()) return from.value;
    if (from.shape.is_linear()) {
        Value* base = from.value;
        if (from.shape.is_strips()) {
            Value* number = b.CreateUDiv(index, b.getInt32(options_.strip));
            base = b.CreateLoad(from.type, b.CreateGEP(from.type, from.value, number));
            index = b.CreateURem(index, b.getInt32(options_.strip));
            if (from.shape.is_even()) return base;
        }
        const auto stride = static_cast<std::uint64_t>(from.shape.stride);
        if (from.type->isPointerTy()) {
            Value* offset = b.CreateMul(b.CreateZExt(index, b.getInt64Ty()), b.getInt64(stride));
            return b.CreateGEP(b.getInt8Ty(), base, offset);
        }
        auto* type = llvm::cast<llvm::IntegerType>(from.type);
        Value* offset =
            b.CreateMul(b.CreateZExtOrTrunc(index, type), llvm::ConstantInt::get(type, stride));
        return b.CreateAdd(base, offset);
    }
    if (from.type->isIntegerTy(1)) {
        Value* shifted = b.CreateLShr(from.value, b.CreateZExtOrTrunc(index, mask_type_));
        return b.CreateTrunc(shifted, b.getInt1Ty());
    }
    Value* result = b.CreateLoad(from.type, b.CreateGEP(from.type, from.value, index));
    for (const Step& step : from.steps) {
        llvm::Instruction* copy = step.instruction->clone();
        for (unsigned k = 0; k < step.others.size(); ++k)
            copy->setOperand(k, k == step.operand ? result : step.others[k]);
        result = b.Insert(copy);
    }
    return result;
}

void Widener::for_each_lane(Value* mask, const std::function<void(Value*)>& body) {
    llvm::BasicBlock* before = b.GetInsertBlock();
    llvm::BasicBlock *loop = block("lane"), *done = block("lanes_done");
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    auto* left = b.CreatePHI(mask_type_, 2);
    left->addIncoming(mask, before);
    body(first_lane(left));
    Value* rest = b.CreateAnd(left, b.CreateSub(left, llvm::ConstantInt::get(mask_type_, 1)));
    left->addIncoming(rest, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpEQ(rest, llvm::ConstantInt::get(mask_type_, 0)), done, loop);
    b.SetInsertPoint(done);
}

void Widener::for_lanes_unrolled(Value* mask, const std::function<void(Value*)>& body) {
    llvm::BasicBlock *all = block("all_lanes"), *some = block("some_lanes"), *done = block("ran");
    b.CreateCondBr(is_full(mask), all, some);
    b.SetInsertPoint(all);
    for (unsigned k = 0; k < width_; ++k) body(b.getInt32(k));
    b.CreateBr(done);
    b.SetInsertPoint(some);
    for_each_lane(mask, body);
    b.CreateBr(done);
    b.SetInsertPoint(done);
}

llvm::AllocaInst* Widener::results(llvm::Type* element) {
    // Single bits are kept as bytes.
    llvm::Type* type = element->isIntegerTy(1) ? b.getInt8Ty() : element;
    return stack(vector_type(type), "results");
}

void Widener::put(llvm::AllocaInst* array, Value* lane, Value* v) {
    if (v->getType()->isIntegerTy(1)) v = b.CreateZExt(v, b.getInt8Ty());
    b.CreateStore(v, b.CreateGEP(v->getType(), array, lane));
}

Value* Widener::collect(llvm::AllocaInst* array, llvm::Type* element) {
    Value* all = b.CreateLoad(array->getAllocatedType(), array);
    return element->isIntegerTy(1) ? b.CreateTrunc(all, vector_type(element)) : all;
}

// One scalar copy of the instruction for each lane that runs.
void Widener::emit_by_lane(const llvm::Instruction& i) {
    std::vector<Spilled> operands;
    for (const llvm::Use& use : i.operands()) {
        if (llvm::isa<llvm::Constant, llvm::MetadataAsValue>(use.get()))
            operands.push_back({Shape::uniform(), use->getType(), use.get()});
        else operands.push_back(spill(use.get()));
    }
    llvm::Type* type = i.getType();
    const auto* structure = llvm::dyn_cast<llvm::StructType>(type);
    std::vector<llvm::AllocaInst*> arrays;
    if (structure) {
        for (llvm::Type* element : structure->elements()) arrays.push_back(results(element));
    } else if (!type->isVoidTy()) {
        arrays.push_back(results(type));
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    const bool needs_place = call && !llvm::isa<llvm::IntrinsicInst>(i) &&
                             !(call->getCalledFunction() &&
                               call_kind(call->getCalledFunction()->getName()) == CallKind::pure);
    for_each_lane(mask_, [&](Value* index) {
        if (needs_place) set_place(index);
        llvm::Instruction* copy = i.clone();
        for (unsigned k = 0; k < operands.size(); ++k)
            copy->setOperand(k, lane(operands[k], index));
        b.Insert(copy);
        if (structure) {
            for (unsigned k = 0; k < arrays.size(); ++k)
                put(arrays[k], index, b.CreateExtractValue(copy, k));
        } else if (!type->isVoidTy()) {
            put(arrays[0], index, copy);
        }
    });
    if (needs_place) set_place(b.getInt32(0));
    if (structure) {
        std::vector<Value*>& parts = parts_[&i];
        for (unsigned k = 0; k < arrays.size(); ++k)
            parts.push_back(collect(arrays[k], structure->getElementType(k)));
    } else if (!type->isVoidTy()) {
        set(i, collect(arrays[0], type));
    }
}

} // namespace lathe::soft::jit::warp
