// SPDX-License-Identifier: MIT
// Slots of a widened function become registers.
#pragma once

#include <llvm/IR/Instructions.h>

#include <vector>

namespace lathe::soft::jit::warp {

/// A slot that would need phis in more blocks than this stays in memory.
inline constexpr std::size_t kMostJoins = 32;

/// Promotes the slots of `function` that are only loaded and stored, but not those that live across
/// many joins of a large function: as phis at each of them they would be most of its code, and the
/// register allocator would spill them after some minutes.
void promote_slots(llvm::Function& function, const std::vector<llvm::AllocaInst*>& slots);

} // namespace lathe::soft::jit::warp
