// SPDX-License-Identifier: MIT
// Loads and stores. One address for all lanes: a scalar access. Addresses of a row of elements,
// known as such or found so when running: one vector access. Else a gather or scatter, or a lane
// loop where the processor has none.
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/warp/widener.h"

#include <llvm/IR/MDBuilder.h>

namespace lathe::soft::jit::warp {

namespace {

llvm::MDNode* likely(llvm::LLVMContext& context) {
    return llvm::MDBuilder{context}.createBranchWeights(100, 1);
}

} // namespace

void Widener::emit_alloca(const llvm::AllocaInst& i) {
    const Shape s = shape(&i);
    if (!s.is_affine()) throw Unsupported{"stack memory of a size known late"};
    // One after another: lane k's variable lies at k times the stride.
    const auto bytes = static_cast<std::uint64_t>(s.stride) * width_;
    llvm::AllocaInst* all = stack(llvm::ArrayType::get(b.getInt8Ty(), bytes), "local");
    all->setAlignment(i.getAlign());
    set(i, all);
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
    if (!from.hopeful) {
        set(i, load_gather(i, mask_));
        return;
    }
    Value* pointers = vector(i.getPointerOperand());
    Value* row = b.CreateAnd(is_full(mask_), is_row(pointers, bytes));
    Value* first = b.CreateExtractElement(pointers, std::uint64_t{0});
    llvm::BasicBlock *together = block("row"), *apart = block("gather"), *done = block("loaded");
    b.CreateCondBr(row, together, apart, likely(b.getContext()));
    b.SetInsertPoint(together);
    Value* x = b.CreateAlignedLoad(vector_type(type), first, i.getAlign());
    b.CreateBr(done);
    b.SetInsertPoint(apart);
    Value* y = load_gather(i, mask_);
    llvm::BasicBlock* end = b.GetInsertBlock();
    b.CreateBr(done);
    b.SetInsertPoint(done);
    auto* all = b.CreatePHI(vector_type(type), 2);
    all->addIncoming(x, together);
    all->addIncoming(y, end);
    set(i, all);
}

Value* Widener::load_row(const llvm::LoadInst& i, Value* first, Value* mask) {
    llvm::Type* type = vector_type(i.getType());
    llvm::BasicBlock *whole = block("whole"), *part = block("part"), *done = block("loaded");
    b.CreateCondBr(is_full(mask), whole, part, likely(b.getContext()));
    b.SetInsertPoint(whole);
    auto* x = b.CreateAlignedLoad(type, first, i.getAlign());
    if (i.hasMetadata(llvm::LLVMContext::MD_invariant_load))
        x->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    b.CreateBr(done);
    b.SetInsertPoint(part);
    Value* y = nullptr;
    if (target_.isLegalMaskedLoad(type, i.getAlign())) {
        y = b.CreateMaskedLoad(type, first, i.getAlign(), mask_vector(mask));
    } else {
        llvm::AllocaInst* array = results(i.getType());
        for_each_lane(mask, [&](Value* index) {
            Value* place = b.CreateGEP(i.getType(), first, index);
            put(array, index, b.CreateAlignedLoad(i.getType(), place, i.getAlign()));
        });
        y = collect(array, i.getType());
    }
    llvm::BasicBlock* end = b.GetInsertBlock();
    b.CreateBr(done);
    b.SetInsertPoint(done);
    auto* all = b.CreatePHI(type, 2);
    all->addIncoming(x, whole);
    all->addIncoming(y, end);
    return all;
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
    if (!to.hopeful) {
        store_scatter(i, mask_);
        return;
    }
    Value* pointers = vector(i.getPointerOperand());
    Value* value = vector(i.getValueOperand());
    Value* row = b.CreateAnd(is_full(mask_), is_row(pointers, bytes));
    Value* first = b.CreateExtractElement(pointers, std::uint64_t{0});
    llvm::BasicBlock *together = block("row"), *apart = block("scatter"), *done = block("stored");
    b.CreateCondBr(row, together, apart, likely(b.getContext()));
    b.SetInsertPoint(together);
    b.CreateAlignedStore(value, first, i.getAlign());
    b.CreateBr(done);
    b.SetInsertPoint(apart);
    store_scatter(i, mask_);
    b.CreateBr(done);
    b.SetInsertPoint(done);
}

void Widener::store_row(const llvm::StoreInst& i, Value* first, Value* mask) {
    Value* value = vector(i.getValueOperand());
    llvm::BasicBlock *whole = block("whole"), *part = block("part"), *done = block("stored");
    b.CreateCondBr(is_full(mask), whole, part, likely(b.getContext()));
    b.SetInsertPoint(whole);
    b.CreateAlignedStore(value, first, i.getAlign());
    b.CreateBr(done);
    b.SetInsertPoint(part);
    // Masked stores without masks of their own (before AVX-512) are slower than the loop.
    if (target_.isLegalMaskedScatter(value->getType(), i.getAlign()) &&
        target_.isLegalMaskedStore(value->getType(), i.getAlign())) {
        b.CreateMaskedStore(value, first, i.getAlign(), mask_vector(mask));
    } else {
        const Spilled values = spill(i.getValueOperand());
        llvm::Type* type = i.getValueOperand()->getType();
        for_each_lane(mask, [&](Value* index) {
            b.CreateAlignedStore(lane(values, index), b.CreateGEP(type, first, index),
                                 i.getAlign());
        });
    }
    b.CreateBr(done);
    b.SetInsertPoint(done);
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
