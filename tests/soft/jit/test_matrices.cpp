// SPDX-License-Identifier: MIT
// Matrix operations against plain loops on the host: wmma by mma.h, whose fragments nobody sees,
// and mma.sync, ldmatrix and movmatrix with the fragments that the PTX ISA draws.
//
// Bounds. The ISA asks for products and sums of halves "at least in single precision" where C is
// f32, in half where it is f16. A product of halves is exact as a float, so K sums of size s lose
// at most K * 2^-24 * s; a result in half loses half a unit, 2^-11 of it, on top. Integers are
// exact.
#include "tests/soft/jit/mini_runtime.h"
#include "tests/soft/support/nvrtc.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace lathe::soft::test {
namespace {

float from_half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    const float size = exponent ? std::ldexp(1024.0f + static_cast<float>(digits), exponent - 25)
                                : std::ldexp(static_cast<float>(digits), -24);
    return bits >> 15 ? -size : size;
}

/// Row- or column-major storage with a stride wider than the matrix.
template <class T> struct Matrix {
    int rows, columns;
    bool row_major;
    int stride = (row_major ? columns : rows) + 16;
    std::vector<T> data =
        std::vector<T>(static_cast<std::size_t>(stride * (row_major ? rows : columns)));
    T& at(int r, int c) {
        return data[static_cast<std::size_t>(row_major ? r * stride + c : c * stride + r)];
    }
};

std::mt19937& random() {
    static std::mt19937 made{75};
    return made;
}
void fill(Matrix<std::uint16_t>& m) { // halves of size 2^-6 to 2
    for (auto& each : m.data)
        each = static_cast<std::uint16_t>((random()() & 0x83ff) | (9 + random()() % 7) << 10);
}
template <class T> void fill(Matrix<T>& m) {
    for (auto& each : m.data) each = static_cast<T>(static_cast<int>(random()() % 512) - 256);
}
double value(std::uint16_t half) { return from_half(half); }
double value(float x) { return x; }
double value(int x) { return x; }
double value(signed char x) { return x; }
double value(unsigned char x) { return x; }

class Matrices : public testing::Test {
protected:
    void SetUp() override {
        if (!lathe::test::has_nvrtc()) GTEST_SKIP() << "NVRTC was not found";
    }

    /// d = a b + c, where `run(a, b, c, d)` computes d.
    template <class T, class Sum, class Run>
    void check(int m, int n, int k, bool a_rows, bool b_rows, bool d_rows, Run run) {
        Matrix<T> a{m, k, a_rows}, b{k, n, b_rows};
        Matrix<Sum> c{m, n, d_rows}, d{m, n, d_rows};
        fill(a), fill(b), fill(c);
        run(a, b, c, d);
        for (int r = 0; r < m; ++r)
            for (int s = 0; s < n; ++s) {
                double sum = value(c.at(r, s)), size = std::abs(sum);
                for (int x = 0; x < k; ++x) {
                    const double product = value(a.at(r, x)) * value(b.at(x, s));
                    sum += product;
                    size += std::abs(product);
                }
                const bool exact = std::is_same_v<Sum, int>,
                           half = std::is_same_v<Sum, std::uint16_t>;
                const double bound =
                    exact ? 0
                          : (k * 0x1p-24 * size + (half ? 0x1p-11 * std::abs(sum) + 0x1p-25 : 0));
                ASSERT_NEAR(value(d.at(r, s)), sum, bound) << r << ", " << s;
            }
    }
};

const char* const kWmma = R"(
#include <mma.h>
using namespace nvcuda::wmma;
#define PRODUCT(name, M, N, K, T, Sum, A, B, D)                                                    \
    extern "C" __global__ void name(const T* a, const T* b, const Sum* c, Sum* d, int sa, int sb,  \
                                    int sc) {                                                      \
        fragment<matrix_a, M, N, K, T, A> x;                                                       \
        fragment<matrix_b, M, N, K, T, B> y;                                                       \
        fragment<accumulator, M, N, K, Sum> z;                                                     \
        load_matrix_sync(x, a, sa);                                                                \
        load_matrix_sync(y, b, sb);                                                                \
        load_matrix_sync(z, c, sc, D);                                                             \
        mma_sync(z, x, y, z);                                                                      \
        store_matrix_sync(d, z, sc, D);                                                            \
    }
