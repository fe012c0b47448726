// SPDX-License-Identifier: MIT
// A device's results against those of another one.
#pragma once

#include "tests/soft/recorded/recording.h"

#include <string>
#include <vector>

namespace lathe::recorded {

struct Comparison {
    bool same = true;
    std::string words;       ///< the first differences, for a person
    std::size_t values = 0;  ///< compared, one by one or by their hash
    std::size_t unequal = 0; ///< bits that differ though within the tolerance
    double worst = 0;        ///< distance in units of the tolerance; 1 is its end
    /// Of the values that may differ (Part::open), how many there are and how many do.
    std::size_t open = 0, open_unequal = 0;
};

/// `fresh` has all values, and the tolerances; `recorded` may have hashes for some.
Comparison compare(const Record& recorded, const Record& fresh);

/// Why results of GPUs and of the software device differ in this case, null where they must not.
const char* known_difference(const std::string& name);
/// Which of a case's rows of operands may differ: those with operands that the PTX ISA excludes, or
/// for which a driver does something else than it says. Empty where none.
std::vector<bool> open_rows(const std::string& name,
                            const std::vector<std::vector<std::uint64_t>>& rows);
/// Whether a list of differences.cpp names the case; rows that a race leaves open are in none.
bool has_open_rows(const std::string& name);
/// The patterns of the list, for finding those that match nothing.
std::vector<std::string> known_difference_patterns();
bool matches(const std::string& pattern, const std::string& name);

} // namespace lathe::recorded
