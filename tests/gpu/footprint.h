// SPDX-License-Identifier: MIT
// What a process holds, and the check that some work, done over and over, does not make it more.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace lathe::test {

/// What was not given back. Resident memory and mappings are 0 under a sanitizer, which keeps freed
/// memory itself; threads that this program started and has not joined count as well.
struct Footprint {
    std::size_t heap_bytes = 0;     ///< that malloc gave and nobody has freed
    std::size_t resident_bytes = 0; ///< of all memory
    std::size_t mappings = 0;       ///< ranges of addresses
    std::size_t handles = 0;        ///< open files
    std::size_t threads = 0;
    /// In use on the software device; else 0: others use a GPU, too. They also use the machine's
    /// memory, so LATHE_SOFT_MEMORY_MB has to be less than that.
    std::size_t device_bytes = 0;

    /// Waits for the device's work before it looks.
    static Footprint now();
};

/// Runs `cycle(i)` `count` times, after as many times as it takes to fill caches. Empty, or what
/// grew. Caches and allocators settle (some with the most that was ever under way at once, which is
/// a matter of pace), a leak grows each time: only what grew in each of eight rounds is told. A
/// heap may grow by half a byte a cycle, which no object that is left does.
std::string growth(std::size_t count, const std::function<void(std::size_t)>& cycle);

/// `full` with LATHE_ENDURANCE=1 in the environment, else a hundredth of it.
std::size_t cycles(std::size_t full);

} // namespace lathe::test
