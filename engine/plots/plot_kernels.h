// SPDX-License-Identifier: MIT
// What the device does for plots: it counts, averages and picks, so that only a little has to be
// copied to the host. All calls are asynchronous on the legacy default stream; they throw
// gpu::TypeError, naming `function`, for complex numbers and structures, and gpu::Error.
#pragma once

#include "gpu/array/array.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lathe::plot_kernels {

/// Words of 64 bits: kHeader of them, then a count for each bin.
struct CountedWords {
    enum Header { low, high, below, above, nan, kHeader };
};
/// Without a range that of the finite values, which are in words `low` and `high` (range_in()).
gpu::Array count(const gpu::Array& array, int bins,
                 const std::optional<std::array<double, 2>>& range, std::string_view function);
/// Of the words, as numpy.histogram chooses it; 0 to 1 where there was no finite value.
std::array<double, 2> range_in(const std::uint64_t* words);

/// Elements 0, `step`, 2 `step` and so on in C order, float64.
gpu::Array each(const gpu::Array& array, std::int64_t step, std::string_view function);

/// Means of blocks of `height` by `width` elements of a two-dimensional array, NaN left out; NaN
/// where nothing else is there. (rows, columns) float64.
gpu::Array means(const gpu::Array& array, std::int64_t height, std::int64_t width,
                 std::string_view function);

} // namespace lathe::plot_kernels
