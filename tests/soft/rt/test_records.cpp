// SPDX-License-Identifier: MIT
// What threads access side by side: vectors and structures, in all modes, against the same worked
// out on the host. All numbers are multiples of 1/4 and small, so sums and products are exact.
#include "tests/soft/rt/driver_test.h"
#include "tests/soft/rt/mode_table.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace lathe::test {
namespace {

constexpr unsigned kBlocks[][2] = {{64, 1}, {96, 1}, {50, 1}, {16, 6}, {8, 8}, {4, 16}, {7, 5}};

using Words = std::vector<float>;

class Records : public DriverTest {
protected:
    void TearDown() override {
        Mode::unset();
        DriverTest::TearDown();
    }

    static Words numbers(std::size_t count) {
        Words all(count);
        for (std::size_t k = 0; k < count; ++k)
            all[k] = 0.25f * static_cast<float>(static_cast<int>(k * 2654435761u >> 24) % 61 - 30);
        return all;
    }

    /// Runs k(const float* in, float* out, const int* order, int n) with a thread for each i < n in
    /// two blocks. `words`: of in and out for each thread; bytes are compared. `wanted` changes
    /// what a thread finds in out.
    using Wanted =
        std::function<void(int i, const Words& in, const std::vector<int>& order, Words& out)>;
    void compare(const std::string& types, const std::string& body, std::size_t words,
                 const Wanted& wanted) {
        const std::string ptx =
            compile_to_ptx(types +
                               "\nextern \"C\" __global__ void k(const float* __restrict__ in, "
                               "float* out, const int* order, int n) {\n"
                               "const int t = threadIdx.y * blockDim.x + threadIdx.x;\n"
                               "const int i = blockIdx.x * blockDim.x * blockDim.y + t;\n" +
                               body + "\n}",
                           "test.cu", {"-lineinfo"});
        for (const Mode& mode : kModes) {
            mode.set();
            CUmodule module = nullptr;
            CHECK_CU(cuModuleLoadData(&module, ptx.c_str()));
            CUfunction f = function(module, "k");
            for (const auto& block : kBlocks) {
                const unsigned threads = 2 * block[0] * block[1];
                for (const int n : {static_cast<int>(threads), static_cast<int>(threads) - 5}) {
                    const Words in = numbers(words * threads);
                    Words expected = numbers(words * threads + 3);
                    std::reverse(expected.begin(), expected.end());
                    std::vector<int> order(threads);
                    for (unsigned k = 0; k < threads; ++k)
                        order[k] = static_cast<int>(k * 23 % static_cast<unsigned>(n));
                    Buffer<float> input{in}, out{expected};
                    Buffer<int> places{order};
                    CHECK_CU(launch(f, {{2, 1, 1}, {block[0], block[1], 1}}, input.get(), out.get(),
                                    places.get(), n));
                    ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS)
                        << mode.name << ": " << last_fault().message;
                    for (int i = 0; i < n; ++i) wanted(i, in, order, expected);
                    const Words found = out.read();
                    for (std::size_t k = 0; k < found.size(); ++k)
                        ASSERT_EQ(std::memcmp(&found[k], &expected[k], 4), 0)
                            << mode.name << ", block " << block[0] << " x " << block[1] << ", " << n
                            << " threads, word " << k << ": " << found[k] << " instead of "
                            << expected[k];
                }
            }
            cuModuleUnload(module);
        }
    }
};

std::size_t at(int i, std::size_t words) { return static_cast<std::size_t>(i) * words; }

TEST_F(Records, BodiesMove) {
    compare("struct Body { float4 place, speed; };",
            "if (i >= n) return;\n"
            "const float4 p = ((const float4*)in)[2 * i], v = ((const float4*)in)[2 * i + 1];\n"
            "const float s = 0.5f;\n"
            "((float4*)out)[2 * i] = make_float4(p.x + s * v.x, p.y + s * v.y, p.z + s * v.z, "
            "p.w);\n"
            "((float4*)out)[2 * i + 1] = v;",
            8, [](int i, const Words& in, const std::vector<int>&, Words& out) {
                for (std::size_t k = 0; k < 4; ++k) {
                    const float p = in[at(i, 8) + k], v = in[at(i, 8) + 4 + k];
                    out[at(i, 8) + k] = k < 3 ? p + 0.5f * v : p;
                    out[at(i, 8) + 4 + k] = v;
                }
            });
}

