// SPDX-License-Identifier: MIT
// From the lowered, still scalar body of a kernel to the function that runs its warps.
#pragma once

#include "gpu/soft/jit/warp/shapes.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Module.h>

#include <string>

namespace lathe::soft::jit {
class Toolchain;
class CounterSites;
} // namespace lathe::soft::jit

namespace lathe::soft::jit::warp {

/// Adds `warp.<name>(context, first, count)`: runs the threads first .. first + count - 1 of the
/// block, `width` at a time; `first` is a multiple of the width. It calls `wide`, which is declared
/// body(context, x, y, z, linear, parameters, i32 mask) and gets its code from widen().
void make_warp_loop(llvm::Function& loop, llvm::Function& wide, std::uint32_t param_bytes,
                    const ShapeOptions& options, llvm::DILocation* place);

/// Makes the code of `wide` from `body` and removes `body`; then optimises the module. `check` is
/// called when the scalar code is optimised, for what it wants to add. `sites` is null where the
/// code does not count. Where the warps of a block can run in rounds (rounds.h), `step.<name>` of
/// rt/abi.h's StepEntry and `kept.<name>`, the 32-bit number of bytes that a warp keeps, replace
/// `loop`. Throws Unsupported.
void widen(llvm::Module& module, llvm::Function& body, llvm::Function& wide, llvm::Function& loop,
           const ShapeOptions& options, Toolchain& toolchain, llvm::function_ref<void()> check,
           CounterSites* sites);

} // namespace lathe::soft::jit::warp
