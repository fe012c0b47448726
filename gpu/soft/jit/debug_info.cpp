// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/debug_info.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

namespace lathe::soft::jit {

DebugInfo::DebugInfo(llvm::Module& llvm, const ptx::Module& ptx)
    : ptx_{ptx}, builder_{llvm}, context_{llvm.getContext()} {
    llvm.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    llvm.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
    ptx_file_ = builder_.createFile("<ptx>", "");
    builder_.createCompileUnit(llvm::dwarf::DW_LANG_C_plus_plus, ptx_file_, "lathe", true, "", 0,
                               "", llvm::DICompileUnit::LineTablesOnly);
}

llvm::DISubprogram* DebugInfo::make(llvm::DIFile* file, llvm::StringRef name, unsigned line) {
    auto* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
    return builder_.createFunction(file, name, "", file, line, type, line, llvm::DINode::FlagZero,
                                   llvm::DISubprogram::SPFlagDefinition);
}

llvm::DISubprogram* DebugInfo::subprogram(llvm::Function& function, const ptx::Function& source) {
    auto* result = make(ptx_file_, source.name, source.line);
    function.setSubprogram(result);
    return result;
}

llvm::DISubprogram* DebugInfo::subprogram(llvm::Function& function) {
    auto* result = make(ptx_file_, function.getName(), 0);
    function.setSubprogram(result);
    return result;
}

llvm::DIFile* DebugInfo::file(std::uint32_t number) {
    llvm::DIFile*& file = files_[number];
    if (!file) {
        const std::string_view name = ptx_.file_name(number);
        file = builder_.createFile({name.data(), name.size()}, "");
    }
    return file;
}

llvm::DILocation* DebugInfo::location(llvm::DISubprogram* function, ptx::LocationId id) {
    const ptx::Location& place = *ptx_.location(id);
    llvm::DILocation* call = nullptr;
    llvm::DIScope* scope = function;
    if (place.inlined_at) {
        llvm::DILocation*& cached = calls_[{function, place.inlined_at}];
        if (!cached) {
            const auto* outer = location(function, place.inlined_at);
            cached = llvm::DILocation::getDistinct(context_, outer->getLine(), outer->getColumn(),
                                                   outer->getScope(), outer->getInlinedAt());
        }
        call = cached;
        llvm::DISubprogram*& inlined = inlined_[{place.file, place.function}];
        if (!inlined) inlined = make(file(place.file), place.function, place.line);
        scope = inlined;
    }
    if (scope->getFile() != file(place.file)) {
        llvm::DIScope*& in_file = scopes_[{scope, file(place.file)}];
        if (!in_file) in_file = builder_.createLexicalBlockFile(scope, file(place.file));
        scope = in_file;
    }
    return llvm::DILocation::get(context_, place.line, place.column, scope, call);
}

llvm::DILocation* DebugInfo::place(llvm::DISubprogram* function,
                                   const ptx::Instruction& instruction) {
    if (instruction.location) return location(function, instruction.location);
    return llvm::DILocation::get(context_, instruction.line, 0, function);
}

} // namespace lathe::soft::jit
