// SPDX-License-Identifier: MIT
// Gathers and scatters at something uniform plus an extended 32-bit number, said in the way that
// the code generator knows: a scalar pointer and numbers that stay narrow. It has half as many of
// them to do then.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lathe::soft::jit {

struct GatherAddresses : llvm::PassInfoMixin<GatherAddresses> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace lathe::soft::jit
