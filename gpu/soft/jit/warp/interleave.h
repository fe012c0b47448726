// SPDX-License-Identifier: MIT
// Shuffles between an array of records and arrays of their parts, by pieces that a register of the
// processor holds: each shuffle takes two of them.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace lathe::soft::jit::warp {

/// Elements in a row, as vectors of one length, a power of two.
using Pieces = std::vector<llvm::Value*>;

/// Element k of result p is element parts * k + p of all. Results that are not wanted are empty.
/// The number of pieces is a multiple of `parts`.
std::vector<Pieces> deinterleave(llvm::IRBuilderBase& b, const Pieces& all,
                                 const std::vector<bool>& wanted);
/// The inverse; empty parts are undefined.
Pieces interleave(llvm::IRBuilderBase& b, const std::vector<Pieces>& parts);

} // namespace lathe::soft::jit::warp