PRODUCT(h0, 16, 16, 16, __half, float, row_major, col_major, mem_row_major)
PRODUCT(h1, 16, 16, 16, __half, float, col_major, row_major, mem_col_major)
PRODUCT(h2, 32, 8, 16, __half, float, row_major, row_major, mem_row_major)
PRODUCT(h3, 8, 32, 16, __half, float, col_major, col_major, mem_row_major)
PRODUCT(h4, 16, 16, 16, __half, __half, row_major, col_major, mem_row_major)
PRODUCT(h5, 32, 8, 16, __half, __half, col_major, col_major, mem_col_major)
PRODUCT(s0, 16, 16, 16, signed char, int, row_major, col_major, mem_row_major)
PRODUCT(s1, 32, 8, 16, signed char, int, col_major, row_major, mem_col_major)
PRODUCT(u0, 8, 32, 16, unsigned char, int, row_major, col_major, mem_row_major)
PRODUCT(u1, 16, 16, 16, unsigned char, int, col_major, row_major, mem_row_major)
)";

TEST_F(Matrices, WarpMatrixFunctions) {
    Program program{lathe::test::compile_to_ptx(kWmma, "wmma.cu")};
    const auto kernel = [&](const char* name) {
        return [&program, name](auto& a, auto& b, auto& c, auto& d) {
            std::vector<std::uint8_t> packed(48);
            const void* pointers[] = {a.data.data(), b.data.data(), c.data.data(), d.data.data()};
            const int strides[] = {a.stride, b.stride, c.stride};
            std::memcpy(packed.data(), pointers, 32);
            std::memcpy(packed.data() + 32, strides, 12);
            packed.resize(44);
            program.launch({{1, 1, 1}, {32, 1, 1}}, packed, name);
        };
    };
    using Half = std::uint16_t;
    check<Half, float>(16, 16, 16, true, false, true, kernel("h0"));
    check<Half, float>(16, 16, 16, false, true, false, kernel("h1"));
    check<Half, float>(32, 8, 16, true, true, true, kernel("h2"));
    check<Half, float>(8, 32, 16, false, false, true, kernel("h3"));
    check<Half, Half>(16, 16, 16, true, false, true, kernel("h4"));
    check<Half, Half>(32, 8, 16, false, false, false, kernel("h5"));
    check<signed char, int>(16, 16, 16, true, false, true, kernel("s0"));
    check<signed char, int>(32, 8, 16, false, true, false, kernel("s1"));
    check<unsigned char, int>(8, 32, 16, true, false, true, kernel("u0"));
    check<unsigned char, int>(16, 16, 16, false, true, true, kernel("u1"));
}

TEST_F(Matrices, OfFewBits) {
    Program program{lathe::test::compile_to_ptx(R"(
#include <mma.h>
using namespace nvcuda::wmma;
template <int K, class T> __device__ void product(const unsigned* a, const unsigned* b, int* d) {
    fragment<matrix_a, 8, 8, K, T, row_major> x;
    fragment<matrix_b, 8, 8, K, T, col_major> y;
    fragment<accumulator, 8, 8, K, int> z;
    load_matrix_sync(x, a, K);
    load_matrix_sync(y, b, K);
    fill_fragment(z, 3);
    if constexpr (K == 128) bmma_sync(z, x, y, z);
    else mma_sync(z, x, y, z);
    store_matrix_sync(d, z, 8, mem_row_major);
}
extern "C" __global__ void k(const unsigned* a, const unsigned* b, int* d) {
    product<32, experimental::precision::s4>(a, b, d);
    product<32, experimental::precision::u4>(a, b, d + 64);
    product<128, experimental::precision::b1>(a, b, d + 128);
})",
                                                "few.cu")};
    std::vector<std::uint32_t> a(32), b(32);
    for (auto* const each : {&a, &b})
        for (auto& word : *each) word = random()();
    std::vector<int> d(192);
    program.run({{1, 1, 1}, {32, 1, 1}}, a.data(), b.data(), d.data());
    for (std::size_t r = 0; r < 8; ++r)
        for (std::size_t c = 0; c < 8; ++c) {
            int sums[3] = {3, 3, 3};
            for (std::size_t w = 0; w < 4; ++w) {
                const std::uint32_t x = a[4 * r + w], y = b[4 * c + w];
                sums[2] += __builtin_popcount(x ^ y);
                for (unsigned shift = 0; shift < 32; shift += 4) {
                    const int p = static_cast<int>(x >> shift & 15),
                              q = static_cast<int>(y >> shift & 15);
                    sums[1] += p * q;
                    sums[0] += (p > 7 ? p - 16 : p) * (q > 7 ? q - 16 : q);
                }
            }
            for (std::size_t k = 0; k < 3; ++k)
                EXPECT_EQ(d[64 * k + 8 * r + c], sums[k]) << r << ", " << c;
        }
}

