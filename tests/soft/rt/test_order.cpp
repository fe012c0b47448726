// SPDX-License-Identifier: MIT
// Orders of execution: the same every time, and at random by a seed.
#include "tests/soft/rt/driver_test.h"
#include "tests/soft/support/random_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>

namespace lathe::test {
namespace {

class OrderOfExecution : public DriverTest {
protected:
    void SetUp() override {
        setenv("LATHE_SOFT_ORDER", "record", 1); // read when a module is loaded, too
        DriverTest::SetUp();
    }
    void TearDown() override {
        unsetenv("LATHE_SOFT_ORDER");
        latheSoftCountersStop();
        latheSoftCountersReset();
        DriverTest::TearDown();
    }
    std::vector<unsigned> run(const std::string& order, CUfunction f, const Shape& s,
                              unsigned words) {
        setenv("LATHE_SOFT_ORDER", order.c_str(), 1);
        Buffer<unsigned> out{words};
        EXPECT_EQ(launch(f, s, out.get()), CUDA_SUCCESS);
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
        return out.read();
    }
};

/// out[1 + thread] is how many threads came before it, out[0] how many there were.
const char* const kTickets = "extern \"C\" __global__ void k(unsigned* out) {\n"
                             "    out[1 + blockIdx.x * blockDim.x + threadIdx.x] ="
                             " atomicAdd(out, 1u);\n"
                             "}\n";

TEST_F(OrderOfExecution, RecordRunsBlocksAndWarpsAscending) {
    CUfunction f = kernel(kTickets);
    const auto found = run("record", f, shape(50, 96), 1 + 50 * 96);
    std::vector<unsigned> wanted(50 * 96);
    std::iota(wanted.begin(), wanted.end(), 0u);
    EXPECT_EQ(found[0], 50u * 96);
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), found.begin() + 1));
}

TEST_F(OrderOfExecution, ARecordedGridOfManyShortBlocksIsCancelled) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x) { x[threadIdx.x] = 1; }");
    Buffer<int> x{32};
    setenv("LATHE_SOFT_ORDER", "record", 1);
    CHECK_CU(launch(f, {{2147483647u, 1, 1}, {32, 1, 1}}, x.get())); // minutes of work
    EXPECT_EQ(latheSoftCancel(nullptr), 0);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(OrderOfExecution, ShuffleRunsEachThreadOnceInTheOrderOfItsSeed) {
    CUfunction f = kernel(kTickets);
    std::set<std::vector<unsigned>> orders;
    for (int seed = 0; seed < 8; ++seed) {
        const std::string order = fmt::format("shuffle:{}", seed);
        const auto once = run(order, f, shape(1, 500), 501);
        EXPECT_EQ(once, run(order, f, shape(1, 500), 501)) << "seed " << seed;
        orders.insert(once);
        auto grid = run(order, f, shape(37, 100), 1 + 3700);
        EXPECT_EQ(grid[0], 3700u);
        std::sort(grid.begin() + 1, grid.end());
        for (unsigned k = 0; k < 3700; ++k) ASSERT_EQ(grid[1 + k], k);
    }
    EXPECT_EQ(orders.size(), 8u);
}

std::string reversed(const char* between) {
    return fmt::format("extern \"C\" __global__ void k(unsigned* out) {{\n"
                       "    __shared__ volatile unsigned tile[256];\n"
                       "    tile[threadIdx.x] = 0;\n"
                       "    __syncthreads();\n"
                       "    tile[threadIdx.x] = threadIdx.x + 1;\n"
                       "    {}\n"
                       "    out[threadIdx.x] = tile[255 - threadIdx.x];\n"
                       "}}\n",
                       between);
}

TEST_F(OrderOfExecution, AMissingBarrierShowsUnderSomeSeeds) {
    CUfunction sound = kernel(reversed("__syncthreads();")), unsound = kernel(reversed(""));
    const auto wanted = run("record", sound, shape(1, 256), 256);
    const auto recorded = run("record", unsound, shape(1, 256), 256);
    std::set<std::vector<unsigned>> results;
    for (int seed = 0; seed < 20; ++seed) {
        const std::string order = fmt::format("shuffle:{}", seed);
        EXPECT_EQ(run(order, sound, shape(1, 256), 256), wanted) << "seed " << seed;
        EXPECT_EQ(run("record", unsound, shape(1, 256), 256), recorded);
        results.insert(run(order, unsound, shape(1, 256), 256));
    }
    EXPECT_GT(results.size(), 1u);
}

// What a kernel computes depends neither on counting nor on the order, and how often its lines run
// not on the order, where no thread waits in a loop for another one.
TEST_F(OrderOfExecution, RandomKernelsGiveTheSameBitsAndCounts) {
    constexpr std::uint32_t kFirst = 5001, kCount = 30;
    std::vector<std::string> sources;
    std::string all = random_kernel_prelude();
    for (std::uint32_t seed = kFirst; seed < kFirst + kCount; ++seed) {
        sources.push_back(random_kernel(fmt::format("k{}", seed), seed));
        all += sources.back();
    }
    CUmodule module = load(all);
    unsigned compared = 0;
    for (std::uint32_t n = 0; n < kCount; ++n) {
        const std::uint32_t seed = kFirst + n;
        CUfunction f = function(module, fmt::format("k{}", seed).c_str());
        std::mt19937 random{seed};
        std::vector<unsigned> in(256);
        for (unsigned& word : in) word = random() % 4 ? random() % 64 : random();
        const Shape s = shape(2, 1 + random() % 130);
        const auto run_once = [&](const char* order, bool counts) {
            if (order) setenv("LATHE_SOFT_ORDER", order, 1);
            else unsetenv("LATHE_SOFT_ORDER");
            counts ? latheSoftCountersStart() : latheSoftCountersStop();
            latheSoftCountersReset();
            Buffer<unsigned> input{in}, out{8 * 2 * s.block[0]}, sums{18};
            EXPECT_EQ(launch(f, s, input.get(), out.get(), sums.get()), CUDA_SUCCESS);
            EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
            auto words = out.read();
            const auto more = sums.read();
            words.insert(words.end(), more.begin(), more.end());
            return words;
        };
        using Executions = std::vector<std::tuple<unsigned, std::uint64_t, std::uint64_t>>;
        const auto executions = [] {
            std::vector<LatheSoftLineCounters> rows(latheSoftCountersRead(nullptr, 0));
            latheSoftCountersRead(rows.data(), rows.size());
            Executions found;
            for (const auto& row : rows) found.emplace_back(row.line, row.executions, row.lanes);
            return found;
        };
        const auto wanted = run_once(nullptr, false);
        EXPECT_EQ(run_once(nullptr, true), wanted) << sources[n];
        EXPECT_EQ(run_once("record", true), wanted) << sources[n];
        const Executions recorded = executions();
        EXPECT_FALSE(recorded.empty());
        EXPECT_EQ(run_once("shuffle:7", true), wanted) << sources[n];
        if (sources[n].find("atomicCAS(") != std::string::npos ||
            sources[n].find("atomicExch(") != std::string::npos)
            continue; // a lock
        ++compared;
        EXPECT_EQ(executions(), recorded) << sources[n];
    }
    EXPECT_GT(compared, kCount / 4);
}

} // namespace
} // namespace lathe::test
