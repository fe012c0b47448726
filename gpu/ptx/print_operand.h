// SPDX-License-Identifier: MIT
// The pieces of printed text below a statement, private to gpu/ptx. Each appends to `out`.
#pragma once

#include "gpu/ptx/ast.h"

#include <string>

namespace lathe::ptx {

void append(std::string& out, const Instruction& instruction);
void append(std::string& out, const Symbol& symbol); ///< "name+4"

/// A variable without its ';'. `as_parameter`: no linkage, no initialiser, with `.ptr`.
void append(std::string& out, const Variable& variable, bool as_parameter);

} // namespace lathe::ptx
