// SPDX-License-Identifier: MIT
#include "engine/live/directive_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace lathe::words {

std::string_view trim(std::string_view s) {
    const auto first = s.find_first_not_of(" \t\r,");
    if (first == s.npos) return {};
    return s.substr(first, s.find_last_not_of(" \t\r,") - first + 1);
}

std::optional<double> number(std::string_view s) {
    s = trim(s);
    if (s.empty()) return {};
    if (s == "true") return 1.0;
    if (s == "false") return 0.0;
    if (s.size() > 1 && (s.back() == 'f' || s.back() == 'F')) s.remove_suffix(1);
    if (s.front() == '+') s.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (error != std::errc{} || end != s.data() + s.size()) return {};
    return value;
}

std::vector<std::string_view> split(std::string_view s, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0;;) {
        const auto end = s.find(separator, begin);
        parts.push_back(trim(s.substr(begin, end - begin)));
        if (end == s.npos) return parts;
        begin = end + 1;
    }
}

std::optional<std::string_view> call_of(std::string_view word, std::string_view name) {
    if (!word.starts_with(name) || word.size() < name.size() + 2 || word[name.size()] != '(' ||
        word.back() != ')')
        return {};
    return word.substr(name.size() + 1, word.size() - name.size() - 2);
}

std::optional<std::pair<double, double>> range(std::string_view word) {
    const auto dots = word.find("..");
    if (dots == word.npos) return {};
    const auto low = number(word.substr(0, dots)), high = number(word.substr(dots + 2));
    if (!low || !high || !(*low < *high)) return {};
    return std::pair{*low, *high};
}

std::string range_problem(std::string_view word) {
    const auto dots = word.find("..");
    if (dots == word.npos) return {};
    const auto low = number(word.substr(0, dots)), high = number(word.substr(dots + 2));
    if (!low || !high) return {};
    return fmt::format("range {}: the first number must be below the second", word);
}

std::size_t end_of_word(std::string_view text, std::size_t begin) {
    int depth = 0;
    std::size_t i = begin;
    if (text[i] == '=')
        while (i + 1 < text.size() && text[i + 1] == ' ') ++i, ++begin;
    for (; i < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')') --depth;
        if (depth <= 0 && i > begin && (text[i] == ' ' || text[i] == '\t' || text[i] == ',')) break;
    }
    return i;
}

std::size_t begin_of_word(std::string_view text, std::size_t from) {
    return std::min(text.find_first_not_of(" \t\r,", from), text.size());
}

} // namespace lathe::words
