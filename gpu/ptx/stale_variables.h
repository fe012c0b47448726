// SPDX-License-Identifier: MIT
// Which variables may have changed since they were looked at, at places of a function.
#pragma once

#include "gpu/ptx/ast.h"
#include "gpu/ptx/dwarf_variables.h"

#include <cstddef>
#include <vector>

namespace lathe::ptx {

/// One bit for each variable.
using VariableSet = std::vector<bool>;

/// A place where variables are looked at: before statement `statement` of the body.
struct LookingPlace {
    std::size_t statement = 0;
    VariableSet known;     ///< variables that have a value there
    bool is_still = false; ///< the statement itself changes nothing
};

/// For each place, in the order of their statements, those of `known` that may differ from what the
/// place before saw, by whatever way the thread came. Data flow over the statements: a write makes
/// a variable stale, and a look at it makes it fresh. Stores to memory that is not told apart make
/// all variables in memory stale.
std::vector<VariableSet> stale_variables(const Function& function,
                                         const std::vector<DebugVariable>& variables,
                                         const std::vector<LookingPlace>& places);

} // namespace lathe::ptx
