// SPDX-License-Identifier: MIT
// Which lines differ between two texts.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace lathe {

struct DiffLine {
    enum class Kind { common, removed, added };
    Kind kind = Kind::common;
    int before = 0, after = 0; ///< its number in each text, from 1; 0 where it is not there
    std::string_view text;     ///< without its end; lies in one of the two texts
    bool operator==(const DiffLine&) const = default;
};

/// All lines, in order; of a place that differs those that are removed come first. The texts must
/// outlive them.
std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after);

/// How many lines there are of a kind.
std::size_t count_of(std::span<const DiffLine> lines, DiffLine::Kind kind);

} // namespace lathe
