// SPDX-License-Identifier: MIT
// What ends, delays and times a thread: trap, exit, assert, loop back edges, sleep, clocks.
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/trap.h"

#include <fmt/format.h>

#include <chrono>
#include <immintrin.h>
#include <string>
#include <x86intrin.h>

namespace lathe::soft {

extern "C" {

void lathe_rt_trap(ThreadContext* t) {
    t->block->runner->stop(fiber_of(t),
                           {.code = CUDA_ERROR_LAUNCH_FAILED, .message = "trap instruction"},
                           pc_of(__builtin_return_address(0)));
}

void lathe_rt_trap_of_grid_group(ThreadContext* t) {
    FaultReport r{.code = CUDA_ERROR_LAUNCH_FAILED, .message = "trap instruction"};
    if (!t->block->runner->launch().cooperative)
        r.message += ": the kernel asks for its grid as a group, and grid.sync() wants a "
                     "cooperative launch (cuLaunchCooperativeKernel), which this is not";
    t->block->runner->stop(fiber_of(t), std::move(r), pc_of(__builtin_return_address(0)));
}

__attribute__((no_sanitize("thread"))) void lathe_rt_exit(ThreadContext* t) {
    t->block->runner->end_thread(fiber_of(t));
}

void lathe_rt_assertfail(ThreadContext* t, const char* message, const char* file,
                         std::uint32_t line, const char* function, std::uint64_t) {
    FaultReport r;
    r.code = CUDA_ERROR_ASSERT;
    r.message = fmt::format("assertion `{}` failed in {}", message ? message : "?",
                            function ? function : "?");
    r.file = file ? file : "";
    r.line = line;
    t->block->runner->stop(fiber_of(t), std::move(r), pc_of(__builtin_return_address(0)));
}

void lathe_rt_backedge(ThreadContext* t) {
    BlockState& block = *t->block;
    BlockRunner& runner = *block.runner;
    Launch& launch = runner.launch();
    bool look = launch.cancelled.load(std::memory_order_relaxed) ||
                launch.stopped.load(std::memory_order_relaxed) ||
                launch.deadline != std::chrono::steady_clock::time_point::max();
    if (look) runner.cancelled(fiber_of(t), pc_of(__builtin_return_address(0)));
    if (block.fibers) runner.yield(fiber_of(t));
    else _mm_pause();
}

void lathe_rt_warp_run_checked(ThreadContext* t, std::uint32_t first, std::uint32_t count) {
    BlockRunner& runner = *t->block->runner;
    const KernelCode& code = runner.launch().checked_code();
    std::uint64_t* const counters = t->counters;
    t->counters = runner.slots_of(code.counters);
    code.block(t, first, count);
    t->counters = counters;
}

void lathe_rt_nanosleep(ThreadContext* t, std::uint32_t ns) {
    auto end =
        std::chrono::steady_clock::now() + std::chrono::nanoseconds{std::min(ns, 1'000'000u)};
    do lathe_rt_backedge(t);
    while (std::chrono::steady_clock::now() < end);
}

std::uint64_t lathe_rt_clock64(ThreadContext* t) {
    return __rdtsc() - t->block->runner->clock_start();
}

std::uint64_t lathe_rt_globaltimer(ThreadContext*) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::system_clock::now().time_since_epoch())
                                          .count());
}

std::uint32_t lathe_rt_is_space(ThreadContext* t, std::uint64_t address, std::uint32_t space) {
    const BlockState& block = *t->block;
    const Launch& launch = block.runner->launch();
    auto within = [&](const void* begin, std::size_t bytes) {
        auto b = reinterpret_cast<std::uintptr_t>(begin);
        return address >= b && address - b < bytes;
    };
    bool shared = block.runner->in_shared(address);
    bool local = block.runner->in_local(address);
    bool params = within(t->params, launch.info->param_bytes);
    switch (space) {
    case 0: return !shared && !local; // parameters are
    case 1: return shared;
    case 2: return local;
    case 4: return params;
    default: return 0;
    }
}

} // extern "C"

} // namespace lathe::soft
