// SPDX-License-Identifier: MIT
// How long the launches of each kernel run where nobody looks at them. The software device tells;
// of a GPU nothing is known.
#pragma once

#include "engine/core/api.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace lathe::gpu {

struct LaunchTime {
    std::string kernel; ///< as the source spells it
    std::uint64_t launches = 0;
    std::chrono::nanoseconds time{0}; ///< of all of them
    std::uint64_t counted = 0;        ///< launches that counted meanwhile; not in `launches`
};

/// Launches from now on are timed, until it is destroyed; the last scope of several ends it. Throws
/// Error where the device cannot.
class LATHE_API TimingScope {
public:
    TimingScope();
    ~TimingScope();
    TimingScope(const TimingScope&) = delete;
    TimingScope& operator=(const TimingScope&) = delete;
};

/// Sums of all launches of this process that were timed so far, sorted by kernel. Launches that
/// still run are not in it: synchronise first. Those that count or are looked at for hazards are
/// left out. Empty where the device cannot tell.
LATHE_API std::vector<LaunchTime> launch_times();

} // namespace lathe::gpu
