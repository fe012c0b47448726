// SPDX-License-Identifier: MIT
// Values with a base for each strip (shapes.h): scalars that are worked out once for each strip,
// and the vectors they make. A strip whose lanes are all off has garbage there, so what may trap
// takes the operands of one that runs.
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/warp/widener.h"
#include "gpu/soft/rt/abi.h"

#include <llvm/IR/Constants.h>

namespace lathe::soft::jit::warp {

namespace {

Value* plus(llvm::IRBuilder<>& b, Value* base, std::int64_t distance) {
    if (!distance) return base;
    const auto by = static_cast<std::uint64_t>(distance);
    if (base->getType()->isPointerTy()) return b.CreateConstGEP1_64(b.getInt8Ty(), base, by);
    return b.CreateAdd(base, llvm::ConstantInt::get(base->getType(), by));
}

} // namespace

// Where the places of strips follow from each other, only the first is kept.
unsigned Widener::bases_of(const Shape& s) const { return s.pitch ? 1 : options_.strips(); }

// The value of the first lane of a strip.
Value* Widener::strip(const Value* value, unsigned number) {
    if (llvm::isa<llvm::Constant, llvm::MetadataAsValue, llvm::InlineAsm>(value))
        return const_cast<Value*>(value);
    const Shape s = shape(value);
    if (s.is_affine())
        return plus(b, scalar(value), s.stride * std::int64_t{options_.strip} * number);
    if (!s.is_strips()) throw Unsupported{"a value that differs in a strip is taken for one"};
    if (s.pitch && number) return plus(b, strip(value, 0), *s.pitch * number);
    const auto known = strips_.find(value);
    if (known != strips_.end()) return known->second[number];
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value))
        return strip_places_[argument->getArgNo() - 1][number];
    const auto slots = strip_slots_.find(value);
    if (slots == strip_slots_.end()) throw Unsupported{"a value is used where it is not known"};
    llvm::AllocaInst* slot = slots->second[number];
    return b.CreateLoad(slot->getAllocatedType(), slot);
}

std::vector<Value*> Widener::bases(const Value* value) {
    std::vector<Value*> all;
    for (unsigned r = 0; r < bases_of(shape(value)); ++r) all.push_back(strip(value, r));
    return all;
}

void Widener::set_strips(const llvm::Instruction& i, std::vector<Value*> values) {
    const auto slots = strip_slots_.find(&i);
    if (slots != strip_slots_.end())
        for (unsigned r = 0; r < values.size(); ++r) b.CreateStore(values[r], slots->second[r]);
    strips_[&i] = std::move(values);
}

// One after another.
Value* Widener::concatenate(std::vector<Value*> parts) {
    while (parts.size() > 1) {
        std::vector<Value*> pairs;
        for (std::size_t k = 0; k < parts.size(); k += 2) {
            const unsigned lanes =
                llvm::cast<llvm::FixedVectorType>(parts[k]->getType())->getNumElements();
            std::vector<int> order(2 * std::size_t{lanes});
            for (std::size_t n = 0; n < order.size(); ++n) order[n] = static_cast<int>(n);
            pairs.push_back(b.CreateShuffleVector(parts[k], parts[k + 1], order));
        }
        parts = std::move(pairs);
    }
    return parts.front();
}

Value* Widener::part_of(Value* vector, unsigned number) {
    std::vector<int> order(options_.strip);
    for (unsigned k = 0; k < options_.strip; ++k)
        order[k] = static_cast<int>(number * options_.strip + k);
    return b.CreateShuffleVector(vector, order);
}

// The lanes of a strip, as a mask of its own.
Value* Widener::mask_of_strip(Value* mask, unsigned number) {
    Value* shifted = b.CreateLShr(mask, std::uint64_t{number} * options_.strip);
    return b.CreateTrunc(shifted, b.getIntNTy(options_.strip));
}

// A mask as a vector of conditions. Without registers for masks each lane looks at its bit: of a
// cast LLVM makes three instructions for each lane there.
Value* Widener::mask_vector_of(Value* mask, unsigned lanes) {
    if (has_mask_registers_ || llvm::isa<llvm::Constant>(mask))
        return b.CreateBitCast(mask, llvm::FixedVectorType::get(b.getInt1Ty(), lanes));
    std::vector<llvm::Constant*> bits;
    for (unsigned k = 0; k < lanes; ++k) bits.push_back(b.getInt32(1u << k));
    Value* all = b.CreateVectorSplat(lanes, b.CreateZExt(mask, b.getInt32Ty()));
    Value* own = b.CreateAnd(all, llvm::ConstantVector::get(bits));
    return b.CreateICmpNE(own, llvm::Constant::getNullValue(own->getType()));
}

// base of the lane's strip + place in the strip * stride
Value* Widener::spread_strips(const std::vector<Value*>& bases, std::int64_t stride,
                              std::int64_t pitch) {
    const bool same =
        std::all_of(bases.begin(), bases.end(), [&](Value* v) { return v == bases.front(); });
    std::vector<Value*> parts;
    for (unsigned r = 0; r < options_.strips() && !same; ++r)
        parts.push_back(b.CreateVectorSplat(options_.strip, bases[r]));
    Value* all = same ? splat(bases.front()) : concatenate(parts);
    if (!stride && !pitch) return all;
    llvm::Type* type = all->getType()->getScalarType();
    llvm::Type* number = type->isPointerTy() ? b.getInt64Ty() : type;
    std::vector<llvm::Constant*> lanes;
    for (unsigned k = 0; k < width_; ++k) {
        const std::int64_t distance =
            stride * std::int64_t{k % options_.strip} + pitch * std::int64_t{k / options_.strip};
        lanes.push_back(llvm::ConstantInt::get(number, static_cast<std::uint64_t>(distance)));
    }
    Value* distances = llvm::ConstantVector::get(lanes);
    return type->isPointerTy() ? b.CreateGEP(b.getInt8Ty(), all, distances)
                               : b.CreateAdd(all, distances);
}

