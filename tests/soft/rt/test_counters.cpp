// SPDX-License-Identifier: MIT
// Counters by source line, beside numbers worked out by hand from what CUDA says of warps, sectors
// of 32 bytes and 32 banks of 4 bytes.
#include "tests/soft/rt/driver_test.h"
#include "tests/soft/support/random_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace lathe::test {
namespace {

using Line = LatheSoftLineCounters;

class Counters : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        latheSoftCountersReset();
        latheSoftCountersStart();
    }
    void TearDown() override {
        latheSoftCountersStop();
        latheSoftCountersReset();
        DriverTest::TearDown();
    }

    static std::vector<Line> rows() {
        std::vector<Line> all(latheSoftCountersRead(nullptr, 0));
        all.resize(std::min(all.size(), latheSoftCountersRead(all.data(), all.size())));
        return all;
    }
    /// The sums of a line of test.cu, over all rows.
    static Line line(unsigned number) {
        Line sum{};
        for (const Line& row : rows()) {
            if (row.line != number || !std::string_view{row.file}.ends_with("test.cu")) continue;
            const auto* from = &row.executions;
            auto* to = &sum.executions;
            for (std::size_t k = 0; k < (sizeof row - offsetof(Line, executions)) / 8; ++k)
                to[k] += from[k];
            sum.by_threads |= row.by_threads;
        }
        return sum;
    }
    template <class... A> void run(const std::string& source, const Shape& s, A... arguments) {
        CHECK_CU(launch(kernel(source), s, arguments...));
        CHECK_CU(cuCtxSynchronize());
    }
};

// 100 threads: three whole warps and four lanes.
TEST_F(Counters, StraightCodeWithAPartialLastWarp) {
    Buffer<float> x{4096};
    run("extern \"C\" __global__ void k(float* x) {\n"
        "    x[threadIdx.x] = threadIdx.x * 2.0f;\n"
        "}\n",
        shape(2, 100), x.get());
    const Line two = line(2);
    EXPECT_EQ(two.executions, 8u);
    EXPECT_EQ(two.lanes, 200u);
    EXPECT_EQ(two.by_threads, 0u);
    EXPECT_EQ(two.branches, 0u);
    EXPECT_EQ(two.global_accesses, 8u);
    EXPECT_EQ(two.sectors, 2u * (3 * 4 + 1)); // 128 bytes are four sectors, 16 bytes one
    EXPECT_EQ(two.ideal_sectors, 2u * (3 * 4 + 1));
    EXPECT_EQ(two.shared_accesses, 0u);
}

TEST_F(Counters, LanesOfADivergentIf) {
    Buffer<int> x{64};
    run("extern \"C\" __global__ void k(int* x, volatile int* y) {\n"
        "    if (threadIdx.x % 32 < 5)\n"
        "        y[threadIdx.x] = 1;\n"
        "    else\n"
        "        y[threadIdx.x + 64] = 2;\n"
        "    x[threadIdx.x] = 3;\n"
        "}\n",
        shape(1, 64), x.get(), Buffer<int>{256}.get());
    const Line branch = line(2), then = line(3), otherwise = line(5), after = line(6);
    EXPECT_EQ(branch.branches, 2u);
    EXPECT_EQ(branch.divergent_branches, 2u);
    EXPECT_EQ(std::min(branch.taken_lanes, branch.not_taken_lanes), 10u);
    EXPECT_EQ(std::max(branch.taken_lanes, branch.not_taken_lanes), 54u);
    EXPECT_EQ(then.executions, 2u);
    EXPECT_EQ(then.lanes, 10u);
    EXPECT_EQ(otherwise.executions, 2u);
    EXPECT_EQ(otherwise.lanes, 54u);
    EXPECT_EQ(after.executions, 2u);
    EXPECT_EQ(after.lanes, 64u);
}

