// SPDX-License-Identifier: MIT
// What a followed thread did, line by line: which variables a line changed, and values in words.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/thread_trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace lathe::gpu {

/// A line that the thread ran.
struct TraceLine {
    std::string function;            ///< as the source spells it
    std::string file;                ///< as given to the compiler
    int line = 0;                    ///< from 1
    int depth = 0;                   ///< calls around it
    std::vector<TracedValue> values; ///< before it, in the order of their declarations
    /// After it, with what it calls: variables that are new, or have another value.
    std::vector<TracedValue> changes;

    /// Before the line; null where it is not known. Of variables that hide each other the inner.
    LATHE_API const TracedValue* value(std::string_view name) const;
};

/// In the order in which the thread ran them. A line of several parts, such as a loop's head, is
/// one line where its later parts change nothing.
LATHE_API std::vector<TraceLine> lines_of(ThreadTrace trace);

/// "0.25", "true", the name of an enumerator, "0x7f5e00", "[1, 2]", "{x: 1, y: 2}"; "?" where so
/// few bytes do not tell it. Floating-point numbers have as many digits as they need.
LATHE_API std::string to_text(const TracedValue& value);

} // namespace lathe::gpu
