// SPDX-License-Identifier: MIT
// Loads and stores. One address for all lanes: a scalar access. Addresses of a row of elements,
// known as such or found so when running: one vector access. Else a gather or scatter, or a lane
// loop where the processor has none.
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/warp/widener.h"

#include <llvm/IR/MDBuilder.h>

namespace lathe::soft::jit::warp {

void Widener::emit_alloca(const llvm::AllocaInst& i) {
    const Shape s = shape(&i);
    if (!s.is_affine()) throw Unsupported{"stack memory of a size known late"};
    // One after another: lane k's variable lies at k times the stride.
    const auto bytes = static_cast<std::uint64_t>(s.stride) * width_;
    llvm::AllocaInst* all = stack(llvm::ArrayType::get(b.getInt8Ty(), bytes), "local");
    all->setAlignment(i.getAlign());
    set(i, all);
}

// pointer = something uniform + bytes * extension of a 32-bit index: that index.
const llvm::CastInst* Widener::row_index(const Value* pointer, std::uint64_t bytes) const {
    const auto known = [&](const Value* value) {
        return llvm::isa<llvm::Instruction>(value) && values_.count(value) != 0;
    };
    const auto steps = [&](const Value* value) {
        const Shape s = shape(value);
        return s.is_varying() || (s.is_affine() && s.stride == 1);
    };
    const auto extension = [&](const Value* value) -> const llvm::CastInst* {
        const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
        const bool extends = cast && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast) &&
                             cast->getSrcTy()->isIntegerTy(32) && steps(cast->getOperand(0)) &&
                             known(cast->getOperand(0));
        return extends ? cast : nullptr;
    };
    for (unsigned depth = 0; depth < 8 && known(pointer); ++depth) {
        const auto* i = llvm::cast<llvm::Instruction>(pointer);
        if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(i)) {
            if (!gep->hasAllConstantIndices()) {
                const bool simple = gep->getNumIndices() == 1 &&
                                    shapes_.is_uniform(gep->getPointerOperand()) &&
                                    layout_.getTypeAllocSize(gep->getSourceElementType()) == bytes;
                return simple ? extension(gep->getOperand(1)) : nullptr;
            }
            pointer = gep->getPointerOperand();
            continue;
        }
        const auto opcode = i->getOpcode();
        if (opcode == llvm::Instruction::IntToPtr) {
            pointer = i->getOperand(0);
        } else if (opcode == llvm::Instruction::Add) {
            const bool left = shapes_.is_uniform(i->getOperand(0));
            if (!left && !shapes_.is_uniform(i->getOperand(1))) return nullptr;
            pointer = i->getOperand(left ? 1 : 0);
        } else if (opcode == llvm::Instruction::Shl) {
            const auto* by = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(1));
            const bool scales = by && by->getZExtValue() < 8 && 1ull << by->getZExtValue() == bytes;
            return scales ? extension(i->getOperand(0)) : nullptr;
        } else {
            return bytes == 1 ? extension(i) : nullptr;
        }
    }
    return nullptr;
}

Value* Widener::lane_0(const Value* value) {
    return shape(value).is_affine() ? scalar(value)
                                    : b.CreateExtractElement(vector(value), std::uint64_t{0});
}

// The scalar code of a value for lane 0, from its index on.
Value* Widener::of_lane_0(const Value* value, const llvm::CastInst& index) {
    if (shape(value).is_affine()) return scalar(value);
    const auto* i = llvm::cast<llvm::Instruction>(value);
    if (i == &index) {
        Value* first = lane_0(index.getOperand(0));
        return b.CreateCast(index.getOpcode(), first, index.getType());
    }
    llvm::Instruction* copy = i->clone();
    copy->dropPoisonGeneratingFlags();
    for (unsigned k = 0; k < copy->getNumOperands(); ++k)
        copy->setOperand(k, of_lane_0(i->getOperand(k), index));
    return b.Insert(copy);
}

Widener::Row Widener::find_row(const Value* pointer, std::uint64_t bytes) {
    const llvm::CastInst* index = row_index(pointer, bytes);
    if (!index) {
        Value* pointers = vector(pointer);
        return {is_row(pointers, bytes), b.CreateExtractElement(pointers, std::uint64_t{0})};
    }
    // In 32 bits, where a vector has half the registers; the last lane must not have wrapped.
    const Value* number = index->getOperand(0);
    Value* first = lane_0(number);
    Value* steps = b.getTrue();
    if (shape(number).is_varying())
        steps = is_full(mask_bits(b.CreateICmpEQ(vector(number), spread(first, 1))));
    const bool is_signed = llvm::isa<llvm::SExtInst>(index);
    Value* most = b.getInt32((is_signed ? 0x7fffffffu : ~0u) - (width_ - 1));
    Value* fits = is_signed ? b.CreateICmpSLE(first, most) : b.CreateICmpULE(first, most);
    return {b.CreateAnd(steps, fits), of_lane_0(pointer, *index)};
}

