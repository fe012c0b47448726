// SPDX-License-Identifier: MIT
// A kernel's source as a PTX module, for sources of gpu/inspect that change it or run it elsewhere.
#pragma once

#include "gpu/compiler.h"
#include "gpu/ptx/ast.h"

#include <string>
#include <vector>

namespace lathe::gpu {

/// Compiled in full to PTX: of the request's target where it has one, else for the current
/// context's device; a request with debug_info has no optimisation, and DWARF of all variables.
/// Throws CompileError; Error.
ptx::Module ptx_of(CompileRequest request);

/// The (lowered) name of the entry that the source spells so. Throws Error, which names the source,
/// where there is none.
std::string entry_of(const ptx::Module& module, const std::string& kernel,
                     const std::string& source);

/// Names of the variables in global and in constant memory.
std::vector<std::string> variables_of(const ptx::Module& module);

} // namespace lathe::gpu
