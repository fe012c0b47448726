// SPDX-License-Identifier: MIT
// The books of one chunk of the device heap: which blocks were cut from it, and what of it is live.
// They take a word and two bits for 16 bytes, and no memory of their own for each block.
#pragma once

#include "gpu/soft/rt/bit_runs.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lathe::soft {

/// Addresses are offsets into the chunk.
class HeapChunk {
public:
    static constexpr std::size_t kBytes = std::size_t{1} << 20;
    static constexpr std::size_t kLargest = kBytes / 2; ///< block
    static constexpr std::size_t kGranule = 16;         ///< blocks begin and end at multiples of it

    struct Block {
        std::size_t begin = 0, bytes = 0; ///< as asked for
        bool is_live = false;
    };
    struct Range {
        std::size_t begin = 0, bytes = 0;
    };

    /// What a block of so many bytes takes: powers of two.
    static std::size_t rounded(std::size_t bytes) {
        return std::bit_ceil(std::max(bytes, kGranule));
    }

    /// A block is live from now on. In its place are no others, but there may have been one that
    /// took as much.
    void open(std::size_t begin, std::size_t bytes) {
        notes_[begin / kGranule] = {bytes, true};
        live_.set(begin / kGranule, rounded(bytes) / kGranule);
    }

    struct Closed {
        std::size_t rounded = 0; ///< what the block took; 0: no live block begins there
        bool was_seen = false;   ///< somebody knows that it may be touched
    };
    Closed close(std::size_t begin) {
        Note& note = notes_[begin / kGranule];
        if (begin % kGranule || !note.is_live()) return {};
        const std::size_t first = begin / kGranule, taken = rounded(note.bytes());
        const std::size_t count = taken / kGranule;
        note = {note.bytes(), false};
        live_.clear(first, count);
        const bool was_seen = seen_.any(first, count);
        if (was_seen) seen_.clear(first, count);
        return {taken, was_seen};
    }

    /// The live blocks around `at` without a gap; 0 bytes where none is there.
    Range live_range(std::size_t at) {
        const std::size_t granule = at / kGranule;
        if (!live_[granule]) return {};
        const std::size_t first = live_.run_begin(granule);
        const std::size_t count = live_.run_end(granule) - first;
        seen_.set(first, count);
        return {first * kGranule, count * kGranule};
    }

    /// A live block is in a range that was told of.
    void note_seen(std::size_t begin, std::size_t rounded) {
        seen_.set(begin / kGranule, rounded / kGranule);
    }

    /// The last block that begins at `at` or before, live or not.
    Block block_before(std::size_t at) const {
        std::size_t granule = at / kGranule;
        while (granule > 0 && !notes_[granule].is_block()) --granule;
        const Note& note = notes_[granule];
        return {granule * kGranule, note.bytes(), note.is_live()};
    }

private:
    static constexpr std::size_t kGranules = kBytes / kGranule;

    /// What is known of a granule: of a block that begins there its bytes, and whether it is live.
    class Note {
    public:
        Note() = default;
        Note(std::size_t bytes, bool is_live)
            : word_{static_cast<std::uint32_t>(bytes) | (is_live ? kLive : 0)} {}

        bool is_block() const { return word_ != 0; }
        bool is_live() const { return (word_ & kLive) != 0; }
        std::size_t bytes() const { return word_ & ~kLive; }

    private:
        static constexpr std::uint32_t kLive = 1u << 31;
        std::uint32_t word_ = 0;
    };

    std::vector<Note> notes_ = std::vector<Note>(kGranules);
    BitRuns live_{kGranules};
    BitRuns seen_{kGranules}; ///< of live ones, those that somebody knows of
};

} // namespace lathe::soft