Value* Widener::is_row(Value* pointers, std::uint64_t bytes) {
    Value* addresses = b.CreatePtrToInt(pointers, vector_type(b.getInt64Ty()));
    Value* row = spread(b.CreateExtractElement(addresses, std::uint64_t{0}),
                        static_cast<std::int64_t>(bytes));
    return is_full(mask_bits(b.CreateICmpEQ(addresses, row)));
}

void Widener::emit_load(const llvm::LoadInst& i) {
    llvm::Type* type = i.getType();
    if (type->isVectorTy() || type->isAggregateType()) throw Unsupported{"load of packed values"};
    const Shape from = shape(i.getPointerOperand());
    if (from.is_uniform()) return emit_uniform(i);
    if (!i.isSimple()) return emit_by_lane(i);
    const std::uint64_t bytes = layout_.getTypeStoreSize(type);
    if (from.is_affine() && from.stride == static_cast<std::int64_t>(bytes)) {
        set(i, load_row(i, scalar(i.getPointerOperand()), mask_));
        return;
    }
    if (!from.hopeful || lanes_ == Lanes::some) {
        set(i, load_gather(i, mask_));
        return;
    }
    const Row row = find_row(i.getPointerOperand(), bytes);
    set(i, usually(
               b.CreateAnd(is_full(mask_), row.found),
               [&] { return b.CreateAlignedLoad(vector_type(type), row.first, i.getAlign()); },
               [&] { return load_gather(i, mask_); }));
}

Value* Widener::usually(Value* condition, llvm::function_ref<Value*()> usual,
                        llvm::function_ref<Value*()> rare) {
    llvm::BasicBlock *first = block("usual"), *second = block("rare"), *done = block("done");
    b.CreateCondBr(condition, first, second,
                   llvm::MDBuilder{b.getContext()}.createBranchWeights(100, 1));
    b.SetInsertPoint(first);
    Value* x = usual();
    llvm::BasicBlock* end_of_first = b.GetInsertBlock();
    b.CreateBr(done);
    b.SetInsertPoint(second);
    Value* y = rare();
    llvm::BasicBlock* end_of_second = b.GetInsertBlock();
    b.CreateBr(done);
    b.SetInsertPoint(done);
    if (!x) return nullptr;
    auto* result = b.CreatePHI(x->getType(), 2);
    result->addIncoming(x, end_of_first);
    result->addIncoming(y, end_of_second);
    return result;
}

Value* Widener::load_row(const llvm::LoadInst& i, Value* first, Value* mask) {
    if (lanes_ == Lanes::some) return load_part_of_row(i, first, mask);
    llvm::Type* type = vector_type(i.getType());
    const auto load_whole = [&]() -> Value* {
        auto* x = b.CreateAlignedLoad(type, first, i.getAlign());
        if (i.hasMetadata(llvm::LLVMContext::MD_invariant_load))
            x->setMetadata(llvm::LLVMContext::MD_invariant_load,
                           llvm::MDNode::get(b.getContext(), {}));
        return x;
    };
    if (llvm::isa<llvm::Constant>(mask)) return load_whole();
    return usually(is_full(mask), load_whole, [&] { return load_part_of_row(i, first, mask); });
}

Value* Widener::load_part_of_row(const llvm::LoadInst& i, Value* first, Value* mask) {
    llvm::Type* type = vector_type(i.getType());
    if (target_.isLegalMaskedLoad(type, i.getAlign()))
        return b.CreateMaskedLoad(type, first, i.getAlign(), mask_vector(mask));
    llvm::AllocaInst* array = results(i.getType());
    for_each_lane(mask, [&](Value* index) {
        Value* place = b.CreateGEP(i.getType(), first, index);
        put(array, index, b.CreateAlignedLoad(i.getType(), place, i.getAlign()));
    });
    return collect(array, i.getType());
}

