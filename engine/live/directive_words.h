// SPDX-License-Identifier: MIT
// How words of a directive are split and read: numbers, ranges, calls. What they mean is in
// directive.h and follow.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::words {

/// Without blanks and commas at both ends.
std::string_view trim(std::string_view s);

/// "0.5", "1e-3f", "+2", "true" (1), "false" (0); nothing for everything else.
std::optional<double> number(std::string_view s);

/// The parts between separators, trimmed.
std::vector<std::string_view> split(std::string_view s, char separator);

/// The inside of "name(inside)"; nothing where `word` is not of that form.
std::optional<std::string_view> call_of(std::string_view word, std::string_view name);

/// "0.1..0.5"; nothing unless the first number is below the second.
std::optional<std::pair<double, double>> range(std::string_view word);
/// Why a word that looks like a range is none; empty where it does not look like one.
std::string range_problem(std::string_view word);

/// Words end at blanks and commas outside parentheses; a lone `=` takes the next word along.
std::size_t end_of_word(std::string_view text, std::size_t begin);
/// Where the next word begins, or the end of the text.
std::size_t begin_of_word(std::string_view text, std::size_t from);

} // namespace lathe::words
