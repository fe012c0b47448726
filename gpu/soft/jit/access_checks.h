// SPDX-License-Identifier: MIT
// Checks of accesses to memory, put into optimised scalar code. Each address is traced to what it
// may point into (provenance.h) and compared with that in line; only where the comparison fails
// the run time looks closer (rt/access.h).
//
// Accesses of a straight line of code whose addresses differ by constants are checked together at
// the first of them; where that fails, one by one in their order. What a check has shown holds in
// all code that it dominates.
#pragma once

#include "gpu/soft/jit/module_facts.h"
#include "gpu/soft/rt/access.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <span>

namespace lathe::soft::jit {

/// Puts checks into a function that runs single threads. `kernel` is null for a .func by itself.
void check_accesses(llvm::Function& function, const ModuleFacts& facts, const KernelFacts* kernel);

/// Puts marks (warp::kCheck) into the body of a kernel that is going to be widened.
void mark_accesses(llvm::Function& body, const ModuleFacts& facts, const KernelFacts& kernel);

/// Takes back what the lowering said of whole vector accesses, once they are checked: code that is
/// not checked must not rely on it.
void forget_alignment(llvm::Function& function);

/// The call of the run time where a comparison has failed.
struct FailedCheck {
    std::uint32_t what = 0; ///< AccessSite::what
    std::uint64_t bytes = 0;
    std::int64_t stride = 0, begin_stride = 0;
    std::span<const AccessSite::Access> accesses;
    llvm::Value* place = nullptr; ///< 64-bit integers; null is 0
    llvm::Value *begin = nullptr, *mask = nullptr, *length = nullptr;
};
void call_failed_check(llvm::IRBuilderBase& b, const FailedCheck& check);

/// room - size, and 0 where that is negative: what lies below it may be accessed.
llvm::Value* limit_of(llvm::IRBuilderBase& b, llvm::Value* room, llvm::Value* size);

} // namespace lathe::soft::jit
