// SPDX-License-Identifier: MIT
// What the 32 lanes of a warp wrote down (gpu/ptx/thread_trace.h), and what it means: steps of the
// one that leads, and of the others at the same time.
#pragma once

#include "engine/core/api.h"
#include "gpu/launch.h"
#include "gpu/ptx/thread_trace.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lathe::gpu {

/// Bytes of a value, which the steps between two changes of it share.
class TracedBytes {
public:
    TracedBytes() = default;
    explicit TracedBytes(std::vector<std::byte> bytes)
        : bytes_{std::make_shared<const std::vector<std::byte>>(std::move(bytes))} {}

    const std::byte* data() const { return bytes_ ? bytes_->data() : nullptr; }
    std::size_t size() const { return bytes_ ? bytes_->size() : 0; }
    operator std::span<const std::byte>() const { return {data(), size()}; }
    /// Keeps data() valid.
    std::shared_ptr<const void> owner() const { return bytes_; }
    bool operator==(const TracedBytes& other) const {
        return bytes_ == other.bytes_ || (bytes_ && other.bytes_ && *bytes_ == *other.bytes_);
    }

private:
    std::shared_ptr<const std::vector<std::byte>> bytes_;
};

using TracedType = std::shared_ptr<const ptx::ParameterType>; ///< with the variable's name

/// A variable's bytes before a line runs. Of arrays and structures of a thread there may be fewer
/// than the type has (ptx::kMostTracedBytes).
struct TracedValue {
    TracedType type;
    TracedBytes bytes;
    bool is_shared = false; ///< in shared memory
};

/// A part of a variable in shared memory that a line reads or writes.
struct TracedTouch {
    TracedType type; ///< of the variable
    std::uint32_t offset = 0, bytes = 0;
    bool reads = false, writes = false;
    bool operator==(const TracedTouch&) const = default;
};

struct TraceStep {
    std::string function; ///< as the source spells it
    std::string file;     ///< as given to the compiler
    int line = 0;         ///< from 1
    int depth = 0;        ///< calls around it
    /// The function ends: `line` ran before, and `values` are its last ones.
    bool is_end = false;
    std::vector<TracedValue> values; ///< before the line, in the order of their declarations
    std::vector<TracedTouch> touched;
};

/// What the records of a kernel mean.
struct TraceMeaning {
    ptx::TracePlan plan;
    std::vector<std::string> functions; ///< as the source spells them
    std::vector<std::string> files;     ///< by number
};

/// A warp of a block, and the lane of it that leads.
struct WarpPlace {
    Dim3 block{0, 0, 0}, block_size{1, 1, 1};
    unsigned warp = 0, leader = 0;
    bool has_leader = false; ///< the block has the thread

    LATHE_API static WarpPlace of(const Dim3& block, const Dim3& thread, const Dim3& block_size);
    /// threadIdx of a lane, which may be behind the block's last one.
    LATHE_API Dim3 thread(unsigned lane) const;
    /// Lanes that the block has threads for.
    LATHE_API std::uint32_t lanes() const;
};

class LATHE_API TracedWarp {
public:
    using Records = std::array<std::vector<std::byte>, 32>;

    /// `cut`: lanes that had more records. `dynamic_bytes` of shared memory.
    TracedWarp(std::shared_ptr<const TraceMeaning> meaning, const WarpPlace& place, Records records,
               std::uint32_t cut, std::uint32_t dynamic_bytes);

    const WarpPlace& place() const { return place_; }
    /// Lanes whose records end before the launch does.
    std::uint32_t cut() const { return cut_; }

    /// All that a lane did. Only the leader's steps have the values of variables in shared memory.
    /// Takes as long as there are steps. `is_cut` becomes true where they would take too much
    /// memory, and end before.
    std::vector<TraceStep> steps(unsigned lane, bool* is_cut = nullptr) const;

    /// Lanes that are at a step of the leader together with it. Of lanes at different places those
    /// go on that are at the first one in the code, until they reach the others.
    std::uint32_t active(std::size_t step) const;
    /// The step of a lane that is one of the leader's; nothing where the lane is not there.
    std::optional<std::size_t> step_of(unsigned lane, std::size_t step) const;

private:
    void find_types();
    void align();
    /// A variable in shared memory at an address.
    std::optional<std::size_t> variable_at(std::uint32_t address) const;

    std::shared_ptr<const TraceMeaning> meaning_;
    WarpPlace place_;
    Records records_;
    std::uint32_t cut_ = 0, dynamic_bytes_ = 0;
    std::vector<TracedType> types_;                       ///< of the plan's variables
    std::vector<std::optional<std::uint32_t>> addresses_; ///< of those in shared memory
    std::vector<std::uint32_t> active_;                   ///< by the leader's steps
    std::vector<std::array<std::uint32_t, 32>> together_; ///< steps of the lanes
};

} // namespace lathe::gpu
