// SPDX-License-Identifier: MIT
// The optimisation passes, chosen for compile time, and code generation for the host.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

namespace lathe::soft::jit {

/// A target machine of the host CPU. Not thread-safe: one per compiling thread.
std::unique_ptr<llvm::TargetMachine> make_target_machine();

/// True where the target has 512-bit vectors with masks.
bool has_wide_vectors();

void optimise(llvm::Module& module, llvm::TargetMachine& machine);

/// The same for code that will be widened, and what is left to do after that (jit/warp).
void optimise_scalar(llvm::Module& module, llvm::TargetMachine& machine);
void optimise_wide(llvm::Module& module, llvm::TargetMachine& machine);

/// ELF object of the module.
std::unique_ptr<llvm::MemoryBuffer> generate_code(llvm::Module& module,
                                                  llvm::TargetMachine& machine);

} // namespace lathe::soft::jit
