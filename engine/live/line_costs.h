// SPDX-License-Identifier: MIT
// What the launches of a slot do in a line of its text, and what is wrong there: the rows of an
// Inspector.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/hazards.h"
#include "gpu/inspect/line_counts.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

struct LATHE_API LineCosts {
    int line = 0; ///< of the slot's present text, from 1
    /// Sums over the kernels and calls; kernel, file and inlined_at are empty.
    gpu::LineCounts counts;
    double share = 0; ///< of the instructions that the slot's kernels ran, 0 to 1

    // Means; nothing where the line has no such thing.
    /// Share of a warp's threads that take part in its instructions.
    std::optional<double> active() const;
    std::optional<double> divergence() const; ///< share of branches where threads part
    std::optional<double> sectors() const;    ///< of 32 bytes, an access of global memory
    std::optional<double> ideal_sectors() const;
    std::optional<double> banks() const;         ///< turns of an access of shared memory
    std::optional<double> contention() const;    ///< turns of an atomic
    std::optional<double> barrier_ticks() const; ///< of the processor's clock, an arrival
    /// Times as many sectors as the bytes fill; 1 is without waste.
    std::optional<double> waste() const;
};

/// A hazard of one of the slot's kernels.
struct LineFinding {
    /// Of the two threads, in the present text; 0 where a thread is in another file, or is none.
    int first = 0, second = 0;
    gpu::HazardFinding what; ///< its lines are those of the text that ran
    /// Where the marker stands.
    int line() const { return first ? first : second; }
};

/// What is known of the lines of a slot's present text.
struct LATHE_API SlotInspection {
    using Time = std::chrono::steady_clock::time_point;
    std::vector<LineCosts> lines;      ///< sorted by line, each once
    std::vector<LineFinding> findings; ///< sorted by line
    std::optional<Time> counted_at;    ///< when its launches were counted last
    std::optional<Time> searched_at;   ///< when they were last looked at for hazards

    double largest_share = 0; ///< of the lines
    /// Null where no launch came there.
    const LineCosts* at(int line) const;
};

/// The line of `file` that a place is at, or is called from by inlined functions of other files; 0
/// where there is none. Files are compared without their folders. `inlined_at` as LineCounts has
/// it.
LATHE_API int line_in(std::string_view file, std::string_view place_file, int place_line,
                      std::string_view inlined_at);

/// Instructions of warps: those of single threads count a 32nd.
LATHE_API double warp_instructions(const gpu::LineCounts& counts);

} // namespace lathe
