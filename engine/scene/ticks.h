// SPDX-License-Identifier: MIT
// Round numbers along an axis.
#pragma once

#include "engine/core/api.h"

#include <string>
#include <vector>

namespace lathe {

/// The least of 1, 2 and 5 times powers of ten that is not below `length`, which is above 0.
double round_up(double length);
/// The greatest that is not above it.
double round_down(double length);

/// Multiples of a round step within a range.
struct LATHE_API Ticks {
    double step = 1;
    std::vector<double> values;

    /// With as many decimals as the step needs; large and small numbers with a power of ten.
    std::string label(double value) const;
};

/// At most so many, at least 2, spaces between them; more where that leaves one value. Values that
/// are not finite, and an empty range, have no ticks.
LATHE_API Ticks ticks_between(double low, double high, int most);

} // namespace lathe
