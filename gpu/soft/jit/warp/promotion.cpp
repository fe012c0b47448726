// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/promotion.h"

#include <llvm/Analysis/IteratedDominanceFrontier.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace lathe::soft::jit::warp {

namespace {

using Blocks = llvm::SmallPtrSet<llvm::BasicBlock*, 32>;

/// The blocks that may read what a slot had at their start.
Blocks live_in(const llvm::AllocaInst& slot, const Blocks& storing) {
    llvm::SmallVector<llvm::BasicBlock*, 32> found;
    for (llvm::User* user : const_cast<llvm::AllocaInst&>(slot).users()) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
        if (!load) continue;
        const bool is_stored_before =
            storing.contains(load->getParent()) &&
            llvm::any_of(llvm::make_range(load->getParent()->begin(), load->getIterator()),
                         [&](const llvm::Instruction& i) {
                             const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
                             return store && store->getPointerOperand() == &slot;
                         });
        if (!is_stored_before) found.push_back(load->getParent());
    }
    Blocks live;
    while (!found.empty()) {
        llvm::BasicBlock* block = found.pop_back_val();
        if (!live.insert(block).second) continue;
        for (llvm::BasicBlock* before : llvm::predecessors(block))
            if (!storing.contains(before)) found.push_back(before);
    }
    return live;
}

/// The number of phis that promotion would make.
std::size_t count_joins(const llvm::AllocaInst& slot, llvm::DominatorTree& tree) {
    Blocks storing;
    for (const llvm::User* user : slot.users())
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user))
            storing.insert(const_cast<llvm::BasicBlock*>(store->getParent()));
    const Blocks live = live_in(slot, storing);
    llvm::ForwardIDFCalculator frontiers{tree};
    frontiers.setDefiningBlocks(storing);
    frontiers.setLiveInBlocks(live);
    llvm::SmallVector<llvm::BasicBlock*, 32> joins;
    frontiers.calculate(joins);
    return joins.size();
}

} // namespace

void promote_slots(llvm::Function& function, const std::vector<llvm::AllocaInst*>& slots) {
    llvm::DominatorTree tree{function};
    const bool may_have_many_joins = function.size() > 4 * kMostJoins;
    std::vector<llvm::AllocaInst*> promoted;
    for (llvm::AllocaInst* slot : slots) {
        if (!llvm::isAllocaPromotable(slot)) continue;
        if (may_have_many_joins && count_joins(*slot, tree) > kMostJoins) continue;
        promoted.push_back(slot);
    }
    llvm::PromoteMemToReg(promoted, tree);
}

} // namespace lathe::soft::jit::warp
