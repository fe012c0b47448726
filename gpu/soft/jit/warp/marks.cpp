// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/marks.h"

#include <llvm/ADT/StringMap.h>

namespace lathe::soft::jit::warp {

CallKind call_kind(llvm::StringRef callee) {
    static const auto* const kinds = new llvm::StringMap<CallKind>{
        {"lathe_jit_directed", CallKind::pure},
        {"lathe_jit_from_integer", CallKind::pure},
        {"lathe_jit_fns", CallKind::pure},
        {"lathe_jit_to_float8", CallKind::pure},
        {"lathe_jit_from_float8", CallKind::pure},
        {"lathe_rt_is_space", CallKind::pure},
        {"lathe_rt_txq", CallKind::pure},
        {"lathe_rt_istypep", CallKind::pure},
        {"lathe_rt_backedge", CallKind::once},
        {"lathe_rt_nanosleep", CallKind::once},
        {"lathe_rt_clock64", CallKind::warp_uniform},
        {"lathe_rt_globaltimer", CallKind::warp_uniform},
        {kTexture2D, CallKind::texture_2d},
        {kSurface2D, CallKind::surface_2d},
        {kLinearTid, CallKind::linear_tid},
        {kShuffle, CallKind::shuffle},
        {kPermute, CallKind::permute},
        {"lathe_rt_ballot", CallKind::ballot},
        {"lathe_rt_match", CallKind::match_any},
        {kMatchAll, CallKind::match_all},
        {"lathe_rt_redux", CallKind::reduce},
        {"lathe_rt_warp_sync", CallKind::sync},
        {"lathe_rt_activemask", CallKind::active_mask},
        {"lathe_rt_barrier_sync", CallKind::barrier},
        {"lathe_rt_barrier_arrive", CallKind::barrier},
        {"lathe_rt_barrier_red", CallKind::barrier_reduce},
        {kWaitLoop, CallKind::wait_loop},
        {kCheck, CallKind::check},
        {kCount, CallKind::count},
        {kWatch, CallKind::watch},
        {kTogether, CallKind::together},
        {kBring, CallKind::bring},
        {kMet, CallKind::met},
        {kResult, CallKind::result},
        {kVoted, CallKind::voted},
        {"lathe_rt_exit", CallKind::end_of_thread},
        {"lathe_rt_trap", CallKind::stop},
        {"lathe_rt_trap_of_grid_group", CallKind::stop},
        {"lathe_rt_warp_gather", CallKind::unsupported},
    };
    if (callee.starts_with(kProduct)) return CallKind::product;
    const auto found = kinds->find(callee);
    return found == kinds->end() ? CallKind::by_lane : found->second;
}

} // namespace lathe::soft::jit::warp
