// SPDX-License-Identifier: MIT
// What only the warp mode does: that kernels are widened at all, indices that wrap between lanes,
// blocks that do not fill their last warp.
#include "gpu/soft/jit/toolchain.h"
#include "tests/soft/jit/mini_runtime.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace lathe::soft::test {
namespace {

// out[t] = t - 5 < 40 (unsigned) ? in[t - 5] : 77, with the index in 32 bits.
constexpr const char* kShifted = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s32 %r2, %r1, -5;
    mov.u32 %r3, 77;
    setp.ge.u32 %p, %r2, 40;
    @%p bra $done;
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd2, %rd4;
    ld.global.u32 %r3, [%rd5];
$done:
    st.global.u32 [%rd1], %r3;
    ret;
}
)";

struct Ran {
    std::vector<std::uint32_t> out = std::vector<std::uint32_t>(1024, 1);
    Outcome outcome;
};

Ran run(const char* text, ExecutionMode mode, const Shape& shape) {
    Ran r;
    std::vector<std::uint32_t> in(64);
    for (std::uint32_t k = 0; k < in.size(); ++k) in[k] = 1000 + k;
    Program program{text, mode};
    r.outcome = program.run(shape, r.out.data(), in.data());
    return r;
}

TEST(Warps, WidthsAndPartialWarps) {
    for (std::uint32_t width : {8u, 16u, 32u}) {
        for (std::uint32_t threads : {1u, 7u, 32u, 45u, 64u, 100u}) {
            const Ran r = run(kShifted, {true, width}, {{1, 1, 1}, {threads, 1, 1}});
            EXPECT_EQ(r.outcome.width, width);
            for (std::uint32_t t = 0; t < 128; ++t) {
                const bool inside = t - 5 < 40;
                EXPECT_EQ(r.out[t], t >= threads ? 1
                                    : inside     ? 1000 + t - 5
                                                 : 77)
                    << "thread " << t << " of " << threads << ", width " << width;
            }
        }
    }
}

// Lanes that end early, and others that leave a loop one by one: in whole warps, too, what follows
// runs for those alone that are left. out[t] = in[t % 64] + (turns t % 7), none where t % 3 == 0.
constexpr const char* kEarly = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    rem.u32 %r2, %r1, 3;
    setp.eq.u32 %p, %r2, 0;
    @%p ret;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    and.b32 %r3, %r1, 63;
    mul.wide.u32 %rd4, %r3, 4;
    add.s64 %rd2, %rd2, %rd4;
    ld.global.u32 %r4, [%rd2];
    rem.u32 %r5, %r1, 7;
    mov.u32 %r6, 0;
$turn:
    setp.ge.u32 %p, %r6, %r5;
    @%p bra $done;
    add.s32 %r6, %r6, 1;
    bra $turn;
$done:
    add.s32 %r4, %r4, %r6;
    st.global.u32 [%rd1], %r4;
    ret;
}
)";

TEST(Warps, LanesThatEndEarlyInWholeWarps) {
    for (std::uint32_t width : {8u, 16u, 32u}) {
        for (std::uint32_t threads : {32u, 40u, 64u, 96u}) {
            const Ran r = run(kEarly, {true, width}, {{1, 1, 1}, {threads, 1, 1}});
            EXPECT_EQ(r.outcome.width, width);
            for (std::uint32_t t = 0; t < 128; ++t)
                EXPECT_EQ(r.out[t], t >= threads || t % 3 == 0 ? 1 : 1000 + t % 64 + t % 7)
                    << "thread " << t << " of " << threads << ", width " << width;
        }
    }
}

