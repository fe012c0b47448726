// SPDX-License-Identifier: MIT
// Tree to PTX text that ptxas takes; parse(print(m)) gives the tree m again, save that only the
// locations which instructions use are written.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"

#include <string>

namespace lathe::ptx {

/// The whole module. Variables stand behind the leading declarations of functions, call prototypes
/// at the head of their function, `.file` and sections at the end.
LATHE_API std::string print(const Module& module);

/// One instruction without its location and line end: "@%p1 add.s32 %r1, %r2, 4;".
LATHE_API std::string print(const Instruction& instruction);

/// A variable's declaration: ".global .align 4 .b8 table[16] = {1, 0, 0, 0};".
LATHE_API std::string print(const Variable& variable);

} // namespace lathe::ptx
