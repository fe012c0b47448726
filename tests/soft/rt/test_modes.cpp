// SPDX-License-Identifier: MIT
// Execution modes give the same results: random kernels by the quick code that a first launch
// finds, by single threads, by warps, by warps of 16 and of 32 lanes (of several rows, in some
// blocks) where no warp operation stands against it.
//   test_soft_modes [first seed] [count]     60 kernels from seed 1 unless told
#include "tests/soft/rt/driver_test.h"
#include "tests/soft/support/random_kernels.h"

#include "engine/core/log.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>

namespace lathe::test {
namespace {

std::uint32_t g_first = 1, g_count = 60;
constexpr std::uint32_t kBatch = 10; // kernels of one compile

class Modes : public DriverTest {
protected:
    struct Result {
        CUresult status = CUDA_SUCCESS;
        std::vector<unsigned> out, sums;
        std::string error;
    };

    static void set_mode(const char* mode, const char* width) {
        if (mode) setenv("LATHE_SOFT_MODE", mode, 1);
        else unsetenv("LATHE_SOFT_MODE");
        if (width) setenv("LATHE_SOFT_WIDTH", width, 1);
        else unsetenv("LATHE_SOFT_WIDTH");
    }
    void TearDown() override {
        unsetenv("LATHE_SOFT_MODE");
        unsetenv("LATHE_SOFT_WIDTH");
        DriverTest::TearDown();
    }

