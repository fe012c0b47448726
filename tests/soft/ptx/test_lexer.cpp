// SPDX-License-Identifier: MIT
#include "gpu/ptx/lexer.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

using namespace lathe::ptx;
using Kind = Token::Kind;

namespace {

std::string spelled(std::string_view text) {
    Lexer lexer{text};
    std::string words;
    for (Token token = lexer.next(); !token.is(Kind::end); token = lexer.next()) {
        words += token.is(Kind::invalid) ? "?" : std::string{token.text};
        words += '|';
    }
    return words;
}

} // namespace

TEST(PtxLexer, SplitsInstructions) {
    EXPECT_EQ(spelled("ld.global.nc.v4.f32 {%f1,_},[%rd4+-8];"),
              "ld|.global|.nc|.v4|.f32|{|%f1|,|_|}|,|[|%rd4|+|-|8|]|;|");
    EXPECT_EQ(spelled("@!%p1 bra $L__BB0_2;"), "@|!|%p1|bra|$L__BB0_2|;|");
    EXPECT_EQ(spelled(".L2::128B .shared::cta a : b"), ".L2::128B|.shared::cta|a|:|b|");
    EXPECT_EQ(spelled("mov.u32 %r1, %tid.x;"), "mov|.u32|%r1|,|%tid|.x|;|");
}

TEST(PtxLexer, SplitsNumbers) {
    EXPECT_EQ(spelled("0f3F800000 0d3FF0 1.5e-3 2e+4 0x1fU+4 9.0 12"),
              "0f3F800000|0d3FF0|1.5e-3|2e+4|0x1fU|+|4|9.0|12|");
}

TEST(PtxLexer, SkipsCommentsAndCountsLines) {
    Lexer lexer{"// one\n/* two\n three */ word\n\t.dot"};
    const Token word = lexer.next();
    EXPECT_EQ(word.text, "word");
    EXPECT_EQ(word.line, 3u);
    EXPECT_EQ(word.column, 11u);
    const Token dotted = lexer.next();
    EXPECT_EQ(dotted.line, 4u);
    EXPECT_EQ(dotted.column, 2u);
    EXPECT_TRUE(lexer.next().is(Kind::end));
    EXPECT_TRUE(lexer.next().is(Kind::end));
}

TEST(PtxLexer, ReadsStrings) {
    EXPECT_EQ(spelled("\"a b\" \"c\\\"d\""), "a b|c\\\"d|");
    EXPECT_EQ(spelled("\"open\nnext"), "?|next|");
}

TEST(PtxLexer, MarksWhatPtxLacks) {
    EXPECT_EQ(spelled("a # b"), "a|?|b|");
    EXPECT_EQ(spelled("a /* never"), "a|?|");
    EXPECT_EQ(spelled(std::string_view{"a\0b", 3}), "a|?|b|");
}

TEST(PtxLexer, TouchingTellsComponentsFromTypes) {
    Lexer lexer{"%v.x %v .x"};
    const Token v = lexer.next(), x = lexer.next(), apart = lexer.next(), y = lexer.next();
    EXPECT_TRUE(v.touches(x));
    EXPECT_FALSE(apart.touches(y));
}

TEST(PtxNumbers, Integers) {
    EXPECT_EQ(number_value("12")->bits, 12u);
    EXPECT_EQ(number_value("12")->type, Type::s64);
    EXPECT_EQ(number_value("12U")->type, Type::u64);
    EXPECT_EQ(number_value("0xffffffffffffffff")->bits, ~std::uint64_t{0});
    EXPECT_EQ(number_value("0xffffffffffffffff")->type, Type::u64);
    EXPECT_EQ(number_value("017")->bits, 15u);
    EXPECT_EQ(number_value("0b101")->bits, 5u);
    EXPECT_EQ(number_value("0")->bits, 0u);
    EXPECT_FALSE(number_value("18446744073709551616"));
    EXPECT_FALSE(number_value("09"));
    EXPECT_FALSE(number_value("12abc"));
    EXPECT_FALSE(number_value("0x"));
}

TEST(PtxNumbers, Floats) {
    EXPECT_EQ(number_value("0f3F800000")->type, Type::f32);
    EXPECT_EQ(number_value("0f3F800000")->bits, 0x3F800000u);
    EXPECT_EQ(number_value("0dbff0000000000000")->bits, std::bit_cast<std::uint64_t>(-1.0));
    EXPECT_EQ(number_value("1.5e3")->bits, std::bit_cast<std::uint64_t>(1500.0));
    EXPECT_EQ(number_value("1.5e3")->type, Type::f64);
    EXPECT_FALSE(number_value("0f3F80"));
    EXPECT_FALSE(number_value("0f3F8000000"));
    EXPECT_FALSE(number_value("0fXYZWXYZW"));
}
