// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/join.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace lathe::soft::jit::warp {

void join(llvm::Function& callee) {
    auto* const call = llvm::cast<llvm::CallInst>(*callee.user_begin());
    llvm::Function& caller = *call->getFunction();
    llvm::DISubprogram* const subprogram = callee.getSubprogram();
    callee.setSubprogram(nullptr);
    caller.setSubprogram(subprogram);
    auto* const nowhere = llvm::DILocation::get(caller.getContext(), 0, 0, subprogram);
    for (llvm::Instruction& i : llvm::instructions(caller))
        if (i.getDebugLoc()) i.setDebugLoc(nowhere);

    for (llvm::Argument& argument : callee.args())
        argument.replaceAllUsesWith(call->getArgOperand(argument.getArgNo()));
    llvm::BasicBlock* const before = call->getParent();
    llvm::BasicBlock* const after = llvm::SplitBlock(before, call->getIterator());
    llvm::BasicBlock& entry = callee.getEntryBlock();
    for (llvm::Instruction& i : llvm::make_early_inc_range(entry)) // one frame for all rounds
        if (llvm::isa<llvm::AllocaInst>(i))
            i.moveBefore(caller.getEntryBlock(), caller.getEntryBlock().getFirstInsertionPt());
    for (llvm::BasicBlock& block : callee) {
        auto* const end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
        if (!end) continue;
        llvm::BranchInst::Create(after, end->getIterator())->setDebugLoc(end->getDebugLoc());
        end->eraseFromParent();
    }
    before->getTerminator()->setSuccessor(0, &entry);
    caller.splice(after->getIterator(), &callee);
    call->eraseFromParent();
    callee.eraseFromParent();
}

} // namespace lathe::soft::jit::warp
