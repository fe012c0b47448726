// SPDX-License-Identifier: MIT
// What is folded away in a text, told by the lines themselves: so it is found again in a later
// text, wherever they stand there, and other lines are never taken for them.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// Lines from 0. The first one stays in sight.
struct FoldedLines {
    std::size_t first = 0, last = 0;
    bool operator==(const FoldedLines&) const = default;
};

/// The same without their place.
struct KeptFold {
    std::size_t lines = 0;
    std::string row; ///< the first line
    std::string key; ///< of all of them
    /// Of all places of the text that read so: the number of this one, from 0, and how many.
    std::size_t which = 0, of = 1;
    bool operator==(const KeptFold&) const = default;
};

/// Lines that the text does not have are left out.
LATHE_API std::vector<KeptFold> keep_folds(std::string_view text,
                                           std::span<const FoldedLines> folds);
/// Where they stand in a text. What does not read so there, or at another number of places, is
/// left out.
LATHE_API std::vector<FoldedLines> find_folds(std::string_view text,
                                              std::span<const KeptFold> folds);

/// A line each: "12 0/1 KEY ROW".
LATHE_API std::string to_text(std::span<const KeptFold> folds);
/// A line that says something else is left out.
LATHE_API std::vector<KeptFold> parse_folds(std::string_view text);

} // namespace lathe
