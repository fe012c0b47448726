// SPDX-License-Identifier: MIT
#include "engine/ui/line_diff.h"

#include <dtl.h>

#include <algorithm>

namespace lathe {

namespace {

using Lines = std::vector<std::string_view>;
using Kind = DiffLine::Kind;

/// A text that ends with a line end has no line behind it.
Lines lines_of(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// What differs behind the lines that both begin with.
void add_changes(std::vector<DiffLine>& out, const Lines& before, const Lines& after, int first) {
    dtl::Diff<std::string_view, Lines> diff{before, after, true};
    diff.compose();
    int old_line = first, new_line = first;
    for (const auto& [text, change] : diff.getSes().getSequence()) {
        switch (change.type) {
        case dtl::SES_DELETE: out.push_back({Kind::removed, old_line++, 0, text}); break;
        case dtl::SES_ADD: out.push_back({Kind::added, 0, new_line++, text}); break;
        default: out.push_back({Kind::common, old_line++, new_line++, text});
        }
    }
}

} // namespace

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after) {
    Lines a = lines_of(before), b = lines_of(after);
    const auto begin = std::ranges::mismatch(a, b);
    const auto head = std::size_t(begin.in1 - a.begin());
    std::size_t tail = 0;
    while (tail < std::min(a.size(), b.size()) - head &&
           a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    std::vector<DiffLine> out;
    for (std::size_t i = 0; i < head; ++i)
        out.push_back({Kind::common, int(i) + 1, int(i) + 1, a[i]});
    add_changes(out, {a.begin() + std::ptrdiff_t(head), a.end() - std::ptrdiff_t(tail)},
                {b.begin() + std::ptrdiff_t(head), b.end() - std::ptrdiff_t(tail)}, int(head) + 1);
    for (std::size_t i = tail; i-- > 0;)
        out.push_back({Kind::common, int(a.size() - i), int(b.size() - i), a[a.size() - 1 - i]});
    return out;
}

std::size_t count_of(std::span<const DiffLine> lines, DiffLine::Kind kind) {
    return std::size_t(std::ranges::count(lines, kind, &DiffLine::kind));
}

} // namespace lathe