// Lane k runs k + 1 rounds: 32 iterations, 32 * 33 / 2 lanes.
TEST_F(Counters, LanesOfADivergentLoop) {
    Buffer<int> x{32};
    run("extern \"C\" __global__ void k(volatile int* x) {\n"
        "    int i = 0;\n"
        "    #pragma unroll 1\n"
        "    do {\n"
        "        x[threadIdx.x] = i;\n"
        "    } while (i++ < threadIdx.x);\n"
        "}\n",
        shape(1, 32), x.get());
    EXPECT_EQ(line(5).executions, 32u);
    EXPECT_EQ(line(5).lanes, 528u);
    EXPECT_EQ(line(5).sectors, 8u * (4 + 3 + 2 + 1)); // one less for each eight lanes that left
    EXPECT_EQ(line(6).branches, 32u);
    EXPECT_EQ(line(6).divergent_branches, 31u); // all but the last, where the last lane leaves
    EXPECT_EQ(line(6).taken_lanes + line(6).not_taken_lanes, 528u);
    EXPECT_EQ(std::min(line(6).taken_lanes, line(6).not_taken_lanes), 32u);
}

/// A load of `type` at index * stride + offset elements, by all lanes of one warp.
std::string strided(const char* type, int stride, int offset) {
    return fmt::format("extern \"C\" __global__ void k(const {0}* x, int* y) {{\n"
                       "    const {0} v = x[threadIdx.x * {1} + {2}];\n"
                       "    int sum = 0;\n"
                       "    for (int k = 0; k < sizeof v / 4; ++k) sum += ((const int*)&v)[k];\n"
                       "    y[threadIdx.x] = sum;\n"
                       "}}\n",
                       type, stride, offset);
}

TEST_F(Counters, SectorsOfStridedLoads) {
    Buffer<int> x{1 << 16}, y{64};
    struct Case {
        const char* type;
        unsigned bytes;
    };
    for (const Case& c : {Case{"int", 4}, Case{"double", 8}, Case{"int4", 16}}) {
        for (int stride : {1, 2, 3, 32}) {
            for (int offset : {0, 1}) {
                SCOPED_TRACE(fmt::format("{}, stride {}, offset {}", c.type, stride, offset));
                latheSoftCountersReset();
                run(strided(c.type, stride, offset), shape(1, 32), x.get(), y.get());
                std::map<unsigned, int> sectors;
                for (unsigned k = 0; k < 32; ++k)
                    for (unsigned byte = 0; byte < c.bytes; ++byte)
                        ++sectors[((k * stride + offset) * c.bytes + byte) / 32];
                EXPECT_EQ(line(2).global_accesses, 1u);
                EXPECT_EQ(line(2).sectors, sectors.size());
                EXPECT_EQ(line(2).ideal_sectors, c.bytes);
            }
        }
    }
}

TEST_F(Counters, SectorsOfBackwardPartialAndUniformAccesses) {
    Buffer<int> x{256}, y{256};
    run("extern \"C\" __global__ void k(const volatile int* x, int* y) {\n"
        "    int v = x[100 - threadIdx.x];\n"
        "    v += x[7];\n"
        "    if (threadIdx.x % 3 == 0)\n"
        "        y[threadIdx.x + 1] = v;\n"
        "}\n",
        shape(1, 32), x.get(), y.get());
    EXPECT_EQ(line(2).sectors, 5u); // elements 69 to 100
    EXPECT_EQ(line(3).sectors, 1u);
    EXPECT_EQ(line(3).ideal_sectors, 4u);
    EXPECT_EQ(line(5).lanes, 11u);        // 0, 3 ... 30
    EXPECT_EQ(line(5).sectors, 4u);       // elements 1 to 31
    EXPECT_EQ(line(5).ideal_sectors, 2u); // 44 bytes
}

