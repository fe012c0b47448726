// SPDX-License-Identifier: MIT
// Whole kernels through compiled code.
#include "tests/soft/jit/mini_runtime.h"

#include "engine/core/error.h"
#include "gpu/ptx/parser.h"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <functional>
#include <iterator>

namespace lathe::soft::test {
namespace {

constexpr const char* kSaxpy = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry saxpy(.param .u32 saxpy_param_0, .param .f32 saxpy_param_1,
                      .param .u64 saxpy_param_2, .param .u64 saxpy_param_3)
{
    .reg .pred %p<2>;
    .reg .f32 %f<5>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.u32 %r2, [saxpy_param_0];
    ld.param.f32 %f1, [saxpy_param_1];
    ld.param.u64 %rd1, [saxpy_param_2];
    ld.param.u64 %rd2, [saxpy_param_3];
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r4, %r3, %r5;
    setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra $L__BB0_2;
    cvta.to.global.u64 %rd3, %rd1;
    mul.wide.s32 %rd4, %r1, 4;
    add.s64 %rd5, %rd3, %rd4;
    ld.global.f32 %f2, [%rd5];
    cvta.to.global.u64 %rd6, %rd2;
    add.s64 %rd7, %rd6, %rd4;
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd7], %f4;
$L__BB0_2:
    ret;
}
)";

TEST(Kernels, Saxpy) {
    Program program{kSaxpy};
    for (bool by_thread : {false, true}) {
        std::vector<float> x(1000), y(1000);
        for (int k = 0; k < 1000; ++k) {
            x[static_cast<std::size_t>(k)] = static_cast<float>(k);
            y[static_cast<std::size_t>(k)] = 1.0f;
        }
        Shape shape{{4, 1, 1}, {256, 1, 1}, 0, by_thread};
        program.run(shape, 900u, 2.0f, x.data(), y.data());
        for (std::size_t k = 0; k < 1000; ++k) {
            EXPECT_EQ(y[k], k < 900 ? 2.0f * static_cast<float>(k) + 1.0f : 1.0f);
        }
    }
    EXPECT_FALSE(program.info().needs_fibers);
    EXPECT_EQ(program.info().param_bytes, 24u);
}

/// Runs tests/soft/ptx_ops/<name>.ptx with in[k] = 3 k + 1 and returns out.
struct OneRun {
    std::vector<std::uint32_t> out = std::vector<std::uint32_t>(1024);
    std::vector<std::uint32_t> in = std::vector<std::uint32_t>(1024);
    Outcome outcome;
    bool fibers = false;
};

std::string ptx_file(const std::string& name) {
    std::ifstream file{LATHE_TEST_PTX_OPS "/" + name + ".ptx"};
    return {std::istreambuf_iterator<char>{file}, {}};
}

OneRun run(const std::string& name, std::uint32_t threads, std::uint32_t dynamic_shared = 0,
           const std::function<void(OneRun&)>& prepare = {}) {
    OneRun r;
    for (std::uint32_t k = 0; k < r.in.size(); ++k) r.in[k] = 3 * k + 1;
    if (prepare) prepare(r);
    Program program{ptx_file(name)};
    r.outcome =
        program.run({{1, 1, 1}, {threads, 1, 1}, dynamic_shared}, r.out.data(), r.in.data());
    r.fibers = program.info().needs_fibers;
    return r;
}

void expect(const OneRun& r, std::uint32_t threads,
            const std::function<std::uint32_t(std::uint32_t)>& f) {
    for (std::uint32_t k = 0; k < threads; ++k) EXPECT_EQ(r.out[k], f(k)) << "thread " << k;
}

TEST(Kernels, Calls) {
    expect(run("call", 8), 8, [](auto k) { return 2 * (3 * k + 1) + 100; });
    expect(run("call_registers", 8), 8, [](auto k) {
        const std::uint32_t sum = 3 * k + 6;
        return sum % 2 ? sum + 1000 : sum;
    });
    expect(run("alias", 8), 8, [](auto k) { return 9 * k + 28; });
    const std::uint32_t fibonacci[] = {1, 3, 13, 55};
    expect(run("recursion", 4), 4, [&](auto k) { return fibonacci[k]; });
    expect(run("function_pointer", 8), 8, [](auto k) {
        const std::uint32_t x = 3 * k + 1;
        return k > 5 || k % 2 == 0 ? x + 7 : x * 7;
    });
}

