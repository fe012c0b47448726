// SPDX-License-Identifier: MIT
// Checks a tree for what would make lowering or ptxas fail: names that nothing declares or that
// are declared twice, operand counts, and the types of operands.
#pragma once

#include "engine/core/api.h"
#include "engine/core/diagnostic.h"
#include "gpu/ptx/ast.h"

#include <vector>

namespace lathe::ptx {

/// Findings in PTX order, empty where there are none; `line` is the PTX line. Operands are checked
/// for the opcodes that NVRTC's output lives on, by the compatibility rules of the PTX ISA
/// ("Operand Type Checking"); of the others only the names are.
LATHE_API std::vector<Diagnostic> verify(const Module& module);

} // namespace lathe::ptx
