// SPDX-License-Identifier: MIT
#include "gpu/ptx/verify.h"
#include "tests/soft/ptx/texts.h"

#include <fmt/format.h>

using namespace lathe;
using namespace lathe::ptx;
using namespace lathe::ptx::test;

namespace {

const std::string kHead = ".version 8.3\n.target sm_80\n.address_size 64\n";

std::string joined(const std::vector<Diagnostic>& found, int first_line) {
    std::string text;
    for (const Diagnostic& each : found) {
        if (!text.empty()) text += " & ";
        text += fmt::format("{} {}", each.line - first_line, each.text);
    }
    return text;
}

/// Findings in a module; lines count from the first of `rest`.
std::string module_findings(const std::string& rest) {
    return joined(verify(parsed(kHead + rest)), 3);
}

/// Findings in a body with registers of every kind; its first line is 1.
std::string findings(const std::string& body) { return joined(verify(parsed_body(body)), 11); }

} // namespace

TEST(PtxVerify, FindsNothingInGoodTexts) {
    EXPECT_EQ(joined(verify(parsed(text("corners"))), 0), "");
    EXPECT_EQ(joined(verify(parsed(text("inlined"))), 0), "");
}

TEST(PtxVerify, UndefinedNames) {
    EXPECT_EQ(findings("add.s32 %r1, %r9, 2;"),
              "1 undefined register '%r9' in 'add.s32 %r1, %r9, 2;'");
    EXPECT_EQ(findings("add.s32 %r1, %r01, 2;"),
              "1 undefined register '%r01' in 'add.s32 %r1, %r01, 2;'");
    EXPECT_EQ(findings("\n@%q bra L; L:"), "2 undefined register '%q' in '@%q bra L;'");
    EXPECT_EQ(findings("bra NOWHERE;"), "1 unknown label 'NOWHERE' in 'bra NOWHERE;'");
    EXPECT_EQ(findings("bra p;"), "1 unknown label 'p' in 'bra p;'") << "a parameter is no label";
    EXPECT_EQ(findings("mov.u64 %rd1, table;"),
              "1 unknown symbol 'table' in 'mov.u64 %rd1, table;'");
    EXPECT_EQ(findings("ld.shared.f32 %f1, [tile+4];"),
              "1 unknown symbol 'tile' in 'ld.shared.f32 %f1, [tile+4];'");
    EXPECT_EQ(findings("call f;"), "1 unknown symbol 'f' in 'call f;'");
    EXPECT_EQ(findings("mov.b64 {%r1, %r8}, %rd1;"),
              "1 undefined register '%r8' in 'mov.b64 {%r1, %r8}, %rd1;'");
    EXPECT_EQ(findings("setp.lt.s32 %p1|%p8, %r1, %r2;"),
              "1 undefined register '%p8' in 'setp.lt.s32 %p1|%p8, %r1, %r2;'");
    EXPECT_EQ(findings("t: .branchtargets A, B; A:"), "1 't' names the unknown label 'B'");
    EXPECT_EQ(findings("mov.u32 %r1, %tid.x; mov.u32 %r2, %envreg31; mov.u64 %rd1, %clock64; "
                       "mov.u64 %rd2, %pm3_64;"),
              "");
    EXPECT_EQ(findings("mov.u32 %r1, %envreg32;"),
              "1 undefined register '%envreg32' in 'mov.u32 %r1, %envreg32;'");
}

TEST(PtxVerify, NamesLiveInTheirBlocks) {
    EXPECT_EQ(findings("{ .reg .b32 t; mov.b32 t, 1; }\n{ .reg .b32 t; mov.b32 t, 2; }"), "");
    EXPECT_EQ(findings("{ .reg .b32 %t; }\nmov.b32 %t, 1;"),
              "2 undefined register '%t' in 'mov.b32 %t, 1;'");
    EXPECT_EQ(findings("{ .param .b32 a; }\nst.param.b32 [a], %r1;"),
              "2 unknown symbol 'a' in 'st.param.b32 [a], %r1;'");
    EXPECT_EQ(findings("{ .reg .f32 %r1; add.f32 %r1, %f1, %f2; }"), "")
        << "the inner name hides the outer one";
}

TEST(PtxVerify, DuplicateNames) {
    EXPECT_EQ(findings(".reg .b32 %t;\n.reg .f32 %t;"), "2 register '%t' is declared twice");
    EXPECT_EQ(findings(".reg .b32 %r<3>;"), "1 register '%r' is declared twice");
    EXPECT_EQ(findings("L:\nL: ret;"), "2 label 'L' is set twice");
    EXPECT_EQ(findings(".shared .b32 s;\n.shared .b32 s;"), "2 's' is declared twice");
    EXPECT_EQ(module_findings(".global .b32 x;\n.global .b32 x;"), "2 'x' is declared twice");
    EXPECT_EQ(module_findings(".extern .global .b32 x;\n.global .b32 x;"), "");
    EXPECT_EQ(module_findings(".func f(){ ret; }\n.func f(){ ret; }"),
              "2 function 'f' is defined twice");
    EXPECT_EQ(module_findings(".func f();\n.func f();\n.func f(){ ret; }"), "");
    EXPECT_EQ(module_findings(".func f(.param .b32 a,\n.param .b32 a){ ret; }"),
              "2 'a' is declared twice");
}

