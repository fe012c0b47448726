// SPDX-License-Identifier: MIT
// Kernels that flush subnormal numbers by the processor's mode: which do, and that they give the
// bits of those that flush each number by itself.
#include "gpu/soft/jit/flushing.h"
#include "tests/soft/jit/mini_runtime.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace lathe::soft::test {
namespace {

using Row = std::array<std::uint32_t, 3>;

/// out[i] = d of `code`, with the words a, b, c of row i.
std::string kernel_of(const std::string& code, const std::string& outside = {}) {
    return fmt::format(R"(
.version 8.0
.target sm_75
.address_size 64
{}
.visible .entry k(.param .u64 out, .param .u64 in)
{{
    .reg .pred %p;
    .reg .b16 %h;
    .reg .b32 %r, %s;
    .reg .f32 %a, %b, %c, %d, %e;
    .reg .f64 %x;
    .reg .b64 %o, %i;
    .local .align 8 .b8 depot[8];
    ld.param.u64 %o, [out];
    ld.param.u64 %i, [in];
    mov.u32 %r, %tid.x;
    mov.u32 %s, %ctaid.x;
    mad.lo.u32 %r, %s, 128, %r;
    mad.wide.u32 %o, %r, 4, %o;
    mad.wide.u32 %i, %r, 12, %i;
    ld.global.f32 %a, [%i];
    ld.global.f32 %b, [%i+4];
    ld.global.f32 %c, [%i+8];
    mov.f32 %d, %a;
    mov.f64 %x, 0d3FF0000000000000;
    {}
    st.global.f32 [%o], %d;
    ret;
}}
)",
                       outside, code);
}

/// Numbers whose sums, products and quotients lie around the smallest normal number, and edges.
std::vector<Row> rows() {
    static const std::uint32_t edges[] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
        0x80800000, 0x00800001, 0x00ffffff, 0x3f7fffff, 0x3f800000, 0x3f800001, 0xbf800000,
        0x3f000000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x40000000, 0x1f800000};
    std::vector<Row> rows;
    for (const std::uint32_t a : edges)
        for (const std::uint32_t b : edges) rows.push_back({a, b, edges[rows.size() % 21]});
    std::mt19937 random{7};
    const auto number = [&](int exponent) {
        const auto field = static_cast<std::uint32_t>(std::clamp(exponent + 127, 0, 254));
        return field << 23 | (static_cast<std::uint32_t>(random()) & 0x807fffffu);
    };
    while (rows.size() % 128 || rows.size() < 8192) {
        const int first = static_cast<int>(random() % 250) - 125;
        const int near = static_cast<int>(random() % 5) - 128;
        const bool product = random() % 2;
        rows.push_back({number(first), number(product ? near - first : first - near),
                        number(static_cast<int>(random() % 30) - 130)});
    }
    for (std::uint32_t k = 0; k < 128; ++k) // products with the number below one, and beside it
        rows.push_back({0x00800000 + k % 8, 0x3f7fffff - k / 8, k % 2 ? 0x80000000 : 0});
    return rows;
}

std::vector<std::uint32_t> results(Program& program, const std::vector<Row>& in) {
    std::vector<std::uint32_t> out(in.size());
    Shape shape;
    shape.grid[0] = static_cast<std::uint32_t>(in.size() / 128);
    shape.block[0] = 128;
    program.run(shape, out.data(), in.data());
    return out;
}

bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

