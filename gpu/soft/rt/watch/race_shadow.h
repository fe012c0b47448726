// SPDX-License-Identifier: MIT
// Data races: for each piece of memory, as large as the smallest access there so far (1 to 16
// bytes), who wrote last and who has read since. An access is a race where it conflicts with one of
// these and nothing orders the two:
//   - both only read, are atomic, or (volatile, relaxed ...) are meant for other threads: no race;
//     but lanes of one warp race in shared memory with volatile, too, as nothing else orders them;
//   - both write the same value: tolerated;
//   - threads of one block: ordered by barriers, by fences with what is read behind them, and
//     within a warp by __syncwarp(). Shuffles and votes order no memory, as CUDA says;
//   - threads of different blocks: ordered by fences and what is read behind them alone.
#pragma once

#include "gpu/soft/rt/watch/site.h"

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace lathe::soft {

class BlockOrder;

/// An access by lanes of one warp at one place.
struct WatchedAccess {
    const WatchSite* site = nullptr; ///< null: none
    std::uint32_t block = 0;         ///< of the grid; of shared memory a number of its own
    std::uint32_t clock = 0;
    std::uint32_t lanes = 0;
    std::uint32_t warp = 0;
};

/// Two that race, with a thread of each.
struct Race {
    WatchedAccess first;
    std::uint32_t first_thread = 0, second_thread = 0; ///< of the block
    bool in_one_step = false;     ///< lanes of a warp store to one place at once
    bool is_pending_copy = false; ///< the first one is an asynchronous copy that may still run
};

/// Orders accesses of other blocks and what this one does now: BlockInGrid of grid_watch.h.
class GridOrder {
public:
    virtual ~GridOrder() = default;
    virtual bool is_before(const WatchedAccess& first) = 0;
};

struct RaceCell {
    WatchedAccess write, read, other_read;
};

class RaceRules {
public:
    /// `grid` is null for shared memory.
    RaceRules(const BlockOrder& order, GridOrder* grid) : order_{order}, grid_{grid} {}

    /// Looks, and notes the access. `same_value`: it writes what is there already. True where it
    /// races; then `race` says with what.
    bool access(RaceCell& cell, const WatchedAccess& now, bool same_value, Race& race) const;

private:
    bool races(const WatchedAccess& first, const WatchedAccess& now, Race& race) const;
    bool is_stale(const WatchedAccess& a, const WatchedAccess& now) const {
        return !a.site || (!grid_ && a.block != now.block);
    }
    void note_read(RaceCell& cell, const WatchedAccess& now) const;

    const BlockOrder& order_;
    GridOrder* grid_;
};

/// The cells of a piece of memory.
class RaceCells {
public:
    /// `bytes`: a multiple of 16.
    explicit RaceCells(std::uint32_t bytes) : bytes_{bytes} {}

    /// Those of [offset, offset + bytes), which is aligned to its size.
    struct Range {
        RaceCell* first;
        std::uint32_t count;
        std::uint32_t bytes; ///< of each
    };
    Range at(std::uint32_t offset, std::uint32_t bytes) {
        const auto wanted = static_cast<std::uint32_t>(std::countr_zero(bytes | 16u));
        if (cells_.empty()) {
            shift_ = wanted;
            cells_.resize(bytes_ >> shift_);
        } else if (wanted < shift_) {
            split(wanted);
        }
        const std::uint32_t first = offset >> shift_;
        return {&cells_[first], (bytes + (1u << shift_) - 1) >> shift_, 1u << shift_};
    }
    std::uint32_t bytes() const { return bytes_; }
    void clear() { cells_.clear(); }
    /// Nobody has accessed these bytes.
    void forget(std::uint32_t offset, std::uint32_t bytes) {
        if (cells_.empty()) return;
        const Range range = at(offset, bytes);
        for (std::uint32_t k = 0; k < range.count; ++k) range.first[k] = {};
    }

private:
    void split(std::uint32_t shift);
    std::uint32_t bytes_, shift_ = 4;
    std::vector<RaceCell> cells_;
};

} // namespace lathe::soft
