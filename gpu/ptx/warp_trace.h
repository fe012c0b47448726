// SPDX-License-Identifier: MIT
// A module whose functions write down what the threads of one warp do: which lines they come to,
// and which memory they access. Any device runs it.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lathe::ptx {

/// The variable of the instrumented module that says whose steps are written, and where.
inline constexpr const char* kWarpState = "lathe_warp_state";
struct WarpState {
    std::uint32_t block[3]{};
    std::uint32_t warp = 0;    ///< of the block: threads 32 * warp to 32 * warp + 31
    std::uint64_t counts = 0;  ///< address of 32 bits a lane: how many records it wanted to write
    std::uint64_t records = 0; ///< address of `most` WarpRecords a lane
    std::uint32_t most = 0;
    std::uint32_t unused = 0;
};

/// Where an access went; a generic address is looked at as it comes.
enum class WarpSpace : std::uint32_t { global, shared, local };

struct WarpRecord {
    std::uint32_t site = 0;
    WarpSpace space{};         ///< of an access
    std::uint64_t address = 0; ///< of an access; of shared memory from its window's begin on
};

enum class WarpEvent : std::uint8_t { line, read, write, atomic, barrier };

struct WarpSite {
    WarpEvent event = WarpEvent::line;
    std::uint32_t function = 0; ///< of `WarpPlan::functions`
    std::uint32_t file = 0;     ///< a number of the module's files
    std::uint32_t line = 0;
    std::uint32_t bytes = 0; ///< that a thread accesses
};

struct WarpPlan {
    std::vector<std::string> functions; ///< names in PTX
    /// In the order of the code; functions that are called come before kernels.
    std::vector<WarpSite> sites;
};

/// Changes a module that has line information, and says what its records mean. A `line` begins
/// where the code comes to another line of files whose number is in `files`, or to a place that
/// branches go to; of code of other files that is inlined, the line counts that calls it. Local
/// memory, parameters and constants are left out, and what inline PTX in braces accesses.
LATHE_API WarpPlan trace_warps(Module& module, const std::vector<std::uint32_t>& files);

} // namespace lathe::ptx