/// A kernel that loads `words` registers a lane from `in` (lane-major, A then B then C), runs one
/// instruction and stores its results.
std::string one_instruction(const std::string& instruction, int a, int b, int c, bool real) {
    std::string text =
        ".version 7.8\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %l, %w<24>, %r<24>;\n"
        ".reg .f32 %f<9>;\n.reg .b64 %i, %o, %s;\n"
        "ld.param.u64 %i, [in];\nld.param.u64 %o, [out];\nmov.u32 %l, %laneid;\n";
    const int words = a + b + c;
    text += fmt::format("mul.wide.u32 %s, %l, {};\nadd.u64 %i, %i, %s;\nmul.wide.u32 %s, %l, {};\n"
                        "add.u64 %o, %o, %s;\n",
                        4 * words, 4 * c);
    for (int k = 0; k < words; ++k) text += fmt::format("ld.global.b32 %w{}, [%i+{}];\n", k, 4 * k);
    const auto list = [&](const char* name, int first, int count) {
        std::string made = "{";
        for (int k = 0; k < count; ++k)
            made += fmt::format("{}{}{}", k ? ", " : "", name, first + k);
        return made + "}";
    };
    if (real)
        for (int k = 0; k < c; ++k) text += fmt::format("mov.b32 %f{}, %w{};\n", k, a + b + k);
    text += fmt::format("{} {}, {}, {}, {};\n", instruction, list(real ? "%f" : "%r", 0, c),
                        list("%w", 0, a), list("%w", a, b),
                        real ? list("%f", 0, c) : list("%w", a + b, c));
    for (int k = 0; k < c; ++k)
        text += fmt::format("st.global.b32 [%o+{}], {}{};\n", 4 * k, real ? "%f" : "%r", k);
    return text + "ret;\n}\n";
}

std::uint32_t bits_of(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, 4);
    return bits;
}
std::uint32_t bits_of(int x) { return static_cast<std::uint32_t>(x); }

/// Runs one instruction. A, B and C are put into registers of 32 / `bits` elements as the layout
/// says: (lane, register, element in it) -> (row, column).
template <class T, class Sum, class A, class B, class C>
void run_fragments(const std::string& instruction, int counts[3], int bits, Matrix<T>& a,
                   Matrix<T>& b, Matrix<Sum>& c, Matrix<Sum>& d, A of_a, B of_b, C of_c) {
    constexpr bool half = std::is_same_v<Sum, std::uint16_t>, real = std::is_same_v<Sum, float>;
    const int words = counts[0] + counts[1] + counts[2], per = 32 / bits, in_c = half ? 2 : 1;
    std::vector<std::uint32_t> in(static_cast<std::size_t>(32 * words)),
        out(static_cast<std::size_t>(32 * counts[2]));
    const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    for (int lane = 0; lane < 32; ++lane)
        for (int w = 0; w < words; ++w) {
            std::uint32_t& word = in[static_cast<std::size_t>(lane * words + w)];
            const bool is_c = w >= counts[0] + counts[1];
            for (int e = 0; e < (is_c ? in_c : per); ++e) {
                if (is_c) {
                    const auto [r, s] = of_c(lane, w - counts[0] - counts[1], e);
                    if constexpr (half) word |= static_cast<std::uint32_t>(c.at(r, s)) << (16 * e);
                    else word = bits_of(c.at(r, s));
                    continue;
                }
                const auto [r, s] = w < counts[0] ? of_a(lane, w, e) : of_b(lane, w - counts[0], e);
                word |= (static_cast<std::uint32_t>(w < counts[0] ? a.at(r, s) : b.at(r, s)) & mask)
                        << (bits * e);
            }
        }
    Program program{one_instruction(instruction, counts[0], counts[1], counts[2], real)};
    program.run({{1, 1, 1}, {32, 1, 1}}, in.data(), out.data());
    for (int lane = 0; lane < 32; ++lane)
        for (int w = 0; w < counts[2]; ++w)
            for (int e = 0; e < in_c; ++e) {
                const auto [r, s] = of_c(lane, w, e);
                const std::uint32_t word = out[static_cast<std::size_t>(lane * counts[2] + w)];
                if constexpr (half) d.at(r, s) = static_cast<std::uint16_t>(word >> (16 * e));
                else std::memcpy(&d.at(r, s), &word, 4);
            }
}

using Place = std::pair<int, int>;

