// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/flushing_atomics.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

namespace lathe::soft::jit {
namespace {

/// Bits of a float, subnormal ones as zero of the same sign.
llvm::Value* flushed(llvm::IRBuilder<>& b, llvm::Value* bits) {
    llvm::Value* tiny = b.CreateICmpEQ(b.CreateAnd(bits, 0x7f800000), b.getInt32(0));
    return b.CreateSelect(tiny, b.CreateAnd(bits, 0x80000000), bits);
}

void expand(llvm::AtomicRMWInst& update) {
    auto* const before = update.getParent();
    auto* const done = llvm::SplitBlock(before, &update);
    auto* const loop =
        llvm::BasicBlock::Create(update.getContext(), "add", before->getParent(), done);
    before->getTerminator()->setSuccessor(0, loop);

    llvm::IRBuilder<> b{before->getTerminator()};
    b.SetCurrentDebugLocation(update.getDebugLoc());
    llvm::Value *place = update.getPointerOperand(),
                *added = b.CreateBitCast(
                    flushed(b, b.CreateBitCast(update.getValOperand(), b.getInt32Ty())),
                    b.getFloatTy());
    llvm::Value* first = b.CreateAlignedLoad(b.getInt32Ty(), place, update.getAlign(), true);

    b.SetInsertPoint(loop);
    auto* const old = b.CreatePHI(b.getInt32Ty(), 2);
    old->addIncoming(first, before);
    llvm::Value* sum = b.CreateFAdd(b.CreateBitCast(flushed(b, old), b.getFloatTy()), added);
    auto* const exchange = b.CreateAtomicCmpXchg(
        place, old, flushed(b, b.CreateBitCast(sum, b.getInt32Ty())), update.getAlign(),
        update.getOrdering(),
        llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(update.getOrdering()));
    old->addIncoming(b.CreateExtractValue(exchange, 0), loop);
    b.CreateCondBr(b.CreateExtractValue(exchange, 1), done, loop);

    b.SetInsertPoint(&update);
    update.replaceAllUsesWith(b.CreateBitCast(old, b.getFloatTy()));
    update.eraseFromParent();
}

} // namespace

llvm::SyncScope::ID flushing_scope(llvm::LLVMContext& context) {
    return context.getOrInsertSyncScopeID("flushing");
}

llvm::PreservedAnalyses ExpandFlushingAtomics::run(llvm::Function& function,
                                                   llvm::FunctionAnalysisManager&) {
    const llvm::SyncScope::ID scope = flushing_scope(function.getContext());
    std::vector<llvm::AtomicRMWInst*> updates;
    for (llvm::Instruction& i : llvm::instructions(function))
        if (auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i))
            if (update->getSyncScopeID() == scope) updates.push_back(update);
    for (llvm::AtomicRMWInst* const update : updates) expand(*update);
    return updates.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lathe::soft::jit
