// SPDX-License-Identifier: MIT
// How many registers a function's values need at one time: counted by hand.
#include "gpu/ptx/parser.h"
#include "gpu/ptx/registers.h"

#include <gtest/gtest.h>

#include <string>

namespace lathe::ptx {
namespace {

std::uint32_t registers_of(const std::string& body, const std::string& before = {}) {
    const ParseResult parsed = parse(".version 7.0\n.target sm_75\n.address_size 64\n" + before +
                                     ".visible .entry k(.param .u64 p) {\n"
                                     ".reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<99>;\n" +
                                     body + "}\n");
    EXPECT_TRUE(parsed.ok()) << body;
    return live_registers(parsed.module, *parsed.module.find_function("k"));
}

TEST(LiveRegisters, NothingNeedsNone) { EXPECT_EQ(registers_of("ret;"), 0u); }

TEST(LiveRegisters, AValueLivesFromItsWriteToItsLastRead) {
    EXPECT_EQ(registers_of("mov.u32 %r1, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;"
                           "ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], %r3; ret;"),
              3u); // %r3 and %rd1
    EXPECT_EQ(registers_of("mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; add.u32 %r4, %r1, %r2;"
                           "add.u32 %r5, %r4, %r3; ret;"),
              3u);
    EXPECT_EQ(registers_of("mov.u64 %rd1, 1; mov.u64 %rd2, 2; add.u64 %rd3, %rd1, %rd2; ret;"), 4u);
    EXPECT_EQ(registers_of("setp.eq.u32 %p1, 1, 2; selp.u32 %r1, 1, 2, %p1; ret;"), 1u);
}

TEST(LiveRegisters, VectorsAndAddressesCount) {
    EXPECT_EQ(registers_of("ld.param.u64 %rd1, [p]; ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1];"
                           "st.global.v4.u32 [%rd1], {%r1,%r2,%r3,%r4}; ret;"),
              6u);
}

TEST(LiveRegisters, LoopsKeepWhatTheyReadAgain) {
    EXPECT_EQ(registers_of("mov.u32 %r1, 0; mov.u32 %r2, 7; mov.u32 %r3, 9; L: "
                           "add.u32 %r1, %r1, %r2; add.u32 %r4, %r1, 1; setp.lt.u32 %p1, %r4, 100;"
                           "@%p1 bra L; add.u32 %r5, %r1, %r3; ret;"),
              4u); // the sum, the step, what is added behind the loop, and %r4
}

TEST(LiveRegisters, AGuardedWriteKeepsTheOldValue) {
    EXPECT_EQ(registers_of("mov.u32 %r1, 1; mov.u32 %r2, 2; setp.eq.u32 %p1, %r2, 3;"
                           "@%p1 mov.u32 %r1, 5; add.u32 %r3, %r1, %r2; ret;"),
              2u);
}

TEST(LiveRegisters, ListsOfTargets) {
    EXPECT_EQ(registers_of("mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 0;"
                           "all: .branchtargets A, B; brx.idx %r3, all;"
                           "A: add.u32 %r4, %r1, 1; ret; B: add.u32 %r5, %r2, 1; ret;"),
              3u);
}

TEST(LiveRegisters, InnerScopesHaveRegistersOfTheirOwn) {
    EXPECT_EQ(registers_of("mov.u32 %r1, 1; { .reg .b64 %r1; mov.u64 %r1, 2; add.u64 %r1, %r1, 1; }"
                           "add.u32 %r2, %r1, 1; ret;"),
              3u);
}

TEST(LiveRegisters, CalledFunctionsComeOnTop) {
    const std::string before = ".func (.param .b32 out) f(.param .b32 in) {"
                               " .reg .b32 %r<9>; ld.param.u32 %r1, [in]; add.u32 %r2, %r1, 1;"
                               " add.u32 %r3, %r1, %r2; mul.lo.u32 %r4, %r3, %r2;"
                               " st.param.b32 [out], %r4; ret; }\n";
    EXPECT_EQ(registers_of("mov.u32 %r1, 1; mov.u32 %r2, 2;"
                           "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;"
                           "call (b), f, (a); ld.param.b32 %r3, [b]; }"
                           "add.u32 %r4, %r3, %r2; ret;",
                           before),
              3u); // %r2 beside the two of f
}

} // namespace
} // namespace lathe::ptx