    Result run(CUmodule module, const std::string& name, const Shape& s,
               const std::vector<unsigned>& in) {
        Result r;
        const std::size_t threads = std::size_t{s.grid[0]} * s.block[0] * s.block[1] * s.block[2];
        Buffer<unsigned> input{in}, out{8 * threads}, sums{18};
        CUfunction f = function(module, name.c_str());
        r.status = launch(f, s, input.get(), out.get(), sums.get());
        if (r.status == CUDA_SUCCESS) r.status = cuCtxSynchronize();
        if (r.status != CUDA_SUCCESS) {
            r.error = std::string{latheSoftGetLastErrorText()} + last_fault().message;
            return r;
        }
        r.out = out.read();
        r.sums = sums.read();
        return r;
    }
};

/// Every other one with values that are the same in a row of threads.
std::string kernel_of(std::uint32_t seed) {
    std::string text = random_kernel(fmt::format("k{}", seed), seed);
    if (seed % 2) return text;
    const std::string_view from = "d = blockIdx.x + 5, e = 1";
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << text;
    if (at == std::string::npos) return text;
    return text.replace(at, from.size(), "d = blockIdx.x + 2 * threadIdx.y, e = threadIdx.z + 1");
}

TEST_F(Modes, RandomKernelsAgree) {
    static constexpr unsigned kBlocks[][3] = {{32, 1, 1},  {64, 1, 1}, {96, 1, 1}, {100, 1, 1},
                                              {17, 1, 1},  {16, 8, 1}, {8, 4, 2},  {33, 3, 1},
                                              {256, 1, 1}, {64, 2, 2}, {1, 1, 1},  {16, 16, 1},
                                              {16, 3, 1},  {4, 4, 4},  {8, 3, 1},  {48, 2, 1}};
    struct Mode {
        const char *name, *mode, *width;
    };
    // The quick code first: later it would find better code on the disk.
    static constexpr Mode kModes[] = {{"quick code", nullptr, nullptr},
                                      {"single threads", "scalar", nullptr},
                                      {"warps", "warp", nullptr},
                                      {"warps of 16", "warp", "16"},
                                      {"warps of 32", "warp", "32"}};
    constexpr int kCount = std::size(kModes);
    std::uint32_t fallen_back = 0, compared = 0;
    const int sink = log::add_sink([&](const log::Record& record) {
        fallen_back += record.text.find("runs by single threads") != std::string::npos;
    });
    for (std::uint32_t first = g_first; first < g_first + g_count; first += kBatch) {
        const std::uint32_t end = std::min(first + kBatch, g_first + g_count);
        std::string source = random_kernel_prelude();
        for (std::uint32_t seed = first; seed < end; ++seed) source += kernel_of(seed);
        const std::string ptx = compile_to_ptx(source, "random.cu");
        CUmodule modules[kCount] = {};
        for (int m = 0; m < kCount; ++m) {
            set_mode(kModes[m].mode, kModes[m].width);
            ASSERT_EQ(cuModuleLoadData(&modules[m], ptx.c_str()), CUDA_SUCCESS)
                << latheSoftGetLastErrorText();
        }
        for (std::uint32_t seed = first; seed < end; ++seed) {
            std::mt19937 random{seed * 7 + 1};
            std::vector<unsigned> in(256);
            for (unsigned& word : in) word = random() % 4 ? random() % 64 : random();
            Shape s;
            std::copy_n(kBlocks[random() % std::size(kBlocks)], 3, s.block);
            s.grid[0] = 1 + random() % 3;
            const std::string name = fmt::format("k{}", seed);
            const Result wanted = run(modules[0], name, s, in);
            ASSERT_EQ(wanted.status, CUDA_SUCCESS) << name << ": " << wanted.error;
            for (int m = 1; m < kCount; ++m) {
                const Result got = run(modules[m], name, s, in);
                const bool same =
                    got.status == CUDA_SUCCESS && got.out == wanted.out && got.sums == wanted.sums;
                ++compared;
                if (same) continue;
                std::size_t at = 0;
                while (at < got.out.size() && got.out[at] == wanted.out[at]) ++at;
                const std::string file = fmt::format("/tmp/lathe_{}.cu", name);
                std::ofstream{file} << random_kernel_prelude() << kernel_of(seed);
                ADD_FAILURE() << name << " by " << kModes[m].name << ", block " << s.block[0]
                              << " x " << s.block[1] << " x " << s.block[2] << ": word " << at
                              << " (thread " << at / 8 << ") " << got.error << "; the kernel is in "
                              << file;
                if (got.status != CUDA_SUCCESS) { // the context is gone
                    log::remove_sink(sink);
                    return;
                }
            }
        }
        for (CUmodule module : modules) cuModuleUnload(module);
    }
    log::remove_sink(sink);
    // The comparison must not be one of the scalar mode with itself.
    RecordProperty("compared", static_cast<int>(compared));
    RecordProperty("fallen_back", static_cast<int>(fallen_back));
    EXPECT_LE(fallen_back, g_count / 4);
}

// A launch begins by single threads, and its later blocks run by warps: nobody can tell.
TEST_F(Modes, ALongLaunchChangesItsCodeOnTheWay) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    CUfunction f = kernel(fmt::format(
        "// no cache knows {}\nextern \"C\" __global__ void k(unsigned* x, int rounds) {{\n"
        "unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = i;\n"
        "for (int r = 0; r < rounds + i % 2; ++r) v = v * 1664525u + 1013904223u;\n"
        "x[i] = v; }}\n",
        now));
    constexpr unsigned kBlocks = 3000, kThreads = 96, kRounds = 1500;
    Buffer<unsigned> x{kBlocks * kThreads};
    CHECK_CU(launch(f, shape(kBlocks, kThreads), x.get(), kRounds));
    const std::vector<unsigned> found = x.read();
    unsigned factor = 1, sum = 0; // of all rounds in one
    for (unsigned r = 0; r < kRounds; ++r) {
        factor *= 1664525u;
        sum = sum * 1664525u + 1013904223u;
    }
    for (unsigned i = 0; i < found.size(); ++i) {
        unsigned wanted = i * factor + sum;
        if (i % 2) wanted = wanted * 1664525u + 1013904223u;
        ASSERT_EQ(found[i], wanted) << i;
    }
}

} // namespace

void take_arguments(int argc, char** argv) {
    if (argc > 1) g_first = static_cast<std::uint32_t>(std::atoi(argv[1]));
    if (argc > 2) g_count = static_cast<std::uint32_t>(std::atoi(argv[2]));
}

} // namespace lathe::test

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    // Modes that come to the same code compile it once, in a folder of this test alone.
    if (!std::getenv("LATHE_CACHE_DIR")) setenv("LATHE_SOFT_CACHE", "off", 0);
    lathe::test::take_arguments(argc, argv);
    return RUN_ALL_TESTS();
}