// Each lane follows a chain of its own through memory: single threads are faster, and run unless a
// width is named. j = in[t % 64] % 64; eight times: j = in[j] % 64; out[t] = sum of the eight.
TEST(Warps, LoopsThatGatherRunByThreads) {
    constexpr const char* kChains = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    and.b32 %r2, %r1, 63;
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd2, %rd4;
    ld.global.u32 %r5, [%rd5];
    and.b32 %r2, %r5, 63;
    mov.u32 %r3, 0;
    mov.u32 %r4, 0;
$turn:
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd2, %rd4;
    ld.global.u32 %r5, [%rd5];
    and.b32 %r2, %r5, 63;
    add.s32 %r3, %r3, %r2;
    add.s32 %r4, %r4, 1;
    setp.lt.u32 %p, %r4, 8;
    @%p bra $turn;
    st.global.u32 [%rd1], %r3;
    ret;
}
)";
    for (const std::uint32_t width : {0u, 32u}) {
        const Ran r = run(kChains, {true, width}, {{1, 1, 1}, {96, 1, 1}});
        EXPECT_EQ(r.outcome.width, width ? width : 1);
        for (std::uint32_t t = 0; t < 96; ++t) {
            std::uint32_t sum = 0;
            for (std::uint32_t k = 0, j = (1000 + t % 64) % 64; k < 8; ++k)
                sum += j = (1000 + j) % 64;
            EXPECT_EQ(r.out[t], sum) << "thread " << t << ", width " << width;
        }
    }
    // Other loops and accesses stay with warps.
    EXPECT_GT(run(kShifted, {true, 0}, {{1, 1, 1}, {96, 1, 1}}).outcome.width, 1u);
    EXPECT_GT(run(kEarly, {true, 0}, {{1, 1, 1}, {96, 1, 1}}).outcome.width, 1u);
}

TEST(Warps, IndicesThatWrapBetweenLanes) {
    const Ran r = run(kShifted, {true, 32}, {{1, 1, 1}, {128, 1, 1}});
    EXPECT_EQ(r.outcome.checked_warps, 1u); // the first: lanes 0 to 4 wrap
    const Ran scalar = run(kShifted, {false, 0}, {{1, 1, 1}, {128, 1, 1}});
    EXPECT_EQ(scalar.outcome.width, 1u);
    EXPECT_EQ(r.out, scalar.out);
}

// Lanes below 5 of every warp are on the other side of the wrap: that is known when compiling, and
// no warp is sent away. out[t] = t % 32 - 5 < 40 (unsigned) ? in[t % 32 - 5] : 77.
TEST(Warps, LaneNumbersThatAlwaysWrap) {
    std::string text = kShifted;
    const std::string shift = "add.s32 %r2, %r1, -5;";
    text.replace(text.find(shift), shift.size(), "and.b32 %r2, %r1, 31; add.s32 %r2, %r2, -5;");
    for (const std::uint32_t threads : {128u, 100u}) {
        const Ran r = run(text.c_str(), {true, 32}, {{1, 1, 1}, {threads, 1, 1}});
        EXPECT_EQ(r.outcome.checked_warps, 0u);
        for (std::uint32_t t = 0; t < threads; ++t)
            EXPECT_EQ(r.out[t], t % 32 < 5 ? 77 : 1000 + t % 32 - 5) << "thread " << t;
    }
}

// Numbers from a multiple of the width on never wrap within a warp: no guard is needed, and what is
// divided by the width is the same in all lanes. out[t] = t - 32 < 40 (unsigned) ? in[t - 32] : 77.
TEST(Warps, RunsFromAMultipleOfTheWidth) {
    std::string text = kShifted;
    const std::string shift = "add.s32 %r2, %r1, -5;";
    text.replace(text.find(shift), shift.size(), "add.s32 %r2, %r1, -32;");
    for (const std::uint32_t threads : {128u, 100u}) {
        const Ran r = run(text.c_str(), {true, 32}, {{1, 1, 1}, {threads, 1, 1}});
        EXPECT_EQ(r.outcome.checked_warps, 0u);
        for (std::uint32_t t = 0; t < threads; ++t)
            EXPECT_EQ(r.out[t], t - 32 < 40 ? 1000 + t - 32 : 77) << "thread " << t;
    }
}

// out[i] = in[i / 32] + i % 32, i from block and thread: of blocks that are no whole warps, too.
TEST(Warps, WarpNumbersFromBlockAndThread) {
    constexpr const char* kText = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    mul.wide.s32 %rd3, %r4, 4;
    add.s64 %rd1, %rd1, %rd3;
    shr.u32 %r5, %r4, 5;
    mul.wide.u32 %rd4, %r5, 4;
    add.s64 %rd2, %rd2, %rd4;
    ld.global.u32 %r6, [%rd2];
    and.b32 %r7, %r4, 31;
    add.s32 %r6, %r6, %r7;
    st.global.u32 [%rd1], %r6;
    ret;
}
)";
    for (const std::uint32_t width : {8u, 16u, 32u}) {
        for (const std::uint32_t threads : {64u, 48u, 40u, 1u}) {
            const Ran r = run(kText, {true, width}, {{5, 1, 1}, {threads, 1, 1}});
            for (std::uint32_t i = 0; i < 5 * threads; ++i)
                EXPECT_EQ(r.out[i], 1000 + i / 32 + i % 32)
                    << "thread " << i << " of blocks of " << threads << ", width " << width;
        }
    }
}