TEST(PtxVerify, Initialisers) {
    EXPECT_EQ(module_findings(".global .u64 x = y;"),
              "1 the initialiser of 'x' names the unknown symbol 'y'");
    EXPECT_EQ(module_findings(".global .u64 x = generic(y);\n.global .b8 y[4];"), "");
    EXPECT_EQ(module_findings(".alias a, b;"), "-3 '.alias a' names the unknown function 'b'");
}

TEST(PtxVerify, OperandCounts) {
    EXPECT_EQ(findings("add.s32 %r1, %r2;"), "1 takes 3 operands, has 2 in 'add.s32 %r1, %r2;'");
    EXPECT_EQ(findings("setp.lt.s32 %p1, %r2;"),
              "1 takes 3 to 4 operands, has 2 in 'setp.lt.s32 %p1, %r2;'");
    EXPECT_EQ(findings("ret %r1;"), "1 takes 0 operands, has 1 in 'ret %r1;'");
    EXPECT_EQ(findings("shfl.sync.down.b32 %r1, %r2, 1, 31;"),
              "1 takes 5 operands, has 4 in 'shfl.sync.down.b32 %r1, %r2, 1, 31;'");
    EXPECT_EQ(findings("atom.global.cas.b32 %r1, [%rd1], %r2;"),
              "1 takes 4 to 5 operands, has 3 in 'atom.global.cas.b32 %r1, [%rd1], %r2;'");
}

// ptxas 13.0 refuses each of the bad ones and takes each of the good ones.
TEST(PtxVerify, OperandTypes) {
    const char* const bad[] = {"add.f32 %f1, %f2, 1;",
                               "add.s32 %r1, %r2, 1.0;",
                               "mov.f32 %f1, 0;",
                               "mov.u32 %r1, 0f3F800000;",
                               "add.s32 %f1, %r1, %r1;",
                               "ld.param.u32 %f1, [p];",
                               "ld.param.u64 %r1, [p];",
                               "shl.b64 %rd1, %rd1, %rd2;",
                               "mov.u64 %rd1, %tid.x;",
                               "popc.b64 %rd1, %rd2;",
                               "mul.wide.s32 %r1, %r1, %r2;",
                               "selp.u32 %r1, 1, 0, %r2;",
                               "mov.b64 %rd1, {%r1, %rs2};",
                               "setp.eq.f32 %p1, %f1, 0;",
                               "atom.global.add.u32 %f1, [%rd1], %r1;",
                               "@%r1 ret;",
                               "mul.hi.u32 %f1, %r1, %r2;",
                               "add.s32 1, %r1, %r2;",
                               "add.s32 %rd1, %r1, %r2;",
                               "and.pred %p1, %p2, %r1;",
                               "not.pred %r1, %p1;",
                               "mad.wide.u32 %rd1, %r1, %r2, %r3;",
                               "ld.global.u32 %r1, %rd1;",
                               "ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];"};
    for (const char* const line : bad) EXPECT_NE(findings(line), "") << line;
    const char* const good[] = {"mov.b32 %r1, 0f3F800000;",
                                "mov.b32 %r1, %f1;",
                                "add.f32 %r1, %f1, %r2;",
                                "ld.param.u32 %rd1, [p];",
                                "st.global.u8 [%rd1], %r1;",
                                "cvt.u32.u16 %rd1, %r1;",
                                "cvt.rn.f32.s32 %f1, %rd1;",
                                "shl.b64 %rd1, %rd1, %r2;",
                                "cvt.u64.u32 %rd1, %tid.x;",
                                "selp.b32 %f1, %f2, %f3, %p1;",
                                "mov.b64 %rd1, {%r1, %f2};",
                                "mov.b64 {%r1, _}, %fd1;",
                                "and.b32 %f1, %f1, %f2;",
                                "not.pred %p1, !%p2;",
                                "mov.pred %p1, %p2;",
                                "vote.sync.ballot.b32 %r1, %p1, -1;",
                                "vote.sync.any.pred %p1, %p2, -1;",
                                "ld.global.b16 %r1, [%rd1];",
                                "mad.lo.s32 %r1, %r1, %r2, 1;",
                                "mad.wide.u32 %rd1, %r1, %r2, 7;",
                                "mov.u64 %rd1, p;",
                                "fma.rn.f32 %f1, %f2, 0f3F800000, %f3;",
                                "ld.global.nc.v4.f32 {%f1, %f2, %f3, _}, [%rd1];",
                                "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];"};
    for (const char* const line : good) EXPECT_EQ(findings(line), "") << line;
    EXPECT_EQ(findings("add.s32 %r1, %rd1, 2;"),
              "1 operand 2: a .b64 register where .s32 is needed in 'add.s32 %r1, %rd1, 2;'");
    EXPECT_EQ(findings("@%r1 ret;"), "1 the guard '%r1' is no predicate in '@%r1 ret;'");
}
