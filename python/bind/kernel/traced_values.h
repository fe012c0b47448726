// SPDX-License-Identifier: MIT
// The lines of a followed thread as Python has them.
#pragma once

#include "gpu/inspect/trace_lines.h"

#include <pybind11/pybind11.h>

#include <vector>

namespace lathe::bind {

/// A dict for each: function, file, line, depth; values and changes by name; reads and writes: the
/// elements of variables in shared memory, by name.
pybind11::list to_python(const std::vector<gpu::TraceLine>& lines);

} // namespace lathe::bind
