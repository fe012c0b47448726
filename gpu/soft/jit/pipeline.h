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

void optimise(llvm::Module& module, llvm::TargetMachine& machine);

/// ELF object of the module.
std::unique_ptr<llvm::MemoryBuffer> generate_code(llvm::Module& module,
                                                  llvm::TargetMachine& machine);

} // namespace lathe::soft::jit
