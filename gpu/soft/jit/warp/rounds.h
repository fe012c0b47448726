// SPDX-License-Identifier: MIT
// Warps that wait for each other at barriers of the whole block alone need no stacks of their own:
// they run in rounds. In each round every warp runs to its next barrier, keeps there what it will
// need behind it, and returns. When all warps of the block have returned, all of them have come to
// a barrier or to their end, and the next round begins.
//
// A switch between stacks costs as much as some tens of instructions, and to begin on one costs
// more; a block of little work consists of that. MCUDA (Stratton, Stone, Hwu 2008) splits kernels
// at their barriers in the source, pocl (Jääskeläinen et al. 2015) in LLVM's code; both make a loop
// over the threads of each part. Here one function stays, with a place to go on for each barrier,
// so that barriers may stand in loops and branches.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>

namespace lathe::soft::jit::warp {

/// True where the barriers of a widened function are all `bar.sync 0` of the whole block, and its
/// lanes wait at nothing else.
bool can_run_in_rounds(const llvm::Function& wide);

/// Makes a function with the barriers of such a one a StepEntry of rt/abi.h: a call runs up to the
/// next barrier. `kept` is its argument that points to what the warp keeps. Returns the bytes that
/// this takes, a multiple of kKeptAlignment.
std::uint32_t split_at_barriers(llvm::Function& step, llvm::Argument& kept);

} // namespace lathe::soft::jit::warp
