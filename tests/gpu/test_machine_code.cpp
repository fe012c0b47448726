// SPDX-License-Identifier: MIT
// The machine code of kernels whose instructions are known, by line.
#include "gpu/inspect/machine_code.h"

#include "engine/core/error.h"
#include "gpu/compiler.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "tests/gpu/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace lathe::gpu {
namespace {

class MachineCodeTest : public DeviceTest {};

constexpr const char* kSource = R"cu(
__device__ float root(float x) { return sqrtf(x); }
extern "C" __global__ void roots(float* values)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = 1.0f / root(values[i]);
}
)cu";
constexpr int kRoot = 2, kCall = 6;

#ifdef __x86_64__
constexpr std::string_view kRootWord = "sqrt";
#else
constexpr std::string_view kRootWord = "fsqrt";
#endif

const CodeRow* find(const MachineCode& code, std::string_view word) {
    const auto found = std::ranges::find_if(
        code.rows, [&](const CodeRow& row) { return row.text.find(word) != row.text.npos; });
    return found == code.rows.end() ? nullptr : &*found;
}

TEST_F(MachineCodeTest, ARootStandsAtItsLine) {
    if (!can_read_machine_code()) GTEST_SKIP() << "the device tells no machine code";
    const Module module{compile_or_throw({.source = kSource, .name = "roots.cu"})};
    const Kernel kernel = module.kernel("roots");
    DeviceBuffer values{256 * sizeof(float)};
    launch(kernel, {{4}, {64}}, values);
    Context::primary().synchronize();
    EXPECT_NE(machine_code_id(kernel), 0u);
    const MachineCode code = machine_code(kernel);
    EXPECT_EQ(code.problem, "");
    ASSERT_TRUE(find(code, kRootWord));
    EXPECT_EQ(find(code, kRootWord)->file, "roots.cu");
    EXPECT_EQ(find(code, kRootWord)->line, kRoot);
    EXPECT_EQ(find(code, kRootWord)->inlined_at, "roots.cu:" + std::to_string(kCall));
    EXPECT_TRUE(find(code, "div")) << "the reciprocal";
    std::set<std::string> labels;
    for (const CodeRow& row : code.rows) {
        if (row.kind != CodeRow::Kind::label) continue;
        EXPECT_TRUE(labels.insert(row.text).second) << row.text << " stands twice";
    }
    EXPECT_FALSE(labels.empty());
    for (const CodeRow& row : code.rows)
        EXPECT_FALSE(row.text.starts_with(".byte")) << "every byte is an instruction";
}

// LLVM moves the product behind the store's check, into a block where it has no neighbours of its
// line.
TEST_F(MachineCodeTest, AProductThatIsMovedKeepsItsLine) {
    if (!can_read_machine_code()) GTEST_SKIP() << "the device tells no machine code";
    const Module module{compile_or_throw({.source = R"cu(
extern "C" __global__ void scale(const float* from, float* to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float a = from[i];
    const float b = a * 3.5f;
    to[i] = b;
}
)cu",
                                          .name = "scale.cu"})};
    const Kernel kernel = module.kernel("scale");
    DeviceBuffer from{256 * sizeof(float)}, to{256 * sizeof(float)};
    launch(kernel, {{4}, {64}}, from, to, 256);
    Context::primary().synchronize();
    const MachineCode code = machine_code(kernel);
    std::set<int> lines;
    for (const CodeRow& row : code.rows)
        if (row.text.find("mulps") != row.text.npos || row.text.find("mulss") != row.text.npos)
            lines.insert(row.line);
    EXPECT_EQ(lines, std::set{7});
}

TEST_F(MachineCodeTest, AnUnknownKernelIsRefused) {
    if (!can_read_machine_code()) GTEST_SKIP() << "the device tells no machine code";
    const Kernel none = Kernel::wrap(nullptr, "none");
    EXPECT_EQ(machine_code_id(none), 0u);
    EXPECT_THROW(machine_code(none), lathe::Error);
}

TEST_F(MachineCodeTest, ACubinsCodeIsReadByNvdisasm) {
    if (find_nvdisasm().empty()) {
        EXPECT_NE(sass_of({}).problem.find("nvdisasm"), std::string::npos);
        GTEST_SKIP() << "there is no nvdisasm";
    }
    CompileRequest request{.source = kSource, .name = "roots.cu"};
    request.target = CompileTarget{ImageKind::cubin, {9, 0}};
    const CompileResult cubin = compile_or_throw(request);
    const MachineCode code = sass_of(cubin.image);
    EXPECT_EQ(code.problem, "");
    ASSERT_TRUE(find(code, "MUFU")) << "roots and reciprocals";
    EXPECT_TRUE(find(code, "MUFU.RSQ"));
    EXPECT_EQ(find(code, "MUFU.RSQ")->line, kRoot);
    EXPECT_TRUE(find(code, "MUFU.RSQ")->inlined_at.ends_with("roots.cu:" + std::to_string(kCall)));
    EXPECT_TRUE(find(code, "STG"));
    EXPECT_EQ(find(code, "STG")->line, kCall);
    EXPECT_NE(sass_of(std::as_bytes(std::span{"no cubin"})).problem, "");
}

} // namespace
} // namespace lathe::gpu
