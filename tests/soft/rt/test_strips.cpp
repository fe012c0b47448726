// SPDX-License-Identifier: MIT
// Blocks whose rows are shorter than a warp, in all modes: what differs from row to row within a
// warp, against the same worked out thread by thread on the host.
#include "tests/soft/rt/driver_test.h"
#include "tests/soft/rt/mode_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

namespace lathe::test {
namespace {

constexpr unsigned kStripBlocks[][3] = {{16, 16, 1}, {16, 3, 1}, {16, 1, 1}, {8, 8, 1},  {8, 5, 1},
                                        {4, 4, 4},   {4, 3, 5},  {48, 3, 1}, {24, 4, 1}, {16, 2, 3},
                                        {16, 3, 2},  {12, 2, 2}, {5, 7, 1},  {32, 4, 1}};

struct Thread {
    int x, y, z, nx, ny, nz, i; ///< place, sizes, linear index
};

/// Threads run in no order that a test could name.
bool is_shuffled() {
    const char* order = std::getenv("LATHE_SOFT_ORDER");
    return order && std::string_view{order}.starts_with("shuffle");
}

class Strips : public DriverTest {
protected:
    void TearDown() override {
        Mode::unset();
        DriverTest::TearDown();
    }

    static CUmodule load_for(const Mode& mode, const std::string& ptx) {
        mode.set();
        CUmodule module = nullptr;
        EXPECT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
        return module;
    }

