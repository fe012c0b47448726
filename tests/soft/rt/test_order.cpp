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
        setenv("LATHE_SOFT_ORDER", "record", 1); // the executor begins with one worker
        DriverTest::SetUp();
    }
    void TearDown() override {
        unsetenv("LATHE_SOFT_ORDER");
        latheSoftCountersStop();
        latheSoftCountersReset();
        DriverTest::TearDown();
    }
    static std::string ptx_of(const std::string& source) {
        return compile_to_ptx(source, "test.cu", {"-lineinfo"});
    }
    /// A module whose kernels run in this order; the usual one where it is null.
    static CUmodule load_for(const char* order, const std::string& ptx) {
        if (order) setenv("LATHE_SOFT_ORDER", order, 1);
        else unsetenv("LATHE_SOFT_ORDER");
        CUmodule module = nullptr;
        EXPECT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
        return module;
    }
    /// What the kernel k of this PTX writes.
    std::vector<unsigned> run(const std::string& order, const std::string& ptx, const Shape& s,
                              unsigned words) {
        CUmodule module = load_for(order.c_str(), ptx);
        Buffer<unsigned> out{words};
        EXPECT_EQ(launch(function(module, "k"), s, out.get()), CUDA_SUCCESS);
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
        cuModuleUnload(module);
        return out.read();
    }
};

/// out[1 + thread] is how many threads came before it, out[0] how many there were.
const char* const kTickets = "extern \"C\" __global__ void k(unsigned* out) {\n"
                             "    out[1 + blockIdx.x * blockDim.x + threadIdx.x] ="
                             " atomicAdd(out, 1u);\n"
                             "}\n";

TEST_F(OrderOfExecution, RecordRunsBlocksAndWarpsAscending) {
    const auto found = run("record", ptx_of(kTickets), shape(50, 96), 1 + 50 * 96);
    std::vector<unsigned> wanted(50 * 96);
    std::iota(wanted.begin(), wanted.end(), 0u);
    EXPECT_EQ(found[0], 50u * 96);
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), found.begin() + 1));
}

// Launches do not look at the environment, which another thread may be changing.
TEST_F(OrderOfExecution, TheOrderIsThatOfTheModulesLoad) {
    CUmodule module = load_for("record", ptx_of(kTickets));
    setenv("LATHE_SOFT_ORDER", "shuffle:3", 1);
    Buffer<unsigned> out{1 + 20 * 96};
    CHECK_CU(launch(function(module, "k"), shape(20, 96), out.get()));
    std::vector<unsigned> wanted(1 + 20 * 96);
    std::iota(wanted.begin() + 1, wanted.end(), 0u);
    wanted[0] = 20 * 96;
    EXPECT_EQ(out.read(), wanted);
}

TEST_F(OrderOfExecution, ARecordedGridOfManyShortBlocksIsCancelled) {
    CUfunction f = kernel("extern \"C\" __global__ void k(int* x) { x[threadIdx.x] = 1; }");
    Buffer<int> x{32};
    CHECK_CU(launch(f, {{2147483647u, 1, 1}, {32, 1, 1}}, x.get())); // minutes of work
    EXPECT_EQ(latheSoftCancel(nullptr), 0);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(OrderOfExecution, ShuffleRunsEachThreadOnceInTheOrderOfItsSeed) {
    const std::string f = ptx_of(kTickets);
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
    const std::string sound = ptx_of(reversed("__syncthreads();")), unsound = ptx_of(reversed(""));
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
    const std::string ptx = ptx_of(all);
    const char* const orders[] = {nullptr, "record", "shuffle:7"};
    CUmodule modules[3];
    for (int k = 0; k < 3; ++k) modules[k] = load_for(orders[k], ptx);
    enum { usual, record, shuffle };
    unsigned compared = 0;
    for (std::uint32_t n = 0; n < kCount; ++n) {
        const std::uint32_t seed = kFirst + n;
        std::mt19937 random{seed};
        std::vector<unsigned> in(256);
        for (unsigned& word : in) word = random() % 4 ? random() % 64 : random();
        const Shape s = shape(2, 1 + random() % 130);
        const auto run_once = [&](int order, bool counts) {
            CUfunction f = function(modules[order], fmt::format("k{}", seed).c_str());
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
        const auto wanted = run_once(usual, false);
        EXPECT_EQ(run_once(usual, true), wanted) << sources[n];
        EXPECT_EQ(run_once(record, true), wanted) << sources[n];
        const Executions recorded = executions();
        EXPECT_FALSE(recorded.empty());
        EXPECT_EQ(run_once(shuffle, true), wanted) << sources[n];
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
