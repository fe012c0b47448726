// SPDX-License-Identifier: MIT
// Data races. An access is a race where it conflicts with one that its memory remembers
// (race_cells.h) and nothing orders the two:
//   - both only read, are atomic, or (volatile, relaxed ...) are meant for other threads: no race;
//     but lanes of one warp race in shared memory with volatile, too, as nothing else orders them;
//   - both write the same value: tolerated;
//   - threads of one block: ordered by barriers, by fences with what is read behind them, and
//     within a warp by __syncwarp(). Shuffles and votes order no memory, as CUDA says;
//   - threads of different blocks: ordered by fences and what is read behind them alone.
#pragma once

#include "gpu/soft/rt/watch/access_book.h"
#include "gpu/soft/rt/watch/race_cells.h"

#include <cstdint>

namespace lathe::soft {

class BlockOrder;

/// By lanes of one warp at one place.
struct WatchedAccess : NumberedAccess {
    std::uint32_t number = 0;
    std::uint32_t lanes = 0;
};

/// Two that race, with a thread of each.
struct Race {
    WatchedAccess first{};
    std::uint32_t first_thread = 0, second_thread = 0; ///< of the block
    bool in_one_step = false;     ///< lanes of a warp store to one place at once
    bool is_pending_copy = false; ///< the first one is an asynchronous copy that may still run
};

/// Orders accesses of other blocks and what this one does now: BlockInGrid of grid_watch.h.
class GridOrder {
public:
    virtual ~GridOrder() = default;
    virtual bool is_before(const NumberedAccess& first) = 0;
};

class RaceRules {
public:
    /// `grid` is null for shared memory.
    RaceRules(const BlockOrder& order, GridOrder* grid, const LiveAccesses& live)
        : order_{order}, grid_{grid}, live_{live} {}

    /// Notes the access in a row of cells, `lanes[k]` in the k-th, unless one of them may race with
    /// it: false then, and nothing is noted.
    bool note_harmless(const RaceRow& row, const WatchedAccess& now,
                       const std::uint32_t* lanes) const;
    /// The same for one cell, and the lanes of `now`.
    bool note_harmless(const RaceRow& cell, const WatchedAccess& now) const;
    /// Looks at one cell, and notes the access there. `same_value`: it writes what is there
    /// already. True where it races; then `race` says with what.
    bool access(const RaceRow& cell, const WatchedAccess& now, bool same_value, Race& race) const;

private:
    struct Cell;
    bool races(const WatchedAccess& first, const WatchedAccess& now, Race& race) const;
    bool is_harmless(const RaceRow::Column& column, std::uint32_t count, const WatchedAccess& now,
                     const std::uint32_t* lanes) const;
    bool is_apart(const NumberedAccess& first, const std::uint32_t* first_lanes,
                  const NumberedAccess& now, const std::uint32_t* lanes, std::uint32_t count) const;
    void note_reads(const RaceRow& row, const WatchedAccess& now, const std::uint32_t* lanes) const;
    static void note_read(Cell& cell, const WatchedAccess& now);
    bool is_harmless(const RaceRow::Column& column, const WatchedAccess& now) const {
        const NumberedAccess* const first = live_.find(*column.numbers);
        return !first || is_apart(*first, column.lanes, now, &now.lanes, 1);
    }
    WatchedAccess read(const RaceRow::Column& column) const;

    const BlockOrder& order_;
    GridOrder* grid_;
    LiveAccesses live_;
};

} // namespace lathe::soft