TEST_F(Records, ComplexProductsInALoop) {
    compare("",
            "float2* z = (float2*)out;\nconst float2* f = (const float2*)in;\n"
            "for (int k = i; k < n; k += 64 + n) {\n"
            "const float2 a = f[k], b = z[k];\n"
            "z[k] = make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }",
            2, [](int i, const Words& in, const std::vector<int>&, Words& out) {
                const std::size_t k = at(i, 2);
                const float x = out[k], y = out[k + 1];
                out[k] = in[k] * x - in[k + 1] * y;
                out[k + 1] = in[k] * y + in[k + 1] * x;
            });
}

TEST_F(Records, SumsOfFours) {
    compare("",
            "if (i < n) { const float4 x = ((const float4*)in)[i];\n"
            "float4 y = ((float4*)out)[i];\n"
            "y.x += 2 * x.x; y.y += 2 * x.y; y.z += 2 * x.z; y.w += 2 * x.w;\n"
            "((float4*)out)[i] = y; }",
            4, [](int i, const Words& in, const std::vector<int>&, Words& out) {
                for (std::size_t k = 0; k < 4; ++k) out[at(i, 4) + k] += 2 * in[at(i, 4) + k];
            });
}

TEST_F(Records, ThreeFloatsAndOnlyTwoOfThem) {
    compare("struct Three { float x, y, z; };",
            "if (i >= n) return;\n"
            "const Three a = ((const Three*)in)[i];\n"
            "Three* b = (Three*)out + i;\n"
            "b->x += a.y; b->z = a.x + a.z;\n",
            3, [](int i, const Words& in, const std::vector<int>&, Words& out) {
                out[at(i, 3)] += in[at(i, 3) + 1];
                out[at(i, 3) + 2] = in[at(i, 3)] + in[at(i, 3) + 2];
            });
}

// What lies behind the last field that is read belongs to nobody.
TEST_F(Records, FieldsAtTheEndOfMemory) {
    const std::string ptx =
        compile_to_ptx("struct Five { float a, b, c, d, e; };\n"
                       "extern \"C\" __global__ void k(const Five* in, float* out) {\n"
                       "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "out[i] = in[i].b + 2 * in[i].c; }",
                       "test.cu", {"-lineinfo"});
    const Words in = numbers(5 * 4096 - 2);
    for (const Mode& mode : kModes) {
        mode.set();
        for (const bool fits : {true, false}) {
            CUmodule module = nullptr;
            CHECK_CU(cuModuleLoadData(&module, ptx.c_str()));
            Buffer<float> input{fits ? in : Words(in.begin(), in.end() - 1)}, out{4096};
            CHECK_CU(launch(function(module, "k"), shape(64, 64), input.get(), out.get()));
            if (!fits) {
                ASSERT_NE(cuCtxSynchronize(), CUDA_SUCCESS) << mode.name;
                EXPECT_EQ(last_fault().thread[0], 63u) << mode.name;
                EXPECT_EQ(last_fault().block[0], 63u) << mode.name;
                break; // the context is gone
            }
            CHECK_CU(cuCtxSynchronize());
            const Words found = out.read();
            for (int i = 0; i < 4096; ++i)
                ASSERT_EQ(found[at(i, 1)], in[at(i, 5) + 1] + 2 * in[at(i, 5) + 2])
                    << mode.name << ", " << i;
            cuModuleUnload(module);
        }
        DriverTest::TearDown();
        cuDevicePrimaryCtxReset(0);
        DriverTest::SetUp();
    }
}

TEST_F(Records, ByIndicesFromMemory) {
    compare("",
            "if (i >= n) return;\n"
            "const float4 a = ((const float4*)in)[order[i]];\n"
            "const float2 b = *(const float2*)(in + 4 * ((i + 1) % n));\n"
            "((float4*)out)[(i + n - 1) % n] = make_float4(a.w, a.z + b.x, a.y + b.y, a.x);",
            4, [](int i, const Words& in, const std::vector<int>& order, Words& out) {
                const std::size_t count = order.size();
                // n follows from the order: the largest number and one.
                const auto n = static_cast<std::size_t>(
                    *std::max_element(order.begin(), order.begin() + static_cast<long>(count)) + 1);
                const auto k = static_cast<std::size_t>(i);
                const std::size_t a = 4 * static_cast<std::size_t>(order[k]), b = 4 * ((k + 1) % n);
                const std::size_t to = 4 * ((k + n - 1) % n);
                out[to] = in[a + 3];
                out[to + 1] = in[a + 2] + in[b];
                out[to + 2] = in[a + 1] + in[b + 1];
                out[to + 3] = in[a];
            });
}

