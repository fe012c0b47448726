// SPDX-License-Identifier: MIT
// Variables of functions and where their values are, as the DWARF of -G says.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"
#include "gpu/ptx/dwarf.h"
#include "gpu/ptx/dwarf_tree.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lathe::ptx {

/// A variable whose name begins so tells the type of another one in shared memory, whose name is
/// behind it: it is a pointer to that (shared_variables.h).
inline constexpr const char* kSharedPointer = "lathe_pointer_to_";

struct DebugVariable {
    ParameterType type;     ///< with the variable's name
    std::uint32_t line = 0; ///< of its declaration
    bool is_parameter = false;
    bool is_shared = false; ///< in shared memory
    std::string begin, end; ///< labels between which it is known; empty: all of the function
    std::vector<dwarf::Place> places;
    /// Its value, where the compiler found that it has only one; then there are no places.
    std::vector<std::uint8_t> constant;
};

/// Parameters and variables of the function with this name in PTX, in the order of the source;
/// those that have no value are left out. Never throws: what a damaged tree does not tell is not
/// there.
LATHE_API std::vector<DebugVariable> debug_variables(const dwarf::Tree& tree,
                                                     const std::string& function);

} // namespace lathe::ptx