TEST(Flushing, GivesTheBitsOfEachNumberByItself) {
    const std::vector<Row> in = rows();
    for (const char* code : {
             "add.ftz.f32 %d, %a, %b;",
             "sub.ftz.f32 %d, %a, %b;",
             "mul.ftz.f32 %d, %a, %b;",
             "mul.ftz.sat.f32 %d, %a, %b;",
             "fma.rn.ftz.f32 %d, %a, %b, %c;",
             "div.rn.ftz.f32 %d, %a, %b;",
             "div.approx.ftz.f32 %d, %a, %b;",
             "div.full.ftz.f32 %d, %a, %b;",
             "rcp.rn.ftz.f32 %d, %a;",
             "sqrt.rn.ftz.f32 %d, %a;",
             "rsqrt.approx.ftz.f32 %d, %a;",
             "ex2.approx.ftz.f32 %d, %a;",
             "lg2.approx.ftz.f32 %d, %a;",
             "sin.approx.ftz.f32 %d, %a;",
             "cos.approx.ftz.f32 %d, %a;",
             "min.ftz.f32 %d, %a, %b; mul.ftz.f32 %e, %d, %d;",
             "max.ftz.f32 %d, %a, %b; mul.ftz.f32 %e, %d, %d;",
             "abs.ftz.f32 %d, %a; mul.ftz.f32 %e, %d, %d;",
             "neg.ftz.f32 %d, %a; mul.ftz.f32 %e, %d, %d;",
             // Bits alone: nothing is flushed.
             "neg.f32 %d, %a; mul.ftz.f32 %e, %d, %d;",
             "abs.f32 %d, %a; mul.ftz.f32 %e, %d, %d;",
             "copysign.f32 %d, %a, %b; mul.ftz.f32 %e, %d, %d;",
             "setp.lt.ftz.f32 %p, %a, %b; selp.f32 %d, %a, %b, %p;",
             "setp.ge.ftz.f32 %p, %a, %b; selp.f32 %d, %b, %a, %p;",
             "setp.gtu.ftz.f32 %p, %a, 0f3F800000; selp.f32 %d, 0f3F800000, %a, %p;",
             "setp.gt.ftz.f32 %p, %a, %b; @%p bra done; mov.f32 %d, %b; done:",
             "setp.eq.ftz.f32 %p, %a, 0f00000000; selp.f32 %d, %b, %a, %p;",
             "setp.gtu.ftz.f32 %p, %a, %c; @%p mov.f32 %d, %c;",
             "set.le.ftz.f32.f32 %d, %a, %b;",
             "slct.ftz.f32.f32 %d, %a, %b, %c;",
             "cvt.rni.ftz.f32.f32 %d, %a; mul.ftz.f32 %e, %d, %d;",
             "cvt.sat.ftz.f32.f32 %d, %a; mul.ftz.f32 %e, %d, %d;",
             "cvt.rpi.ftz.s32.f32 %r, %a; cvt.rn.f32.s32 %d, %r; mul.ftz.f32 %e, %d, %d;",
             "cvt.rz.f32.u32 %d, %r; mul.ftz.f32 %d, %d, %a;",
             "cvt.rn.f16.f32 %h, %a; cvt.f32.f16 %d, %h; mul.ftz.f32 %e, %d, %d;",
             "mov.b32 %r, %b; cvt.u16.u32 %h, %r; cvt.f32.f16 %d, %h; mul.ftz.f32 %e, %d, %d;",
             // LLVM knows what these give.
             "mul.ftz.f32 %d, %a, 0f3F800000;",
             "mul.ftz.f32 %d, %a, 0fBF800000;",
             "add.ftz.f32 %d, %a, 0f00000000;",
             "add.ftz.f32 %d, %a, 0f80000000;",
             "sub.ftz.f32 %d, %a, 0f00000000;",
             "sub.ftz.f32 %d, 0f80000000, %a;",
             "div.rn.ftz.f32 %d, %a, 0f3F800000;",
             "div.rn.ftz.f32 %d, %a, 0fBF800000;",
             "fma.rn.ftz.f32 %d, %a, 0f3F800000, 0f80000000;",
             "mul.ftz.f32 %d, %a, 0f00800000; mul.ftz.f32 %d, %d, 0f4B000000;",
             // What is made of constants alone.
             "mul.ftz.f32 %d, 0f00800000, 0f3F000000; add.ftz.f32 %d, %d, %a;",
         }) {
        Program by_mode{kernel_of(code)};
        // An addition of doubles, which nothing reads: the mode would flush them, too.
        Program by_hand{kernel_of(std::string{code} + " add.f64 %x, %x, %x;")};
        EXPECT_EQ(by_mode.info().flushes, jit::can_flush()) << code;
        EXPECT_FALSE(by_hand.info().flushes) << code;
        const auto got = results(by_mode, in), wanted = results(by_hand, in);
        unsigned shown = 0;
        for (std::size_t k = 0; k < in.size() && shown < 3; ++k) {
            if (got[k] == wanted[k] || (is_nan(got[k]) && is_nan(wanted[k]))) continue;
            ++shown;
            ADD_FAILURE() << fmt::format("{} of {:08x} {:08x} {:08x}: {:08x}, by hand {:08x}", code,
                                         in[k][0], in[k][1], in[k][2], got[k], wanted[k]);
        }
    }
}

