// SPDX-License-Identifier: MIT
// The optimisation passes, chosen for compile time.
#pragma once

#include "gpu/soft/jit/toolchain.h"

#include <llvm/IR/Module.h>

namespace lathe::soft::jit {

void optimise(llvm::Module& module, Toolchain& toolchain);
/// What Effort::quick has instead: registers for memory, so that addresses can be followed, and
/// what saves the code generator more than it takes.
void optimise_quickly(llvm::Module& module, Toolchain& toolchain);

/// The same for code that will be widened, and what is left to do after that (jit/warp).
void optimise_scalar(llvm::Module& module, Toolchain& toolchain);
void optimise_wide(llvm::Module& module, Toolchain& toolchain);

} // namespace lathe::soft::jit
