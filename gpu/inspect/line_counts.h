// SPDX-License-Identifier: MIT
// What launches do, by source line: executions, lanes, branches, sectors, bank conflicts, atomics,
// barriers. The software device counts; a GPU does not.
#pragma once

#include "engine/core/api.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lathe::gpu {

struct DeviceTraits;

/// Counts are of warps of 32 threads. Fields mean what LatheSoftLineCounters (gpu/soft/soft_api.h)
/// says of those of the same name.
struct LineCounts {
    std::string kernel; ///< as the source spells it
    std::string file;   ///< as given to the compiler
    int line = 0;       ///< from 1
    bool by_threads = false;
    std::string inlined_at; ///< "file:line" of each call around it, the innermost first, by ";"
    std::uint64_t executions = 0, lanes = 0;
    std::uint64_t branches = 0, divergent_branches = 0, taken_lanes = 0, not_taken_lanes = 0;
    std::uint64_t global_accesses = 0, sectors = 0, ideal_sectors = 0;
    std::uint64_t shared_accesses = 0, bank_conflict_degree = 0;
    std::uint64_t atomics = 0, atomics_serialised = 0;
    std::uint64_t barriers = 0, barrier_ticks = 0;
    std::uint64_t instructions = 0, thread_instructions = 0;
    std::uint64_t flops = 0, double_flops = 0;
};

/// Whether the device of this process counts and looks for hazards; opens the driver.
LATHE_API bool can_inspect();
/// Throws Error, with what mends it, where it does not.
LATHE_API void require_inspector();

/// Launches from now on count, until it is destroyed; the last scope of several ends it. Their
/// kernels are compiled anew, once. Throws Error where the device cannot.
class LATHE_API CountingScope {
public:
    CountingScope();
    /// Of another device than the one that is open. The traits must outlive it.
    explicit CountingScope(const DeviceTraits& device);
    ~CountingScope();
    CountingScope(const CountingScope&) = delete;
    CountingScope& operator=(const CountingScope&) = delete;

private:
    const DeviceTraits& device_;
};

/// Sums of all launches that counted so far in this process, sorted by kernel, file and line.
/// Launches that still run are not in it: synchronise first. Empty where the device cannot count.
LATHE_API std::vector<LineCounts> line_counts();
/// The same of another device than the one that is open.
LATHE_API std::vector<LineCounts> line_counts(const DeviceTraits& device);

/// What was counted between two readings of line_counts(): rows that grew, by as much.
LATHE_API std::vector<LineCounts> counted_since(std::span<const LineCounts> before,
                                                std::vector<LineCounts> now);
/// Adds the numbers, so many times; not the names.
LATHE_API void add_counts(LineCounts& to, const LineCounts& more, std::uint64_t times = 1);

} // namespace lathe::gpu
