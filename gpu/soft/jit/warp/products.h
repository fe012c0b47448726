// SPDX-License-Identifier: MIT
// Products of matrices (matrices.h): a function of a lane, straight arithmetic and permutations of
// lanes, becomes one function of a warp, which every product of its kind calls.
#pragma once

#include <llvm/IR/Function.h>

namespace lathe::soft::jit::warp {

/// The function of a warp of 32 lanes for one of a lane: vectors of 32 words for words, without the
/// last argument, the lane's number. Made at the first call; `like` has the attributes. Throws
/// Unsupported.
llvm::Function* product_of_warp(llvm::Function& of_lane, const llvm::Function& like);

} // namespace lathe::soft::jit::warp