TEST(Kernels, LeavingEarly) {
    expect(run("exit_in_function", 8), 8, [](auto k) { return k == 3 ? 0u : 99u; });
    expect(run("brx", 8), 8, [](auto k) { return k % 4 == 3 ? 3 * k + 14 : 10 + k % 4; });
    const OneRun trapped = run("trap", 8);
    EXPECT_EQ(trapped.outcome.end, Outcome::End::trapped);
    EXPECT_EQ(trapped.out[1], 1u);
    if (trapped.outcome.width == 1) { EXPECT_EQ(trapped.out[3], 0u); }
}

TEST(Kernels, Memory) {
    expect(run("local", 8), 8, [](auto k) {
        const std::uint32_t x = 3 * k + 1;
        return (k & 1 ? 3 * x : x) + 3 * x;
    });
    const OneRun shared = run("shared", 32, 128);
    EXPECT_TRUE(shared.fibers);
    expect(shared, 32, [](auto k) { return 3 * (k ^ 1) + 1 + 3 * k + 2 + 5; });
    expect(run("globals", 4), 4, [](auto k) { return 3 * 2 + 2 + 3 * k + 1; });
    expect(run("stack", 4), 4, [](auto k) { return 3 * k + 1; });
    expect(run("copy", 4), 4, [](auto) { return 4u + 0u + 1u; });
    const OneRun vectors = run("vectors", 4, 0, [](OneRun& r) {
        for (std::uint32_t k = 0; k < 4; ++k) {
            r.in[4 * k] = 0xff020304 + k;
            r.in[4 * k + 1] = 0xfffe0007;
        }
    });
    // 255 + 2 + 3 + (4 + k), then 7 and -2, then -1; the swap leaves nothing.
    expect(vectors, 4, [](auto k) { return 264 + k + 7 - 2 - 1; });
}

TEST(Kernels, SpecialRegisters) {
    const OneRun r = run("special", 64, 256);
    EXPECT_FALSE(r.fibers);
    expect(r, 64, [](auto k) { return k / 32 * 100 + 2000 + 640000 + 7 + 0x11 + 256; });
}

TEST(Kernels, PrintfAndAssert) {
    const OneRun r = run("printf", 20);
    EXPECT_TRUE(r.outcome.printed.starts_with("hi [1]hi [4]")) << r.outcome.printed;
    EXPECT_EQ(r.outcome.end, Outcome::End::finished);
    const OneRun failing = run("printf", 20, 0, [](OneRun& q) { q.in[3] = 42; });
    EXPECT_EQ(failing.outcome.end, Outcome::End::assert_failed);
    EXPECT_EQ(failing.outcome.assertion, "hi :17 no: no");
}

TEST(Kernels, WarpOperations) {
    const OneRun r = run("warp", 32);
    EXPECT_TRUE(r.fibers);
    expect(r, 32, [](std::uint32_t k) {
        auto in = [](std::uint32_t lane) { return 3 * lane + 1; };
        std::uint32_t v =
            (k ? in(k - 1) : in(0)) + (k + 2 < 32 ? in(k + 2) : in(k)) + in(k ^ 1) + in(3);
        if (k == 0) v += 1000;
        if (k + 2 >= 32) v += 2000;
        return v + 28 * 10000 + 1000000 + 8 * 10000000 - in(31);
    });
    expect(run("bar_red", 64), 64, [](auto) { return 60u + 2000u; });
}