TEST_F(Counters, SectorsOfGathersAndOfRowsFoundWhenRunning) {
    std::vector<int> index(64);
    std::mt19937 random{3};
    for (int& i : index) i = static_cast<int>(random() % 4000);
    std::iota(index.begin() + 32, index.end(), 17); // the second warp's is a row, not aligned
    Buffer<int> in{index}, x{4096}, y{64};
    run("extern \"C\" __global__ void k(const int* in, const int* x, int* y) {\n"
        "    const int i = in[threadIdx.x];\n"
        "    const int j = (threadIdx.x + 5) % 64;\n"
        "    y[threadIdx.x] = x[i];\n"
        "    y[j] += i;\n"
        "}\n",
        shape(1, 64), in.get(), x.get(), y.get());
    unsigned wanted = 0;
    for (int warp = 0; warp < 2; ++warp) {
        std::map<int, int> sectors;
        for (int k = 0; k < 32; ++k) ++sectors[index[32 * warp + k] / 8];
        wanted += sectors.size();
    }
    EXPECT_EQ(line(4).sectors, wanted + 8);
    EXPECT_EQ(line(4).ideal_sectors, 16u);
    // Elements 5 to 36, then 37 to 63 and 0 to 4; read and written.
    EXPECT_EQ(line(5).sectors, 2u * (5 + 5));
}

// Patterns that come again, at other places of a sector, and change.
TEST_F(Counters, SectorsOfGathersInALoop) {
    constexpr int kRounds = 40, kStride = 37;
    Buffer<int> x{8192}, y{64};
    run("extern \"C\" __global__ void k(const int* x, int* y) {\n"
        "    int sum = 0;\n"
        "    #pragma unroll 1\n"
        "    for (int i = 0; i < 40; ++i)\n"
        "        sum += x[(threadIdx.x * (i % 3 + 1) ^ i / 8) + i * 37];\n"
        "    y[threadIdx.x] = sum;\n"
        "}\n",
        shape(1, 64), x.get(), y.get());
    std::size_t wanted = 0;
    for (int i = 0; i < kRounds; ++i) {
        for (int warp = 0; warp < 2; ++warp) {
            std::map<int, int> sectors;
            for (int k = 32 * warp; k < 32 * warp + 32; ++k)
                ++sectors[((k * (i % 3 + 1) ^ i / 8) + i * kStride) / 8];
            wanted += sectors.size();
        }
    }
    EXPECT_EQ(line(5).global_accesses, 2u * kRounds);
    EXPECT_EQ(line(5).sectors, wanted);
}

