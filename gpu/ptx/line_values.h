// SPDX-License-Identifier: MIT
// A module whose functions write down, for every thread, which values variables have after a line.
// Any device runs it.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"
#include "gpu/ptx/dwarf.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lathe::ptx {

/// The variable of the instrumented module that says where values are written. All are in the order
/// of a picture: thread (x, y, z) of the whole launch is at (z * height + y) * width + x.
inline constexpr const char* kLineState = "lathe_line_state";
inline constexpr std::uint32_t kMostLineVariables = 8;
struct LineState {
    std::uint64_t visits = 0; ///< address of 32 bits a thread: how often it came to the line
    std::uint64_t seen = 0;   ///< address of 32 bits a thread: bit v says that values[v] is written
    std::uint64_t values[kMostLineVariables]{}; ///< addresses of `stride` bytes a thread
    std::uint32_t visit = 0;                    ///< only the values of this visit; 0: of the last
    std::uint32_t unused = 0;
};

struct LineVariable {
    ParameterType type;       ///< with the variable's name
    std::uint32_t bytes = 0;  ///< that are written: of arrays and structures the first ones
    std::uint32_t stride = 0; ///< between threads
};

struct LinePlan {
    bool is_reached = false;             ///< some function has code of the line
    std::string entry;                   ///< the first kernel that has; empty: no kernel itself
    std::vector<ParameterType> known;    ///< variables that have a value after it
    std::vector<LineVariable> variables; ///< in the order of the names, as LineState has them
};

/// A line of files, which are numbers of the module's.
struct WantedLine {
    std::vector<std::uint32_t> files;
    std::uint32_t line = 0;
};

/// Changes a module that was compiled with -G. `files` are the numbers of all files whose lines
/// count. Of the `names`, at most kMostLineVariables, those that no function knows after the line
/// are left out of the plan. A thread is after the line when it comes to another line of the same
/// function, or leaves the function. Of variables that hide each other the inner is meant. The
/// debug sections go: the code has other places then.
LATHE_API LinePlan write_line_values(Module& module, const std::vector<std::uint32_t>& files,
                                     const WantedLine& wanted,
                                     const std::vector<std::string>& names);

} // namespace lathe::ptx
