// SPDX-License-Identifier: MIT
// Percentiles of measured times: of frames, of benchmarks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace lathe {

/// Where the percentile by nearest rank stands among `count` (> 0) ascending values: the smallest
/// value that at least `share` (0 to 1) of all values do not exceed.
inline std::size_t nearest_rank(std::size_t count, double share) {
    const double rank = std::ceil(share * static_cast<double>(count));
    return static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
}

/// `sorted` ascends and is not empty.
inline double percentile(std::span<const double> sorted, double share) {
    return sorted[nearest_rank(sorted.size(), share)];
}

/// The percentile of one half. At least one value, in any order.
inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return percentile(values, 0.5);
}

} // namespace lathe
