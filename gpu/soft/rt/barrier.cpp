// SPDX-License-Identifier: MIT
// Block barriers by number. A barrier counts threads; `threads` 0 means all that have not ended,
// so a thread that returns early is not waited for (as on compute capability 7.0 and later).
#include "gpu/soft/rt/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace lathe::soft {

namespace {

void open_barrier(BlockRunner& runner, BlockState& block, Barrier& barrier, std::uint32_t op,
                  ThreadFiber* self) {
    if (block.watch) block.watch->open(static_cast<std::uint32_t>(&barrier - block.barriers));
    const FiberList waiting = barrier.waiting;
    if (!barrier.reduces && waiting.first && waiting.first->context.block->by_warps) {
        barrier = {};
        return runner.release_warps(waiting);
    }
    const std::uint32_t values[3] = {barrier.popc, barrier.all, barrier.any};
    barrier = {};
    if (self) {
        self->result[0] = values[op];
        std::copy_n(values, 3, self->votes);
    }
    for (ThreadFiber *thread = waiting.first, *next = nullptr; thread; thread = next) {
        next = thread->next;
        std::copy_n(values, 3, thread->votes);
        thread->result[0] = values[thread->result[1]];
        runner.release(*thread);
    }
}

// What ends a launch, apart from what every barrier goes through.
[[noreturn, gnu::noinline, gnu::cold]] void refuse(ThreadFiber& self, std::string message,
                                                   std::uintptr_t pc) {
    self.context.block->runner->stop(
        self, {.code = CUDA_ERROR_LAUNCH_FAILED, .message = std::move(message)}, pc);
}

[[noreturn, gnu::noinline, gnu::cold]] void refuse_number(ThreadFiber& self, std::uint32_t id,
                                                          std::uintptr_t pc) {
    refuse(self, fmt::format("barrier {}, the highest is {}", id, kBarriers - 1), pc);
}

[[noreturn, gnu::noinline, gnu::cold]] void refuse_count(ThreadFiber& self, std::uint32_t id,
                                                         std::uint32_t before, std::uint32_t now,
                                                         std::uintptr_t pc) {
    refuse(self, fmt::format("barrier {} is used for {} and for {} threads", id, before, now), pc);
}

/// Bits of a mask; most are a run from bit 0, which a baseline processor counts in one instruction.
std::uint32_t count_of(std::uint32_t mask) {
    const int ones = std::countr_one(mask);
    return static_cast<std::uint32_t>(mask & (mask + 1) ? std::popcount(mask) : ones);
}

/// As the run time's functions number them.
enum : std::uint32_t { kSync = 0, kArrive = 1, kReduce = 2 };

// `count` threads come, of which `votes` bring a true predicate. Returns the reduction; waits
// where `waits`.
[[gnu::always_inline]] inline std::uint32_t arrive(ThreadContext* t, std::uint32_t id,
                                                   std::uint32_t threads, std::uint32_t kind,
                                                   bool waits, std::uint32_t count,
                                                   std::uint32_t votes, std::uintptr_t pc) {
    ThreadFiber& self = fiber_of(t);
    BlockState& block = *t->block;
    BlockRunner& runner = *block.runner;
    if (!block.fibers) {
        if (t->ntid[0] * t->ntid[1] * t->ntid[2] == 1) {
            std::fill_n(self.votes, 3, votes);
            return votes;
        }
        refuse(self, "barrier in a kernel compiled as one without waiting", pc);
    }
    if (id >= kBarriers) refuse_number(self, id, pc);
    Barrier& barrier = block.barriers[id];
    std::uint32_t expected = threads == block.count ? 0 : threads;
    if (barrier.arrived && barrier.expected != expected)
        refuse_count(self, id, barrier.expected, expected, pc);
    barrier.expected = expected;
    barrier.arrived += count;
    std::uint32_t op = 0;
    if (kind >= kReduce) {
        op = kind - kReduce;
        barrier.reduces = true;
        barrier.popc += votes;
        barrier.all &= votes == count;
        barrier.any |= votes != 0;
    }
    if (block.watch) block.watch->arrive(id, t->linear_tid, kind != kArrive, pc);
    if (barrier.arrived >= (expected ? expected : block.live)) {
        open_barrier(runner, block, barrier, op, &self);
        return self.result[0];
    }
    if (!waits) return 0;
    self.result[1] = op;
    self.wait_id = id;
    barrier.waiting.push(&self);
    runner.wait(self, Wait::barrier, pc);
    return self.result[0];
}

[[gnu::noinline]] std::uint32_t warp_barrier(ThreadContext* t, std::uint32_t id,
                                             std::uint32_t threads, std::uint32_t kind,
                                             std::uint32_t lanes, std::uint32_t votes,
                                             std::uintptr_t pc) {
    const std::uint32_t count = count_of(lanes);
    t->block->runner->keep_lanes(fiber_of(t), lanes);
    return arrive(t, id, threads, kind, kind != kArrive, count,
                  kind >= kReduce ? count_of(votes) : count, pc);
}

// What nearly every barrier is, in few instructions: a whole warp comes to where all warps of the
// block wait, and another one can go on. False where it is anything else.
[[gnu::always_inline]] inline bool wait_whole(ThreadContext* t, std::uint32_t id,
                                              std::uint32_t mask) {
    ThreadFiber& self = fiber_of(t);
    BlockState& block = *t->block;
    if (!block.by_warps || block.watch || mask != self.mask || id >= kBarriers) return false;
    Barrier& barrier = block.barriers[id];
    if (barrier.expected != 0 || barrier.reduces) return false;
    const std::uint32_t arrived = barrier.arrived + self.lanes;
    if (arrived >= block.live) {
        block.runner->release_warps(barrier.waiting);
        barrier = {};
        return true;
    }
    if (!block.runner->can_switch()) return false;
    barrier.arrived = arrived;
    barrier.waiting.push(&self);
    self.wait_id = id;
    block.runner->switch_from(self, Wait::barrier, pc_of(__builtin_return_address(0)));
    return true;
}

} // namespace