// Warps of several rows: these may share sectors, and begin anywhere in one.
TEST_F(Counters, SectorsAndBanksOfShortRows) {
    const std::string source =
        "extern \"C\" __global__ void k(const int* in, int* out, int pitch, int first, int n) {\n"
        "    const int x = threadIdx.x, y = threadIdx.y + blockDim.y * threadIdx.z;\n"
        "    __shared__ int tile[16][17]; __shared__ double wide[16][16];\n"
        "    int v = in[y * pitch + x + first];\n"
        "    v += in[y * pitch + first];\n"
        "    v += in[y * pitch + 2 * x];\n"
        "    v += in[y * pitch + (x + 3) % 16];\n"
        "    if (y * 16 + x < n) {\n"
        "        v += in[y * pitch + x + first + 1000];\n"
        "        v += in[(x + first) * 8 + 2000]; }\n"
        "    tile[y][x] = v;\n"
        "    wide[y][x] = v;\n"
        "    __syncthreads();\n"
        "    v = tile[x][y];\n"
        "    v += wide[y][3];\n"
        "    v += wide[x][2];\n"
        "    out[(y * blockDim.x + x) * 2] = v;\n"
        "}\n";
    struct CountedAccess {
        unsigned line, size;
        std::function<int(int x, int y)> index;
        bool guarded = false;
    };
    Buffer<int> in{8192}, out{1024};
    CUfunction f = kernel(source);
    for (const auto& b : {std::array{16u, 8u, 1u},
                          {16u, 3u, 1u},
                          {8u, 8u, 1u},
                          {8u, 2u, 3u},
                          {4u, 4u, 2u},
                          {16u, 16u, 1u}}) {
        for (const int pitch : {0, 3, 16, 100, 128}) {
            for (const int first : {0, 5}) {
                const int n = 37;
                const CountedAccess global[] = {
                    {4, 4, [&](int x, int y) { return y * pitch + x + first; }},
                    {5, 4, [&](int, int y) { return y * pitch + first; }},
                    {6, 4, [&](int x, int y) { return y * pitch + 2 * x; }},
                    {7, 4, [&](int x, int y) { return y * pitch + (x + 3) % 16; }},
                    {9, 4, [&](int x, int y) { return y * pitch + x + first + 1000; }, true},
                    {10, 4, [&](int x, int) { return (x + first) * 8 + 2000; }, true},
                    {17, 4, [&](int x, int y) { return (y * static_cast<int>(b[0]) + x) * 2; }}};
                const CountedAccess shared[] = {{11, 4, [](int x, int y) { return y * 17 + x; }},
                                                {12, 8, [](int x, int y) { return y * 16 + x; }},
                                                {14, 4, [](int x, int y) { return x * 17 + y; }},
                                                {15, 8, [](int, int y) { return y * 16 + 3; }},
                                                {16, 8, [](int x, int) { return x * 16 + 2; }}};
                SCOPED_TRACE(fmt::format("{} x {} x {}, pitch {}, first {}", b[0], b[1], b[2],
                                         pitch, first));
                latheSoftCountersReset();
                CHECK_CU(launch(f, {{1, 1, 1}, {b[0], b[1], b[2]}}, in.get(), out.get(), pitch,
                                first, n));
                CHECK_CU(cuCtxSynchronize());
                const int threads = static_cast<int>(b[0] * b[1] * b[2]);
                const auto for_warps = [&](const CountedAccess& a, auto&& f_of_lanes) {
                    unsigned sum = 0;
                    for (int warp = 0; warp < threads; warp += 32) {
                        std::vector<std::pair<int, int>> lanes; // in the warp, index
                        for (int i = warp; i < std::min(warp + 32, threads); ++i) {
                            const int x = i % static_cast<int>(b[0]),
                                      y = i / static_cast<int>(b[0]);
                            if (!a.guarded || y * 16 + x < n)
                                lanes.emplace_back(i - warp, a.index(x, y));
                        }
                        if (!lanes.empty()) sum += f_of_lanes(lanes);
                    }
                    return sum;
                };
                for (const CountedAccess& a : global) {
                    EXPECT_EQ(line(a.line).sectors,
                              for_warps(a,
                                        [&](const auto& lanes) {
                                            std::map<int, int> sectors;
                                            for (const auto& [lane, index] : lanes)
                                                ++sectors[index / 8];
                                            return static_cast<unsigned>(sectors.size());
                                        }))
                        << "line " << a.line;
                }
                for (const CountedAccess& a : shared) {
                    EXPECT_EQ(line(a.line).bank_conflict_degree,
                              for_warps(a,
                                        [&](const auto& lanes) {
                                            unsigned most = 0; // 8 bytes a lane go by half warps
                                            for (int half = 0; half < (a.size == 8 ? 2 : 1);
                                                 ++half) {
                                                std::map<int, std::map<int, int>> words;
                                                for (const auto& [lane, index] : lanes) {
                                                    if (a.size == 8 && lane / 16 != half) continue;
                                                    for (unsigned w = 0; w < a.size / 4; ++w) {
                                                        const int word =
                                                            index * static_cast<int>(a.size / 4) +
                                                            static_cast<int>(w);
                                                        ++words[word % 32][word];
                                                    }
                                                }
                                                for (const auto& [bank, all] : words)
                                                    most = std::max<unsigned>(most, all.size());
                                            }
                                            return most;
                                        }))
                        << "line " << a.line;
                }
            }
        }
    }
}

std::string shared_by(const std::string& index, const char* type = "int") {
    return fmt::format("extern \"C\" __global__ void k({0}* y, int step) {{\n"
                       "    __shared__ {0} tile[2048];\n"
                       "    for (int i = threadIdx.x; i < 2048; i += blockDim.x) tile[i] = {0}();\n"
                       "    __syncthreads();\n"
                       "    y[threadIdx.x] =\n"
                       "        tile[{1}];\n"
                       "}}\n",
                       type, index);
}