// Consecutive numbers from one that is read from memory, so that no guard at the start can say
// whether a lane wraps: rows where none does, single lanes where one does, and some lanes off.
// n = t - where[0]; out[t] = 77, and if n - where[1] < 40: out[t] = in[n], in[n] = t.
std::string moved(const char* extend) {
    return fmt::format(R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 where)
{{
    .reg .pred %p;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    ld.param.u64 %rd3, [where];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r1, %r2, %r3, %r1;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd1, %rd1, %rd4;
    ld.global.u32 %r4, [%rd3];
    ld.global.u32 %r5, [%rd3+4];
    sub.s32 %r6, %r1, %r4;
    sub.s32 %r7, %r6, %r5;
    mov.u32 %r8, 77;
    setp.ge.u32 %p, %r7, 40;
    @%p bra $done;
    {} %rd5, %r6, 4;
    add.s64 %rd6, %rd2, %rd5;
    ld.global.u32 %r8, [%rd6];
    st.global.u32 [%rd6], %r1;
$done:
    st.global.u32 [%rd1], %r8;
    ret;
}}
)",
                       extend);
}

TEST(Warps, RowsByNumbersFromMemory) {
    struct Case {
        const char* extend;
        std::uint32_t shift, first;
        std::int64_t begin; ///< number of the array's begin
    };
    constexpr std::int64_t kTop = std::int64_t{1} << 31;
    const Case cases[] = {
        {"mul.wide.s32", 0, 0, 0},
        {"mul.wide.s32", 5, 0, 0},
        {"mul.wide.u32", 5, 0, 0}, // lanes that wrap are off
        {"mul.wide.s32", 5, 0xfffffffbu, -5},
        {"mul.wide.s32", 0x80000005u, 0x80000000u, -kTop},          // the same, signed
        {"mul.wide.s32", 0u - 0x7fffffd0u, 0x7fffffd0u, kTop - 48}, // up to the last number
        {"mul.wide.u32", 0u - 0xffffffd0u, 0xffffffd0u, 2 * kTop - 48},
    };
    const std::uint32_t blocks[][2] = {{128, 1}, {100, 1}, {32, 4}, {16, 8}, {8, 9}, {4, 12}};
    for (const Case& c : cases) {
        for (const auto& block : blocks) {
            for (const std::uint32_t width : {8u, 16u, 32u}) {
                std::vector<std::uint32_t> in(64), out(128, 1), where{c.shift, c.first};
                for (std::uint32_t k = 0; k < in.size(); ++k) in[k] = 1000 + k;
                std::vector<std::uint32_t> wanted_in = in, wanted_out = out;
                const std::uint32_t threads = block[0] * block[1];
                for (std::uint32_t t = 0; t < threads; ++t) {
                    const std::uint32_t place = t - c.shift - c.first;
                    wanted_out[t] = place < 40 ? in[place] : 77;
                    if (place < 40) wanted_in[place] = t;
                }
                const auto base = reinterpret_cast<std::uint64_t>(in.data()) -
                                  static_cast<std::uint64_t>(c.begin * 4);
                Program program{moved(c.extend), {true, width}};
                program.run({{1, 1, 1}, {block[0], block[1], 1}}, out.data(), base, where.data());
                const std::string what = fmt::format("{} from {}, block {} x {}, width {}",
                                                     c.extend, c.begin, block[0], block[1], width);
                EXPECT_EQ(out, wanted_out) << what;
                EXPECT_EQ(in, wanted_in) << what;
            }
        }
    }
}

// out[t] = in[where[t]] and in[where[t]] = t, with what makes an address of the number and the
// array's begin.
std::string gather(const char* address) {
    return fmt::format(R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 where)
{{
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    .reg .b64 %a, %b;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %b, [in];
    ld.param.u64 %rd3, [where];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd1, %rd1, %rd4;
    add.s64 %rd3, %rd3, %rd4;
    ld.global.u32 %r2, [%rd3];
    {}
    ld.global.u32 %r3, [%a];
    st.global.u32 [%rd1], %r3;
    st.global.u32 [%a], %r1;
    ret;
}}
)",
                       address);
}