// Fields are read and written in turns, and by two pointers.
TEST_F(Records, ReadsAndWritesInTurns) {
    compare("struct Four { float a, b, c, d; };",
            "if (i >= n) return;\n"
            "Four* p = (Four*)out + i;\n"
            "volatile float* q = out + 4 * i;\n"
            "p->a = p->b + 1; p->b = p->a + p->c; q[2] = p->b; p->d = p->c + p->a;\n"
            "p->a = q[3]; p->c = p->a + p->d;",
            4, [](int i, const Words&, const std::vector<int>&, Words& out) {
                float* p = &out[at(i, 4)];
                p[0] = p[1] + 1;
                p[1] = p[0] + p[2];
                p[2] = p[1];
                p[3] = p[2] + p[0];
                p[0] = p[3];
                p[2] = p[0] + p[3];
            });
}

TEST_F(Records, OtherSizes) {
    compare("struct Mixed { int number; float x; short2 pair; uchar4 bytes; double2 wide; };",
            "if (i >= n) return;\n"
            "const Mixed m = ((const Mixed*)in)[i];\n"
            "Mixed r;\n"
            "r.number = m.number ^ 1; r.x = -m.x;\n"
            "r.pair = make_short2(m.pair.y, m.pair.x);\n"
            "r.bytes = make_uchar4(m.bytes.w, m.bytes.z, m.bytes.y, m.bytes.x);\n"
            "r.wide = make_double2(m.wide.y, m.wide.x);\n"
            "((Mixed*)out)[i] = r;",
            8, [](int i, const Words& in, const std::vector<int>&, Words& out) {
                std::uint32_t m[8], r[8];
                std::memcpy(m, &in[at(i, 8)], sizeof m);
                r[0] = m[0] ^ 1;
                r[1] = m[1] ^ 0x80000000u;
                r[2] = m[2] << 16 | m[2] >> 16;
                r[3] = __builtin_bswap32(m[3]);
                r[4] = m[6], r[5] = m[7], r[6] = m[4], r[7] = m[5];
                std::memcpy(&out[at(i, 8)], r, sizeof r);
            });
}

TEST_F(Records, BytesOfPixels) {
    compare("",
            "if (i >= n) return;\n"
            "const unsigned char* p = (const unsigned char*)in + 3 * i;\n"
            "unsigned char* q = (unsigned char*)out + 3 * i;\n"
            "q[0] = p[2]; q[1] = p[1] ^ 0x11; q[2] = p[0];\n"
            "const ushort2 v = ((const ushort2*)in)[i];\n"
            "((ushort2*)out)[n + i] = make_ushort2(v.y, v.x + 1);",
            2, [](int i, const Words& in, const std::vector<int>& order, Words& out) {
                const auto n =
                    static_cast<std::size_t>(*std::max_element(order.begin(), order.end()) + 1);
                const auto* p = reinterpret_cast<const unsigned char*>(in.data()) + at(i, 3);
                auto* q = reinterpret_cast<unsigned char*>(out.data()) + at(i, 3);
                q[0] = p[2];
                q[1] = p[1] ^ 0x11;
                q[2] = p[0];
                std::uint32_t v = 0;
                std::memcpy(&v, &in[at(i, 1)], 4);
                v = v >> 16 | (v + 1) << 16;
                std::memcpy(&out[n + at(i, 1)], &v, 4);
            });
}

TEST_F(Records, SharedMemory) {
    compare("struct Three { float x, y, z; };",
            "__shared__ float4 fours[128];\n__shared__ Three threes[128];\n"
            "const float4 v = i < n ? ((const float4*)in)[i] : make_float4(1, 2, 3, 4);\n"
            "const int last = blockDim.x * blockDim.y - 1;\n"
            "fours[t] = v;\nthrees[last - t].x = v.w; threes[last - t].y = v.z;"
            "threes[last - t].z = v.y;\n"
            "__syncthreads();\n"
            "const float4 a = fours[t]; const Three b = threes[last - t], c = threes[t];\n"
            "if (i < n) ((float4*)out)[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, "
            "c.x - c.x + a.w);",
            4, [](int i, const Words& in, const std::vector<int>&, Words& out) {
                const float* v = &in[at(i, 4)];
                float* to = &out[at(i, 4)];
                to[0] = v[0] + v[3];
                to[1] = v[1] + v[2];
                to[2] = v[2] + v[1];
                to[3] = v[3];
            });
}

} // namespace
} // namespace lathe::test
