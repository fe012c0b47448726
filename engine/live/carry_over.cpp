// SPDX-License-Identifier: MIT
#include "engine/live/carry_over.h"

#include <algorithm>

namespace lathe {

std::vector<Diagnostic> carry_over(const std::vector<Diagnostic>& diagnostics,
                                   std::string_view before, std::string_view after) {
    const auto lines_of = [](std::string_view text) {
        std::vector<std::string_view> lines;
        for (std::size_t begin = 0; begin <= text.size();) {
            const auto end = std::min(text.find('\n', begin), text.size());
            lines.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
        return lines;
    };
    const auto a = lines_of(before), b = lines_of(after);
    const std::size_t shorter = std::min(a.size(), b.size());
    std::size_t head = 0, tail = 0;
    while (head < shorter && a[head] == b[head]) ++head;
    while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    const int shift = int(b.size()) - int(a.size());
    std::vector<Diagnostic> kept;
    for (Diagnostic d : diagnostics) {
        if (d.line <= 0) continue; // of no line: the next compile says it again
        const auto line = std::size_t(d.line - 1);
        if (line >= a.size() - tail) d.line += shift;
        else if (line >= head) continue;
        kept.push_back(std::move(d));
    }
    return kept;
}

} // namespace lathe
