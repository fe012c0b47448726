// SPDX-License-Identifier: MIT
// The operand part of verify(), private to gpu/ptx.
#pragma once

#include "gpu/ptx/verify_scope.h"

#include <string>

namespace lathe::ptx {

/// What is wrong with the number or the types of the operands, in words; empty where nothing is.
/// Registers that `scopes` does not know are passed over: they have been reported.
std::string operand_fault(const Instruction& instruction, const Scopes& scopes);

} // namespace lathe::ptx
