// SPDX-License-Identifier: MIT
// Source lines of instructions that LLVM sinks into a later block. LLVM leaves them without one,
// so that no debugger jumps back and forth; faults and listings want the line that they are of.
#pragma once

#include <llvm/Pass.h>

namespace lathe::soft::jit {

/// Passes to run directly before and behind the one that sinks; the second one knows the first.
struct SunkPlaces {
    llvm::Pass* before;
    llvm::Pass* behind;
};

/// The caller owns them. They change no instruction, and no debug location but those that the pass
/// between them took away.
SunkPlaces keep_places_of_sunk();

} // namespace lathe::soft::jit
