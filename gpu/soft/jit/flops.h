// SPDX-License-Identifier: MIT
// Floating-point operations of scalar code.
#pragma once

#include <llvm/IR/Instruction.h>

#include <cstdint>

namespace lathe::soft::jit {

/// Sums, products, quotients and roots are one, a fused multiply-add is two, all others none.
struct Flops {
    std::int64_t all = 0, doubles = 0;
};

/// Of an instruction; of the call of a product of matrices those of the function.
Flops flops_of(const llvm::Instruction& i);

} // namespace lathe::soft::jit
