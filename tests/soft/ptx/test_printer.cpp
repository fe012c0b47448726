// SPDX-License-Identifier: MIT
#include "gpu/ptx/printer.h"
#include "tests/soft/ptx/same_tree.h"
#include "tests/soft/ptx/texts.h"

using namespace lathe::ptx;
using namespace lathe::ptx::test;

namespace {

/// The body's first instruction printed, which is the text it was read from in the printer's
/// spacing.
std::string printed(const std::string& body) { return print(instruction(body)); }

void expect_kept(const std::string& body) { EXPECT_EQ(printed(body), body); }

} // namespace

TEST(PtxPrinter, KeepsHandWrittenTexts) {
    for (const char* const name : {"corners", "inlined"}) {
        const Module first = parsed(text(name));
        const std::string printed = print(first);
        EXPECT_EQ(difference(first, parsed(printed)), "") << name << '\n' << printed;
    }
}

TEST(PtxPrinter, KeepsInstructions) {
    expect_kept("@!%p1 bra.uni DONE;");
    expect_kept("ld.global.nc.L2::128B.v4.f32 {%f1, _, %f2, %f3}, [%rd1+-16];");
    expect_kept("setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;");
    expect_kept("sust.b.2d.v4.b8.trap [%rd1, {%r1, %r2}], {%rs1, %rs2, %rs3, %rs4};");
    expect_kept("tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f1, %f2}], %f3;");
    expect_kept("vadd.s32.u32.s32.sat.max %r1, %r2, %r3, %r4;");
    expect_kept("prmt.b32.f4e %r1, %r2, %r3, %r4;");
    expect_kept("fma.rn.f32 %f1, %f2, 0f3F800000, %f3;");
    expect_kept("mov.f64 %fd1, 0dBFF0000000000000;");
    expect_kept("mov.u64 %rd1, 18446744073709551615U;");
    expect_kept("mov.u64 %rd1, table+8;");
    expect_kept("mov.u64 %rd1, table-8;");
    expect_kept("st.global.u32 [1024], %r1;");
    expect_kept("call f;");
    expect_kept("call.uni (%r1), f, (%r2, 3);");
    expect_kept("call (%r1), %rd1, (%r2), prototype;");
    expect_kept("call %rd1, (), prototype;");
    expect_kept("mov.u32 %r1, %tid.x;");
    expect_kept("bar.sync 0;");
    expect_kept("ret;");
}

TEST(PtxPrinter, PrintsBuiltTrees) {
    Instruction add;
    add.opcode = Opcode::add;
    add.modifiers = {"rn"};
    add.types = {Type::f32};
    add.operands = {{Register{"%f1"}, false, {}},
                    {Register{"%f2"}, false, {}},
                    {Immediate{Type::f32, 0x3f800000}, false, {}}};
    add.guard = Guard{"%p1", true};
    EXPECT_EQ(print(add), "@!%p1 add.rn.f32 %f1, %f2, 0f3F800000;");
}

TEST(PtxPrinter, PrintsVariables) {
    const auto kept = [](const std::string& line) {
        const Module module = parsed(".version 8.3\n.target sm_80\n.address_size 64\n" + line);
        ASSERT_EQ(module.variables.size(), 1u);
        EXPECT_EQ(print(module.variables[0]), line);
    };
    kept(".global .align 4 .b8 x[16] = {1, 0, 2};");
    kept(".visible .global .f32 x[2] = {0f3F800000, 0f00000000};");
    kept(".global .u16 x[2][2] = {{1, 2}, {65535, 4}};");
    kept(".global .v4 .u32 x[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};");
    kept(".const .u64 x[2] = {generic(y)+8, f-4};");
    kept(".global .b8 x[4] = {0xFF(y), 0xFF00(y+4), 0xFF0000(generic(y)), 7};");
    kept(".extern .shared .align 16 .b8 x[];");
    kept(".global .attribute(.managed) .align 8 .u64 x = 5;");
}
