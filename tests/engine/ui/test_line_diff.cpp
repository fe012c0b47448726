// SPDX-License-Identifier: MIT
// Differences of random texts make one text of the other, and are as few as the table of longest
// common subsequences says.
#include "engine/ui/line_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using lathe::count_of;
using lathe::diff_lines;
using lathe::DiffLine;

namespace {

using Kind = DiffLine::Kind;

/// The lines that one of the two texts has, and whether their numbers count up.
std::string text_of(const std::vector<DiffLine>& lines, Kind other, int DiffLine::* number) {
    std::string text;
    int expected = 1;
    for (const DiffLine& line : lines) {
        if (line.kind == other) {
            EXPECT_EQ(line.*number, 0);
            continue;
        }
        EXPECT_EQ(line.*number, expected++);
        text.append(line.text).append("\n");
    }
    return text;
}

/// Of two lists of one-letter lines, by the table.
std::size_t common_lines(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> most(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            most[i][j] = a[i - 1] == b[j - 1] ? most[i - 1][j - 1] + 1
                                              : std::max(most[i - 1][j], most[i][j - 1]);
    return most[a.size()][b.size()];
}

std::string in_lines(const std::string& letters) {
    std::string text;
    for (const char c : letters) (text += c) += '\n';
    return text;
}

} // namespace

TEST(LineDiff, OfASmallEdit) {
    const auto lines = diff_lines("a\nb\nc\nd\n", "a\nx\ny\nc\nd");
    const std::vector<DiffLine> expected{{Kind::common, 1, 1, "a"}, {Kind::removed, 2, 0, "b"},
                                         {Kind::added, 0, 2, "x"},  {Kind::added, 0, 3, "y"},
                                         {Kind::common, 3, 4, "c"}, {Kind::common, 4, 5, "d"}};
    EXPECT_EQ(lines, expected);
    EXPECT_EQ(count_of(lines, Kind::added), 2u);
    EXPECT_TRUE(diff_lines("", "").empty());
    EXPECT_EQ(count_of(diff_lines("", "a\nb"), Kind::added), 2u);
    EXPECT_EQ(count_of(diff_lines("a\nb\n", ""), Kind::removed), 2u);
}

TEST(LineDiff, OfRandomTextsIsRightAndShort) {
    std::mt19937 random{7};
    for (int round = 0; round < 400; ++round) {
        std::string a, b;
        for (unsigned n = random() % 24; n > 0; --n) a += char('a' + random() % 5);
        b = a;
        for (unsigned n = random() % 8; n > 0; --n) {
            const std::size_t at = b.empty() ? 0 : random() % b.size();
            if (random() % 2 && !b.empty()) b.erase(at, 1 + random() % 3);
            else b.insert(at, 1 + random() % 3, char('a' + random() % 5));
        }
        const std::string before = in_lines(a), after = in_lines(b);
        const auto lines = diff_lines(before, after);
        ASSERT_EQ(text_of(lines, Kind::added, &DiffLine::before), before) << a << " to " << b;
        ASSERT_EQ(text_of(lines, Kind::removed, &DiffLine::after), after) << a << " to " << b;
        ASSERT_EQ(count_of(lines, Kind::common), common_lines(a, b)) << a << " to " << b;
    }
}