    /// A kernel k(const int* in, int* out, const float* real), blocks of all sizes, all modes;
    /// `wanted` has what a thread writes to out[its index in the grid].
    using Wanted = std::function<int(const Thread& t, const int* in, const float* real)>;
    void compare(const std::string& body, const Wanted& wanted, unsigned most = 512) {
        const std::string ptx = compile_to_ptx(
            "extern \"C\" __global__ void k(const int* in, int* out, const float* real) {\n"
            "const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;\n"
            "const int nx = blockDim.x, ny = blockDim.y, nz = blockDim.z;\n"
            "const int i = (z * ny + y) * nx + x;\n" +
                body + "\n}",
            "test.cu", {"-lineinfo"});
        std::vector<int> in(2048);
        std::vector<float> real(2048);
        for (std::size_t k = 0; k < in.size(); ++k) {
            in[k] = static_cast<int>(k * 2654435761u >> 20) % 101 - 50;
            real[k] = static_cast<float>(in[k]) * 0.25f;
        }
        Buffer<int> input{in};
        Buffer<float> reals{real};
        for (const Mode& mode : kModes) {
            CUmodule module = load_for(mode, ptx);
            CUfunction f = function(module, "k");
            for (const auto& n : kStripBlocks) {
                if (n[0] * n[1] * n[2] > most) continue;
                const unsigned threads = n[0] * n[1] * n[2];
                Buffer<int> out{threads + 64};
                CHECK_CU(cuMemsetD8(out.get(), 0x55, 4 * out.count()));
                CHECK_CU(launch(f, {{1, 1, 1}, {n[0], n[1], n[2]}}, input.get(), out.get(),
                                reals.get()));
                ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS)
                    << mode.name << ": " << last_fault().message << ", line " << last_fault().line;
                const std::vector<int> found = out.read();
                for (unsigned i = 0; i < out.count(); ++i) {
                    Thread t{};
                    t.nx = static_cast<int>(n[0]), t.ny = static_cast<int>(n[1]);
                    t.nz = static_cast<int>(n[2]), t.i = static_cast<int>(i);
                    t.x = t.i % t.nx, t.y = t.i / t.nx % t.ny, t.z = t.i / t.nx / t.ny;
                    const int expected =
                        i < threads ? wanted(t, in.data(), real.data()) : 0x55555555;
                    ASSERT_EQ(found[i], expected)
                        << mode.name << ", block " << n[0] << " x " << n[1] << " x " << n[2]
                        << ", thread " << t.x << ", " << t.y << ", " << t.z;
                }
            }
            cuModuleUnload(module);
        }
    }
};

TEST_F(Strips, Places) {
    compare("out[i] = x + 100 * y + 10000 * z;", [](const Thread& t, const int*, const float*) {
        return t.x + 100 * t.y + 10000 * t.z;
    });
}

TEST_F(Strips, BranchesByRow) {
    compare("int v = 7 * x;\n"
            "if (y == 1) v += in[x]; else if (y & 2) v -= in[y]; else v = in[i] * y;\n"
            "if (z == 1) v ^= 0x40;\n"
            "if (x < 8 && y > 0) v += 3;\n"
            "out[i] = v;",
            [](const Thread& t, const int* in, const float*) {
                int v = 7 * t.x;
                if (t.y == 1) v += in[t.x];
                else if (t.y & 2) v -= in[t.y];
                else v = in[t.i] * t.y;
                if (t.z == 1) v ^= 0x40;
                if (t.x < 8 && t.y > 0) v += 3;
                return v;
            });
}

// Rows leave loops and the kernel at different times; a row that is gone would divide by zero and
// read far away.
TEST_F(Strips, RowsLeaveAtDifferentTimes) {
    compare("const int d = in[200 + y + 3 * z] % 3;\n"
            "out[i] = -1;\n"
            "if (d == 0) return;\n"
            "int sum = 0;\n"
            "for (int k = y; k < 12; k += 2) sum += 1000 / d + in[k * 16 + x] * in[k];\n"
            "const int* p = in + 64 * y;\n"
            "for (int k = 0; k < y; ++k, p += nx) { if (p[0] > 40) break; sum += p[x]; }\n"
            "if (y == 2) return;\n"
            "const long far = y == 0 ? 0 : 1l << 40;\n"
            "if (far == 0) sum += in[far + y] + in[far + x];\n"
            "out[i] = sum;",
            [](const Thread& t, const int* in, const float*) {
                const int d = in[200 + t.y + 3 * t.z] % 3;
                if (d == 0) return -1;
                int sum = 0;
                for (int k = t.y; k < 12; k += 2) sum += 1000 / d + in[k * 16 + t.x] * in[k];
                const int* p = in + 64 * t.y;
                for (int k = 0; k < t.y; ++k, p += t.nx) {
                    if (p[0] > 40) break;
                    sum += p[t.x];
                }
                if (t.y == 2) return -1;
                if (t.y == 0) sum += in[t.y] + in[t.x];
                return sum;
            });
}

TEST_F(Strips, SharedTiles) {
    compare(
        "__shared__ int s[16][49], rows[64];\n"
        "const int r = (y + ny * z) % 16;\n"
        "s[r][x] = in[i];\n"
        "if (x == nx - 1) rows[r] = in[y] + z;\n"
        "__syncthreads();\n"
        "int sum = 0;\n"
        "for (int k = 0; k < nx; ++k) sum += s[r][k] * s[k % (ny * nz < 16 ? ny * nz : 16)][x];\n"
        "__syncthreads();\n"
        "s[r][nx - 1 - x] = sum;\n"
        "__syncthreads();\n"
        "out[i] = s[r][x] + rows[r];",
        [](const Thread& t, const int* in, const float*) {
            const int rows = t.ny * t.nz < 16 ? t.ny * t.nz : 16, r = (t.y + t.ny * t.z) % 16;
            const auto at = [&](int row, int x) { return in[row * t.nx + x]; };
            int sum = 0;
            for (int k = 0; k < t.nx; ++k) sum += at(r, k) * at(k % rows, t.nx - 1 - t.x);
            return sum + in[t.y] + t.z;
        },
        256);
}

// Warps are runs of 32 threads, whatever the rows are.
TEST_F(Strips, OperationsOfWarpsCrossRows) {
    compare("const int n = nx * ny * nz, lane = i % 32, last = min(n - (i - lane), 32);\n"
            "const unsigned all = last == 32 ? ~0u : (1u << last) - 1;\n"
            "unsigned v = __ballot_sync(all, in[i] > y);\n"
            "v += 3 * __shfl_xor_sync(all, in[i], 1) + 5 * __shfl_down_sync(all, y * 64 + x, 1);\n"
            "v += 7 * __shfl_sync(all, y, 9 % last) + __popc(__match_any_sync(all, y));\n"
            "v += __any_sync(all, y == 2) + 2 * __all_sync(all, y < 2);\n"
            "out[i] = v;",
            [](const Thread& t, const int* in, const float*) {
                const int n = t.nx * t.ny * t.nz, lane = t.i % 32, first = t.i - lane;
                const int last = std::min(n - first, 32);
                const auto y = [&](int k) { return (first + k) / t.nx % t.ny; };
                const auto x = [&](int k) { return (first + k) % t.nx; };
                unsigned ballot = 0, same = 0, any = 0, all = 1;
                for (int k = 0; k < last; ++k) {
                    ballot |= unsigned{in[first + k] > y(k)} << k;
                    same += y(k) == t.y;
                    any |= y(k) == 2;
                    all &= y(k) < 2;
                }
                const int other = (lane ^ 1) < last ? lane ^ 1 : lane;
                const int down = lane + 1 < last ? lane + 1 : lane;
                unsigned v = ballot + 3 * static_cast<unsigned>(in[first + other]);
                v += 5 * static_cast<unsigned>(y(down) * 64 + x(down));
                v += 7 * static_cast<unsigned>(y(9 % last)) + same + any + 2 * all;
                return static_cast<int>(v);
            });
}

// Edges that wrap or clamp, types of several sizes, structures.
TEST_F(Strips, Stencils) {
    compare(
        "const int n = ny * nz, r = y + ny * z;\n"
        "const auto at = [&](int j, int k) { return real[(j + n) % n * nx + (k + nx) % nx]; };\n"
        "const auto near = [&](int j, int k) {\n"
        "  return real[min(max(j, 0), n - 1) * nx + min(max(k, 0), nx - 1)]; };\n"
        "float v = at(r, x - 1) + 2 * at(r, x + 1) + 4 * at(r - 1, x) + 8 * at(r + 1, x);\n"
        "v += near(r - 1, x - 1) - 3 * near(r + 1, x + 1);\n"
        "const signed char* bytes = (const signed char*)in;\n"
        "const int2* pairs = (const int2*)in;\n"
        "v += bytes[r * nx + x] + pairs[i].y + ((const short*)in)[r];\n"
        "out[i] = (int)(v * 4);",
        [](const Thread& t, const int* in, const float* real) {
            const int n = t.ny * t.nz, r = t.y + t.ny * t.z;
            const auto at = [&](int j, int k) {
                return real[(j + n) % n * t.nx + (k + t.nx) % t.nx];
            };
            const auto near = [&](int j, int k) {
                return real[std::min(std::max(j, 0), n - 1) * t.nx +
                            std::min(std::max(k, 0), t.nx - 1)];
            };
            float v = at(r, t.x - 1) + 2 * at(r, t.x + 1) + 4 * at(r - 1, t.x) + 8 * at(r + 1, t.x);
            v += near(r - 1, t.x - 1) - 3 * near(r + 1, t.x + 1);
            std::int8_t byte = 0;
            std::int16_t half = 0;
            std::memcpy(&byte, reinterpret_cast<const char*>(in) + r * t.nx + t.x, 1);
            std::memcpy(&half, reinterpret_cast<const char*>(in) + 2 * r, 2);
            v += static_cast<float>(byte + in[2 * t.i + 1] + half);
            return static_cast<int>(v * 4);
        });
}

// Of a row's threads that write to one place the last wins; rows in their order.
TEST_F(Strips, StoresOfWholeRows) {
    if (is_shuffled()) GTEST_SKIP() << "the last of some threads is any of them";
    compare("__shared__ int rows[64], one;\n"
            "const int r = y + ny * z;\n"
            "if (x != 2) rows[r] = x + 100 * y;\n"
            "if (y % 2 == 0) one = r;\n"
            "rows[63 - r] = in[r];\n"
            "__syncthreads();\n"
            "out[i] = rows[r] + 1000 * rows[63 - r] + 100000 * (one >= 0);",
            [](const Thread& t, const int* in, const float*) {
                const int r = t.y + t.ny * t.z, last = t.nx - 1 == 2 ? 1 : t.nx - 1;
                return last + 100 * t.y + 1000 * in[r] + 100000;
            });
}

TEST_F(Strips, LocalArraysAndAtomics) {
    compare("int local[5] = {x, y, z, i, 1};\n"
            "for (int k = 0; k < in[y] % 4 + 8; ++k) local[k % 5] += local[(k + y) % 5] + k;\n"
            "__shared__ int sum[64];\n"
            "const int r = y + ny * z;\n"
            "sum[r] = 0;\n"
            "__syncthreads();\n"
            "atomicAdd(&sum[r], x * x + y);\n"
            "__syncthreads();\n"
            "out[i] = local[in[r] & 3] * 3 + local[x % 5] + sum[r];",
            [](const Thread& t, const int* in, const float*) {
                int local[5] = {t.x, t.y, t.z, t.i, 1}, sum = 0;
                for (int k = 0; k < in[t.y] % 4 + 8; ++k) local[k % 5] += local[(k + t.y) % 5] + k;
                for (int k = 0; k < t.nx; ++k) sum += k * k + t.y;
                return local[in[t.y + t.ny * t.z] & 3] * 3 + local[t.x % 5] + sum;
            });
}

// Unsigned numbers of 32 bits that wrap within a row, and from a row to the next.
TEST_F(Strips, IndicesThatWrap) {
    compare("const unsigned k = y * 16u + x - 20u, row = y - 1u;\n"
            "int v = 5;\n"
            "if (k < 500) v += in[k];\n"
            "if (row < 100) v += in[row] + in[row * 16u + x];\n"
            "out[i] = v;",
            [](const Thread& t, const int* in, const float*) {
                const int k = t.y * 16 + t.x - 20, row = t.y - 1;
                int v = 5;
                if (k >= 0) v += in[k];
                if (row >= 0) v += in[row] + in[row * 16 + t.x];
                return v;
            });
}

// The same behind a loop that may have no pass.
TEST_F(Strips, IndicesThatWrapBehindALoop) {
    for (const char* first : {"0u", "8u", "64u"}) {
        const unsigned least = static_cast<unsigned>(std::atoi(first));
        compare(fmt::format("unsigned j = 0;\n"
                            "int v = 0;\n"
                            "for (; j + 4 + {} <= blockDim.x; j += 4) v += in[j];\n"
                            "const unsigned k = j + x - 5u;\n"
                            "if (k < 500) v += in[k];\n"
                            "out[i] = v;",
                            first),
                [least](const Thread& t, const int* in, const float*) {
                    unsigned j = 0;
                    int v = 0;
                    for (; j + 4 + least <= static_cast<unsigned>(t.nx); j += 4) v += in[j];
                    const unsigned k = j + static_cast<unsigned>(t.x) - 5u;
                    return k < 500 ? v + in[k] : v;
                });
    }
}

// An index that one of two ways here makes wrap in lanes that have left. The fence keeps the ways
// apart, or the index would be a selection.
TEST_F(Strips, IndicesThatWrapOnOneWay) {
    compare("if (x < 4) { out[i] = 7; return; }\n"
            "unsigned from = 5;\n"
            "if (ny & 1) { from = -4; __threadfence(); }\n"
            "out[i] = in[x + from];",
            [](const Thread& t, const int* in, const float*) {
                return t.x < 4 ? 7 : in[t.ny & 1 ? t.x - 4 : t.x + 5];
            });
}

TEST_F(Strips, OutOfBoundsInTheSecondRow) {
    const char* checks = std::getenv("LATHE_SOFT_CHECKS");
    if (checks && std::strcmp(checks, "exact") != 0) GTEST_SKIP() << "checks by pages";
    for (const bool one : {false, true}) {
        const std::string ptx =
            compile_to_ptx(fmt::format("extern \"C\" __global__ void k(int* x, int pitch) {{\n"
                                       "  int y = threadIdx.y;\n"
                                       "  x[y * pitch + {}] = y;\n"
                                       "}}\n",
                                       one ? "0" : "threadIdx.x"),
                           "test.cu", {"-lineinfo"});
        for (const Mode& mode : kModes) {
            CUmodule module = load_for(mode, ptx);
            CUfunction f = function(module, "k");
            for (unsigned rows : {1u, 2u, 3u}) {
                Buffer<int> x{20};
                const int pitch = 16;
                CHECK_CU(launch(f, {{1, 1, 1}, {16, rows, 1}}, x.get(), pitch));
                const CUresult end = cuCtxSynchronize();
                // Row 1 begins at 16 and has four elements; row 2 has none.
                const bool is_good = rows == 1 || (one && rows == 2);
                EXPECT_EQ(end, is_good ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS)
                    << mode.name << ", " << rows << " rows";
                if (is_good || end == CUDA_SUCCESS) continue;
                const LatheSoftFault fault = last_fault();
                EXPECT_EQ(fault.line, 3u) << fault.message;
                if (is_shuffled()) continue; // it may be a thread of another row
                EXPECT_EQ(fault.thread[0], one ? 0u : 4u) << mode.name << fault.message;
                EXPECT_EQ(fault.thread[1], one ? 2u : 1u) << mode.name << fault.message;
            }
            cuModuleUnload(module);
        }
    }
}

} // namespace
} // namespace lathe::test
