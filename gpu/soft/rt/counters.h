// SPDX-License-Identifier: MIT
// Counters of compiled code. Code that counts adds to 64-bit slots of its worker, without atomics;
// what the slots mean, a table says that comes with the code: each row (a source line) is a sum of
// slots times constants, so that most counts cost no instruction of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lathe::soft {

/// The fields of LatheSoftLineCounters, in its order.
enum class Counter : std::uint8_t {
    executions,
    lanes,
    branches,
    divergent_branches,
    taken_lanes,
    not_taken_lanes,
    global_accesses,
    sectors,
    ideal_sectors,
    shared_accesses,
    bank_conflict_degree,
    atomics,
    atomics_serialised,
    barriers,
    barrier_ticks,
    instructions,
    thread_instructions,
    flops,
    double_flops,
    count
};
constexpr unsigned kCounters = static_cast<unsigned>(Counter::count);

/// Slots that all code has.
enum CounterSlot : std::uint32_t {
    kClockSlot = 0, ///< when the worker's last warp came to a barrier
    kWarpsSlot = 1, ///< warps that began
    kLanesSlot = 2, ///< their lanes
    kFirstFreeSlot = 3
};

struct CounterRow {
    std::string file;
    std::uint32_t line = 0;
    std::string inlined_at;  ///< "file:line" of each call around it, the innermost first, by ";"
    bool by_threads = false; ///< counted one thread at a time
    auto operator<=>(const CounterRow&) const = default;
};

struct CounterTerm {
    std::uint32_t row = 0;
    Counter counter{};
    std::uint32_t slot = 0;
    std::int64_t factor = 1;
};

struct CounterTable {
    std::string kernel;
    std::uint32_t slots = kFirstFreeSlot;
    std::vector<CounterRow> rows;
    std::vector<CounterTerm> terms;
};

using CounterTablePtr = std::shared_ptr<const CounterTable>;

} // namespace lathe::soft
