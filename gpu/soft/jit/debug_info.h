// SPDX-License-Identifier: MIT
// `.loc` lines of PTX as LLVM debug locations, with the chain of inlined calls.
#pragma once

#include "gpu/ptx/ast.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DIBuilder.h>

#include <map>
#include <string>

namespace lathe::soft::jit {

class DebugInfo {
public:
    DebugInfo(llvm::Module& llvm, const ptx::Module& ptx);

    /// Describes a lowered function and makes its place the default of its code.
    llvm::DISubprogram* subprogram(llvm::Function& function, const ptx::Function& source);
    /// Describes a function of our own (entry, thread loop).
    llvm::DISubprogram* subprogram(llvm::Function& function);
    /// Place of an instruction; without .loc the line of the PTX text in the file "<ptx>".
    llvm::DILocation* place(llvm::DISubprogram* function, const ptx::Instruction& instruction);
    void finish() { builder_.finalize(); }

private:
    llvm::DIFile* file(std::uint32_t number);
    llvm::DILocation* location(llvm::DISubprogram* function, ptx::LocationId id);
    llvm::DISubprogram* make(llvm::DIFile* file, llvm::StringRef name, unsigned line);

    const ptx::Module& ptx_;
    llvm::DIBuilder builder_;
    llvm::LLVMContext& context_;
    llvm::DIFile* ptx_file_;
    std::map<std::uint32_t, llvm::DIFile*> files_;
    std::map<std::pair<std::uint32_t, std::string>, llvm::DISubprogram*> inlined_;
    std::map<std::pair<llvm::DISubprogram*, ptx::LocationId>, llvm::DILocation*> calls_;
    std::map<std::pair<llvm::DIScope*, llvm::DIFile*>, llvm::DIScope*> scopes_;
};

} // namespace lathe::soft::jit
