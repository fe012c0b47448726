// SPDX-License-Identifier: MIT
// A module whose functions write down what the threads of one warp do: at each line that they come
// to, the values of the variables there. One of them, the leader, also writes down what variables
// in shared memory become. Any device runs it.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"
#include "gpu/ptx/dwarf.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lathe::ptx {

/// The variable of the instrumented module that says whose steps are written, and where.
inline constexpr const char* kTraceState = "lathe_trace_state";
struct TraceLane {
    std::uint64_t next = 0;    ///< address of the next record; grows
    std::uint64_t end = 0;     ///< of the memory for records; where one had no room, of the last
    std::uint32_t is_full = 0; ///< a record had no room
    std::uint32_t unused = 0;
};
struct TraceState {
    std::uint32_t block[3]{};
    std::uint32_t warp = 0;          ///< of the block: threads 32 * warp to 32 * warp + 31
    std::uint32_t leader = 0;        ///< a lane
    std::uint32_t dynamic_bytes = 0; ///< of shared memory, as the leader found them
    /// Address of a copy of shared memory as it was written down last: `TracePlan::copy_bytes`,
    /// and behind them the dynamic ones. Zero before the launch.
    std::uint64_t copy = 0;
    TraceLane lanes[32];
};

/// A record begins so. Behind its values a leader's has TracedWords.
struct TraceHead {
    std::uint32_t site = 0;
    std::uint32_t bytes = 0; ///< of the whole record
};
/// Of the copy of shared memory: 4 bytes at `place`, or one byte.
struct TracedWord {
    std::uint32_t place = 0; ///< with kIsByte
    std::uint32_t value = 0;
};
inline constexpr std::uint32_t kIsByte = 1u << 31;

/// A value in a record: of `TracePlan::variables`, so many bytes from the record's begin.
struct TracedPlace {
    std::uint32_t variable = 0;
    std::uint32_t offset = 0, bytes = 0;
};

enum class TraceEvent : std::uint8_t {
    line,  ///< the line is next
    enter, ///< a function was called; values are addresses (32 bits) of variables in shared memory
    leave, ///< it returns
    /// All threads of the block are at a barrier: what variables in shared memory are now.
    barrier,
    /// An address (32 bits) of shared memory, behind the head, is read or written by the line.
    read,
    write,
    atomic,
};

/// What a record that begins with its number (32 bits) holds.
struct TraceSite {
    TraceEvent event = TraceEvent::line;
    std::uint32_t function = 0; ///< of `TracePlan::functions`
    std::uint32_t file = 0;     ///< a number of the module's files
    std::uint32_t line = 0;
    std::uint32_t bytes = 0;          ///< of the record, without TracedWords
    std::vector<std::uint32_t> known; ///< variables that have a value here
    /// Those of them that may have another one than the record before in this call of the function
    /// said.
    std::vector<TracedPlace> values;
    // Of what is read or written.
    std::uint32_t access_bytes = 0;
    Type type{}; ///< of one element
};

/// A variable in shared memory.
struct TracedShared {
    std::uint32_t place = 0; ///< in the copy
    std::uint32_t bytes = 0; ///< 0: all dynamic ones
};

struct TracePlan {
    std::vector<std::string> functions; ///< names in PTX
    std::vector<ParameterType> variables;
    std::vector<std::vector<std::uint8_t>> constants; ///< of variables that have only one value
    std::vector<std::optional<TracedShared>> shared;  ///< of variables in shared memory
    std::uint32_t copy_bytes = 0;                     ///< of all that are not dynamic
    /// In the order of the code; functions that are called come before kernels.
    std::vector<TraceSite> sites;
};

/// Of an array or a structure that is not shared a record has the first so many bytes.
inline constexpr std::uint32_t kMostTracedBytes = 64;

/// Changes a module that was compiled with -G, and says what its records mean. Sites are the lines
/// of files whose number is in `files`. The debug sections go: the code has other places then.
/// A variable is in a record where DWARF says so, from behind its declaration on. Variables in
/// shared memory are looked at as a whole after what may have changed them: stores, atomics, calls,
/// barriers. What threads write while others read it may be missed. Barriers of the whole code are
/// doubled, so that the leader looks while the others wait.
LATHE_API TracePlan trace_threads(Module& module, const std::vector<std::uint32_t>& files);

} // namespace lathe::ptx
