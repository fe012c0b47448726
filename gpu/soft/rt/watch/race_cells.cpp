// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/race_cells.h"

#include <algorithm>
#include <utility>

namespace lathe::soft {

void RaceCells::make(std::uint32_t shift) {
    shift_ = shift;
    cells_ = std::make_unique<std::uint32_t[]>(kArrays * std::size_t{bytes_ >> shift});
}

void RaceCells::split(std::uint32_t shift) {
    const std::uint32_t by = shift_ - shift;
    const std::uint32_t before = bytes_ >> shift_, after = bytes_ >> shift;
    const auto larger = std::exchange(cells_, nullptr);
    make(shift);
    for (std::uint32_t array = 0; array < kArrays; ++array)
        for (std::uint32_t k = 0; k < after; ++k)
            cells_[array * after + k] = larger[array * before + (k >> by)];
}

void RaceCells::forget(std::uint32_t offset, std::uint32_t bytes) {
    if (!cells_) return;
    const RaceRow row = at(offset, bytes, bytes);
    for (const RaceRow::Column& column : {row.write, row.read, row.other_read})
        std::fill_n(column.numbers, row.count, 0u);
}

} // namespace lathe::soft
