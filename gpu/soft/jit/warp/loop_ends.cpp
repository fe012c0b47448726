// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/loop_ends.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace lathe::soft::jit::warp {

namespace {

/// Of a number that grows by a constant in each pass; null where the passes are not known before.
const llvm::SCEV* end_of_counter(llvm::Value* value, llvm::Loop* loop, llvm::ScalarEvolution& all) {
    if (!value->getType()->isIntegerTy(32)) return nullptr;
    const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(all.getSCEV(value));
    const bool counts = counter && counter->getLoop() == loop && counter->isAffine() &&
                        llvm::isa<llvm::SCEVConstant>(counter->getStepRecurrence(all));
    if (!counts) return nullptr;
    const llvm::SCEV* end = all.getSCEVAtScope(value, loop->getParentLoop());
    return all.isLoopInvariant(end, loop) ? end : nullptr;
}

} // namespace

void put_ends_of_counters(llvm::Function& function, llvm::DominatorTree& tree,
                          llvm::LoopInfo& loops) {
    if (loops.empty()) return;
    const llvm::Module& module = *function.getParent();
    const llvm::TargetLibraryInfoImpl names{llvm::Triple{module.getTargetTriple()}};
    llvm::TargetLibraryInfo library{names};
    llvm::AssumptionCache assumptions{function};
    llvm::ScalarEvolution all{function, library, assumptions, tree, loops};
    llvm::SCEVExpander expander{all, module.getDataLayout(), "end"};
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
        llvm::BasicBlock *before = loop->getLoopPreheader(), *behind = loop->getExitBlock();
        if (!before || !behind) continue;
        for (llvm::PHINode& phi : llvm::make_early_inc_range(behind->phis())) {
            if (phi.getNumIncomingValues() != 1) continue;
            const llvm::SCEV* end = end_of_counter(phi.getIncomingValue(0), loop, all);
            llvm::Instruction* place = before->getTerminator();
            if (!end || !expander.isSafeToExpandAt(end, place)) continue;
            phi.replaceAllUsesWith(expander.expandCodeFor(end, phi.getType(), place));
            phi.eraseFromParent();
        }
    }
}

} // namespace lathe::soft::jit::warp