/// The layouts of m8n8k16, m16n8k8 and their like.
template <class T, class Sum, class Test>
void by_fours(Test& test, const std::string& instruction, int m, int k, int bits) {
    test.template check<T,
                        Sum>(m, 8, k, true, false, true, [&](auto& a, auto& b, auto& c, auto& d) {
        const int per = 32 / bits, tiles = k / (4 * per);
        if (bits < 8) { // as many bits as there are
            const int top = bits == 1 ? 1 : 15;
            for (auto* each : {&a, &b})
                for (auto& x : each->data)
                    x = static_cast<T>(bits == 4 && std::is_signed_v<T> ? (x & 15) - 8 : x & top);
        }
        int counts[3] = {m / 8 * tiles, tiles, std::is_same_v<Sum, std::uint16_t> ? m / 8 : m / 4};
        run_fragments(
            instruction, counts, bits, a, b, c, d,
            [&](int lane, int w, int e) -> Place {
                return {lane / 4 + 8 * (w % (m / 8)), lane % 4 * per + e + w / (m / 8) * 4 * per};
            },
            [&](int lane, int w, int e) -> Place {
                return {lane % 4 * per + e + w * 4 * per, lane / 4};
            },
            [&](int lane, int w, int e) -> Place {
                const int index = counts[2] == m / 8 && !std::is_same_v<Sum, int> ? 2 * w + e : w;
                return {lane / 4 + index / 2 * 8, lane % 4 * 2 + index % 2};
            });
    });
}

struct MatrixProducts : Matrices {
    using Matrices::check;
};

TEST_F(MatrixProducts, OfHalvesAndIntegers) {
    by_fours<std::uint16_t, float>(*this, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 16, 8,
                                   16);
    by_fours<std::uint16_t, std::uint16_t>(
        *this, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 16);
    by_fours<signed char, int>(*this, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 8, 16, 8);
    by_fours<unsigned char, int>(*this, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32",
                                 8, 16, 8);
    by_fours<signed char, int>(*this, "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 8, 32, 4);
    by_fours<unsigned char, int>(*this, "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32", 8, 32, 4);
}

TEST_F(MatrixProducts, OfFourQuads) {
    // The four products are of the same rows and columns here, each checked by itself.
    for (const bool a_rows : {true, false})
        for (const bool b_rows : {true, false})
            for (const bool half : {false, true}) {
                const std::string name = fmt::format("mma.sync.aligned.m8n8k4.{}.{}.{}.f16.f16.{}",
                                                     a_rows ? "row" : "col", b_rows ? "row" : "col",
                                                     half ? "f16" : "f32", half ? "f16" : "f32");
                SCOPED_TRACE(name);
                const auto low = [](int lane) { return lane % 4 + (lane < 16 ? 0 : 4); };
                const auto of_a = [&](int lane, int w, int e) -> Place {
                    const int i = 2 * w + e;
                    return a_rows ? Place{low(lane), i} : Place{i + (lane < 16 ? 0 : 4), lane % 4};
                };
                const auto of_b = [&](int lane, int w, int e) -> Place {
                    const int i = 2 * w + e;
                    return b_rows ? Place{lane % 4, i + (lane < 16 ? 0 : 4)} : Place{i, low(lane)};
                };
                const auto of_c = [&](int lane, int w, int e) -> Place {
                    if (half) return {low(lane), 2 * w + e};
                    return {(lane & 1) + (w & 2) + (lane < 16 ? 0 : 4),
                            (w & 4) + (lane & 2) + (w & 1)};
                };
                int counts[3] = {2, 2, half ? 4 : 8};
                const auto run = [&](auto& a, auto& b, auto& c, auto& d) {
                    run_fragments(name, counts, 16, a, b, c, d, of_a, of_b, of_c);
                };
                if (half) check<std::uint16_t, std::uint16_t>(8, 8, 4, true, true, true, run);
                else check<std::uint16_t, float>(8, 8, 4, true, true, true, run);
            }
}

TEST_F(MatrixProducts, OfBits) {
    std::vector<std::uint32_t> in(32 * 4), out(32 * 2);
    for (auto& each : in) each = random()();
    Program program{one_instruction("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 1,
                                    1, 2, false)};
    program.run({{1, 1, 1}, {32, 1, 1}}, in.data(), out.data());
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned e = 0; e < 2; ++e) {
            std::uint32_t sum = in[lane * 4 + 2 + e];
            for (unsigned q = 0; q < 4; ++q)
                sum += static_cast<unsigned>(__builtin_popcount(
                    in[(lane / 4 * 4 + q) * 4] ^ in[((lane % 4 * 2 + e) * 4 + q) * 4 + 1]));
            EXPECT_EQ(out[lane * 2 + e], sum) << lane;
        }
}

