// SPDX-License-Identifier: MIT
#include "engine/live/open_bracket.h"

#include <gtest/gtest.h>

#include <string>

using namespace lathe;

namespace {

std::string open_in(const std::string& source) {
    const auto open = find_open_bracket(source);
    if (!open) return "none";
    return std::string{open->bracket} + std::to_string(open->line) + ':' +
           std::to_string(open->column);
}

Diagnostic error(int line, std::string text, std::string file = "a.cu") {
    return {std::move(file), line, 0, Diagnostic::Severity::error, std::move(text)};
}

} // namespace

TEST(OpenBracket, TheInnermostThatIsOpenAtTheEnd) {
    EXPECT_EQ(open_in("void f() { a(); }\n"), "none");
    EXPECT_EQ(open_in("void f() {\n    a();\n"), "{1:10");
    EXPECT_EQ(open_in("void f() {\n    for (;;) {\n        a();\n"), "{2:14");
    EXPECT_EQ(open_in("void f() {\n    a(1, [2;\n}\n"), "[2:10");
}

TEST(OpenBracket, IndentationShowsWhereOneWasForgotten) {
    EXPECT_EQ(open_in("void f() {\n    if (x) {\n        a();\n}\n\nvoid g() {\n}\n"), "{2:12");
    EXPECT_EQ(open_in("void f()\n{\n    if (x)\n    {\n        a();\n}\n"), "{4:5");
    EXPECT_EQ(open_in("void f() {\n    a();\n\nvoid g() {\n    b();\n}\n"), "{1:10")
        << "the function before";
}

TEST(OpenBracket, CommentsTextsAndBranchesDoNotCount) {
    EXPECT_EQ(open_in("void f() { // }\n/* } */ g(\"}\"); h('}');\n"), "{1:10");
    EXPECT_EQ(open_in("// {\nvoid f() { g(\"{\"); }\n"), "none");
    EXPECT_EQ(open_in("#ifdef A\nvoid f(int x) {\n#else\nvoid f(float x) {\n#endif\n}\n"), "none");
    EXPECT_EQ(open_in("#ifdef A\nvoid f(int x) {\n#else\nvoid f(float x) {\n#endif\n"), "{2:15");
    EXPECT_EQ(open_in("#if 0\nvoid f() {\n#endif\nvoid g() {}\n"), "none");
    EXPECT_EQ(open_in("#define BEGIN {\nvoid g() {}\n"), "none");
}

TEST(OpenBracket, TheErrorGoesThere) {
    const std::string source = "void f() {\n    if (x) {\n        a();\n}\n\n";
    const auto found = point_at_open_bracket(
        {error(3, "identifier \"a\" is undefined"), error(4, "expected a \"}\"")}, source, "a.cu");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].line, 2);
    EXPECT_EQ(found[0].column, 12);
    EXPECT_EQ(found[0].text, "missing }: the { opened at line 2 is not closed "
                             "(line 4: expected a \"}\")");
    EXPECT_EQ(found[1].line, 3);
}

TEST(OpenBracket, WhatFollowsFromItGoes) {
    const std::string source = "struct A {\n    float x;\nvoid f() {\n}\n";
    Diagnostic note = error(1, "to match this \"{\"");
    note.severity = Diagnostic::Severity::note;
    const auto found = point_at_open_bracket(
        {error(3, "no member"), error(4, "expected a \"}\""), note, error(4, "expected a \";\"")},
        source, "a.cu");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].line, 1);
    EXPECT_EQ(found[1], error(3, "no member"));
}

TEST(OpenBracket, ColumnsCountCharacters) {
    EXPECT_EQ(open_in("void f(/* \xc3\xa9 */) {\n"), "{1:17");
}

TEST(OpenBracket, AnOpenCommentIsAnotherMatter) {
    EXPECT_EQ(open_in("void f() {\n    a(); /* b\n}\n"), "none");
}

TEST(OpenBracket, OtherErrorsStay) {
    const std::string source = "void f() {\n    a(;\n}\nvoid g() {\n";
    const std::vector one{error(2, "expected an expression")};
    EXPECT_EQ(point_at_open_bracket(one, source, "a.cu"), one) << "not at the end";
    const std::vector closed{error(1, "expected a \"}\"")};
    EXPECT_EQ(point_at_open_bracket(closed, "void f() { }", "a.cu"), closed);
    const std::vector header{error(4, "expected a \"}\"", "b.h")};
    EXPECT_EQ(point_at_open_bracket(header, source, "a.cu"), header) << "another file's";
    EXPECT_TRUE(point_at_open_bracket({}, source, "a.cu").empty());
}
