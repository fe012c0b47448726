// SPDX-License-Identifier: MIT
#include "engine/live/kept_folds.h"

#include "engine/core/cache_key.h"
#include "engine/live/line_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace lathe {

namespace {

std::string key_of_lines(std::span<const std::string_view> lines) {
    CacheKey key;
    for (const std::string_view line : lines) key.add(line);
    return key.hex();
}

/// First lines of all places of a text that read as the fold does.
std::vector<std::size_t> places_of(const KeptFold& fold,
                                   const std::vector<std::string_view>& lines) {
    std::vector<std::size_t> places;
    for (std::size_t first = 0; first + fold.lines <= lines.size(); ++first)
        if (lines[first] == fold.row &&
            key_of_lines(std::span{lines}.subspan(first, fold.lines)) == fold.key)
            places.push_back(first);
    return places;
}

} // namespace

std::vector<KeptFold> keep_folds(std::string_view text, std::span<const FoldedLines> folds) {
    std::vector<KeptFold> kept;
    if (folds.empty()) return kept;
    const std::vector<std::string_view> lines = split_lines(text);
    for (const FoldedLines& fold : folds) {
        if (fold.last <= fold.first || fold.last >= lines.size()) continue;
        const std::size_t count = fold.last - fold.first + 1;
        KeptFold& last = kept.emplace_back(
            KeptFold{.lines = count,
                     .row = std::string{lines[fold.first]},
                     .key = key_of_lines(std::span{lines}.subspan(fold.first, count))});
        const std::vector<std::size_t> places = places_of(last, lines);
        last.which = std::size_t(std::ranges::find(places, fold.first) - places.begin());
        last.of = places.size();
    }
    return kept;
}

std::vector<FoldedLines> find_folds(std::string_view text, std::span<const KeptFold> folds) {
    std::vector<FoldedLines> found;
    if (folds.empty()) return found;
    const std::vector<std::string_view> lines = split_lines(text);
    for (const KeptFold& fold : folds) {
        const std::vector<std::size_t> places = places_of(fold, lines);
        if (places.size() != fold.of || fold.which >= places.size()) continue;
        const std::size_t first = places[fold.which];
        found.push_back({first, first + fold.lines - 1});
    }
    return found;
}

std::string to_text(std::span<const KeptFold> folds) {
    std::string text;
    for (const KeptFold& fold : folds)
        text +=
            fmt::format("{} {}/{} {} {}\n", fold.lines, fold.which, fold.of, fold.key, fold.row);
    return text;
}

std::vector<KeptFold> parse_folds(std::string_view text) {
    std::vector<KeptFold> folds;
    for (const std::string_view line : split_lines(text)) {
        KeptFold fold;
        char key[33] = {};
        int end = 0; // of the key
        const std::string words{line};
        const int read = std::sscanf(words.c_str(), "%9zu %9zu/%9zu %32s%n", &fold.lines,
                                     &fold.which, &fold.of, key, &end);
        if (read != 4 || fold.lines < 2 || std::size_t(end) >= words.size()) continue;
        fold.key = key;
        fold.row = words.substr(std::size_t(end) + 1);
        folds.push_back(std::move(fold));
    }
    return folds;
}

} // namespace lathe