// At the edges of a grid some lanes are off, in each block others; blocks of every shape of rows.
TEST_F(Counters, SectorsOfAStencilAtItsEdges) {
    constexpr int n = 40;
    Buffer<float> now{n * n * n}, next{n * n * n};
    CUfunction f = kernel("extern \"C\" __global__ void k(int n, const float* now, float* next) {\n"
                          "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                          "    const int z = blockIdx.z * blockDim.z + threadIdx.z;\n"
                          "    if (x < 1 || y < 1 || z < 1) return;\n"
                          "    if (x >= n - 1 || y >= n - 1 || z >= n - 1) return;\n"
                          "    const int at = (z * n + y) * n + x;\n"
                          "    const float left = now[at - 1];\n"
                          "    const float below = now[at + n];\n"
                          "    next[at] = left + below;\n"
                          "}\n");
    const auto inner = [](int k) { return k >= 1 && k < n - 1; };
    for (const auto& block :
         {std::array{32, 4, 2}, {16, 8, 2}, {8, 8, 4}, {4, 4, 16}, {40, 2, 1}}) {
        latheSoftCountersReset();
        Shape s;
        int blocks[3];
        for (int k = 0; k < 3; ++k) {
            s.block[k] = static_cast<unsigned>(block[k]);
            blocks[k] = (n + block[k] - 1) / block[k];
            s.grid[k] = static_cast<unsigned>(blocks[k]);
        }
        CHECK_CU(launch(f, s, int{n}, now.get(), next.get()));
        CHECK_CU(cuCtxSynchronize());
        std::map<unsigned, std::uint64_t> sectors; // by line
        const int threads = block[0] * block[1] * block[2];
        for (int number = 0; number < blocks[0] * blocks[1] * blocks[2]; ++number) {
            const int first[] = {number % blocks[0] * block[0],
                                 number / blocks[0] % blocks[1] * block[1],
                                 number / blocks[0] / blocks[1] * block[2]};
            for (int warp = 0; warp < threads; warp += 32) {
                std::set<int> left, below, here;
                for (int t = warp; t < std::min(warp + 32, threads); ++t) {
                    const int x = first[0] + t % block[0];
                    const int y = first[1] + t / block[0] % block[1];
                    const int z = first[2] + t / block[0] / block[1];
                    if (!inner(x) || !inner(y) || !inner(z)) continue;
                    const int at = (z * n + y) * n + x;
                    left.insert((at - 1) / 8);
                    below.insert((at + n) / 8);
                    here.insert(at / 8);
                }
                sectors[8] += left.size();
                sectors[9] += below.size();
                sectors[10] += here.size();
            }
        }
        for (const auto& [number, count] : sectors)
            EXPECT_EQ(line(number).sectors, count)
                << "line " << number << ", " << block[0] << " x " << block[1] << " x " << block[2];
    }
}

TEST_F(Counters, BankConflicts) {
    struct Case {
        const char *index, *type;
        unsigned degree;
    };
    const Case cases[] = {
        {"threadIdx.x", "int", 1},
        {"threadIdx.x * 2", "int", 2},
        {"threadIdx.x * 32", "int", 32},
        {"threadIdx.x * 33", "int", 1},
        {"step", "int", 1},
        {"threadIdx.x * step", "int", 4}, // step is 4
        {"threadIdx.x / 2", "int", 1},
        {"threadIdx.x ^ 5", "int", 1},
        {"threadIdx.x", "double", 1},
        {"threadIdx.x * 2", "double", 2},
        {"threadIdx.x * 16", "double", 16},
        {"threadIdx.x", "char", 1},
        {"threadIdx.x * 4", "char", 1},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(fmt::format("{} of {}", c.index, c.type));
        latheSoftCountersReset();
        Buffer<double> y{64};
        run(shared_by(c.index, c.type), shape(1, 32), y.get(), 4);
        EXPECT_EQ(line(6).shared_accesses, 1u);
        EXPECT_EQ(line(6).bank_conflict_degree, c.degree);
        EXPECT_EQ(line(6).sectors, 0u);
    }
}

