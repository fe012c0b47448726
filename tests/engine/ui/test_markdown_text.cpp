// SPDX-License-Identifier: MIT
#include "engine/ui/markdown_text.h"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace lathe;
using Kind = MarkdownBlock::Kind;
using Style = MarkdownWord::Style;

std::string words_of(const MarkdownBlock& block) {
    std::string text;
    for (const MarkdownWord& word : block.words) text += (word.spaced ? " " : "") + word.text;
    return text;
}

TEST(MarkdownText, KnowsItsBlocks) {
    const auto blocks = parse_markdown("# Title\n\ntwo\nlines\n\n- one\n  goes on\n- [x] done\n"
                                       "12. twelve\n```cpp\n# no title\n  x\n```\n## Small");
    ASSERT_EQ(blocks.size(), 7u);
    EXPECT_EQ(blocks[0].kind, Kind::title);
    EXPECT_EQ(words_of(blocks[1]), " two lines");
    EXPECT_EQ(blocks[2].mark, "-");
    EXPECT_EQ(words_of(blocks[2]), " one goes on");
    EXPECT_EQ(blocks[3].mark, "[x]");
    EXPECT_EQ(blocks[4].mark, "12.");
    EXPECT_EQ(blocks[5].code, "# no title\n  x");
    EXPECT_EQ(blocks[6].kind, Kind::heading);
}

TEST(MarkdownText, KnowsStylesWithinALine) {
    const auto words = parse_markdown("a **bold one**, `x * y`; 2 * 3").at(0).words;
    ASSERT_EQ(words.size(), 9u);
    EXPECT_EQ(words[1].style, Style::bold);
    EXPECT_EQ(words[3].text, ",");
    EXPECT_FALSE(words[3].spaced);
    EXPECT_EQ(words[4].text, "x * y");
    EXPECT_EQ(words[4].style, Style::code);
    EXPECT_EQ(words[7].text, "*");
}

TEST(MarkdownText, AMarkThatNothingClosesIsText) {
    EXPECT_EQ(words_of(parse_markdown("a `b **c").at(0)), " a `b **c");
    EXPECT_EQ(parse_markdown("```\nrest").at(0).code, "rest");
    EXPECT_TRUE(parse_markdown("").empty());
    EXPECT_TRUE(parse_markdown("\n \n").empty());
}

} // namespace