TEST(Flushing, NotWhereItWouldChangeOtherResults) {
    const std::string flushes = "mul.ftz.f32 %d, %a, %b; ";
    for (const char* code : {
             "add.f32 %d, %d, %a;",
             "fma.rn.f32 %d, %d, %a, %b;",
             "mul.rz.ftz.f32 %d, %d, %a;",
             "sqrt.rn.f32 %d, %d;",
             "max.f32 %d, %d, %a;",
             "tanh.approx.f32 %d, %a;",
             "ex2.approx.f32 %d, %a;",
             "setp.lt.f32 %p, %a, %b; selp.f32 %d, %a, %d, %p;",
             "cvt.rpi.s32.f32 %r, %a;",
             "cvt.sat.f32.f32 %d, %a;",
             "cvt.f64.f32 %x, %a;",
             "cvt.rn.ftz.f32.f64 %d, %x;",
             "fma.rn.f64 %x, %x, %x, %x;",
             "neg.f64 %x, %x;",
             "cvt.rn.f64.s32 %x, %r;",
             "add.rn.bf16 %h, %h, %h;",
             "testp.subnormal.f32 %p, %a; selp.f32 %d, %a, %d, %p;",
             "atom.shared.add.f32 %d, [tile], %a;",
             "atom.global.add.f64 %x, [%o], %x;",
             "call (%d), other, (%a);",
         }) {
        const std::string outside = ".shared .align 4 .b8 tile[4];\n"
                                    ".extern .func (.reg .f32 y) other(.reg .f32 x);\n";
        EXPECT_FALSE(Program{kernel_of(flushes + code, outside)}.info().flushes) << code;
    }
    EXPECT_FALSE(Program{kernel_of("mov.f32 %d, %b;")}.info().flushes); // nothing asks for it
}

TEST(Flushing, WithWhatTheModeDoesNotTouch) {
    const std::string flushes = "mul.ftz.f32 %d, %a, %b; ";
    for (const char* code : {
             "atom.shared.add.u32 %r, [tile], %r;",
             "red.global.add.f32 [%o], %d;",
             "cvt.ftz.f64.f32 %x, %a; st.local.f64 [depot], %x;",
             "cvt.rn.f32.u32 %d, %r;",
             "call (%d), own, (%a);",
         }) {
        const std::string outside = ".shared .align 4 .b8 tile[4];\n"
                                    ".func (.reg .f32 y) own(.reg .f32 x) {\n"
                                    "    add.ftz.f32 y, x, x;\n    ret;\n}\n";
        EXPECT_EQ(Program{kernel_of(flushes + code, outside)}.info().flushes, jit::can_flush())
            << code;
    }
    // What the kernel calls counts.
    const std::string outside = ".func (.reg .f32 y) own(.reg .f32 x) {\n"
                                "    add.f32 y, x, x;\n    ret;\n}\n";
    EXPECT_FALSE(Program{kernel_of(flushes + "call (%d), own, (%a);", outside)}.info().flushes);
}

} // namespace
} // namespace lathe::soft::test