Value* Widener::join(const Value* value) {
    const Shape s = shape(value);
    if (value->getType()->isIntegerTy(1)) return mask_vector(bits_of(value));
    return spread_strips(bases(value), s.stride, s.pitch.value_or(0));
}

// A condition as a mask, of all lanes.
Value* Widener::bits_of(const Value* condition) {
    if (shape(condition).is_uniform())
        return b.CreateSExt(b.CreateFreeze(scalar(condition)), mask_type_);
    if (const auto* both = llvm::dyn_cast<llvm::BinaryOperator>(condition);
        both && both->getParent() == frontier_.block(current_) &&
        (both->getOpcode() == llvm::Instruction::And || both->getOpcode() == llvm::Instruction::Or))
        return b.CreateBinOp(both->getOpcode(), bits_of(both->getOperand(0)),
                             bits_of(both->getOperand(1)));
    if (!shape(condition).is_strips()) return mask_bits(vector(condition));
    Value* all = llvm::ConstantInt::get(mask_type_, 0);
    for (unsigned r = 0; r < options_.strips(); ++r) {
        Value* holds =
            b.CreateSExt(b.CreateFreeze(strip(condition, r)), b.getIntNTy(options_.strip));
        Value* lanes =
            b.CreateShl(b.CreateZExt(holds, mask_type_), std::uint64_t{r} * options_.strip);
        all = b.CreateOr(all, lanes);
    }
    return all;
}

// Of strips that do not run, what the first that runs has.
std::vector<Value*> Widener::running(std::vector<Value*> values) {
    if (llvm::isa<llvm::Constant>(mask_)) return values;
    std::vector<Value*> runs;
    for (unsigned r = 0; r < values.size(); ++r) {
        Value* mask = mask_of_strip(mask_, r);
        runs.push_back(b.CreateICmpNE(mask, llvm::ConstantInt::get(mask->getType(), 0)));
    }
    Value* first = values.back();
    for (std::size_t r = values.size() - 1; r-- > 0;)
        first = b.CreateSelect(runs[r], values[r], first);
    for (std::size_t r = 0; r < values.size(); ++r)
        values[r] = b.CreateSelect(runs[r], values[r], first);
    return values;
}

// Once for each strip. Strips with the same operands have the same result.
void Widener::emit_by_strip(const llvm::Instruction& i) {
    const unsigned count = bases_of(shape(&i));
    const bool may_trap = llvm::isa<llvm::LoadInst>(i) || i.isIntDivRem();
    std::vector<std::vector<Value*>> operands(i.getNumOperands());
    for (unsigned k = 0; k < i.getNumOperands(); ++k) {
        for (unsigned r = 0; r < count; ++r) operands[k].push_back(strip(i.getOperand(k), r));
        if (may_trap && shape(i.getOperand(k)).is_strips()) operands[k] = running(operands[k]);
    }
    std::vector<Value*> made;
    for (unsigned r = 0; r < count; ++r) {
        const bool same = r && std::all_of(operands.begin(), operands.end(),
                                           [&](const auto& all) { return all[r] == all[r - 1]; });
        if (same) {
            made.push_back(made.back());
            continue;
        }
        llvm::Instruction* copy = i.clone();
        copy->dropPoisonGeneratingFlags();
        if (!may_trap) copy->dropUnknownNonDebugMetadata();
        for (unsigned k = 0; k < operands.size(); ++k) copy->setOperand(k, operands[k][r]);
        made.push_back(b.Insert(copy));
    }
    set_strips(i, std::move(made));
}

// The places of a warp's strips: each begins where the one before ends, rows and layers wrap.
void Widener::emit_strip_places() {
    std::vector<Value*>&x = strip_places_[0], &y = strip_places_[1], &z = strip_places_[2];
    const auto size = [&](unsigned axis) {
        Value* field = b.CreateConstGEP1_64(b.getInt8Ty(), wide_.getArg(0),
                                            offsetof(ThreadContext, ntid) + 4 * axis);
        return b.CreateLoad(b.getInt32Ty(), field);
    };
    x = {wide_.getArg(1)}, y = {wide_.getArg(2)}, z = {wide_.getArg(3)};
    if (options_.whole_rows) {
        x = {b.getInt32(0)};
        return;
    }
    Value *of_x = size(0), *of_y = size(1), *zero = b.getInt32(0);
    for (unsigned r = 1; r < options_.strips(); ++r) {
        Value* right = b.CreateAdd(x.back(), b.getInt32(options_.strip));
        Value* row_ends = b.CreateICmpUGE(right, of_x);
        x.push_back(b.CreateSelect(row_ends, zero, right));
        Value* below = b.CreateAdd(y.back(), b.CreateZExt(row_ends, b.getInt32Ty()));
        Value* layer_ends = b.CreateICmpUGE(below, of_y);
        y.push_back(b.CreateSelect(layer_ends, zero, below));
        z.push_back(b.CreateAdd(z.back(), b.CreateZExt(layer_ends, b.getInt32Ty())));
    }
}

} // namespace lathe::soft::jit::warp
