// SPDX-License-Identifier: MIT
// Watched code: marks (warp::kWatch) that the lowering leaves before each access of shared and
// global memory, fence and __syncwarp(), at the instruction of PTX: whatever LLVM makes of the
// access, the mark tells what the kernel does. The widener lowers them for warps
// (warp/watch.cpp), resolve_watches() for single threads. rt/watch has who listens.
#pragma once

#include "gpu/soft/jit/lowering.h"
#include "gpu/soft/rt/watch/site.h"

#include <span>

namespace lathe::soft::jit {

/// Of an instruction of PTX, where the code is watched; nothing is left for local memory,
/// parameters and constants.
void watch_read(FunctionLowering& f, const Instruction& i, Value* address, std::uint64_t bytes);
/// `values`: of `type`, side by side; may be empty where they are not known.
void watch_write(FunctionLowering& f, const Instruction& i, Value* address, std::uint64_t bytes,
                 std::span<Value* const> values = {});
void watch_atomic(FunctionLowering& f, const Instruction& i, Value* address, std::uint64_t bytes);
/// Of cp.async, from global to shared memory.
void watch_copy(FunctionLowering& f, Value* from, Value* to, std::uint64_t bytes);
/// Of cp.async.commit_group, wait_group and wait_all.
void watch_copy_group(FunctionLowering& f, const Instruction& i);
void watch_fence(FunctionLowering& f, const Instruction& i);
void watch_sync(FunctionLowering& f, const Instruction& i, Value* members);

/// The constant that a mark's call is about: WatchSite of its debug location.
llvm::Constant* watch_site(llvm::Module& module, const llvm::CallBase& mark);
WatchedKind watched_kind(const llvm::CallBase& mark);
bool has_watched_values(const llvm::CallBase& mark);

/// Marks in all functions but `body` become calls for single threads.
void resolve_watches(llvm::Module& module, const llvm::Function* body);

} // namespace lathe::soft::jit
