// SPDX-License-Identifier: MIT
// mma.sync and wmma of compute capability 7.5 in all shapes, layouts and types.
//
// Products of halves are summed in an order and precision that the ISA leaves open. Each shape is
// run with small whole numbers, where every order gives the same bits, and with any halves, where
// the tolerance is that of sums in single precision that cut off (2^-23 of the largest part for
// each product), and half a unit more where the result is a half.
#include "tests/soft/recorded/session.h"

#include <fmt/format.h>

#include <random>

namespace lathe::recorded {
namespace {

enum class Fill { whole, any };

struct Mma {
    std::string text;
    int a, b, c;    ///< registers of 32 bits a lane
    bool halves_in; ///< else bits
    Type result;    ///< b32, f32 or f16, two in a register
};

std::string kernel_of(const Mma& m) {
    const bool real = m.result == Type::f32;
    std::string text =
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %l, %w<24>, %r<24>;\n"
        ".reg .f32 %f<9>, %g<9>;\n.reg .b64 %i, %o, %s;\n"
        "ld.param.u64 %i, [in];\nld.param.u64 %o, [out];\nmov.u32 %l, %laneid;\n";
    const int words = m.a + m.b + m.c;
    text += fmt::format("mul.wide.u32 %s, %l, {};\nadd.u64 %i, %i, %s;\nmul.wide.u32 %s, %l, {};\n"
                        "add.u64 %o, %o, %s;\n",
                        4 * words, 4 * m.c);
    for (int k = 0; k < words; ++k) text += fmt::format("ld.global.b32 %w{}, [%i+{}];\n", k, 4 * k);
    const auto list = [](const char* name, int first, int count) {
        std::string made = "{";
        for (int k = 0; k < count; ++k)
            made += fmt::format("{}{}{}", k ? ", " : "", name, first + k);
        return made + "}";
    };
    if (real)
        for (int k = 0; k < m.c; ++k)
            text += fmt::format("mov.b32 %f{}, %w{};\n", k, m.a + m.b + k);
    text += fmt::format("{} {}, {}, {}, {};\n", m.text, list(real ? "%g" : "%r", 0, m.c),
                        list("%w", 0, m.a), list("%w", m.a, m.b),
                        real ? list("%f", 0, m.c) : list("%w", m.a + m.b, m.c));
    for (int k = 0; k < m.c; ++k)
        text += fmt::format("st.global.b32 [%o+{}], {}{};\n", 4 * k, real ? "%g" : "%r", k);
    return text + "ret;\n}\n";
}

/// Halves: -4 to 4, or of size 2^-6 to 2.
std::uint32_t two_halves(std::mt19937& random, Fill fill) {
    const auto one = [&]() -> std::uint32_t {
        static constexpr std::uint16_t kWhole[] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400,
                                                   0xbc00, 0xc000, 0xc200, 0xc400};
        if (fill == Fill::whole) return kWhole[random() % 9];
        return (random() & 0x83ff) | (9 + random() % 7) << 10;
    };
    const std::uint32_t low = one();
    return low | one() << 16;
}

std::vector<Part> run_mma(Session& session, const Mma& m, Fill fill) {
    constexpr std::size_t kLanes = 32, kRounds = 4;
    CUfunction const f = session.function(kernel_of(m), "k");
    std::mt19937 random{75};
    std::vector<Part> parts;
    std::vector<std::uint32_t> results;
    for (std::size_t round = 0; round < kRounds; ++round) {
        std::vector<std::uint32_t> in;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            for (int k = 0; k < m.a + m.b; ++k)
                in.push_back(m.halves_in ? two_halves(random, fill)
                                         : static_cast<std::uint32_t>(random()));
            for (int k = 0; k < m.c; ++k) {
                const float x = static_cast<float>(static_cast<int>(random() % 17) - 8);
                if (m.result == Type::f16) in.push_back(two_halves(random, fill));
                else if (m.result == Type::f32)
                    in.push_back(static_cast<std::uint32_t>(
                        part("", Type::f32, std::vector<float>{fill == Fill::any ? x / 7 : x})
                            .values[0]));
                else // near the limits in the later rounds, for saturation
                    in.push_back(round < 2 ? static_cast<std::uint32_t>(random())
                                           : 0x7ffff000u + round % 2 * 0x2000u);
            }
        }
        const Memory from = session.upload(in), to{4 * kLanes * static_cast<std::size_t>(m.c)};
        session.launch(f, {{1, 1, 1}, {32, 1, 1}}, from.get(), to.get());
        const auto got = to.read<std::uint32_t>(kLanes * static_cast<std::size_t>(m.c));
        results.insert(results.end(), got.begin(), got.end());
    }
    Tolerance tolerance;
    if (m.halves_in && fill == Fill::any) {
        tolerance.absolute = 17 * 0x1p-23 * 8;
        if (m.result == Type::f16) tolerance.relative = 0x1p-9;
    }
    if (m.result != Type::f16) return {part("", m.result, results, tolerance)};
    std::vector<std::uint16_t> halves;
    for (const std::uint32_t word : results) {
        halves.push_back(static_cast<std::uint16_t>(word));
        halves.push_back(static_cast<std::uint16_t>(word >> 16));
    }
    return {part("", Type::f16, halves, tolerance)};
}