// Where a pointer leads is known when the code runs: global memory has sectors, shared memory
// banks, local memory neither.
TEST_F(Counters, PointersOfAnySpace) {
    const std::string source =
        "extern \"C\" __global__ void k(int* x, int* y, int which) {\n"
        "    __shared__ int tile[64];\n"
        "    int local[64];\n"
        "    for (int i = 0; i < 64; ++i) tile[i] = local[i] = i + which;\n"
        "    __syncthreads();\n"
        "    const volatile int* p = which == 0 ? x : which == 1 ? tile : local;\n"
        "    const int v =\n"
        "        p[threadIdx.x * 2];\n"
        "    y[threadIdx.x] = v;\n"
        "}\n";
    for (int which : {0, 1, 2}) {
        SCOPED_TRACE(which);
        latheSoftCountersReset();
        Buffer<int> x{64}, y{64};
        run(source, shape(1, 32), x.get(), y.get(), which);
        EXPECT_EQ(y.read()[3], which == 0 ? 0 : 6 + which);
        EXPECT_EQ(line(8).lanes, 32u);
        EXPECT_EQ(line(8).global_accesses, which == 0 ? 1u : 0u);
        EXPECT_EQ(line(8).sectors, which == 0 ? 8u : 0u); // 256 bytes
        EXPECT_EQ(line(8).ideal_sectors, which == 0 ? 4u : 0u);
        EXPECT_EQ(line(8).shared_accesses, which == 1 ? 1u : 0u);
        EXPECT_EQ(line(8).bank_conflict_degree, which == 1 ? 2u : 0u);
    }
}

TEST_F(Counters, PointersFromMemory) {
    Buffer<int> a{64}, b{64}, y{64};
    Buffer<CUdeviceptr> list{std::vector<CUdeviceptr>{a.get(), b.get() + 4}};
    run("extern \"C\" __global__ void k(int* const* list, int* y) {\n"
        "    const int* p = list[threadIdx.x / 16];\n"
        "    y[threadIdx.x] =\n"
        "        p[threadIdx.x % 16];\n"
        "}\n",
        shape(1, 32), list.get(), y.get());
    EXPECT_EQ(line(2).sectors, 1u);
    EXPECT_EQ(line(4).global_accesses, 1u);
    EXPECT_EQ(line(4).sectors, 2u + 3u); // 64 bytes each, those of b across three sectors
    EXPECT_EQ(line(4).ideal_sectors, 4u);
}

// 32-bit numbers that wrap inside of a warp: its last sixteen lanes have 0 to 15.
TEST_F(Counters, IndicesThatWrapBetweenLanes) {
    Buffer<int> y{64};
    run("extern \"C\" __global__ void k(int* y, unsigned base) {\n"
        "    const unsigned i = threadIdx.x + base;\n"
        "    if (i < 48)\n"
        "        y[i] = 1;\n"
        "}\n",
        shape(1, 64), y.get(), 0xfffffff0u);
    EXPECT_EQ(y.read()[47], 1);
    EXPECT_EQ(line(3).branches, 2u);
    EXPECT_EQ(line(3).divergent_branches, 1u);
    EXPECT_EQ(line(4).executions, 2u);
    EXPECT_EQ(line(4).lanes, 48u);
    EXPECT_EQ(line(4).global_accesses, 2u);
    EXPECT_EQ(line(4).sectors, 2u + 4u);
    EXPECT_EQ(line(4).ideal_sectors, 6u);
}

// An access of global and one of shared memory.
TEST_F(Counters, AsynchronousCopies) {
    struct Case {
        unsigned bytes, step, sectors, degree;
    };
    for (const Case& c :
         {Case{16, 1, 16, 1}, Case{8, 1, 8, 1}, Case{4, 1, 4, 1}, Case{4, 2, 8, 2}}) {
        SCOPED_TRACE(fmt::format("{} bytes, step {}", c.bytes, c.step));
        latheSoftCountersReset();
        Buffer<char> x{2048};
        Buffer<int> y{64};
        const std::string source = fmt::format(
            "extern \"C\" __global__ void k(const char* x, int* y) {{\n"
            "    __shared__ __align__(16) char tile[1024];\n"
            "    unsigned to = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x * {0});\n"
            "    asm volatile(\"cp.async.ca.shared.global [%0], [%1], {1};\" :: \"r\"(to), "
            "\"l\"(x + threadIdx.x * {0}));\n"
            "    asm volatile(\"cp.async.wait_all;\");\n"
            "    __syncthreads();\n"
            "    y[threadIdx.x] = tile[threadIdx.x];\n"
            "}}\n",
            c.bytes * c.step, c.bytes);
        CUfunction f = kernel(source, {"-lineinfo", "-arch=compute_80"});
        CHECK_CU(launch(f, shape(1, 32), x.get(), y.get()));
        CHECK_CU(cuCtxSynchronize());
        const Line copies = line(4);
        EXPECT_EQ(copies.global_accesses, 1u);
        EXPECT_EQ(copies.sectors, c.sectors);
        EXPECT_EQ(copies.ideal_sectors, c.bytes);
        EXPECT_EQ(copies.shared_accesses, 1u);
        EXPECT_EQ(copies.bank_conflict_degree, c.degree);
    }
}

