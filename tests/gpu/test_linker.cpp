// SPDX-License-Identifier: MIT
#include "gpu/driver/check.h"
#include "gpu/launch.h"
#include "gpu/linker.h"
#include "tests/gpu/device_test.h"

#include <vector>

namespace lathe::gpu {
namespace {

using LinkerTest = DeviceTest;

std::vector<std::byte> part(const char* source) {
    CompileRequest request{.source = source, .name = "part.cu", .options = {"-rdc=true"}};
    request.target = CompileTarget{ImageKind::ptx, CompileTarget::current().capability};
    return compile_or_throw(request).image;
}

constexpr const char* kCaller = R"(
    extern __device__ int factor; extern __device__ int scale(int);
    extern "C" __global__ void run(int* x) { x[threadIdx.x] = scale(x[threadIdx.x]) + factor; })";
constexpr const char* kCallee = R"(
    __device__ int factor = 100; __device__ int scale(int x) { return 3 * x; })";

TEST_F(LinkerTest, PartsBecomeAModule) {
    Linker linker{std::vector<JitOption>{{CU_JIT_OPTIMIZATION_LEVEL, 3}}};
    linker.add(CU_JIT_INPUT_PTX, part(kCaller), "caller.ptx");
    linker.add(CU_JIT_INPUT_PTX, part(kCallee), "callee.ptx");
    const Module module{linker.complete()};
    const std::vector<int> before{1, 2, 3, 4};
    DeviceBuffer x{16};
    copy_to_device(x.span<int>(), before);
    launch(module.kernel("run"), {.grid = {}, .block = {4}}, x);
    std::vector<int> after(4);
    copy_to_host(std::span{after}, x.span<int>());
    EXPECT_EQ(after, (std::vector{103, 106, 109, 112}));
    EXPECT_EQ(module.global("factor").bytes(), 4u);
    EXPECT_THROW(linker.complete(), Error);
}

TEST_F(LinkerTest, WhatIsMissingIsNamed) {
    Linker linker{{}};
    linker.add(CU_JIT_INPUT_PTX, part(kCaller), "caller.ptx");
    try {
        (void)linker.complete();
        FAIL() << "that was complete";
    } catch (const Error& e) {
        const std::string words = e.what();
        EXPECT_TRUE(words.find("scale") != words.npos || words.find("factor") != words.npos)
            << words;
    }
    EXPECT_FALSE(linker.log().error.empty());
    EXPECT_THROW(Linker{}.complete(), Error);
    EXPECT_THROW((Linker{std::vector<JitOption>{{CU_JIT_ERROR_LOG_BUFFER, 0}}}), Error);
}

} // namespace
} // namespace lathe::gpu