TEST(Warps, GathersAndScattersByNarrowNumbers) {
    struct Case {
        const char* address;
        std::uint32_t step;      ///< words between elements
        std::uint32_t begin = 0; ///< number of the array's begin
        bool is_signed = true;
        std::uint32_t beyond = 0; ///< words from the element
        std::uint32_t scale = 1;  ///< what a number counts, as a part of an element
    };
    const Case cases[] = {
        {"mul.wide.s32 %a, %r2, 4; add.s64 %a, %b, %a;", 1},
        {"mul.wide.u32 %a, %r2, 4; add.s64 %a, %b, %a;", 1, 0, false},
        {"mul.wide.s32 %a, %r2, 8; add.s64 %a, %a, %b; add.s64 %a, %a, 4;", 2, 0, true, 1},
        {"mul.wide.s32 %a, %r2, 16; add.s64 %a, %b, %a;", 4},
        {"cvt.s64.s32 %a, %r2; add.s64 %a, %a, %b;", 1, 0, true, 0, 4},
        {"cvt.s64.s32 %a, %r2; add.s64 %a, %a, 3; shl.b64 %a, %a, 2; add.s64 %a, %b, %a;", 1, 0,
         true, 3},
        // Numbers around zero, and around the middle of the range.
        {"mul.wide.s32 %a, %r2, 4; add.s64 %a, %b, %a;", 1, 0xfffffff0},
        {"mul.wide.s32 %a, %r2, 4; add.s64 %a, %b, %a;", 1, 0x80000000},
        {"mul.wide.u32 %a, %r2, 4; add.s64 %a, %b, %a;", 1, 0x7ffffff0, false},
        {"cvt.u64.u32 %a, %r2; shl.b64 %a, %a, 3; add.s64 %a, %b, %a;", 2, 0x7ffffff0, false},
    };
    for (const Case& c : cases) {
        for (const std::uint32_t threads : {128u, 100u}) {
            std::vector<std::uint32_t> in(1024), where(128), out(128, 1);
            for (std::uint32_t k = 0; k < in.size(); ++k) in[k] = 5000 + k;
            std::vector<std::uint32_t> wanted_in = in, wanted_out = out;
            for (std::uint32_t t = 0; t < threads; ++t) {
                const std::uint32_t element = t * 37 % 128;
                where[t] = c.begin + element * c.scale;
                const std::uint32_t at = element * c.step + c.beyond;
                wanted_out[t] = in[at];
                wanted_in[at] = t;
            }
            const std::int64_t begin = c.is_signed
                                           ? std::int64_t{static_cast<std::int32_t>(c.begin)}
                                           : std::int64_t{c.begin};
            const auto base = reinterpret_cast<std::uint64_t>(in.data()) -
                              static_cast<std::uint64_t>(begin * c.step * 4);
            Program program{gather(c.address), {true, 32}};
            program.run({{1, 1, 1}, {threads, 1, 1}}, out.data(), base, where.data());
            EXPECT_EQ(out, wanted_out) << c.address;
            EXPECT_EQ(in, wanted_in) << c.address;
        }
    }
}

// out[t] = in[n] + 3 in[n + 1] + 5 in[n - 2] + 7 in[n + 2] for n = where[t] below 500, else 77; in
// is of floats or of whole numbers.
std::string four_parts(bool of_floats) {
    const char* load = of_floats ? "ld.global.f32" : "ld.global.u32";
    const char* part = of_floats ? "%f" : "%n";
    const char* product = of_floats ? "fma.rn.f32" : "mad.lo.u32";
    const auto times = [&](int factor) {
        return of_floats ? fmt::format("{}.0", factor) : std::to_string(factor);
    };
    return fmt::format(
        R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 where)
{{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b32 %n<5>;
    .reg .f32 %f<5>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    ld.param.u64 %rd3, [where];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd1, %rd1, %rd4;
    add.s64 %rd3, %rd3, %rd4;
    ld.global.u32 %r2, [%rd3];
    mov.u32 %r3, 77;
    setp.ge.u32 %p, %r2, 500;
    @%p bra $done;
    mul.wide.s32 %rd5, %r2, 4;
    add.s64 %rd5, %rd2, %rd5;
    {load} {part}1, [%rd5];
    {load} {part}2, [%rd5+4];
    {load} {part}3, [%rd5+-8];
    {load} {part}4, [%rd5+8];
    {product} {part}1, {part}2, {three}, {part}1;
    {product} {part}1, {part}3, {five}, {part}1;
    {product} {part}1, {part}4, {seven}, {part}1;
    {result}
$done:
    st.global.u32 [%rd1], %r3;
    ret;
}}
)",
        fmt::arg("load", load), fmt::arg("part", part), fmt::arg("product", product),
        fmt::arg("three", times(3)), fmt::arg("five", times(5)), fmt::arg("seven", times(7)),
        fmt::arg("result", of_floats ? "cvt.rzi.u32.f32 %r3, %f1;" : "mov.u32 %r3, %n1;"));
}

