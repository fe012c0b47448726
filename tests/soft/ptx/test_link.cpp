// SPDX-License-Identifier: MIT
// Linking of module trees: names, weak and strong definitions, locations.
#include "gpu/ptx/link.h"
#include "gpu/ptx/parser.h"
#include "gpu/ptx/printer.h"
#include "gpu/ptx/verify.h"

#include <gtest/gtest.h>

namespace lathe::ptx {
namespace {

LinkInput input(const std::string& name, const std::string& body,
                const std::string& target = "sm_75", const std::string& version = "8.0") {
    ParseResult parsed =
        parse(".version " + version + "\n.target " + target + "\n.address_size 64\n" + body);
    for (const Diagnostic& d : parsed.errors) ADD_FAILURE() << name << ": " << to_string(d);
    return {name, std::move(parsed.module)};
}

LinkResult linked(std::vector<LinkInput> inputs) {
    LinkResult result = link(inputs);
    if (result.ok()) {
        EXPECT_TRUE(verify(result.module).empty()) << print(result.module);
        const ParseResult again = parse(print(result.module));
        EXPECT_TRUE(again.ok()) << print(result.module);
    }
    return result;
}

const std::string kInternal = ".global .align 4 .u32 own = 1;\n"
                              ".func (.param .b32 r) helper(.param .b32 p)\n{\n"
                              ".reg .b32 %r<2>;\nld.global.u32 %r1, [own];\n"
                              "st.param.b32 [r], %r1;\nret;\n}\n";

TEST(Link, OwnNamesStayApart) {
    const LinkResult r = linked({input("a", kInternal), input("b", kInternal)});
    ASSERT_TRUE(r.ok());
    ASSERT_EQ(r.module.functions.size(), 2u);
    ASSERT_EQ(r.module.variables.size(), 2u);
    EXPECT_EQ(r.module.functions[0].name, "helper");
    EXPECT_NE(r.module.functions[1].name, "helper");
    EXPECT_NE(r.module.variables[1].name, "own");
    const auto& load = std::get<Instruction>(r.module.functions[1].body.statements[1]);
    const auto& address = std::get<Address>(load.operands[1].value);
    EXPECT_EQ(std::get<Symbol>(address.base).name, r.module.variables[1].name);
}

TEST(Link, OwnNamesGiveWayToVisibleOnes) {
    const LinkResult r =
        linked({input("a", kInternal), input("b", ".visible .global .u64 own;\n")});
    ASSERT_TRUE(r.ok());
    EXPECT_NE(r.module.variables[0].name, "own");
    EXPECT_EQ(r.module.variables[1].name, "own");
}

TEST(Link, InitialisersFollow) {
    const LinkResult r = linked({input("a", ".global .u32 own = 1;\n"),
                                 input("b", ".global .u32 own = 2;\n"
                                            ".visible .global .u64 pointer = own;\n")});
    ASSERT_TRUE(r.ok());
    const Variable* pointer = r.module.find_variable("pointer");
    ASSERT_TRUE(pointer && pointer->relocations.size() == 1);
    EXPECT_EQ(pointer->relocations[0].target.name, r.module.variables[1].name);
}

TEST(Link, StrongBeatsWeakAndTheFirstWeakCounts) {
    const std::string weak1 = ".weak .global .u32 v = 1;\n", weak2 = ".weak .global .u32 v = 2;\n";
    LinkResult r = linked({input("a", weak1), input("b", weak2)});
    ASSERT_EQ(r.module.variables.size(), 1u);
    EXPECT_EQ(r.module.variables[0].init.at(0), 1);
    r = linked({input("a", weak1), input("b", ".visible .global .u32 v = 3;\n")});
    ASSERT_EQ(r.module.variables.size(), 1u);
    EXPECT_EQ(r.module.variables[0].init.at(0), 3);
}

TEST(Link, ShapesMustAgree) {
    LinkResult r =
        linked({input("a", ".extern .global .u32 v;\n"), input("b", ".visible .global .u64 v;\n")});
    ASSERT_EQ(r.errors.size(), 1u);
    EXPECT_EQ(r.errors[0], "v has 4 bytes in a and 8 in b");
    r = linked({input("a", ".extern .func f(.param .b32 p);\n"),
                input("b", ".visible .func f(.param .b64 p)\n{\nret;\n}\n")});
    ASSERT_EQ(r.errors.size(), 1u);
    EXPECT_EQ(r.errors[0], "f has other parameters in a than in b");
    r = linked({input("a", ".extern .func f();\n"), input("b", ".visible .global .u64 f;\n")});
    EXPECT_FALSE(r.ok());
}

TEST(Link, WhatNobodyDefines) {
    const std::string declarations = ".extern .func f(.param .b32 p);\n.extern .global .u32 v;\n"
                                     ".extern .shared .align 16 .b8 s[];\n";
    const LinkResult r = linked({input("a", declarations), input("b", declarations)});
    ASSERT_TRUE(r.ok());
    EXPECT_EQ(r.undefined_functions, std::vector<std::string>{"f"});
    EXPECT_EQ(r.undefined_variables, std::vector<std::string>{"v"});
    EXPECT_EQ(r.module.variables.size(), 2u);
    EXPECT_EQ(r.module.functions.size(), 1u);
}

TEST(Link, TheHighestVersionAndTarget) {
    const LinkResult r = linked({input("a", "", "sm_80", "7.8"), input("b", "", "sm_75", "8.3")});
    EXPECT_EQ(r.module.target, "sm_80");
    EXPECT_EQ(r.module.version_major, 8);
    EXPECT_EQ(r.module.version_minor, 3);
}

TEST(Link, LocationsKeepTheirFiles) {
    auto body = [](const char* kernel, const char* file, int line) {
        return std::string{".visible .entry "} + kernel + "()\n{\n.loc 1 " + std::to_string(line) +
               " 3\nret;\n}\n.file 1 \"" + file + "\"\n";
    };
    const LinkResult r =
        linked({input("a", body("f", "a.cu", 7)), input("b", body("g", "b.cu", 9))});
    ASSERT_TRUE(r.ok());
    auto place = [&](std::size_t function) {
        const auto& statements = r.module.functions[function].body.statements;
        const Location* at = r.module.location(std::get<Instruction>(statements.at(0)).location);
        return std::string{r.module.file_name(at->file)} + ":" + std::to_string(at->line);
    };
    EXPECT_EQ(place(0), "a.cu:7");
    EXPECT_EQ(place(1), "b.cu:9");
}

} // namespace
} // namespace lathe::ptx
