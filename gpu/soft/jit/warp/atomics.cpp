// SPDX-License-Identifier: MIT
// Atomic updates, lane after lane. Those of shared memory come with single-thread scope: the block
// runs on one worker, so they are a load, an operation and a store.
#include "gpu/soft/jit/warp/widener.h"

#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace lathe::soft::jit::warp {

void Widener::emit_atomic(const llvm::Instruction& i) {
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
        if (exchange->getSyncScopeID() != llvm::SyncScope::SingleThread) return emit_by_lane(i);
        llvm::Type* type = exchange->getCompareOperand()->getType();
        llvm::AllocaInst *old_values = results(type), *flags = results(b.getInt1Ty());
        const Spilled place = spill(exchange->getPointerOperand()),
                      expected = spill(exchange->getCompareOperand()),
                      desired = spill(exchange->getNewValOperand());
        for_each_lane(mask_, [&](Value* index) {
            Value* where = lane(place, index);
            Value* old = b.CreateAlignedLoad(type, where, exchange->getAlign());
            Value* equal = b.CreateICmpEQ(old, lane(expected, index));
            b.CreateAlignedStore(b.CreateSelect(equal, lane(desired, index), old), where,
                                 exchange->getAlign());
            put(old_values, index, old);
            put(flags, index, equal);
        });
        parts_[&i] = {collect(old_values, type), collect(flags, b.getInt1Ty())};
        return;
    }
    const auto& update = llvm::cast<llvm::AtomicRMWInst>(i);
    if (update.getSyncScopeID() != llvm::SyncScope::SingleThread) return emit_by_lane(i);
    llvm::Type* type = update.getType();
    llvm::AllocaInst* old_values = update.use_empty() ? nullptr : results(type);
    const Spilled place = spill(update.getPointerOperand()), value = spill(update.getValOperand());
    for_lanes_unrolled(mask_, [&](Value* index) {
        Value* where = lane(place, index);
        Value* old = b.CreateAlignedLoad(type, where, update.getAlign());
        Value* next = llvm::buildAtomicRMWValue(update.getOperation(), b, old, lane(value, index));
        b.CreateAlignedStore(next, where, update.getAlign());
        if (old_values) put(old_values, index, old);
    });
    if (old_values) set(i, collect(old_values, type));
}

} // namespace lathe::soft::jit::warp