TEST_F(Counters, AtomicsToOneAndToManyAddresses) {
    Buffer<int> sums{256};
    run("extern \"C\" __global__ void k(int* sums) {\n"
        "    atomicAdd(&sums[0], (int)threadIdx.x);\n"
        "    atomicAdd(&sums[threadIdx.x], 1);\n"
        "    atomicMax(&sums[threadIdx.x * 7 % 5], 9);\n"
        "    __shared__ int bins[4];\n"
        "    bins[threadIdx.x & 3] = 0;\n"
        "    __syncthreads();\n"
        "    atomicAdd(&bins[threadIdx.x & 3], 1);\n"
        "    __syncthreads();\n"
        "    if (threadIdx.x < 4) sums[threadIdx.x + 100] = bins[threadIdx.x];\n"
        "}\n",
        shape(1, 64), sums.get());
    EXPECT_EQ(line(2).atomics_serialised % 32, 0u); // NVRTC may sum up a warp first
    EXPECT_EQ(line(3).atomics, 2u);
    EXPECT_EQ(line(3).atomics_serialised, 2u);
    EXPECT_EQ(line(4).atomics, 2u);
    EXPECT_EQ(line(4).atomics_serialised, 2u * 7); // 32 lanes over five addresses
    EXPECT_EQ(line(8).atomics, 2u);
    EXPECT_EQ(line(8).atomics_serialised, 2u * 8);
}

TEST_F(Counters, Barriers) {
    Buffer<int> y{256};
    run("extern \"C\" __global__ void k(volatile int* y) {\n"
        "    for (int i = 0; i < 3; ++i) {\n"
        "        y[threadIdx.x] = i;\n"
        "        __syncthreads();\n"
        "    }\n"
        "}\n",
        shape(4, 64), y.get());
    EXPECT_EQ(line(4).barriers, 4u * 2 * 3);
    EXPECT_GT(line(4).barrier_ticks, 0u);
    latheSoftCountersReset();
    run("extern \"C\" __global__ void k(volatile int* y) {\n"
        "    y[threadIdx.x] = 1;\n"
        "    __syncthreads();\n"
        "}\n",
        shape(1, 32), y.get());
    EXPECT_EQ(line(3).barriers, 1u);
    EXPECT_EQ(line(3).barrier_ticks, 0u); // nobody to wait for
}

// A loop runs as many instructions in each round, and a polynomial has more of them than a sum.
TEST_F(Counters, InstructionsGrowWithRoundsAndWithTheLine) {
    std::vector<std::uint64_t> sums, polynomials;
    for (int rounds : {10, 20, 40}) {
        latheSoftCountersReset();
        Buffer<float> x{64};
        run("extern \"C\" __global__ void k(volatile float* x, int rounds) {\n"
            "    #pragma unroll 1\n"
            "    for (int i = 0; i < rounds; ++i) {\n"
            "        float v = x[threadIdx.x];\n"
            "        v = v + 1.0f;\n"
            "        v = 3.0f + v * (0.5f + v * (0.25f + v * (0.125f + v)));\n"
            "        x[threadIdx.x] = v;\n"
            "    }\n"
            "}\n",
            shape(1, 64), x.get(), rounds);
        sums.push_back(line(5).instructions);
        polynomials.push_back(line(6).instructions);
    }
    EXPECT_EQ(line(5).thread_instructions, 2u * 40 * 32);
    EXPECT_EQ(sums[0], 2u * 10); // an addition in each of two warps
    EXPECT_EQ(sums[2], 2u * 40);
    EXPECT_GE(polynomials[0], 4 * sums[0]);
    EXPECT_EQ(polynomials[1], 2 * polynomials[0]);
    EXPECT_EQ(polynomials[2], 4 * polynomials[0]);
}