Value* Widener::load_gather(const llvm::LoadInst& i, Value* mask) {
    llvm::Type* type = vector_type(i.getType());
    if (target_.isLegalMaskedGather(type, i.getAlign()) &&
        !target_.forceScalarizeMaskedGather(llvm::cast<llvm::VectorType>(type), i.getAlign())) {
        return b.CreateMaskedGather(type, vector(i.getPointerOperand()), i.getAlign(),
                                    mask_vector(mask));
    }
    llvm::AllocaInst* array = results(i.getType());
    const Spilled place = spill(i.getPointerOperand());
    for_each_lane(mask, [&](Value* index) {
        put(array, index, b.CreateAlignedLoad(i.getType(), lane(place, index), i.getAlign()));
    });
    return collect(array, i.getType());
}

void Widener::emit_store(const llvm::StoreInst& i) {
    llvm::Type* type = i.getValueOperand()->getType();
    if (type->isVectorTy() || type->isAggregateType()) throw Unsupported{"store of packed values"};
    const Shape to = shape(i.getPointerOperand());
    if (to.is_uniform()) {
        // Of all lanes that write to one place, one must win: the last, as in the scalar mode.
        Value* last = b.CreateSub(
            b.getInt32(width_ - 1),
            b.CreateZExtOrTrunc(b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, mask_, b.getTrue()),
                                b.getInt32Ty()));
        const Shape from = shape(i.getValueOperand());
        Value* value = from.is_affine() ? lane({from, type, scalar(i.getValueOperand())}, last)
                                        : b.CreateExtractElement(scalar(i.getValueOperand()), last);
        llvm::Instruction* copy = i.clone();
        copy->setOperand(0, value);
        copy->setOperand(1, scalar(i.getPointerOperand()));
        b.Insert(copy);
        return;
    }
    if (!i.isSimple()) return emit_by_lane(i);
    const std::uint64_t bytes = layout_.getTypeStoreSize(type);
    if (to.is_affine() && to.stride == static_cast<std::int64_t>(bytes)) {
        store_row(i, scalar(i.getPointerOperand()), mask_);
        return;
    }
    if (!to.hopeful || lanes_ == Lanes::some) {
        store_scatter(i, mask_);
        return;
    }
    Value* value = vector(i.getValueOperand());
    const Row row = find_row(i.getPointerOperand(), bytes);
    usually(
        b.CreateAnd(is_full(mask_), row.found),
        [&]() -> Value* {
            b.CreateAlignedStore(value, row.first, i.getAlign());
            return nullptr;
        },
        [&]() -> Value* {
            store_scatter(i, mask_);
            return nullptr;
        });
}

void Widener::store_row(const llvm::StoreInst& i, Value* first, Value* mask) {
    if (lanes_ == Lanes::some) return store_part_of_row(i, first, mask);
    Value* value = vector(i.getValueOperand());
    const auto store_whole = [&]() -> Value* {
        b.CreateAlignedStore(value, first, i.getAlign());
        return nullptr;
    };
    if (llvm::isa<llvm::Constant>(mask)) {
        store_whole();
        return;
    }
    usually(is_full(mask), store_whole, [&]() -> Value* {
        store_part_of_row(i, first, mask);
        return nullptr;
    });
}

void Widener::store_part_of_row(const llvm::StoreInst& i, Value* first, Value* mask) {
    Value* value = vector(i.getValueOperand());
    // Masked stores without masks of their own (before AVX-512) are slower than the loop.
    if (target_.isLegalMaskedScatter(value->getType(), i.getAlign()) &&
        target_.isLegalMaskedStore(value->getType(), i.getAlign())) {
        b.CreateMaskedStore(value, first, i.getAlign(), mask_vector(mask));
        return;
    }
    const Spilled values = spill(i.getValueOperand());
    llvm::Type* type = i.getValueOperand()->getType();
    for_each_lane(mask, [&](Value* index) {
        b.CreateAlignedStore(lane(values, index), b.CreateGEP(type, first, index), i.getAlign());
    });
}

void Widener::store_scatter(const llvm::StoreInst& i, Value* mask) {
    llvm::Type* type = vector_type(i.getValueOperand()->getType());
    if (target_.isLegalMaskedScatter(type, i.getAlign())) {
        b.CreateMaskedScatter(vector(i.getValueOperand()), vector(i.getPointerOperand()),
                              i.getAlign(), mask_vector(mask));
        return;
    }
    const Spilled places = spill(i.getPointerOperand()), values = spill(i.getValueOperand());
    for_each_lane(mask, [&](Value* index) {
        b.CreateAlignedStore(lane(values, index), lane(places, index), i.getAlign());
    });
}

} // namespace lathe::soft::jit::warp
