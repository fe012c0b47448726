// SPDX-License-Identifier: MIT
// Atomic sums of floats that flush subnormal operands and results to zero, as those of global
// memory do. Until the end of the optimisation they are plain atomic operations with a scope of
// their own, which the widener copies lane by lane; then they become loops.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/PassManager.h>

namespace lathe::soft::jit {

llvm::SyncScope::ID flushing_scope(llvm::LLVMContext& context);

struct ExpandFlushingAtomics : llvm::PassInfoMixin<ExpandFlushingAtomics> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
    static bool isRequired() { return true; }
};

} // namespace lathe::soft::jit