TEST(Warps, GathersOfSeveralParts) {
    for (const bool of_floats : {false, true}) {
        for (const std::uint32_t width : {8u, 16u, 32u}) {
            for (const std::uint32_t threads : {128u, 100u}) {
                std::vector<std::uint32_t> in(512), where(128), out(128, 1);
                for (std::uint32_t k = 0; k < in.size(); ++k) in[k] = k * k % 1009;
                std::vector<std::uint32_t> wanted = out;
                for (std::uint32_t t = 0; t < threads; ++t) {
                    const std::uint32_t n = where[t] = t % 5 == 3 ? 1u << 30 : t * 37 % 490 + 2;
                    wanted[t] =
                        n < 500 ? in[n] + 3 * in[n + 1] + 5 * in[n - 2] + 7 * in[n + 2] : 77;
                }
                std::vector<float> floats(in.begin(), in.end());
                Program program{four_parts(of_floats), {true, width}};
                program.run({{1, 1, 1}, {threads, 1, 1}}, out.data(),
                            of_floats ? static_cast<void*>(floats.data()) : in.data(),
                            where.data());
                EXPECT_EQ(out, wanted) << "floats " << of_floats << ", width " << width;
            }
        }
    }
}

// Lanes further apart than 2^63: their numbers wrap, as they do for single threads.
TEST(Warps, StridesBeyondMemory) {
    const char* text = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    cvt.u64.u32 %rd3, %r1;
    mul.lo.s64 %rd4, %rd3, 6148914691952345088;
    mul.lo.s64 %rd4, %rd4, 1000003;
    shr.u64 %rd5, %rd4, 33;
    cvt.u32.u64 %r2, %rd5;
    st.global.u32 [%rd1], %r2;
    ret;
}
)";
    const Ran r = run(text, {true, 32}, {{1, 1, 1}, {128, 1, 1}});
    for (std::uint64_t t = 0; t < 128; ++t)
        EXPECT_EQ(r.out[t], static_cast<std::uint32_t>(t * 6148914691952345088u * 1000003u >> 33));
}

// A first launch does not wait for the code of its warps.
TEST(Warps, SingleThreadsRunUntilTheCodeOfWarpsIsThere) {
    // Text that no cache knows.
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    Program program{fmt::format("// {}{}", now, kShifted), {true, 32, false}};
    const auto run_once = [&] {
        Ran r;
        std::vector<std::uint32_t> in(64);
        for (std::uint32_t k = 0; k < in.size(); ++k) in[k] = 1000 + k;
        r.outcome = program.run({{1, 1, 1}, {128, 1, 1}}, r.out.data(), in.data());
        return r;
    };
    const Ran first = run_once();
    EXPECT_EQ(first.outcome.width, 1u);
    ASSERT_TRUE(first.outcome.later);
    first.outcome.later->ran_for(CodeToCome::kPays);
    Ran later = run_once();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (later.outcome.width == 1 && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
        later = run_once();
    }
    EXPECT_EQ(later.outcome.width, 32u);
    EXPECT_EQ(later.out, first.out);
}

// Where warps are not wanted the better code is that of single threads.
TEST(Warps, ABlockOfOneThreadGetsOptimisedCodeLater) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    Program program{fmt::format("// {}{}", now, kShifted), {true, 0, false}};
    const auto run_once = [&] {
        Ran r;
        std::vector<std::uint32_t> in(64, 1000);
        r.outcome = program.run({{1, 1, 1}, {1, 1, 1}}, r.out.data(), in.data());
        return r;
    };
    const Ran first = run_once();
    ASSERT_TRUE(first.outcome.later);
    first.outcome.later->ran_for(CodeToCome::kPays);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!first.outcome.later->ready && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    ASSERT_TRUE(first.outcome.later->ready);
    EXPECT_EQ(first.outcome.later->code.width, 1u);
    EXPECT_FALSE(first.outcome.later->code.later) << "nothing better is to come";
    EXPECT_LT(first.outcome.later->code.frame_bytes, first.outcome.frame_bytes)
        << "values in registers";
    EXPECT_EQ(run_once().out, first.out);
    EXPECT_FALSE(run_once().outcome.later);
}

