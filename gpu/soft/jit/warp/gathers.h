// SPDX-License-Identifier: MIT
#pragma once

#include "gpu/soft/jit/warp/shapes.h"

#include <llvm/Analysis/LoopInfo.h>

namespace lathe::soft::jit::warp {

/// True where single threads are faster than warps: the loops mostly access memory at places that
/// have nothing to do with one another, one for each lane. A gather takes as long as so many loads
/// of their own, and its vectors have to be made besides.
bool is_faster_by_threads(const llvm::LoopInfo& loops, const Shapes& shapes);

} // namespace lathe::soft::jit::warp
