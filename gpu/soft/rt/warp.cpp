// SPDX-License-Identifier: MIT
// Warp operations: lanes of a mask meet, the last one to come computes every lane's result.
// Lanes of the mask that have ended are not waited for.
//
// activemask is defined here as "the lanes that reached this same instruction while no other lane
// of the warp could go on": the widest convergence a GPU could show, so that code which asks for
// the mask and then shuffles under it works, whatever branch it stands in.
#include "gpu/soft/rt/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace lathe::soft {

namespace {

std::uint32_t shfl_source(std::uint32_t lane, std::uint32_t mode, std::uint32_t b, std::uint32_t c,
                          bool& in_range) {
    // PTX ISA, shfl.sync: the segment mask selects the sub-warp, the clamp its last lane.
    std::uint32_t segment = c >> 8 & 31, clamp = c & 31;
    std::uint32_t max_lane = (lane & segment) | (clamp & ~segment);
    std::uint32_t min_lane = lane & segment;
    b &= 31;
    std::int32_t j;
    switch (mode) {
    case 0:
        j = static_cast<std::int32_t>(lane) - static_cast<std::int32_t>(b);
        in_range = j >= static_cast<std::int32_t>(max_lane);
        break;
    case 1:
        j = static_cast<std::int32_t>(lane + b);
        in_range = j <= static_cast<std::int32_t>(max_lane);
        break;
    case 2:
        j = static_cast<std::int32_t>(lane ^ b);
        in_range = j <= static_cast<std::int32_t>(max_lane);
        break;
    default:
        j = static_cast<std::int32_t>(min_lane | (b & ~segment));
        in_range = j <= static_cast<std::int32_t>(max_lane);
        break;
    }
    return in_range ? static_cast<std::uint32_t>(j) : lane;
}

template <class F> void each_lane(std::uint32_t mask, F&& f) {
    for (; mask; mask &= mask - 1) f(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

template <class Lane>
std::uint32_t reduce(Lane* lanes, std::uint32_t mask, std::uint32_t op, bool is_signed) {
    bool first = true;
    std::uint32_t r = 0;
    each_lane(mask, [&](std::uint32_t i) {
        auto v = static_cast<std::uint32_t>(lanes[i].operand[0]);
        auto less = [&] {
            return is_signed ? static_cast<std::int32_t>(v) < static_cast<std::int32_t>(r) : v < r;
        };
        if (std::exchange(first, false)) {
            r = v;
            return;
        }
        switch (op) {
        case 0: r += v; break;
        case 1:
            if (less()) r = v;
            break;
        case 2:
            if (!less()) r = v;
            break;
        case 3: r &= v; break;
        case 4: r |= v; break;
        default: r ^= v; break;
        }
    });
    return r;
}

// All lanes of `mask` are here with the same operation; operand[1] holds its details.
template <class Lane> void compute(Lane* lanes, std::uint32_t mask, std::uint32_t operation) {
    switch (WarpOperation{operation}) {
    case WarpOperation::shuffle:
        each_lane(mask, [&](std::uint32_t i) {
            Lane& lane = lanes[i];
            auto packed = lane.operand[1];
            bool in_range = false;
            std::uint32_t source = shfl_source(i, static_cast<std::uint32_t>(packed >> 62),
                                               static_cast<std::uint32_t>(packed >> 32) & 0xffff,
                                               static_cast<std::uint32_t>(packed), in_range);
            // A source lane outside of the mask has no defined value: own value, as most GPUs do.
            bool there = mask >> source & 1;
            lane.result[0] =
                static_cast<std::uint32_t>(there ? lanes[source].operand[0] : lane.operand[0]);
            lane.result[1] = in_range;
        });
        break;
    case WarpOperation::ballot: {
        std::uint32_t ballot = 0;
        each_lane(mask, [&](std::uint32_t i) { ballot |= (lanes[i].operand[0] ? 1u : 0u) << i; });
        each_lane(mask, [&](std::uint32_t i) { lanes[i].result[0] = ballot; });
        break;
    }
    case WarpOperation::match:
        each_lane(mask, [&](std::uint32_t i) {
            std::uint32_t same = 0;
            each_lane(mask, [&](std::uint32_t j) {
                same |= (lanes[i].operand[0] == lanes[j].operand[0] ? 1u : 0u) << j;
            });
            bool all = lanes[i].operand[1] != 0;
            lanes[i].result[1] = same == mask;
            lanes[i].result[0] = all && same != mask ? 0 : same;
        });
        break;
    case WarpOperation::reduce: {
        Lane& any = lanes[std::countr_zero(mask)];
        auto op = static_cast<std::uint32_t>(any.operand[1] & 0xff);
        std::uint32_t r = reduce(lanes, mask, op, any.operand[1] >> 8 & 1);
        each_lane(mask, [&](std::uint32_t i) { lanes[i].result[0] = r; });
        break;
    }
    case WarpOperation::gather: // operand: where to read, where to write; the size is in result[0]
        each_lane(mask, [&](std::uint32_t i) {
            auto* all = reinterpret_cast<std::uint8_t*>(lanes[i].operand[1]);
            std::uint32_t bytes = lanes[i].result[0];
            std::memset(all, 0, std::size_t{kWarp} * bytes);
            each_lane(mask, [&](std::uint32_t j) {
                std::memcpy(all + std::size_t{j} * bytes,
                            reinterpret_cast<const void*>(lanes[j].operand[0]), bytes);
            });
        });
        break;
    default: break;
    }
}

// True where all live lanes of the mask of lane `lane` wait in the same operation.
template <class Lane>
bool complete(std::uint32_t live, std::uint32_t waiting, const Lane* lanes, std::uint32_t lane) {
    std::uint32_t mask = lanes[lane].wait_mask & live;
    if ((mask & waiting) != mask) return false;
    bool same = true;
    each_lane(mask, [&](std::uint32_t i) {
        same &=
            lanes[i].wait_mask == lanes[lane].wait_mask && lanes[i].wait_id == lanes[lane].wait_id;
    });
    return same;
}

constexpr std::uint32_t kGatherBytes = 64;

[[noreturn]] void refuse(ThreadFiber& self, std::uint32_t lane, std::uint32_t mask,
                         std::uintptr_t pc) {
    self.context.block->runner->stop(
        self,
        {.code = CUDA_ERROR_LAUNCH_FAILED,
         .message = fmt::format("lane {} is not in the mask {:#010x} of its own warp operation",
                                lane, mask)},
        pc);
}

void meet(ThreadContext* t, std::uint32_t mask, WarpOperation operation, std::uint64_t operand0,
          std::uint64_t operand1, std::uintptr_t pc) {
    ThreadFiber& self = fiber_of(t);
    BlockState& block = *t->block;
    BlockRunner& runner = *block.runner;
    std::uint32_t own = 1u << t->laneid;
    if (!(mask & own)) refuse(self, t->laneid, mask, pc);
    self.operand[0] = operand0;
    self.operand[1] = operand1;
    self.wait_mask = mask;
    self.wait_id = static_cast<std::uint32_t>(operation);
    if (!block.fibers) {
        if (t->ntid[0] * t->ntid[1] * t->ntid[2] != 1)
            runner.stop(self,
                        {.code = CUDA_ERROR_LAUNCH_FAILED,
                         .message = "warp operation in a kernel compiled as one without "
                                    "waiting"},
                        pc);
        compute(&self, own, self.wait_id);
        return;
    }
    Warp& warp = block.warp_of(*t);
    ThreadFiber* lanes = block.threads + t->warpid * kWarp;
    warp.waiting |= own;
    if (!complete(warp.live, warp.waiting, lanes, t->laneid)) {
        runner.wait(self, Wait::warp_operation, pc);
        return;
    }
    std::uint32_t members = mask & warp.live;
    warp.waiting &= ~members;
    compute(lanes, members, self.wait_id);
    each_lane(members & ~own, [&](std::uint32_t i) { runner.release(lanes[i]); });
}

} // namespace

// A lane has ended: operations of the others may be complete without it.
void BlockRunner::resume_warp(BlockState& block, std::uint32_t index) {
    Warp& warp = block.warps[index];
    ThreadFiber* lanes = block.threads + index * kWarp;
    for (std::uint32_t rest = warp.waiting; rest;) {
        auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        rest &= ~(1u << lane);
        if (!(warp.waiting >> lane & 1) || !soft::complete(warp.live, warp.waiting, lanes, lane))
            continue;
        std::uint32_t members = lanes[lane].wait_mask & warp.live;
        warp.waiting &= ~members;
        rest &= ~members;
        compute(lanes, members, lanes[lane].wait_id);
        each_lane(members, [&](std::uint32_t i) { release(lanes[i]); });
    }
}

void BlockRunner::resolve_active_mask(BlockState& block, std::uint32_t index) {
    Warp& warp = block.warps[index];
    ThreadFiber* lanes = block.threads + index * kWarp;
    while (warp.asking) {
        std::uintptr_t pc = lanes[std::countr_zero(warp.asking)].wait_pc;
        std::uint32_t group = 0;
        each_lane(warp.asking, [&](std::uint32_t i) {
            if (lanes[i].wait_pc == pc) group |= 1u << i;
        });
        warp.asking &= ~group;
        each_lane(group, [&](std::uint32_t i) {
            lanes[i].result[0] = group;
            release(lanes[i]);
        });
    }
}

extern "C" {

void lathe_rt_warp_not_member(ThreadContext* t, std::uint32_t mask) {
    refuse(fiber_of(t), t->linear_tid % kWarp, mask, pc_of(__builtin_return_address(0)));
}

void lathe_rt_warp_bring(ThreadContext* t, WarpMeeting* meeting, std::uint32_t lane,
                         std::uint32_t mask, std::uint32_t operation, std::uint64_t operand0,
                         std::uint64_t operand1) {
    if (!(mask >> lane & 1)) refuse(fiber_of(t), lane, mask, pc_of(__builtin_return_address(0)));
    meeting->lanes[lane] = {{operand0, operand1}, {0, 0}, mask, operation};
    meeting->waiting |= 1u << lane;
}

std::uint32_t lathe_rt_warp_meet(ThreadContext* t, WarpMeeting* meeting, std::uint32_t here,
                                 std::uint32_t alive, std::uint32_t busy) {
    WarpMeeting::Lane* lanes = meeting->lanes;
    for (std::uint32_t rest = meeting->waiting; rest;) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        rest &= ~(1u << lane);
        if (!complete(alive, meeting->waiting, lanes, lane)) continue;
        const std::uint32_t members = lanes[lane].wait_mask & alive;
        meeting->waiting &= ~members;
        meeting->met |= members;
        rest &= ~members;
        compute(lanes, members, lanes[lane].wait_id);
    }
    const std::uint32_t ready = meeting->met & here;
    meeting->met &= ~ready;
    if (ready || meeting->met || busy) return ready;
    const std::uint32_t mask = lanes[std::countr_zero(here)].wait_mask;
    t->linear_tid += static_cast<std::uint32_t>(std::countr_zero(here));
    t->block->runner->stop(
        fiber_of(t),
        {.code = CUDA_ERROR_LAUNCH_FAILED,
         .message = fmt::format("deadlock: all threads of a warp wait, {} at a warp operation with "
                                "mask {:#010x}, {} at a barrier",
                                std::popcount(meeting->waiting), mask,
                                std::popcount(alive & ~meeting->waiting))},
        pc_of(__builtin_return_address(0)));
}

void lathe_rt_warp_sync(ThreadContext* t, std::uint32_t mask) {
    meet(t, mask, WarpOperation::sync, 0, 0, pc_of(__builtin_return_address(0)));
}

std::uint32_t lathe_rt_activemask(ThreadContext* t) {
    BlockState& block = *t->block;
    if (!block.fibers) return 1u << t->linear_tid % kWarp;
    ThreadFiber& self = fiber_of(t);
    block.warp_of(*t).asking |= 1u << t->laneid;
    self.wait_mask = ~0u;
    block.runner->wait(self, Wait::active_mask, pc_of(__builtin_return_address(0)));
    return self.result[0];
}

std::uint32_t lathe_rt_shfl(ThreadContext* t, std::uint32_t mask, std::uint32_t mode,
                            std::uint32_t value, std::uint32_t b, std::uint32_t c,
                            std::uint32_t* in_range) {
    std::uint64_t details = std::uint64_t{mode & 3} << 62 | std::uint64_t{b & 31} << 32 | c;
    meet(t, mask, WarpOperation::shuffle, value, details, pc_of(__builtin_return_address(0)));
    const ThreadFiber& self = fiber_of(t);
    if (in_range) *in_range = self.result[1];
    return self.result[0];
}

std::uint32_t lathe_rt_ballot(ThreadContext* t, std::uint32_t mask, std::uint32_t predicate) {
    meet(t, mask, WarpOperation::ballot, predicate, 0, pc_of(__builtin_return_address(0)));
    return fiber_of(t).result[0];
}

std::uint32_t lathe_rt_match(ThreadContext* t, std::uint32_t mask, std::uint64_t value,
                             std::uint32_t all, std::uint32_t* all_equal) {
    meet(t, mask, WarpOperation::match, value, all, pc_of(__builtin_return_address(0)));
    const ThreadFiber& self = fiber_of(t);
    if (all_equal) *all_equal = self.result[1];
    return self.result[0];
}

std::uint32_t lathe_rt_redux(ThreadContext* t, std::uint32_t mask, std::uint32_t op,
                             std::uint32_t is_signed, std::uint32_t value) {
    meet(t, mask, WarpOperation::reduce, value, op | (is_signed ? 256u : 0u),
         pc_of(__builtin_return_address(0)));
    return fiber_of(t).result[0];
}

void lathe_rt_warp_gather(ThreadContext* t, std::uint32_t mask, const void* mine,
                          std::uint32_t bytes, void* all) {
    fiber_of(t).result[0] = std::min(bytes, kGatherBytes);
    meet(t, mask, WarpOperation::gather, reinterpret_cast<std::uintptr_t>(mine),
         reinterpret_cast<std::uintptr_t>(all), pc_of(__builtin_return_address(0)));
}

} // extern "C"

} // namespace lathe::soft
