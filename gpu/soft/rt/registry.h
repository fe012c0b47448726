// SPDX-License-Identifier: MIT
// Which allocation an address belongs to: for pointer queries, for checking the arguments of
// copies, and for the text of fault reports.
#pragma once

#include "gpu/soft/rt/access.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

namespace lathe::soft {

struct Allocation {
    /// `registered`, `foreign` and `imported` memory belongs to somebody else: the caller, OpenGL,
    /// or another process.
    enum class Kind : std::uint8_t {
        device,
        managed,
        pinned,
        registered,
        foreign,
        imported,
        variable,
        array,
        heap,
        launch, ///< what launches from kernels pass: parameters, texts
        graph   ///< of a graph's nodes: known from their making on, allocated by a launch
    };

    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    Kind kind = Kind::device;
    unsigned flags = 0; ///< of cuMemHostAlloc, cuMemHostRegister, cuMemAllocManaged
    const void* context = nullptr;
    std::uint64_t id = 0;         ///< CU_POINTER_ATTRIBUTE_BUFFER_ID
    std::string name{};           ///< of a module variable
    std::shared_ptr<void> pool{}; ///< the driver's memory pool that it came from

    bool holds(std::uintptr_t p) const { return p >= begin && p - begin < bytes; }
};

class Registry {
public:
    static Registry& instance(); ///< lives until the process ends

    /// Adds a range; false where it overlaps a known one.
    bool add(Allocation allocation);
    /// Removes the range that begins here and returns it.
    std::optional<Allocation> remove(std::uintptr_t begin);
    std::optional<Allocation> find(std::uintptr_t p) const;
    /// The memory of the allocation that p lies in, of the device heap what may be touched around
    /// it; room 0 where it lies in none.
    MemoryRange range_of(std::uintptr_t p) const;
    /// Last valid address is begin + bytes - 1: true where [p, p + bytes) lies in one allocation.
    bool covers(std::uintptr_t p, std::size_t bytes) const;
    /// The allocation at or nearest to p, for messages; at most `reach` bytes away.
    std::optional<Allocation> nearest(std::uintptr_t p, std::size_t reach) const;
    /// All ranges of a context.
    std::vector<Allocation> of_context(const void* context) const;

private:
    mutable std::shared_mutex mutex_;
    std::map<std::uintptr_t, Allocation> ranges_;
    std::uint64_t next_id_ = 1;
};

/// "device memory", "pinned host memory", ...
const char* name_of(Allocation::Kind kind);
/// "16 bytes past the end of a 4096-byte allocation of device memory at 0x..."; says so where
/// nothing is near.
std::string describe_address(std::uintptr_t p);
/// The same for one allocation, which p need not be near.
std::string describe_address(std::uintptr_t p, const Allocation& allocation);

} // namespace lathe::soft
