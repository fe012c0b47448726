// SPDX-License-Identifier: MIT
// Generic addresses: what isspacep says of every space, and constants that are reached by them.
#include "tests/soft/rt/driver_test.h"

namespace lathe::test {
namespace {

class Spaces : public DriverTest {};

enum Flag : unsigned { kConstant = 1, kGlobal = 2, kShared = 4, kLocal = 8, kParameter = 16 };

TEST_F(Spaces, EveryGenericAddressIsInItsSpace) {
    CUmodule module = nullptr;
    const std::string ptx = compile_kernel("spaces", {"-arch=compute_90", "-fmad=false"});
    ASSERT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS) << latheSoftGetLastErrorText();
    struct Values {
        float v[4];
    } const values{{7, 8, 9, 10}};
    Buffer<float> sums{128};
    Buffer<unsigned> flags{64};
    CHECK_CU(
        launch(function(module, "spaces"), shape(1, 64, 256), sums.get(), flags.get(), values));
    CHECK_CU(cuCtxSynchronize());
    const auto f = flags.read();
    const auto s = sums.read();
    constexpr unsigned kWanted[] = {
        kConstant, kConstant, kGlobal, kShared, kShared, kLocal, kGlobal | kParameter,
        kGlobal,   kGlobal};
    for (unsigned i = 0; i < 64; ++i) {
        EXPECT_EQ(f[i], kWanted[i % 9]) << i;
        const auto local = [&](unsigned at) {
            return static_cast<float>((at + 4 - i % 4) % 4 + i);
        };
        const float wanted[] = {
            6, i & 1 ? 222.0f : 111.0f, 60, 3, 3, local(0) + local(1) + local(2), 24, 0, 0};
        EXPECT_EQ(s[i], wanted[i % 9]) << i;
        const float of_filter = i & 1 ? 2222 + 20 : 111 + 4;
        EXPECT_EQ(s[64 + i], of_filter + static_cast<float>(2 + i % 4) + (i & 1 ? 5 : 2) + 1) << i;
    }
}

/// NVRTC says by itself what it takes an address for; these ask.
constexpr const char* kAsk = R"(
__constant__ char c[16];
__device__ int is_constant(unsigned long long a) {
    int r;
    asm volatile("{ .reg .pred p; isspacep.const p, %1; selp.s32 %0, 1, 0, p; }"
                 : "=r"(r)
                 : "l"(a));
    return r;
}
__device__ int is_global(unsigned long long a) {
    int r;
    asm volatile("{ .reg .pred p; isspacep.global p, %1; selp.s32 %0, 1, 0, p; }"
                 : "=r"(r)
                 : "l"(a));
    return r;
}
extern "C" __global__ void k(int* x, unsigned long long a) {
    const int i = threadIdx.x;
    x[i] = is_constant(a + i) + 2 * is_global(a + i) + c[1];
}
)";

TEST_F(Spaces, ConstantsOfAnotherModuleAreNotThisOnes) {
    CUmodule first = load(kAsk), second = load(kAsk);
    CUdeviceptr c = 0;
    std::size_t bytes = 0;
    CHECK_CU(cuModuleGetGlobal(&c, &bytes, first, "c"));
    EXPECT_EQ(bytes, 16u);
    Buffer<int> x{1};
    CHECK_CU(launch(function(first, "k"), shape(1, 1), x.get(), c));
    EXPECT_EQ(x.read()[0], 1);
    CHECK_CU(launch(function(second, "k"), shape(1, 1), x.get(), c));
    EXPECT_EQ(x.read()[0], 2);
}

TEST_F(Spaces, TheEndOfAConstantIsNoConstant) {
    CUmodule module = load(kAsk);
    CUdeviceptr c = 0;
    std::size_t bytes = 0;
    CHECK_CU(cuModuleGetGlobal(&c, &bytes, module, "c"));
    Buffer<int> x{32};
    CHECK_CU(launch(function(module, "k"), shape(1, 32), x.get(), c));
    const auto found = x.read();
    for (int i = 0; i < 32; ++i) EXPECT_EQ(found[static_cast<unsigned>(i)], i < 16 ? 1 : 2) << i;
}

} // namespace
} // namespace lathe::test
