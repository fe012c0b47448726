// SPDX-License-Identifier: MIT
#include "engine/live/source_tokens.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace lathe;

namespace {

std::vector<std::string> texts_of(const std::vector<Token>& tokens, TokenKind kind) {
    std::vector<std::string> found;
    for (const Token& t : tokens)
        if (t.kind == kind) found.emplace_back(t.text);
    return found;
}

using Words = std::vector<std::string>;

} // namespace

TEST(SourceTokens, NumbersAreWhole) {
    const std::string source = "x1 = 1'000u + .5f - 0x1p-3f * 1e+6 / 2.0f; a[0].y 'c' 3-2";
    EXPECT_EQ(texts_of(tokens_of(source), TokenKind::number),
              (Words{"1'000u", ".5f", "0x1p-3f", "1e+6", "2.0f", "0", "3", "2"}));
    EXPECT_EQ(texts_of(tokens_of(source), TokenKind::word), (Words{"x1", "a", "y"}));
}

TEST(SourceTokens, CommentsAndTextsAreOneTokenEach) {
    const std::string source = "a // b \"c\nd /* e\n// */ f \"g // \\\" h\" R\"x(i ) \" )x\" 'j";
    const auto tokens = tokens_of(source);
    EXPECT_EQ(texts_of(tokens, TokenKind::word), (Words{"a", "d", "f"}));
    EXPECT_EQ(texts_of(tokens, TokenKind::comment), (Words{"// b \"c", "/* e\n// */"}));
    EXPECT_EQ(texts_of(tokens, TokenKind::text),
              (Words{"\"g // \\\" h\"", "R\"x(i ) \" )x\"", "'j"}));
    EXPECT_TRUE(tokens.back().is_open_ended);
    EXPECT_EQ(tokens.back().line, 3);
    EXPECT_EQ(tokens[4].line, 3) << "f";
    EXPECT_EQ(tokens[4].column, 7);
    EXPECT_FALSE(tokens[4].begins_line);
}

TEST(SourceTokens, ADirectiveEndsWithItsLine) {
    const std::string source = "#define A(x) \\\n  { x }\nint b; # c\n  # pragma once\n";
    std::string in;
    for (const Token& t : tokens_of(source))
        if (t.in_directive) in.append(t.text).push_back(' ');
    EXPECT_EQ(in, "# define A ( x ) \\ { x } # pragma once ");
}

namespace {

/// The offsets of the pairs, "0-5 2-3".
std::string pairs_in(const std::string& source) {
    const auto tokens = tokens_of(source);
    const BracketPairs pairs = pair_brackets(tokens);
    std::string out;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (pairs.partner[i] != BracketPairs::kNone && pairs.partner[i] > i)
            out += std::to_string(tokens[i].offset) + '-' +
                   std::to_string(tokens[pairs.partner[i]].offset) + ' ';
    for (const std::size_t i : pairs.unclosed) out += '!' + std::to_string(tokens[i].offset) + ' ';
    return out;
}

} // namespace

TEST(BracketPairs, PairByKindAndSayWhatIsOpen) {
    EXPECT_EQ(pairs_in("(a[b]{c})"), "0-8 2-4 5-7 ");
    EXPECT_EQ(pairs_in("{(a}"), "0-3 !1 ");
    EXPECT_EQ(pairs_in("{a)}"), "0-3 ");
    EXPECT_EQ(pairs_in("({)"), "!0 !1 ") << "a ) does not reach out of a block";
    EXPECT_EQ(pairs_in("{ \"}\" // }\n /* } */ '}' "), "!0 ");
}

TEST(BracketPairs, OneBranchOfAnIfCounts) {
    EXPECT_EQ(pairs_in("#if A\n{\n#else\n{\n#endif\n}"), "6-23 ");
    EXPECT_EQ(pairs_in("#if 0\n{\n#else\n{\n#endif\n}"), "14-23 ");
    EXPECT_EQ(pairs_in("#if 0\n{\n#endif\n"), "");
    EXPECT_EQ(pairs_in("#ifdef A\n{\n#elif B\n}}\n#endif\n}"), "9-29 ");
    EXPECT_EQ(pairs_in("#define A {\n{ }\n"), "12-14 ");
}
