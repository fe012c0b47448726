// SPDX-License-Identifier: MIT
// How much memory the machine has for this process: what the kernel counts as available, within the
// limits of its control groups (version 1 and 2), as containers set them.
#pragma once

#include <cstddef>
#include <string>

namespace lathe::soft {

struct HostMemory {
    std::size_t total = 0;     ///< of the machine, or the smallest limit
    std::size_t available = 0; ///< without driving other memory out; files in memory may go
};

/// Looks now: a few reads of /proc and /sys. `root` stands before the paths, for tests.
HostMemory host_memory(const std::string& root = {});

} // namespace lathe::soft
