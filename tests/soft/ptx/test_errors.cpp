// SPDX-License-Identifier: MIT
// What the parser says of wrong texts, and where.
#include "tests/soft/ptx/texts.h"

using namespace lathe;
using namespace lathe::ptx;

namespace {

const std::string kHead = ".version 8.3\n.target sm_80\n.address_size 64\n";

std::vector<Diagnostic> errors_of(const std::string& rest) { return parse(kHead + rest).errors; }

/// The only error of a module that ends with `rest`; lines count from the first of `rest`.
std::string error(const std::string& rest) {
    const auto errors = errors_of(rest);
    if (errors.size() != 1) return std::to_string(errors.size()) + " errors";
    return std::to_string(errors[0].line - 3) + ':' + std::to_string(errors[0].column) + ' ' +
           errors[0].text;
}

} // namespace

TEST(PtxErrors, NamePlaceAndCause) {
    EXPECT_EQ(error("nonsense"),
              "1:1 expected a directive, a variable or a function, found 'nonsense'");
    EXPECT_EQ(error(".global .u32 ;"), "1:14 expected a variable name, found ';'");
    EXPECT_EQ(error(".global .u33 x;"), "1:9 expected a type, found '.u33'");
    EXPECT_EQ(error(".entry k(){\n  frob.u32 %r1, %r2;\n}"), "2:3 unknown instruction 'frob'");
    EXPECT_EQ(error(".entry k(){\n  add.s32 %r1, %r2\n}"), "3:1 expected ';', found '}'");
    EXPECT_EQ(error(".entry k(){ ret;"), "1:17 expected '}', found the end of the text");
    EXPECT_EQ(error(".entry k(){ mov.f32 %f1, 0f12; }"), "1:26 '0f12' is no number of PTX");
    EXPECT_EQ(error(".global .b8 x[2] = {1, 2, 3};"),
              "1:20 the initialiser of 'x' is longer than the variable");
    EXPECT_EQ(error(".global .b32 x = 1 / 0;"), "1:20 division by zero in a constant expression");
    EXPECT_EQ(error(".global .align 3 .b32 x;"), "1:16 an alignment must be a power of two");
    EXPECT_EQ(error(".file 1 \"open\n"), "1:9 expected a string, found an unclosed string");
    EXPECT_EQ(error("/* open"),
              "1:8 expected a directive, a variable or a function, found an unclosed comment");
}

TEST(PtxErrors, ModulesNeedAHead) {
    for (const char* const text : {"", ".version 8.3", ".target sm_80", "// nothing"}) {
        const auto errors = parse(text).errors;
        ASSERT_EQ(errors.size(), 1u) << text;
        EXPECT_EQ(errors[0].text, "a module needs .version and .target");
    }
}

TEST(PtxErrors, GoOnAfterAStatement) {
    const auto errors =
        errors_of(".entry k(){\n frob;\n ret;\n quux %r1;\n ret;\n}\n.entry l(){ ret; }\n.bad;\n");
    ASSERT_EQ(errors.size(), 3u);
    EXPECT_EQ(errors[1].line, 7);
    EXPECT_EQ(errors[2].line, 11);
    const ParseResult result = parse(kHead + ".entry k(){ frob; ret; }\n.entry l(){ ret; }");
    EXPECT_EQ(result.module.functions.size(), 2u);
}

TEST(PtxErrors, GoOnBehindAListOfOperands) {
    const auto errors =
        errors_of(".entry k(){\n ld.v4.xx.u32 {%r1, %r2, %r3, %r4}, [p];\n ret;\n frob;\n}");
    ASSERT_EQ(errors.size(), 2u);
    EXPECT_EQ(errors[0].line, 5);
    EXPECT_EQ(errors[1].line, 7);
}

TEST(PtxErrors, StopAfterTwenty) {
    std::string body;
    for (int i = 0; i < 100; ++i) body += "frob;\n";
    EXPECT_LE(errors_of(".entry k(){\n" + body + "}").size(), 21u);
}

TEST(PtxErrors, LimitDepthAndSize) {
    EXPECT_FALSE(errors_of(".entry k()" + std::string(100'000, '{')).empty());
    EXPECT_FALSE(errors_of(".global .b32 x = " + std::string(100'000, '(')).empty());
    EXPECT_FALSE(errors_of(".global .b32 x = " + std::string(100'000, '-') + "1;").empty());
    EXPECT_FALSE(errors_of(".global .b32 x[1] = " + std::string(100'000, '{')).empty());
    EXPECT_FALSE(errors_of(".entry k(){ mov.b32 " + std::string(100'000, '{') + "}").empty());
    EXPECT_FALSE(errors_of(".global .b64 x[99999999999999];").empty());
    EXPECT_FALSE(errors_of(".global .b8 x[2][900000000000] = {{1}, {2}};").empty());
    EXPECT_FALSE(errors_of(".entry k(){ .reg .b32 %r<4294967295>; }").empty());
    std::string dotted = ".entry k(){ add";
    for (int i = 0; i < 40; ++i) dotted += ".x";
    EXPECT_FALSE(errors_of(dotted + "; }").empty());
}
