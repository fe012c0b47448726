// SPDX-License-Identifier: MIT
// Numbers in sources: where they are, what they mean, and what they become when they move. Values
// are compared with strtod and with this compiler's own reading of the same number.
#include "engine/live/literal.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

using namespace lathe;

namespace {

std::vector<std::string> texts(std::string_view source) {
    std::vector<std::string> out;
    for (const Literal& l : find_literals(source)) out.emplace_back(l.text(source));
    return out;
}
using Texts = std::vector<std::string>;

LiteralNumber number(std::string_view text) {
    const auto n = LiteralNumber::parse(text);
    EXPECT_TRUE(n) << text;
    return n.value_or(*LiteralNumber::parse("0"));
}

/// After a step in the place that the text suggests.
std::string step(std::string_view text, std::int64_t steps = 1) {
    const LiteralNumber n = number(text);
    return n.moved(steps, n.step_place()).text();
}

template <class T> T as(const LiteralNumber& n) {
    const auto bytes = n.bytes();
    T value{};
    EXPECT_EQ(bytes.size(), sizeof(T)) << n.text();
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(T)));
    return value;
}

} // namespace

TEST(Literal, NumbersAreFoundWithTheirSigns) {
    EXPECT_EQ(texts("x = 0.037f * y + 3;"), (Texts{"0.037f", "3"}));
    EXPECT_EQ(texts("x = -0.5f; f(-1, - 2, a - 3, a -4, (b)-5, c[0]-6);"),
              (Texts{"-0.5f", "-1", "2", "3", "4", "5", "0", "6"}));
    EXPECT_EQ(texts("return -1; case -2: x = y * -3; z = a < -4 && -5 > b;"),
              (Texts{"-1", "-2", "-3", "-4", "-5"}));
    EXPECT_EQ(texts("-1u; x = -0x1; y = -1L;"), (Texts{"1u", "0x1", "-1L"}))
        << "the minus of an unsigned or hexadecimal number is an operator";
    EXPECT_EQ(texts("v<3>-1"), (Texts{"3", "1"}));
    EXPECT_EQ(texts(".5f + 1. + 1.e3 + 1'000'000 + 0x1.8p3f + 0b101 + 017"),
              (Texts{".5f", "1.", "1.e3", "1'000'000", "0x1.8p3f", "0b101", "017"}));
}

TEST(Literal, NamesStringsAndCommentsHaveNone) {
    EXPECT_EQ(texts("float3 a1 = f2(_3, b4c); v.s0 = x2;"), Texts{});
    EXPECT_EQ(texts("// 1\n/* 2\n3 */ char c = '4'; auto s = \"5 \\\" 6\"; 7"), Texts{"7"});
    EXPECT_EQ(texts("auto r = R\"x(1 \" )\" 2)x\" + 3;"), Texts{"3"});
    EXPECT_EQ(texts("float F, //@ 0.01..0.1 =0.037\n float G = 2; // 3 \\\n 4\n5"),
              (Texts{"2", "5"}));
    EXPECT_EQ(texts("asm(\"add.s32 %0, %1, 16;\" : \"=r\"(a) : \"r\"(b)); u8\"1\"; L'2'"), Texts{});
    EXPECT_EQ(texts("#include <a/b1.h>\n#include \"c 2.h\"\n#error it isn't 3\n#line 4\n5"),
              Texts{"5"});
    EXPECT_EQ(texts("1.2.3 + 5f + 08 + 0x + 1e + 2_km + 1.0L + 3lL + 99999999999999999999"),
              Texts{})
        << "no numbers, or of no type that a variable can have";
}

TEST(Literal, ThePreprocessorsNumbersKnowTheirPlace) {
    const std::string_view source = "#define N 16\n"
                                    "#define AXPY(a2, x) ((a2) * x + \\\n"
                                    "                     -2.5f)\n"
                                    "#define M -3\n"
                                    "  # if N > 7 /* two\n lines */ && 8\n"
                                    "int x = 9;\n"
                                    "#pragma unroll 4\n";
    const auto all = find_literals(source);
    ASSERT_EQ(texts(source), (Texts{"16", "-2.5f", "-3", "7", "8", "9", "4"}));
    using enum LiteralPlace;
    const LiteralPlace places[] = {macro, macro, macro, directive, directive, code, directive};
    const int lines[] = {1, 3, 4, 5, 6, 7, 8};
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].place, places[i]) << i;
        EXPECT_EQ(all[i].line, lines[i]) << i;
    }
    EXPECT_EQ(all[1].column, 22);
}

