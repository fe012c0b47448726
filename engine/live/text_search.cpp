// SPDX-License-Identifier: MIT
#include "engine/live/text_search.h"

#include "engine/live/source_tokens.h"

#include <algorithm>
#include <cctype>

namespace lathe {

namespace {

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
    const bool starts =
        begin == 0 || !is_word_character(text[begin]) || !is_word_character(text[begin - 1]);
    const bool ends =
        end == text.size() || !is_word_character(text[end - 1]) || !is_word_character(text[end]);
    return starts && ends;
}

} // namespace

std::vector<SearchHit> find_all(std::string_view text, const SearchFor& what) {
    std::vector<SearchHit> hits;
    if (what.words.empty()) return hits;
    const auto same = [&](char a, char b) {
        return a == b || (!what.match_case && std::tolower(static_cast<unsigned char>(a)) ==
                                                  std::tolower(static_cast<unsigned char>(b)));
    };
    int line = 1;
    std::size_t line_begin = 0, counted = 0;
    for (auto from = text.begin();;) {
        const auto at = std::search(from, text.end(), what.words.begin(), what.words.end(), same);
        if (at == text.end()) return hits;
        const auto offset = std::size_t(at - text.begin());
        if (what.whole_words && !stands_alone(text, offset, offset + what.words.size())) {
            from = at + 1;
            continue;
        }
        for (; counted < offset; ++counted)
            if (text[counted] == '\n') {
                ++line;
                line_begin = counted + 1;
            }
        hits.push_back({line, int(offset - line_begin) + 1, offset});
        from = at + std::ptrdiff_t(what.words.size());
    }
}

std::string replaced(std::string_view text, const std::vector<SearchHit>& hits, std::size_t bytes,
                     std::string_view with) {
    std::string out;
    for (std::size_t i = 0; i < hits.size(); ++i) {
        out += with;
        const std::size_t end = hits[i].offset + bytes;
        if (i + 1 < hits.size()) out += text.substr(end, hits[i + 1].offset - end);
    }
    return out;
}

} // namespace lathe
