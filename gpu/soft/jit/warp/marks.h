// SPDX-License-Identifier: MIT
// The calls of lowered code as the widener sees them. Names that begin with "lathe.warp." are
// marks: the lowering leaves them where a warp does the work itself, and no function has them.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace lathe::soft::jit::warp {

constexpr const char* kShuffle = "lathe.warp.shfl"; ///< (mask, mode, value, b, c) -> {i32, i1}
constexpr const char* kPermute =
    "lathe.warp.permute"; ///< (value, 32 lane numbers) -> i32, all lanes
/// What the names of products begin with: functions of a lane, (words, lane) -> {words}
constexpr const char* kProduct = "lathe.warp.product.";
constexpr const char* kMatchAll = "lathe.warp.match";  ///< (mask, value) -> {i32, i1}
constexpr const char* kTexture2D = "lathe.warp.tex2d"; ///< (object, x, y) -> {4 x i32}
/// (object, x, y, access, 4 words) -> {4 x i32}; access: SurfaceAccess of rt/image_warp.h
constexpr const char* kSurface2D = "lathe.warp.surface2d";
/// (address, begin, room, size, AccessSite::what, does it write, bytes of the variable)
constexpr const char* kCheck = "lathe.warp.check";
constexpr const char* kCount = "lathe.warp.count"; ///< (address, CountedSpace, bytes)
/// (address, low 8 bytes, high 8 bytes, bytes, kind, space, flags): jit/watching.h
constexpr const char* kWatch = "lathe.warp.watch";
constexpr const char* kLinearTid = "lathe.warp.tid"; ///< () -> i32
constexpr const char* kWaitLoop = "lathe.warp.wait"; ///< (iterations in a row): in a wait loop

// Made of warp operations that lanes of a warp may come to one by one (waits.cpp):
constexpr const char* kTogether = "lathe.warp.together"; ///< (mask) -> i1, the same for all
constexpr const char* kBring = "lathe.warp.bring";       ///< (mask, operation, 2 operands)
constexpr const char* kMet = "lathe.warp.met";           ///< () -> i1: the lane has its result
constexpr const char* kResult = "lathe.warp.result";     ///< (which of two) -> i32
constexpr const char* kVoted = "lathe.warp.voted";       ///< (operation) -> i32, of a barrier

enum class CallKind {
    by_lane,      ///< a call for each lane: device functions, printf, textures
    pure,         ///< no effect: uniform operands give a uniform result
    once,         ///< one call for the warp, no result
    warp_uniform, ///< one call for the warp, the same result for all
    texture_2d,   ///< one call for the lanes of a warp
    surface_2d,   ///< the same
    linear_tid,
    shuffle,
    permute,
    product, ///< one call for the warp, of vectors
    ballot,
    match_any,
    match_all,
    reduce,
    sync,
    active_mask,
    barrier,
    barrier_reduce,
    wait_loop,
    check,
    count,
    watch,
    together,
    bring,
    met,
    result,
    voted,
    end_of_thread, ///< exit in an inlined function
    stop,          ///< trap: the first lane ends the launch
    unsupported
};

CallKind call_kind(llvm::StringRef callee);

} // namespace lathe::soft::jit::warp