TEST(Kernels, Atomics) {
    const OneRun r = run("atomics", 32, 0, [](OneRun& q) {
        std::uint32_t* m = q.out.data() + 256;
        m[2] = 50, m[4] = 3, m[5] = 0xff, m[10] = 5, m[23] = 3;
        m[23] = 3;
    });
    const std::uint32_t* m = r.out.data() + 256;
    std::uint32_t x = 0, all_or = 0, all_and = 0xff, inc = 0, dec = 3;
    for (std::uint32_t k = 0; k < 32; ++k) {
        x ^= k, all_or |= k, all_and &= k;
        inc = inc >= 9 ? 0 : inc + 1;
        dec = dec == 0 || dec > 9 ? 9 : dec - 1;
    }
    EXPECT_EQ(m[0], 32u);
    EXPECT_EQ(m[1], 31u);
    EXPECT_EQ(m[2], 0u);
    EXPECT_EQ(m[3], inc);
    EXPECT_EQ(m[4], dec);
    EXPECT_EQ(m[5], all_and);
    EXPECT_EQ(m[6], all_or);
    EXPECT_EQ(m[7], x);
    EXPECT_EQ(std::bit_cast<float>(m[8]), 16.0f);
    EXPECT_EQ(m[9], 31u);
    EXPECT_EQ(m[10], 77u);
    EXPECT_EQ(m[12], 160u);
    double sum = 0;
    std::memcpy(&sum, m + 14, 8);
    EXPECT_EQ(sum, 8.0);
    EXPECT_EQ(m[16], 0x50004c00u); // 32 x (1.0, 0.5) in halves
    EXPECT_EQ(m[17], 0u);
    expect(r, 32, [](auto k) { return k; });
    EXPECT_FALSE(r.fibers);
}

TEST(Kernels, WaitingForAnotherThread) {
    const OneRun r = run("spin", 4);
    EXPECT_TRUE(r.fibers);
    EXPECT_EQ(r.out[0], 123u);
    const OneRun count = run("count", 2, 0, [](OneRun& q) { q.in[0] = 10000; });
    EXPECT_FALSE(count.fibers);
    EXPECT_EQ(count.out[0], 49995000u);
    EXPECT_EQ(count.outcome.back_edges, 9u);
}

TEST(Kernels, TexturesAndSurfaces) {
    Program program{ptx_file("tex")};
    std::vector<std::uint32_t> out(32);
    program.run({}, out.data(), std::uint64_t{100});
    const std::uint32_t one = 0x3f800000, two = 0x40000000;
    const std::vector<std::uint32_t> expected{
        102, 6,   4,   1,     // row 0 after the surface store at byte 4
        101, 6,   0,   0,     // 1d, integer coordinates, float results
        102, one, two, 1 + 8, // level 2
        118, 6,   one, 1,     // layer 6 first
        102, one, two, 2,     // tld4 component 2
        101, 10};
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(out[k], expected[k]) << k;
}

TEST(Kernels, ErrorsNameLineAndInstruction) {
    auto message = [](const char* name) -> std::string {
        ptx::ParseResult parsed = ptx::parse(ptx_file(name));
        EXPECT_TRUE(parsed.ok()) << name;
        const auto code = CompiledModule::create(
            std::make_shared<const ptx::Module>(std::move(parsed.module)), {});
        try {
            code->thread_code("k");
        } catch (const lathe::Error& error) { return error.what(); }
        return "no error";
    };
    EXPECT_EQ(
        message("unsupported").find("PTX line 17, wgmma.fence.sync.aligned in k: this instruction"),
        0u);
    EXPECT_EQ(message("undefined"),
              "PTX line 7, ld.global.u32 in k: symbol elsewhere is not defined");
}

TEST(Kernels, PlacesOfFaults) {
    Program program{ptx_file("trap")};
    std::vector<std::uint32_t> out(64), in(64);
    const Outcome outcome = program.run({{1, 1, 1}, {8, 1, 1}}, out.data(), in.data());
    ASSERT_NE(outcome.trap_pc, 0u);
    EXPECT_TRUE(program.code().contains(outcome.trap_pc));
    EXPECT_FALSE(program.code().contains(reinterpret_cast<std::uintptr_t>(kSaxpy)));
    const auto place = program.code().place_of(outcome.trap_pc - 1);
    ASSERT_TRUE(place.has_value());
    EXPECT_STREQ(place->file, "<ptx>");
    EXPECT_EQ(place->line, 18u); // @%p1 trap;
}

} // namespace
} // namespace lathe::soft::test
