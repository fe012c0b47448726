// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/report_hazard.h"

#include "engine/core/source_name.h"
#include "gpu/soft/rt/launch.h"
#include "gpu/soft/rt/registry.h"

#include <fmt/format.h>

#include <cstring>

namespace lathe::soft {

namespace {

std::array<std::uint32_t, 3> place_of(std::uint64_t linear, const std::uint32_t size[3]) {
    return {static_cast<std::uint32_t>(linear % size[0]),
            static_cast<std::uint32_t>(linear / size[0] % size[1]),
            static_cast<std::uint32_t>(linear / size[0] / size[1])};
}

FoundThread thread_at(const Launch& launch, const std::array<std::uint32_t, 3>& block,
                      std::uint32_t thread, const WatchSite& site) {
    FoundThread found;
    found.block = block;
    found.thread = place_of(thread, launch.block);
    found.file = site.file();
    found.line = site.line;
    found.inlined_at = site.file() + std::strlen(site.file()) + 1;
    found.access = static_cast<std::uint8_t>(site.kind);
    return found;
}

void tell_memory(Finding& finding, std::uint64_t address, std::uint32_t bytes, bool is_shared,
                 std::uint64_t shared) {
    finding.address = address;
    finding.bytes = bytes;
    finding.offset = address - shared;
    finding.memory = "shared memory";
    if (is_shared) return;
    const auto allocation = Registry::instance().find(address);
    finding.offset = allocation ? address - allocation->begin : 0;
    if (!allocation) finding.memory = "global memory";
    else if (!allocation->name.empty()) finding.memory = fmt::format("{}", allocation->name);
    else
        finding.memory =
            fmt::format("a {}-byte allocation of {}", allocation->bytes, name_of(allocation->kind));
}

std::string mend(const Race& race, const WatchSite& now, bool same_block, bool same_line) {
    const WatchSite& first = *race.first.site;
    if (race.is_pending_copy)
        return "The asynchronous copy may still run: wait for it, by cp.async.wait_all or "
               "__pipeline_wait_prior(0), and put __syncthreads() behind if others use it.";
    if (race.in_one_step)
        return "Threads store different values to one place at once, and which of them stays is "
               "left open: let one thread store, or use an atomic.";
    const bool one_atomic =
        (first.kind == WatchedKind::atomic) != (now.kind == WatchedKind::atomic);
    const char* between =
        same_line ? "between the two times that threads come to the line" : "between the two lines";
    const char* or_else = same_line ? ", or use an atomic if they update one place" : "";
    if (same_block && race.first_thread / 32 == race.second_thread / 32)
        return fmt::format("Threads of a warp do not run in step: put __syncwarp() {}{}.", between,
                           or_else);
    if (same_block && one_atomic)
        return fmt::format("One of the accesses is atomic and the other is not: make both atomic, "
                           "or put __syncthreads() {}.",
                           between);
    if (same_block)
        return fmt::format("Nothing orders the two threads of the block: put __syncthreads() {}{}.",
                           between, or_else);
    if (one_atomic)
        return "Blocks run in any order, and only one of the accesses is atomic: make both "
               "atomic, or do one of them in a launch of its own.";
    return "Blocks run in any order, also at the same time: let each block write memory of its "
           "own, use atomics, or do one of the accesses in a launch of its own.";
}

} // namespace

Finding race_finding(const Launch& launch, const std::array<std::uint32_t, 3>& block,
                     const Race& race, const WatchSite& now, std::uint32_t hazard,
                     std::uint64_t address, std::uint64_t shared) {
    const bool is_shared = hazard == kRaceShared;
    Finding finding;
    finding.hazard = hazard;
    finding.kernel = source_name(launch.info->name);
    const auto first_block = is_shared ? block : place_of(race.first.block, launch.grid);
    finding.first = thread_at(launch, first_block, race.first_thread, *race.first.site);
    finding.second = thread_at(launch, block, race.second_thread, now);
    tell_memory(finding, address, now.bytes, is_shared, shared);
    const bool same_line =
        finding.first.line == finding.second.line && finding.first.file == finding.second.file;
    finding.message = mend(race, now, first_block == block, same_line);
    return finding;
}

Finding unwritten_finding(const Launch& launch, const std::array<std::uint32_t, 3>& block,
                          std::uint32_t thread, const WatchSite& site, std::uint32_t hazard,
                          std::uint64_t address, std::uint64_t shared) {
    const bool is_shared = hazard == kUnwrittenShared;
    Finding finding;
    finding.hazard = hazard;
    finding.kernel = source_name(launch.info->name);
    finding.first = thread_at(launch, block, thread, site);
    tell_memory(finding, address, site.bytes, is_shared, shared);
    finding.message =
        is_shared ? "No thread of the block has written this shared memory, which holds anything "
                    "when a block begins: store to it first, and put __syncthreads() behind."
                  : "Nothing has written this memory since it was allocated: fill it first, as "
                    "lathe.zeros or cuMemsetD8 do, or copy to it.";
    return finding;
}

std::optional<Finding> apart_finding(const Launch& launch,
                                     const std::array<std::uint32_t, 3>& block,
                                     std::uint32_t first_thread, std::uintptr_t first_pc,
                                     std::uint32_t second_thread, std::uintptr_t second_pc) {
    if (!launch.module) return {};
    const auto first = launch.module->place_of(first_pc),
               second = launch.module->place_of(second_pc);
    if (!first || !second) return {};
    if (first->line == second->line && std::string_view{first->file} == second->file) return {};
    Finding finding;
    finding.hazard = kBarrierApart;
    finding.kernel = source_name(launch.info->name);
    const auto fill = [&](FoundThread& thread, std::uint32_t number, const SourcePlace& place) {
        thread.block = block;
        thread.thread = place_of(number, launch.block);
        thread.file = place.file;
        thread.line = place.line;
    };
    fill(finding.first, first_thread, *first);
    fill(finding.second, second_thread, *second);
    finding.message = "Threads of one block wait at different __syncthreads() for each other, "
                      "which CUDA leaves undefined: move the barrier out of the branch.";
    return finding;
}

} // namespace lathe::soft
