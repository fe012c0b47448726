// SPDX-License-Identifier: MIT
// Dotted words that do not belong to an opcode, or not together, are refused where they stand.
#include "tests/soft/ptx/texts.h"

using namespace lathe;
using namespace lathe::ptx;

namespace {

/// "column text" of the only error of an instruction in a line of its own, or "" where it is good.
std::string fault(const std::string& line) {
    const auto errors =
        parse(".version 9.0\n.target sm_75\n.address_size 64\n.entry k()\n{\n" + line + "\n}\n")
            .errors;
    if (errors.empty()) return {};
    if (errors.size() > 1 || errors[0].line != 6) return "another error";
    return std::to_string(errors[0].column) + ' ' + errors[0].text;
}

} // namespace

TEST(PtxForms, NamePlaceAndCause) {
    EXPECT_EQ(fault("mad.xx.s32 %r1, %r2, %r3, %r4;"), "4 '.xx' is no modifier of 'mad'");
    EXPECT_EQ(fault("  @%p1 mad.lo.xx.s32 %r1, %r2, %r3, %r4;"),
              "14 '.xx' is no modifier of 'mad'");
    EXPECT_EQ(fault("mad.lo.wide.s32 %r1, %r2, %r3, %r4;"), "7 '.wide' does not go with 'mad.lo'");
    EXPECT_EQ(fault("mad.s32 %r1, %r2, %r3, %r4;"), "1 'mad.s32' lacks a modifier or a type");
    EXPECT_EQ(fault("add.sat.f64 %fd1, %fd1, %fd1;"), "8 '.f64' does not go with 'add.sat'");
    EXPECT_EQ(fault("add.pred %p1, %p2, %p3;"), "4 '.pred' is no type of 'add'");
    EXPECT_EQ(fault("ret.f32;"), "4 '.f32' is no type of 'ret'");
    EXPECT_EQ(fault("bra.uni.uni L;"), "8 '.uni' does not go with 'bra.uni'");
}

// ptxas 13.0 refuses each of these words.
TEST(PtxForms, RefuseWhatCannotBe) {
    for (const char* const line :
         {"add.rn.rz.f32 %f1, %f2, %f3;",
          "add.u8 %h1, %h1, %h1;",
          "add %r1, %r2, %r3;",
          "add.ftz.f64 %d1, %d1, %d1;",
          "add.s32.s32 %r1, %r2, %r3;",
          "mul.s32 %r1, %r2, %r3;",
          "mul.wide.s64 %rd1, %rd2, %rd3;",
          "mul.sat.s32 %r1, %r2, %r3;",
          "fma.f32 %f1, %f2, %f3, %f4;",
          "div.f32 %f1, %f2, %f3;",
          "sqrt.f32 %f1, %f2;",
          "rsqrt.rn.f32 %f1, %f2;",
          "sin.f32 %f1, %f2;",
          "ex2.approx.f64 %d1, %d1;",
          "and.s32 %r1, %r2, %r3;",
          "shl.s32 %r1, %r2, 3;",
          "popc.u32 %r1, %r2;",
          "setp.s32 %p1, %r1, %r2;",
          "setp.gtu.s32 %p1, %r1, %r2;",
          "setp.lt.b32 %p1, %r1, %r2;",
          "selp.pred %p1, %p2, %p3, %p4;",
          "cvt.f32.s32 %f1, %r1;",
          "cvt.rn.s32.f32 %r1, %f1;",
          "cvt.ftz.s32.s64 %r1, %rd1;",
          "cvt.u32 %r1, %r2;",
          "ld.relaxed.ca.gpu.u32 %r1, [%rd1];",
          "ld.volatile.nc.global.u32 %r1, [%rd1];",
          "ld.release.gpu.u32 %r1, [%rd1];",
          "ld.relaxed.u32 %r1, [%rd1];",
          "ld.global.shared.u32 %r1, [%rd1];",
          "st.acquire.gpu.u32 [%rd1], %r1;",
          "st.const.u32 [%rd1], %r1;",
          "ld.pred %p1, [%rd1];",
          "atom.global.sub.u32 %r1, [%rd1], 1;",
          "atom.global.inc.u64 %rd1, [%rd1], 1;",
          "atom.global.cas.f32 %f1, [%rd1], %f1, %f2;",
          "red.global.exch.b32 [%rd1], 1;",
          "shfl.sync.left.b32 %r1, %r2, 1, 31, -1;",
          "shfl.sync.up.f32 %f1, %f2, 1, 31, -1;",
          "vote.sync.ballot.pred %p1, %p2, -1;",
          "bar.sync.u32 0;",
          "membar.gpu;",
          "fence.sc;",
          "bra.sync L;",
          "call.wide f;",
          "mov.v2 %r1, %r2;",
          "prmt.b32.xyz %r1, %r2, %r3, %r4;",
          "tex.4d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];",
          "tex.2d.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];",
          "wmma.load.a.sync.aligned.m16n16k16.f16 {%r1}, [%rd1];",
          "mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32 {%f1}, {%r1}, {%r1}, {%f1};"})
        EXPECT_NE(fault(line), "") << line;
}

// ptxas 13.0 takes modifiers in any order, and so do we.
TEST(PtxForms, AnyOrderOfModifiers) {
    for (const char* const line :
         {"add.f32.rn %f1, %f2, %f3;", "add.ftz.rn.f32 %f1, %f2, %f3;",
          "ld.global.volatile.u32 %r1, [%rd1];", "ld.u32.global %r1, [%rd1];",
          "setp.and.lt.s32 %p1, %r1, %r2, %p2;", "atom.add.global.u32 %r1, [%rd1], 1;",
          "shfl.down.sync.b32 %r1, %r2, 1, 31, -1;", "cvt.f32.rn.s32 %f1, %r1;",
          "ld.gpu.relaxed.global.u32 %r1, [%rd1];", "add .s32 %r1, %r2, %r3;"})
        EXPECT_EQ(fault(line), "") << line;
}
