// SPDX-License-Identifier: MIT
// Mistakes that launches get away with: data races, reads of memory that nothing has written,
// threads of a block that wait at different barriers. The software device finds them; launches go
// on.
#pragma once

#include "engine/core/api.h"

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::gpu {

struct DeviceTraits;

enum class Hazard : std::uint32_t {
    race_shared = 1,
    race_global = 2,
    unwritten_shared = 4,
    unwritten_global = 8,
    barrier_apart = 16,
};
/// "data race in shared memory".
LATHE_API std::string_view title_of(Hazard hazard);
constexpr std::uint32_t kAllHazards = 31; ///< bits of Hazard

struct HazardThread {
    std::string file; ///< as given to the compiler; empty: the hazard has no such thread
    int line = 0;     ///< from 1
    std::array<unsigned, 3> block{}, thread{};
    std::string access;     ///< "read", "write", "atomic", "barrier"
    std::string inlined_at; ///< "file:line" of each call around it, the innermost first, by ";"
};

/// The first example of its kind in a kernel between two lines, and how often it came.
struct HazardFinding {
    Hazard hazard{};
    std::string kernel;         ///< as the source spells it
    HazardThread first, second; ///< as they ran
    std::uint64_t address = 0;  ///< of the access
    std::uint64_t offset = 0;   ///< bytes from the start of `memory`
    unsigned bytes = 0;         ///< of the access
    std::string memory;         ///< "shared memory", "a 400-byte allocation of device memory"
    std::string message;        ///< what happened, and what mends it
    std::uint64_t count = 0;
};

/// Looks for hazards (bits of Hazard) in launches from now on, until it is destroyed; of several
/// scopes for what any of them wants. Kernels are compiled anew, once. Throws Error where the
/// device cannot.
class LATHE_API HazardScope {
public:
    explicit HazardScope(std::uint32_t hazards = kAllHazards);
    /// Of another device than the one that is open. The traits must outlive it.
    HazardScope(std::uint32_t hazards, const DeviceTraits& device);
    ~HazardScope();
    HazardScope(const HazardScope&) = delete;
    HazardScope& operator=(const HazardScope&) = delete;

private:
    std::uint32_t hazards_;
    const DeviceTraits& device_;
};

/// All findings of this process so far. Launches that still run may add to them: synchronise
/// first.
LATHE_API std::vector<HazardFinding> hazard_findings();
/// The same of another device than the one that is open.
LATHE_API std::vector<HazardFinding> hazard_findings(const DeviceTraits& device);

/// Launches are looked at for all hazards while it lives.
class LATHE_API HazardSearch {
public:
    HazardSearch();
    /// Of another device than the one that is open. The traits must outlive it.
    explicit HazardSearch(const DeviceTraits& device);

    /// Since it began, with the counts since then. Synchronise first.
    std::vector<HazardFinding> findings() const;

private:
    const DeviceTraits& device_;
    std::vector<HazardFinding> before_;
    HazardScope scope_;
};

/// The host has written device memory through its pointer, while scopes may live.
LATHE_API void note_host_write(CUdeviceptr memory, std::size_t bytes);
/// Memory that was kept is given out anew: what it holds is left from before.
/// Waits for the context's work where a scope lives, which may still use it for its last owner.
LATHE_API void note_new_memory(CUdeviceptr memory, std::size_t bytes);

} // namespace lathe::gpu