// A mode that somebody asks for is the code of the first launch.
TEST(Warps, NothingBetterComesWhereAModeIsAskedFor) {
    EXPECT_FALSE(run(kShifted, {false, 0, true}, {{1, 1, 1}, {128, 1, 1}}).outcome.later);
    EXPECT_FALSE(run(kShifted, {true, 32, true}, {{1, 1, 1}, {128, 1, 1}}).outcome.later);
}

// Without 512-bit registers small blocks, short rows and records have 16 lanes.
TEST(Warps, WidthThatSuits) {
    const std::uint32_t narrow = jit::has_wide_vectors() ? 32 : 16;
    const auto width = [](const char* text, std::uint32_t x, std::uint32_t y, std::uint32_t z = 1) {
        return run(text, {true, 0}, {{1, 1, 1}, {x, y, z}}).outcome.width;
    };
    EXPECT_EQ(width(kShifted, 64, 1), 32u);
    EXPECT_EQ(width(kShifted, 32, 2), 32u);
    EXPECT_EQ(width(kShifted, 16, 1), narrow);
    EXPECT_EQ(width(kShifted, 1, 1), 1u); // the code of a thread
    EXPECT_EQ(width(kShifted, 8, 8), narrow);
    EXPECT_EQ(width(kShifted, 8, 8, 8), 16u);
    EXPECT_EQ(width(kShifted, 16, 4, 4), 16u);
    EXPECT_EQ(width(kShifted, 32, 4, 2), 32u);
    std::string records = kShifted;
    const std::string store = "st.global.u32 [%rd1], %r3;";
    records.replace(records.find(store), store.size(),
                    "ld.global.v2.u32 {%r4, %r5}, [%rd2];" + store);
    EXPECT_EQ(width(records.c_str(), 64, 1), narrow);
}

// On every processor warps of blocks with rows of 16 are two rows.
TEST(Warps, TwoRows) {
    for (std::uint32_t rows : {2u, 3u, 16u}) {
        const Ran r = run(kShifted, {true, 0}, {{1, 1, 1}, {16, rows, 1}});
        EXPECT_EQ(r.outcome.width, 32u);
        for (std::uint32_t x = 0; x < 16; ++x) EXPECT_EQ(r.out[x], x < 5 ? 77 : 1000 + x - 5);
    }
}

TEST(Warps, ShortRows) {
    for (std::uint32_t x : {1u, 3u, 8u, 16u, 33u, 48u}) {
        const Shape shape{{1, 1, 1}, {x, 4, 2}};
        EXPECT_EQ(run(kShifted, {true, 32}, shape).out, run(kShifted, {false, 0}, shape).out) << x;
    }
}

// out[t] = in[63 - t] by shared memory, with the given line between writing and reading.
std::string turned(const std::string& between) {
    return R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .shared .align 4 .b8 tile[256];
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.u32 %r2, [%rd2];
    mov.u32 %r3, tile;
    shl.b32 %r4, %r1, 2;
    add.s32 %r5, %r3, %r4;
    st.shared.u32 [%r5], %r2;
    setp.ne.u32 %p, %r1, 99;
)" + between +
           R"(
    sub.s32 %r6, %r3, %r4;
    ld.shared.u32 %r7, [%r6+252];
    add.s64 %rd1, %rd1, %rd3;
    st.global.u32 [%rd1], %r7;
    ret;
}
)";
}

TEST(Warps, ThoseThatWaitForTheirBlockAloneRunInRounds) {
    const struct {
        const char* barrier;
        bool in_rounds;
    } cases[] = {{"bar.sync 0;", true},
                 {"barrier.sync 0;", true},
                 {"bar.sync 0; bar.sync 0;", true},
                 {"bar.sync 1;", false},
                 {"bar.sync 0; bar.sync 1, 64;", false},
                 {"bar.red.and.pred %p, 0, %p;", false}};
    for (const auto& [barrier, in_rounds] : cases) {
        for (std::uint32_t width : {8u, 16u, 32u}) {
            const Ran r = run(turned(barrier).c_str(), {true, width}, {{1, 1, 1}, {64, 1, 1}});
            EXPECT_EQ(r.outcome.width, width);
            EXPECT_EQ(r.outcome.kept_bytes > 0, in_rounds) << barrier;
            for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(r.out[t], 1063 - t) << barrier;
        }
    }
}

} // namespace
} // namespace lathe::soft::test
