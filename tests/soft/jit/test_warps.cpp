// SPDX-License-Identifier: MIT
// What only the warp mode does: that kernels are widened at all, indices that wrap between lanes,
// blocks that do not fill their last warp.
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

TEST(Warps, IndicesThatWrapBetweenLanes) {
    const Ran r = run(kShifted, {true, 32}, {{1, 1, 1}, {128, 1, 1}});
    EXPECT_EQ(r.outcome.checked_warps, 1u); // the first: lanes 0 to 4 wrap
    const Ran scalar = run(kShifted, {false, 0}, {{1, 1, 1}, {128, 1, 1}});
    EXPECT_EQ(scalar.outcome.width, 1u);
    EXPECT_EQ(r.out, scalar.out);
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
    Ran later = run_once();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (later.outcome.width == 1 && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
        later = run_once();
    }
    EXPECT_EQ(later.outcome.width, 32u);
    EXPECT_EQ(later.out, first.out);
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

} // namespace
} // namespace lathe::soft::test