TEST_F(Counters, InstructionsOfEachFourthThread) {
    Buffer<float> x{64};
    run("extern \"C\" __global__ void k(volatile float* x, int rounds) {\n"
        "    if (threadIdx.x % 4) return;\n"
        "    #pragma unroll 1\n"
        "    for (int i = 0; i < rounds; ++i) {\n"
        "        float v = x[threadIdx.x];\n"
        "        v = v + 1.0f;\n"
        "        x[threadIdx.x] = v;\n"
        "    }\n"
        "}\n",
        shape(1, 64), x.get(), 5);
    EXPECT_EQ(line(6).instructions, 2u * 5);
    EXPECT_EQ(line(6).thread_instructions, 2u * 5 * 8);
}

TEST_F(Counters, TwoLinesOfOneBlockAndAnInlinedFunction) {
    Buffer<float> x{64};
    run("__device__ float twice(float v) {\n"
        "    return v * 2;\n"
        "}\n"
        "extern \"C\" __global__ void k(float* x) {\n"
        "    float v = x[threadIdx.x];\n"
        "    x[threadIdx.x] =\n"
        "        twice(v);\n"
        "}\n",
        shape(1, 64), x.get());
    EXPECT_EQ(line(5).executions, 2u);
    EXPECT_EQ(line(6).executions, 2u);
    EXPECT_EQ(line(5).sectors, 8u);
    EXPECT_EQ(line(6).sectors, 8u);
    const auto all = rows();
    const auto inner =
        std::find_if(all.begin(), all.end(), [](const Line& row) { return row.line == 2; });
    ASSERT_NE(inner, all.end());
    EXPECT_EQ(inner->executions, 2u);
    EXPECT_STREQ(inner->kernel, "k");
    EXPECT_TRUE(std::string_view{inner->inlined_at}.ends_with("test.cu:7")) << inner->inlined_at;
}

TEST_F(Counters, AKernelThatCannotRunByWarpsCountsThreads) {
    Buffer<int> x{64};
    run("__device__ __noinline__ int down(int n, volatile int* x) {\n"
        "    __syncwarp();\n"
        "    return n < 2 ? x[n] : down(n - 1, x) + down(n - 2, x);\n"
        "}\n"
        "extern \"C\" __global__ void k(int* x) {\n"
        "    x[threadIdx.x] = down(3, x) * 0 + 7;\n"
        "}\n",
        shape(1, 32), x.get());
    EXPECT_EQ(x.read()[5], 7);
    EXPECT_EQ(line(6).by_threads, 1u);
    EXPECT_GE(line(6).executions, 32u);
    EXPECT_EQ(line(6).executions, line(6).lanes);
}

TEST_F(Counters, StoppedAndResetTheyStayAsTheyAre) {
    Buffer<float> x{64};
    const std::string source = "extern \"C\" __global__ void k(float* x) {\n"
                               "    x[threadIdx.x] = 1;\n"
                               "}\n";
    CUmodule module = load(source);
    CUfunction f = function(module, "k");
    CHECK_CU(launch(f, shape(1, 64), x.get()));
    latheSoftCountersStop();
    CHECK_CU(launch(f, shape(1, 64), x.get()));
    CHECK_CU(cuCtxSynchronize());
    EXPECT_EQ(line(2).executions, 2u);
    latheSoftCountersStart();
    CHECK_CU(launch(f, shape(1, 64), x.get()));
    CHECK_CU(cuCtxSynchronize());
    CHECK_CU(cuModuleUnload(module));
    EXPECT_EQ(line(2).executions, 4u); // also when the module is gone
    run(source, shape(1, 32), x.get());
    EXPECT_EQ(line(2).executions, 5u);
    latheSoftCountersReset();
    EXPECT_TRUE(rows().empty());
}

} // namespace
} // namespace lathe::test
