// SPDX-License-Identifier: MIT
// Words in a text, and other words in their place.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

struct SearchFor {
    std::string words; ///< empty: nothing is found
    bool match_case = false;
    bool whole_words = false; ///< no letter, digit or _ stands beside
    bool operator==(const SearchFor&) const = default;
};

struct SearchHit {
    int line = 0;   ///< from 1
    int column = 0; ///< from 1, bytes
    std::size_t offset = 0;
    bool operator==(const SearchHit&) const = default;
};

/// From the text's beginning on, none within another. Without match_case, letters of ASCII count
/// as the same.
LATHE_API std::vector<SearchHit> find_all(std::string_view text, const SearchFor& what);

/// What stands from the first hit to the end of the last one, with other words for each.
LATHE_API std::string replaced(std::string_view text, const std::vector<SearchHit>& hits,
                               std::size_t bytes, std::string_view with);

} // namespace lathe
