// SPDX-License-Identifier: MIT
// Kernels by --use_fast_math run in a float mode of their own, which nothing else may see: other
// kernels on the same worker, what the run time computes for them, whatever way they end.
#include "tests/soft/rt/driver_test.h"

#include <bit>
#include <cmath>
#include <xmmintrin.h>

namespace lathe::test {
namespace {

const std::vector<std::string> kFast{"-lineinfo", "--use_fast_math"};
constexpr float kSmall = 0x1p-126f;

class FloatMode : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        if (IsSkipped()) return;
        halves_ = kernel(R"(extern "C" __global__ void k(float* y, const float* x) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            y[i] = 0.5f * x[i];
        })");
        control_ = _mm_getcsr();
    }

    // Kernels without the mode keep subnormal numbers, on every worker.
    void expect_normal() {
        Buffer<float> y{4096}, x{std::vector<float>(4096, kSmall)};
        CHECK_CU(launch(halves_, shape(64, 64), y.get(), x.get()));
        EXPECT_EQ(y.read(), std::vector<float>(4096, kSmall / 2));
        EXPECT_EQ(_mm_getcsr() & 0x8040, control_ & 0x8040);
    }

    CUfunction halves_ = nullptr;
    unsigned control_ = 0;
};

TEST_F(FloatMode, EndsWithTheKernel) {
    const char* source = R"(extern "C" __global__ void k(float* y, const float* x) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        y[i] = 0.5f * x[i];
    })";
    CUfunction f = kernel(source, kFast);
    for (int round = 0; round < 3; ++round) {
        Buffer<float> y{4096}, x{std::vector<float>(4096, -kSmall)};
        CHECK_CU(launch(f, shape(64, 64), y.get(), x.get()));
        for (const float v : y.read()) ASSERT_EQ(std::bit_cast<std::uint32_t>(v), 0x80000000u);
        expect_normal();
    }
}

TEST_F(FloatMode, LastsThroughBarriers) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(float* y, const float* x) {
        __shared__ float tile[96];
        float v = x[threadIdx.x];
        for (int round = 0; round < 5; ++round) {
            tile[threadIdx.x] = v * 0.5f;
            __syncthreads();
            v = tile[(threadIdx.x + 33) % 96] * 2.0f + x[96];
            __syncthreads();
        }
        y[threadIdx.x] = v;
    })",
                          kFast);
    std::vector<float> numbers(97, kSmall);
    numbers[96] = 0;
    Buffer<float> y{96}, x{numbers};
    CHECK_CU(launch(f, shape(1, 96), y.get(), x.get()));
    EXPECT_EQ(y.read(), std::vector<float>(96, 0.0f));
    expect_normal();
}

TEST_F(FloatMode, EndsWithAFault) {
    const std::string way[] = {"__trap();", "y[1 << 28] = v;", "assert(v < 0);",
                               "if (i % 2) __syncthreads(); else __syncwarp(1 << i % 32);",
                               "__syncthreads(); y[1 << 28] = v; __syncthreads();"};
    for (const std::string& bad : way) {
        CUfunction f = kernel("extern \"C\" __global__ void k(float* y, const float* x) {\n"
                              "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  const float v = 0.5f * x[i];\n"
                              "  y[i] = v;\n  if (i == 70) {" +
                                  bad + "}\n}\n",
                              kFast);
        Buffer<float> y{4096}, x{std::vector<float>(4096, kSmall)};
        CHECK_CU(launch(f, shape(64, 64), y.get(), x.get()));
        cuCtxSynchronize();
        expect_normal();
    }
}

// Filtered texels are the same numbers in both modes.
TEST_F(FloatMode, IsNotThatOfTextures) {
    const char* source = R"(extern "C" __global__ void k(float* y, unsigned long long t, float s) {
        const float v = tex2D<float>(t, 0.75f + threadIdx.x * 0.25f, 0.5f);
        y[threadIdx.x] = v;
        y[threadIdx.x + 64] = s * s;
    })";
    CUDA_ARRAY3D_DESCRIPTOR d{};
    d.Width = 20;
    d.Height = 1;
    d.Format = CU_AD_FORMAT_FLOAT;
    d.NumChannels = 1;
    CUarray array = nullptr;
    CHECK_CU(cuArray3DCreate(&array, &d));
    std::vector<float> texels(20);
    for (std::size_t k = 0; k < 20; ++k) texels[k] = static_cast<float>(k * k) * 0x1p-133f;
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels.data();
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 80;
    copy.Height = 1;
    CHECK_CU(cuMemcpy2D(&copy));
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC how{};
    how.filterMode = CU_TR_FILTER_MODE_LINEAR;
    how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject texture = 0;
    CHECK_CU(cuTexObjectCreate(&texture, &resource, &how, nullptr));
    Buffer<float> fast{128}, exact{128};
    CHECK_CU(launch(kernel(source, kFast), shape(1, 64), fast.get(), texture, 0x1p-70f));
    CHECK_CU(launch(kernel(source), shape(1, 64), exact.get(), texture, 0x1p-70f));
    const auto got = fast.read(), wanted = exact.read();
    EXPECT_EQ(std::vector<float>(got.begin(), got.begin() + 64),
              std::vector<float>(wanted.begin(), wanted.begin() + 64));
    EXPECT_GT(wanted[8], 0.0f);
    EXPECT_EQ(got[64], 0.0f);
    EXPECT_EQ(wanted[64], 0x1p-140f);
    cuTexObjectDestroy(texture);
    cuArrayDestroy(array);
}

} // namespace
} // namespace lathe::test
