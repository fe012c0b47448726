// SPDX-License-Identifier: MIT
// Loads behind two branches that are told apart by their addresses alone go back into the branches.
// InstCombine makes one of them, which for a single thread is less code; the lanes of a warp then
// lose what a branch knows of its addresses (that they lie side by side), and gather.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lathe::soft::jit {

struct BranchLoads : llvm::PassInfoMixin<BranchLoads> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace lathe::soft::jit
