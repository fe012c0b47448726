// SPDX-License-Identifier: MIT
// Who accessed memory: for each piece, as large as the smallest access there so far (1 to 16
// bytes), the last write and two reads since, as numbers of the access book and sets of lanes. Each
// is an array of its own, so that a row of lanes is a row of cells.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>

namespace lathe::soft {

/// Neighbouring cells.
struct RaceRow {
    struct Column {
        std::uint32_t *numbers, *lanes;
    };
    Column write, read, other_read;
    std::uint32_t count;
    std::uint32_t bytes; ///< of each

    RaceRow cell(std::uint32_t k) const {
        const auto of = [k](const Column& c) { return Column{c.numbers + k, c.lanes + k}; };
        return {of(write), of(read), of(other_read), 1, bytes};
    }
};

/// The cells of a piece of memory.
class RaceCells {
    static constexpr std::uint32_t kArrays = 6;

public:
    static constexpr std::uint32_t kBytesOfCell = kArrays * sizeof(std::uint32_t);
    /// `bytes`: a multiple of 16.
    explicit RaceCells(std::uint32_t bytes) : bytes_{bytes} {}

    /// Those of [offset, offset + bytes), which accesses of `each` bytes make up, aligned to that.
    RaceRow at(std::uint32_t offset, std::uint32_t bytes, std::uint32_t each) {
        const auto wanted = static_cast<std::uint32_t>(std::countr_zero(each | 16u));
        if (!cells_) make(wanted);
        else if (wanted < shift_) split(wanted);
        const std::uint32_t first = offset >> shift_;
        return row(first, (bytes + (1u << shift_) - 1) >> shift_);
    }
    std::uint32_t bytes() const { return bytes_; }
    /// Of cells of bytes or words of 2: else they stay, as numbers of earlier grids mean nothing.
    void give_small_ones_back() {
        if (shift_ < 2) cells_.reset();
    }
    /// Nobody has accessed these bytes.
    void forget(std::uint32_t offset, std::uint32_t bytes);

private:
    void make(std::uint32_t shift);
    void split(std::uint32_t shift);
    RaceRow row(std::uint32_t first, std::uint32_t count) const {
        const std::uint32_t all = bytes_ >> shift_;
        std::uint32_t* const c = cells_.get() + first;
        return {{c, c + all},
                {c + 2 * all, c + 3 * all},
                {c + 4 * all, c + 5 * all},
                count,
                1u << shift_};
    }

    std::uint32_t bytes_, shift_ = 4;
    std::unique_ptr<std::uint32_t[]> cells_;
};

} // namespace lathe::soft
