// SPDX-License-Identifier: MIT
// Which thread of a warp faulted: a vector access does not tell. The launch has failed and its
// memory with it, so the block is run once more by single threads, up to the fault. Memory then
// holds what the other blocks wrote until they were stopped, and of this block what it wrote up to
// the fault, twice: a sum that its threads added to may have their terms twice. What the second run
// prints, asks for (grids of its own) or reports beside the fault is dropped.
#include "gpu/soft/rt/block.h"

#include <chrono>
#include <cstring>

namespace lathe::soft {

namespace {

constexpr auto kLongestReplay = std::chrono::seconds{2};

} // namespace

void BlockRunner::note_warp_fault(FaultReport report, const ThreadContext& place) {
    warp_fault_ = std::move(report);
    warp_fault_block_ =
        place.ctaid[0] + std::uint64_t{launch_->grid[0]} *
                             (place.ctaid[1] + std::uint64_t{launch_->grid[1]} * place.ctaid[2]);
    launch_->stopped.store(true, std::memory_order_release);
}

void BlockRunner::replay(Launch& launch) {
    FaultReport report = std::move(*warp_fault_);
    warp_fault_.reset();
    Launch again;
    again.is_replay = true;
    again.cooperative = launch.cooperative;
    again.module = launch.module;
    again.info = launch.info;
    std::memcpy(again.grid, launch.grid, sizeof again.grid);
    std::memcpy(again.block, launch.block, sizeof again.block);
    again.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    again.grid_id = launch.grid_id;
    again.stack_bytes = launch.stack_bytes;
    again.deadline = std::chrono::steady_clock::now() + kLongestReplay;
    std::memcpy(again.reserve_parameters(), launch.parameters(), launch.info->parameter_bytes());
    again.first_code = launch.module->thread_code(launch.info->name);
    run(again, warp_fault_block_, 1);
    // Where memory has changed so much that another thread faults in another way, what the warp
    // knows stands: the line, and its first thread.
    const FaultReport found = again.report();
    launch.stop(found.code == report.code ? found : report);
}

} // namespace lathe::soft