const char* const kWmma = R"(
#include <mma.h>
using namespace nvcuda::wmma;
template <int M, int N, int K, class T, class Sum, class A, class B>
__device__ void product(const T* a, const T* b, const Sum* c, Sum* d, layout_t how) {
    fragment<matrix_a, M, N, K, T, A> x;
    fragment<matrix_b, M, N, K, T, B> y;
    fragment<accumulator, M, N, K, Sum> z;
    load_matrix_sync(x, a, 48);
    load_matrix_sync(y, b, 48);
    load_matrix_sync(z, c, 48, how);
    for (int k = 0; k < z.num_elements; ++k) z.x[k] = z.x[k] + z.x[k];
    mma_sync(z, x, y, z);
    store_matrix_sync(d, z, 48, how);
}
)";

void add_wmma(std::vector<Case>& cases) {
    struct Shape {
        int m, n, k;
    };
    struct Kind {
        const char *name, *element, *sum;
        Type result;
        std::size_t sum_bytes;
    };
    for (const Kind kind : {Kind{"f16.f32", "__half", "float", Type::f32, 4},
                            {"f16.f16", "__half", "__half", Type::f16, 2},
                            {"s8", "signed char", "int", Type::b32, 4},
                            {"u8", "unsigned char", "int", Type::b32, 4}})
        for (const Shape shape : {Shape{16, 16, 16}, {32, 8, 16}, {8, 32, 16}})
            for (int layout = 0; layout < 8; ++layout) {
                const std::string source =
                    kWmma +
                    fmt::format("extern \"C\" __global__ void k(const {0}* a, const {0}* b, "
                                "const {1}* c, {1}* d) {{\nproduct<{2}, {3}, {4}, {0}, {1}, "
                                "{5}_major, {6}_major>(a, b, c, d, mem_{7}_major);\n}}\n",
                                kind.element, kind.sum, shape.m, shape.n, shape.k,
                                layout & 1 ? "row" : "col", layout & 2 ? "row" : "col",
                                layout & 4 ? "row" : "col");
                if ((shape.m != 16 && layout % 3) || (kind.result == Type::b32 && layout % 2))
                    continue; // half of them is enough
                cases.push_back(
                    {fmt::format("matrices/wmma/{}/m{}n{}k{}/{}", kind.name, shape.m, shape.n,
                                 shape.k, layout),
                     [=](Session& session) -> std::vector<Part> {
                         constexpr std::size_t kElements = 48 * 48;
                         std::mt19937 random{31};
                         const auto fill = [&](bool halves, std::size_t bytes) {
                             std::vector<std::uint32_t> words(kElements * bytes / 4);
                             for (auto& word : words)
                                 word = halves ? two_halves(random, Fill::whole)
                                               : static_cast<std::uint32_t>(random());
                             return words;
                         };
                         const bool halves = kind.result != Type::b32;
                         std::vector<std::uint32_t> start = fill(true, kind.sum_bytes);
                         if (kind.sum_bytes == 4)
                             for (auto& word : start) word = halves ? 0x40400000u : word % 4096;
                         const Memory a = session.upload(fill(halves, halves ? 2 : 1)),
                                      b = session.upload(fill(halves, halves ? 2 : 1)),
                                      c = session.upload(start), d{kElements * kind.sum_bytes};
                         session.launch(session.compiled(source, "k", {}), {{1, 1, 1}, {32, 1, 1}},
                                        a.get(), b.get(), c.get(), d.get());
                         if (kind.sum_bytes == 2)
                             return {part("", kind.result, d.read<std::uint16_t>(kElements))};
                         return {part("", kind.result, d.read<std::uint32_t>(kElements))};
                     }});
            }
}

} // namespace

void add_matrix_cases(std::vector<Case>& cases) {
    std::vector<Mma> all;
    for (const char* a : {"row", "col"})
        for (const char* b : {"row", "col"})
            for (const bool half : {false, true})
                all.push_back({fmt::format("mma.sync.aligned.m8n8k4.{0}.{1}.{2}.f16.f16.{2}", a, b,
                                           half ? "f16" : "f32"),
                               2, 2, half ? 4 : 8, true, half ? Type::f16 : Type::f32});
    all.push_back({"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, true, Type::f32});
    all.push_back({"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, true, Type::f16});
    for (const char* satfinite : {"", ".satfinite"}) {
        for (const char* a : {"s8", "u8"})
            for (const char* b : {"s8", "u8"})
                all.push_back({fmt::format("mma.sync.aligned.m8n8k16.row.col{}.s32.{}.{}.s32",
                                           satfinite, a, b),
                               1, 1, 2, false, Type::b32});
        for (const char* a : {"s4", "u4"})
            for (const char* b : {"s4", "u4"})
                all.push_back({fmt::format("mma.sync.aligned.m8n8k32.row.col{}.s32.{}.{}.s32",
                                           satfinite, a, b),
                               1, 1, 2, false, Type::b32});
    }
    all.push_back(
        {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 1, 1, 2, false, Type::b32});
    for (const Mma& m : all)
        for (const Fill fill : {Fill::whole, Fill::any}) {
            if (!m.halves_in && fill == Fill::whole) continue;
            cases.push_back(
                {fmt::format("matrices/{}/{}", m.text, fill == Fill::whole ? "whole" : "any"),
                 [=](Session& session) { return run_mma(session, m, fill); }});
        }
    add_wmma(cases);
}

} // namespace lathe::recorded
