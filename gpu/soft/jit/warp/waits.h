// SPDX-License-Identifier: MIT
// Where lanes of a warp wait for others of it, and the form that the code needs for that.
//
// Wait loops are found by their marks. A barrier or warp operation that not all lanes of a warp
// come to at one time is taken apart:
//   barrier          a block of its own, which runs when all lanes have come to one (frontier.h)
//   warp operation   P:     if (together) goto Fast; else goto Bring
//                    Fast:  the operation as it was, goto Rest
//                    Bring: leave mask and operands with the run time
//                    Met:   wait loop, until all lanes of the mask have come, wherever they stand
//                    Take:  fetch the results
//                    Rest:  results of Fast or Take
// The compiler gives one operation several places (it unswitches loops by thread): its lanes meet.
#pragma once

#include "gpu/soft/jit/warp/frontier.h"

namespace lathe::soft::jit::warp {

/// The operations of one function that were taken apart.
struct PartedOperations {
    std::vector<const llvm::CallBase*> barriers;
    llvm::DenseSet<const llvm::CallBase*> complete; ///< those of Fast
};

/// Throws Unsupported where there are too many.
Waits find_waits(llvm::Function& body, const llvm::LoopInfo& loops, const PartedOperations& parted);

/// Takes apart what lanes come to one by one; false where there is nothing (more) to do. After it
/// loops and order must be found again.
bool part_operations(llvm::Function& body, const Frontier& frontier, PartedOperations& parted);

} // namespace lathe::soft::jit::warp
