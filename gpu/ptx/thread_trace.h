// SPDX-License-Identifier: MIT
// A module whose functions write down what one thread does: at each line that it comes to, the
// values of the variables there. Any device runs it.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"
#include "gpu/ptx/dwarf.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lathe::ptx {

/// The variable of the instrumented module that says whose steps are written, and where.
inline constexpr const char* kTraceState = "lathe_trace_state";
struct TraceState {
    std::uint32_t block[3]{}, thread[3]{};
    std::uint64_t next = 0;    ///< address of the next record; grows
    std::uint64_t end = 0;     ///< of the memory for records
    std::uint32_t is_full = 0; ///< a record had no room
    std::uint32_t unused = 0;
};

/// A value in a record: of `TracePlan::variables`, so many bytes from the record's begin.
struct TracedPlace {
    std::uint32_t variable = 0;
    std::uint32_t offset = 0, bytes = 0;
};

enum class TraceEvent : std::uint8_t {
    line,  ///< the line is next
    enter, ///< a function was called
    leave, ///< it returns
};

/// What a record that begins with its number (32 bits) holds.
struct TraceSite {
    TraceEvent event = TraceEvent::line;
    std::uint32_t function = 0; ///< of `TracePlan::functions`
    std::uint32_t file = 0;     ///< a number of the module's files
    std::uint32_t line = 0;
    std::uint32_t bytes = 0;          ///< of the record
    std::vector<std::uint32_t> known; ///< variables that have a value here
    /// Those of them that may have another one than the record before in this call of the function
    /// said.
    std::vector<TracedPlace> values;
};

struct TracePlan {
    std::vector<std::string> functions; ///< names in PTX
    std::vector<ParameterType> variables;
    std::vector<std::vector<std::uint8_t>> constants; ///< of variables that have only one value
    std::vector<TraceSite> sites;
};

/// Of an array or a structure a record has the first so many bytes.
inline constexpr std::uint32_t kMostTracedBytes = 64;

/// Changes a module that was compiled with -G, and says what its records mean. Sites are the lines
/// of files whose number is in `files`. The debug sections go: the code has other places then.
/// A variable is in a record where DWARF says so, from behind its declaration on.
LATHE_API TracePlan trace_threads(Module& module, const std::vector<std::uint32_t>& files);

} // namespace lathe::ptx
