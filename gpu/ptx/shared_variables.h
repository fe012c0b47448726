// SPDX-License-Identifier: MIT
// Variables in shared memory. The DWARF of -G says nothing of those in functions: their names and
// sizes stand in the PTX, and their types come by pointers that the source was given to each.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"
#include "gpu/ptx/dwarf_tree.h"
#include "gpu/ptx/dwarf_variables.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lathe::ptx {

/// Which variable a symbol is: its name in the source, and its number among those of the function
/// that have this name. "_ZZ4workPfE4tile_0" is ("tile", 1).
LATHE_API std::pair<std::string, unsigned> shared_name(const std::string& symbol);

/// A variable that a module or a function declares; null where it is not in shared memory.
const Variable* shared_variable(const Module& module, const Function& function,
                                const std::string& symbol);

/// Symbols of variables in shared memory that the function's code names, in the order of their
/// first uses.
std::vector<std::string> shared_symbols(const Module& module, const Function& function);

/// Adds the variables in shared memory that the function uses to those of its DWARF, and takes the
/// pointers to them away. A variable without such a pointer has the type `unknown` and no line.
/// A dynamic array has no bytes; of its type the element is known.
void add_shared_variables(const Module& module, const Function& function, const dwarf::Tree& tree,
                          std::vector<DebugVariable>& variables);

} // namespace lathe::ptx