TEST(Literal, ThePlaceUnderTheCaretMayBeItsEnd) {
    const std::string_view source = "a\nb = 0.5f + x;";
    for (int column = 5; column <= 9; ++column)
        EXPECT_EQ(literal_at(source, 2, column)->text(source), "0.5f") << column;
    EXPECT_FALSE(literal_at(source, 2, 4));
    EXPECT_FALSE(literal_at(source, 2, 10));
    EXPECT_FALSE(literal_at(source, 1, 5));
}

TEST(Literal, TypesAreThoseOfThisCompiler) {
#define SAME_TYPE(text)                                                                            \
    EXPECT_EQ(name_of(number(#text).type()), type_name(text)) << #text;                            \
    EXPECT_EQ(as<decltype(text)>(number(#text)), text) << #text
    const auto type_name = []<class T>(T) -> std::string_view {
        if constexpr (std::is_same_v<T, int>) return "int";
        else if constexpr (std::is_same_v<T, unsigned>) return "unsigned int";
        else if constexpr (std::is_same_v<T, long>) return "long";
        else if constexpr (std::is_same_v<T, unsigned long>) return "unsigned long";
        else if constexpr (std::is_same_v<T, long long>) return "long long";
        else if constexpr (std::is_same_v<T, unsigned long long>) return "unsigned long long";
        else if constexpr (std::is_same_v<T, float>) return "float";
        else return "double";
    };
    SAME_TYPE(0);
    SAME_TYPE(-7);
    SAME_TYPE(2147483647);
    SAME_TYPE(2147483648);
    SAME_TYPE(-2147483648);
    SAME_TYPE(0x7fffffff);
    SAME_TYPE(0xffffffff);
    SAME_TYPE(0xFFFFFFFFF);
    SAME_TYPE(0xffffffffffffffff);
    SAME_TYPE(3u);
    SAME_TYPE(4294967296U);
    SAME_TYPE(3l);
    SAME_TYPE(3Lu);
    SAME_TYPE(3ll);
    SAME_TYPE(3uLL);
    SAME_TYPE(18446744073709551615ULL);
    SAME_TYPE(017);
    SAME_TYPE(0b1010'1010u);
    SAME_TYPE(1'000'000);
    SAME_TYPE(0.1f);
    SAME_TYPE(-0.1);
    SAME_TYPE(.5F);
    SAME_TYPE(1.);
    SAME_TYPE(1e-3f);
    SAME_TYPE(1E+10);
    SAME_TYPE(1'234.567'8);
    SAME_TYPE(0x1.8p3f);
    SAME_TYPE(0X.Cp-2);
    SAME_TYPE(1e-45f);
    SAME_TYPE(3.14159265358979323846);
    SAME_TYPE(3.14159265358979323846264338327950288f);
#undef SAME_TYPE
}

TEST(Literal, AStepChangesTheLastDigit) {
    EXPECT_EQ(step("0.037f"), "0.038f");
    EXPECT_EQ(step("0.037f", -40), "-0.003f");
    EXPECT_EQ(step("0.099f"), "0.100f");
    EXPECT_EQ(step("2.0"), "2.1");
    EXPECT_EQ(step("100.0f"), "100.1f");
    EXPECT_EQ(step("-0.50f", 60), "0.10f");
    EXPECT_EQ(step("7"), "8");
    EXPECT_EQ(step("-1", 2), "1");
    EXPECT_EQ(step("7", -9), "-2");
    EXPECT_EQ(as<float>(number("1e-60f")), 0.0f);
    EXPECT_EQ(number("0.037f").moved(0, -1).text(), "0.037f");
    // One digit alone would jump: the next place moves.
    EXPECT_EQ(step("0.5f"), "0.51f");
    EXPECT_EQ(step("1.f"), "1.1f");
    EXPECT_EQ(step("1e-3f"), "1.1e-3f");
    EXPECT_EQ(step("0.0f"), "0.01f");
    // Of many digits the fourth moves, and the rest stays.
    EXPECT_EQ(step("3.14159265f"), "3.14259265f");
    EXPECT_EQ(step("1234.5678"), "1235.5678");
}

TEST(Literal, TheSpellingStays) {
    EXPECT_EQ(step(".5f"), ".51f");
    EXPECT_EQ(step(".99"), "1.00");
    EXPECT_EQ(step("0x0fU"), "0x10U");
    EXPECT_EQ(step("0xFE"), "0xFF");
    EXPECT_EQ(step("0X0e"), "0X0f");
    EXPECT_EQ(step("0b0111"), "0b1000");
    EXPECT_EQ(step("017"), "020");
    EXPECT_EQ(step("999'999"), "1'000'000");
    EXPECT_EQ(step("1'000", -1), "999");
    EXPECT_EQ(step("0xff'ff'ffu", -1), "0xff'ff'feu");
    EXPECT_EQ(number("0.000'999").moved(1, -6).text(), "0.001'000");
    EXPECT_EQ(step("1.5E-3F"), "1.6E-3F");
    EXPECT_EQ(step("0x1.8p3"), "0x1.9p3");
    EXPECT_EQ(step("12ull"), "13ull");
    EXPECT_EQ(number("0.5f").moved(3, -3).text(), "0.503f") << "finer";
    EXPECT_EQ(number("0.50f").moved(3, 0).text(), "3.50f") << "coarser";
    EXPECT_EQ(number("0x10").moved(1, 1).text(), "0x20");
}

TEST(Literal, NumbersEndWhereTheirTypeEnds) {
    EXPECT_EQ(step("3u", -9), "0u");
    EXPECT_EQ(step("0x3", -9), "0x0") << "no minus in front of it";
    EXPECT_EQ(step("2147483647"), "2147483647") << "2147483648 is a long";
    EXPECT_EQ(step("2147483648", -5), "2147483643") << "a long is never less than itself";
    EXPECT_EQ(step("4294967295u", 9), "4294967295u");
    EXPECT_EQ(step("0x80000000", -9), "0x80000000") << "0x7fffffff is an int";
    EXPECT_EQ(step("18446744073709551610ull", 99), "18446744073709551615ull");
    EXPECT_EQ(step("9.9e37f", 1000000), "9.9e37f") << "no infinity";
    EXPECT_EQ(number("5").moved(std::numeric_limits<std::int64_t>::min(), 0).text(), "-2147483647");
}

TEST(Literal, AValueOfTheProgramsGetsTheSpelling) {
    EXPECT_EQ(number("0.037f").with_value(0.1)->text(), "0.1f");
    EXPECT_EQ(number("0.037f").with_value(std::int64_t{2})->text(), "2.0f");
    EXPECT_EQ(number("0.037").with_value(-1e-30)->text(), "-1e-30");
    EXPECT_EQ(number("0xFFu").with_value(std::int64_t{171})->text(), "0xABu");
    EXPECT_EQ(number("1'000").with_value(1234567.0)->text(), "1'234'567");
    EXPECT_FALSE(number("3").with_value(0.5));
    EXPECT_FALSE(number("3u").with_value(std::int64_t{-1}));
    EXPECT_FALSE(number("3").with_value(3e9));
    EXPECT_FALSE(number("1.0f").with_value(1e39));
}

TEST(Literal, TheTextMeansWhatTheVariableGets) {
    std::mt19937_64 random{7};
    const char* const starts[] = {"0.037f", "1e-3", "-2.5F", ".001", "123.456e2f", "0x1.9ap-3f"};
    for (const char* start : starts) {
        LiteralNumber n = number(start);
        const int place = n.step_place();
        for (int i = 0; i < 2000; ++i) {
            n = n.moved(std::int64_t(random() % 2001) - 1000, place - int(random() % 2));
            if (n.type() == LiteralType::float_) {
                EXPECT_EQ(as<float>(n), std::strtof(n.text().c_str(), nullptr)) << n.text();
            } else {
                EXPECT_EQ(as<double>(n), std::strtod(n.text().c_str(), nullptr)) << n.text();
            }
            const auto again = LiteralNumber::parse(n.text());
            ASSERT_TRUE(again) << n.text();
            EXPECT_EQ(again->bytes(), n.bytes()) << n.text();
        }
    }
}

TEST(Literal, ANegativeNumberBehindAMinusHasParentheses) {
    const std::string_view source = "x = a-2.5f - 1;";
    const auto all = find_literals(source);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(with_text(source, all[0], in_place(all[0], number("-0.5f"))), "x = a-(-0.5f) - 1;");
    EXPECT_EQ(with_text(source, all[0], in_place(all[0], number("0.5f"))), "x = a-0.5f - 1;");
    EXPECT_EQ(with_text(source, all[1], in_place(all[1], number("-1"))), "x = a-2.5f - -1;");
}

TEST(Literal, AVariableTakesThePlaceWithoutMovingLines) {
    const std::string_view source = "#define K -0.5f\nint f() { return 3; }\n#if 1\n#endif\n";
    const auto all = find_literals(source);
    ASSERT_EQ(all.size(), 3u);
    const auto of_macro = with_variable(source, all[0]);
    ASSERT_TRUE(of_macro);
    EXPECT_TRUE(of_macro->starts_with("extern \"C\" __constant__ float ")) << *of_macro;
    EXPECT_NE(of_macro->find("#line 1\n#define K (+"), of_macro->npos) << *of_macro;
    EXPECT_TRUE(of_macro->ends_with("return 3; }\n#if 1\n#endif\n"));
    EXPECT_FALSE(with_variable(source, all[2])) << "a directive's";
    // One compile serves all values.
    std::string later{source};
    later.replace(later.find("3;"), 1, "45");
    EXPECT_EQ(with_variable(later, find_literals(later)[1]), with_variable(source, all[1]));
}
