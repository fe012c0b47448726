// SPDX-License-Identifier: MIT
// Random programs (program.h) on the device against the same text as C++ of the host: by single
// threads and by warps, or on the GPU where LATHE_DEVICE names it.
//   test_soft_programs [first seed] [count]     20 programs from seed 1 unless told
#include "engine/core/error.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "gpu/module.h"
#include "tests/soft/programs/host.h"
#include "tests/soft/programs/program.h"
#include "tests/soft/support/nvrtc.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <vector>

namespace lathe::test::programs {
namespace {

std::uint32_t g_first = 1, g_count = 20;
constexpr std::uint32_t kBatch = 20; // programs of one compile
constexpr std::uint32_t kAll = kThreads * kBlocks;

using Bytes = std::vector<std::uint8_t>;
using Results = std::vector<std::uint64_t>;

/// Small numbers, extremes, any bits.
Bytes input_of(std::uint32_t seed) {
    std::mt19937_64 random{seed};
    std::uint64_t words[kInputBytes / 8];
    for (std::uint64_t& word : words) {
        static constexpr std::uint64_t kExtremes[] = {
            0, ~0ull, 1ull << 63, ~0ull >> 1, 0x3ff0000000000000u, 0x3f8000003f800000u, 1ull << 31};
        const std::uint64_t kind = random() % 4;
        word = kind == 0   ? random() % 100
               : kind == 1 ? kExtremes[random() % std::size(kExtremes)]
                           : random();
    }
    Bytes bytes(kInputBytes);
    std::memcpy(bytes.data(), words, kInputBytes);
    return bytes;
}

class Memory {
public:
    explicit Memory(std::size_t bytes) {
        CU_TRY(cuMemAlloc(&address_, bytes));
        CU_TRY(cuMemsetD8(address_, 0, bytes));
    }
    ~Memory() { gpu::driver().cuMemFree(address_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    CUdeviceptr get() const { return address_; }

private:
    CUdeviceptr address_ = 0;
};

Results on_device(const gpu::Module& module, std::uint32_t seed, const Bytes& input) {
    const Memory in{input.size()}, own{256 * kAll}, out{8 * kResults * kAll};
    CU_TRY(cuMemcpyHtoD(in.get(), input.data(), input.size()));
    CUdeviceptr addresses[] = {in.get(), own.get(), out.get()};
    void* arguments[] = {&addresses[0], &addresses[1], &addresses[2]};
    const gpu::Kernel kernel = module.kernel(fmt::format("program_{}", seed));
    CU_TRY(cuLaunchKernel(kernel.get(), kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, arguments,
                          nullptr));
    CU_TRY(cuCtxSynchronize());
    Results results(kResults * kAll);
    CU_TRY(cuMemcpyDtoH(results.data(), out.get(), 8 * results.size()));
    return results;
}

Results on_host(const HostCode& code, std::uint32_t seed, const Bytes& input) {
    Results results(kResults * kAll);
    std::vector<unsigned __int128> own(256 * kAll / sizeof(unsigned __int128));
    const std::vector<unsigned __int128> aligned = [&] {
        std::vector<unsigned __int128> copy(input.size() / sizeof(unsigned __int128));
        std::memcpy(copy.data(), input.data(), input.size());
        return copy;
    }();
    code.find(fmt::format("program_{}", seed))(
        reinterpret_cast<const std::uint8_t*>(aligned.data()),
        reinterpret_cast<std::uint8_t*>(own.data()), results.data(), kAll);
    return results;
}

void report(std::uint32_t seed, const std::string& what) {
    const auto file =
        std::filesystem::temp_directory_path() / fmt::format("lathe_program_{}.cu", seed);
    std::ofstream{file} << prelude() << program(seed) << kernel_of(seed);
    ADD_FAILURE() << "program " << seed << ": " << what << "; it is in " << file.string();
}

class Programs : public testing::Test {
protected:
    void SetUp() override {
        if (!has_nvrtc()) GTEST_SKIP() << "NVRTC was not found";
        if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
        const char* const device = std::getenv("LATHE_DEVICE");
        hardware_ = device && std::strcmp(device, "hardware") == 0;
        gpu::Context::ensure_current();
    }
    void TearDown() override { unsetenv("LATHE_SOFT_MODE"); }

    void compare(std::uint32_t first, std::uint32_t end);

    bool hardware_ = false;
};

void Programs::compare(std::uint32_t first, std::uint32_t end) {
    std::string device_text = prelude(), host_text = device_text;
    for (std::uint32_t seed = first; seed < end; ++seed) {
        const std::string text = program(seed);
        device_text += text + kernel_of(seed);
        host_text += text + host_loop_of(seed);
    }
    const HostCode host{host_text};
    const std::string ptx =
        compile_to_ptx(device_text, "programs.cu", {"-fmad=false", "-device-int128", "-w"});
    for (const char* mode : {"scalar", "warp"}) {
        if (hardware_ && std::strcmp(mode, "warp") == 0) break;
        setenv("LATHE_SOFT_MODE", mode, 1);
        std::optional<gpu::Module> module;
        module.emplace(std::string_view{ptx});
        for (std::uint32_t seed = first; seed < end; ++seed) {
            const Bytes input = input_of(seed);
            const Results wanted = on_host(host, seed, input);
            try {
                const Results got = on_device(*module, seed, input);
                std::size_t at = 0;
                while (at < got.size() && got[at] == wanted[at]) ++at;
                if (at < got.size())
                    report(seed,
                           fmt::format("({}) thread {}, result {}: {:#x}, on the host {:#x}", mode,
                                       at / kResults, at % kResults, got[at], wanted[at]));
            } catch (const lathe::Error& error) {
                report(seed, fmt::format("({}) {}", mode, error.what()));
            }
        }
    }
}

TEST_F(Programs, GiveTheSameAsOnTheHost) {
    for (std::uint32_t first = g_first; first < g_first + g_count; first += kBatch)
        compare(first, std::min(first + kBatch, g_first + g_count));
}

// A seed stands for a program: a failure can be looked at again.
TEST_F(Programs, TheSameSeedGivesTheSameText) {
    EXPECT_EQ(program(7), program(7));
    EXPECT_NE(program(7), program(8));
}

} // namespace

void take_arguments(int argc, char** argv) {
    if (argc > 1) g_first = static_cast<std::uint32_t>(std::atoi(argv[1]));
    if (argc > 2) g_count = static_cast<std::uint32_t>(std::atoi(argv[2]));
}

} // namespace lathe::test::programs

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    setenv("LATHE_SOFT_CACHE", "off", 0); // its kernels come once
    setenv("LATHE_DEVICE", "software", 0);
    lathe::test::programs::take_arguments(argc, argv);
    return RUN_ALL_TESTS();
}