TEST_F(MatrixProducts, OfTwoSigns) {
    for (const unsigned bits : {8u, 4u})
        for (const bool a_signed : {false, true})
            for (const bool b_signed : {false, true}) {
                const std::string name =
                    fmt::format("mma.sync.aligned.m8n8k{}.row.col.s32.{}{}.{}{}.s32", 128 / bits,
                                a_signed ? 's' : 'u', bits, b_signed ? 's' : 'u', bits);
                std::vector<std::uint32_t> in(32 * 4), out(32 * 2);
                for (auto& each : in) each = random()();
                Program program{one_instruction(name, 1, 1, 2, false)};
                program.run({{1, 1, 1}, {32, 1, 1}}, in.data(), out.data());
                const auto value_of = [&](std::uint32_t word, unsigned k, bool is_signed) {
                    const auto part = static_cast<int>(word >> (bits * k) & ((1u << bits) - 1));
                    return is_signed && part >> (bits - 1) ? part - (1 << bits) : part;
                };
                for (unsigned lane = 0; lane < 32; ++lane)
                    for (unsigned e = 0; e < 2; ++e) {
                        std::uint32_t sum = in[lane * 4 + 2 + e];
                        for (unsigned q = 0; q < 4; ++q)
                            for (unsigned k = 0; k < 32 / bits; ++k)
                                sum += static_cast<std::uint32_t>(
                                    value_of(in[(lane / 4 * 4 + q) * 4], k, a_signed) *
                                    value_of(in[((lane % 4 * 2 + e) * 4 + q) * 4 + 1], k,
                                             b_signed));
                        EXPECT_EQ(out[lane * 2 + e], sum) << name << ", lane " << lane;
                    }
            }
}

TEST_F(MatrixProducts, SaturateWhereAsked) {
    std::vector<std::uint32_t> in(32 * 4, 0x7f7f7f7f), out(32 * 2);
    for (std::size_t lane = 0; lane < 32; ++lane) in[lane * 4 + 2] = in[lane * 4 + 3] = 0x7fffffff;
    for (const bool saturates : {false, true}) {
        Program program{
            one_instruction(fmt::format("mma.sync.aligned.m8n8k16.row.col{}.s32.s8.s8.s32",
                                        saturates ? ".satfinite" : ""),
                            1, 1, 2, false)};
        program.run({{1, 1, 1}, {32, 1, 1}}, in.data(), out.data());
        for (const std::uint32_t each : out)
            EXPECT_EQ(each, saturates ? 0x7fffffffu : 0x7fffffffu + 16 * 127 * 127);
    }
}

TEST_F(Matrices, AreLoadedAndTransposed) {
    Program program{lathe::test::compile_to_ptx(R"(
extern "C" __global__ void k(const unsigned short* in, unsigned* out) {
    __shared__ alignas(16) unsigned short tile[32][24];
    const unsigned lane = threadIdx.x;
    for (int c = 0; c < 8; ++c) tile[lane][c] = in[8 * lane + c];
    __syncwarp();
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile[lane]));
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
    out[lane] = a; out[32 + lane] = b; out[64 + lane] = c; out[96 + lane] = d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b)
                 : "r"(at));
    out[128 + lane] = a; out[160 + lane] = b;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(a) : "r"(out[lane]));
    out[192 + lane] = a;
})",
                                                "ldmatrix.cu")};
    std::vector<std::uint16_t> in(256);
    for (auto& each : in) each = static_cast<std::uint16_t>(random()());
    std::vector<std::uint32_t> out(224);
    program.run({{1, 1, 1}, {32, 1, 1}}, in.data(), out.data());
    const auto at = [&](unsigned m, unsigned r, unsigned c) {
        return std::uint32_t{in[(8 * m + r) * 8 + c]};
    };
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned g = lane / 4, t = lane % 4;
        for (unsigned m = 0; m < 4; ++m)
            EXPECT_EQ(out[32 * m + lane], at(m, g, 2 * t) | at(m, g, 2 * t + 1) << 16);
        for (unsigned m = 0; m < 2; ++m)
            EXPECT_EQ(out[128 + 32 * m + lane], at(m, 2 * t, g) | at(m, 2 * t + 1, g) << 16);
        EXPECT_EQ(out[192 + lane], at(0, 2 * t, g) | at(0, 2 * t + 1, g) << 16);
    }
}

} // namespace
} // namespace lathe::soft::test
