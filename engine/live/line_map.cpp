// SPDX-License-Identifier: MIT
#include "engine/live/line_map.h"

#include <algorithm>
#include <cstddef>

namespace lathe {

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

LineMap::LineMap(std::string_view before, std::string_view after) {
    const auto a = split_lines(before), b = split_lines(after);
    const std::size_t shorter = std::min(a.size(), b.size());
    std::size_t head = 0, tail = 0;
    while (head < shorter && a[head] == b[head]) ++head;
    while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    lines_ = int(a.size());
    head_ = int(head);
    tail_ = int(tail);
    added_ = int(b.size()) - int(a.size());
}

std::optional<int> LineMap::operator()(int line) const {
    if (line < 1 || line > lines_) return {};
    if (line > lines_ - tail_) return line + added_;
    if (line <= head_) return line;
    return {};
}

} // namespace lathe
