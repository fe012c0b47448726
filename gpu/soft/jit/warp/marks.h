// SPDX-License-Identifier: MIT
// The calls of lowered code as the widener sees them. Names that begin with "lathe.warp." are
// marks: the lowering leaves them where a warp does the work itself, and no function has them.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace lathe::soft::jit::warp {

constexpr const char* kShuffle = "lathe.warp.shfl";   ///< (mask, mode, value, b, c) -> {i32, i1}
constexpr const char* kMatchAll = "lathe.warp.match"; ///< (mask, value) -> {i32, i1}
constexpr const char* kLinearTid = "lathe.warp.tid";  ///< () -> i32

enum class CallKind {
    by_lane,      ///< a call for each lane: device functions, printf, textures
    pure,         ///< no effect: uniform operands give a uniform result
    once,         ///< one call for the warp, no result
    warp_uniform, ///< one call for the warp, the same result for all
    linear_tid,
    shuffle,
    ballot,
    match_any,
    match_all,
    reduce,
    sync,
    active_mask,
    barrier,
    barrier_reduce,
    end_of_thread, ///< exit in an inlined function
    stop,          ///< trap: the first lane ends the launch
    unsupported
};

CallKind call_kind(llvm::StringRef callee);

} // namespace lathe::soft::jit::warp
