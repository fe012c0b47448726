// SPDX-License-Identifier: MIT
// How many registers the values of a kernel need that are wanted at one time.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"

#include <cstdint>

namespace lathe::ptx {

/// The most registers of 32 bits that hold values which a later instruction of the function reads,
/// at any place of it: 64-bit values count as two, predicates not at all. Those of a function that
/// is called by its name come on top of what its caller keeps meanwhile. An assembler that orders
/// the instructions anew may need some more or fewer.
LATHE_API std::uint32_t live_registers(const Module& module, const Function& function);

} // namespace lathe::ptx