// A thread has ended: barriers that waited for every live thread, and warp operations, may be
// complete without it.
void BlockRunner::finish(ThreadFiber& self) {
    BlockState& block = *self.context.block;
    Warp& warp = block.warp_of(self.context);
    self.done = true;
    live_ -= self.lanes;
    block.live -= self.lanes;
    --warp.runnable;
    warp.live &= ~(1u << self.context.laneid);
    open_complete_barriers(block);
    if (warp.waiting) resume_warp(block, self.context.warpid);
    if (warp.runnable == 0 && warp.asking) resolve_active_mask(block, self.context.warpid);
}

void BlockRunner::open_complete_barriers(BlockState& block) {
    for (Barrier& barrier : block.barriers)
        if (barrier.arrived && barrier.expected == 0 && barrier.arrived >= block.live)
            open_barrier(*this, block, barrier, 0, nullptr);
}

void BlockRunner::keep_lanes(ThreadFiber& self, std::uint32_t mask) {
    if (mask == self.mask) return;
    BlockState& block = *self.context.block;
    const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
    live_ -= self.lanes - lanes;
    block.live -= self.lanes - lanes;
    self.lanes = lanes;
    self.mask = mask;
    open_complete_barriers(block); // those that waited for the lanes that ended
}

// Hardware counts warps at barriers: bar.sync 1, 64 opens for a block of 48 threads. Called when
// nothing else can go on.
bool BlockRunner::resolve_partial_warps() {
    bool opened = false;
    for (std::uint32_t b = 0; b < resident_; ++b) {
        BlockState& block = blocks_[b];
        for (Barrier& barrier : block.barriers) {
            if (!barrier.arrived || !barrier.expected) continue;
            std::uint32_t warps = 0, last = ~0u, full = 0;
            for (ThreadFiber* t = barrier.waiting.first; t; t = t->next) {
                std::uint32_t warp = t->context.linear_tid / kWarp;
                warps |= 1u << warp;
                full += warp != last && (warp + 1) * kWarp > block.count;
                last = warp;
            }
            std::uint32_t missing = kWarp - block.count % kWarp;
            bool partial = block.count % kWarp && (warps >> (block.count / kWarp) & 1);
            if (full && partial && barrier.arrived + missing >= barrier.expected) {
                open_barrier(*this, block, barrier, 0, nullptr);
                opened = true;
            }
        }
    }
    return opened;
}

extern "C" {

void lathe_rt_barrier_sync(ThreadContext* t, std::uint32_t id, std::uint32_t threads) {
    arrive(t, id, threads, kSync, true, 1, 1, pc_of(__builtin_return_address(0)));
}

void lathe_rt_barrier_arrive(ThreadContext* t, std::uint32_t id, std::uint32_t threads) {
    arrive(t, id, threads, kArrive, false, 1, 1, pc_of(__builtin_return_address(0)));
}

std::uint32_t lathe_rt_barrier_red(ThreadContext* t, std::uint32_t id, std::uint32_t threads,
                                   std::uint32_t op, std::uint32_t predicate) {
    return arrive(t, id, threads, kReduce + op % 3, true, 1, predicate != 0,
                  pc_of(__builtin_return_address(0)));
}

std::uint32_t lathe_rt_warp_barrier(ThreadContext* t, std::uint32_t id, std::uint32_t threads,
                                    std::uint32_t kind, std::uint32_t lanes, std::uint32_t votes) {
    if (kind == kSync && threads == 0 && wait_whole(t, id, lanes)) return 0;
    return warp_barrier(t, id, threads, kind, lanes, votes, pc_of(__builtin_return_address(0)));
}

void lathe_rt_warp_barrier_part(ThreadContext* t, std::uint32_t id, std::uint32_t threads,
                                std::uint32_t kind, std::uint32_t lanes, std::uint32_t votes,
                                std::uint32_t alive, std::uint32_t others) {
    const std::uint32_t count = count_of(lanes);
    t->block->runner->keep_lanes(fiber_of(t), alive);
    arrive(t, id, threads, kind, kind != kArrive && !others, count,
           kind >= kReduce ? count_of(votes) : count, pc_of(__builtin_return_address(0)));
}

std::uint32_t lathe_rt_warp_voted(ThreadContext* t, std::uint32_t op) {
    return fiber_of(t).votes[op % 3];
}

} // extern "C"

} // namespace lathe::soft
