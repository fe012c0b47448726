// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

namespace lathe::soft::jit::warp {

/// Puts formulas of what is known before a loop in the place of what its counters are behind it.
/// NVRTC unrolls loops and makes a second one for the rest, which begins where the first one ended:
/// its indices are then known at the start of a kernel (Shapes::guards). Loops must be in simple,
/// loop-closed form, and stay so.
void put_ends_of_counters(llvm::Function& function, llvm::DominatorTree& tree,
                          llvm::LoopInfo& loops);

} // namespace lathe::soft::jit::warp
