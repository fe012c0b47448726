// SPDX-License-Identifier: MIT
// The line of a live kernel that an App watches, for lathe/watched_line.
#pragma once

#include <pybind11/pybind11.h>

namespace lathe {
class App;
}

namespace lathe::bind {

/// By name: kernel, line, problem, known (name to type), launches, and, of the last launch: threads
/// (depth, height, width), block (x first), shown (double), visits (uint32) and marked (numbers of
/// threads), as bytes. Threads and the rest are left out before the first launch. None where
/// nothing is watched.
pybind11::object watched_line(App& app);

} // namespace lathe::bind
