// SPDX-License-Identifier: MIT
// Equality of PTX trees: everything but line numbers, with locations compared as inline stacks.
#pragma once

#include "gpu/ptx/ast.h"

#include <string>

namespace lathe::ptx::test {

/// Empty where the trees are equal, else the first difference in words.
std::string difference(const Module& a, const Module& b);

} // namespace lathe::ptx::test
