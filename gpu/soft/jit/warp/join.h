// SPDX-License-Identifier: MIT
// A function moved into the one place that calls it, where inlining would make a copy.
#pragma once

namespace llvm {
class Function;
}

namespace lathe::soft::jit::warp {

/// `callee` is called once, returns nothing, and is gone afterwards; its caller takes its debug
/// information as its own.
void join(llvm::Function& callee);

} // namespace lathe::soft::jit::warp
