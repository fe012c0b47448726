// SPDX-License-Identifier: MIT
// Every shape of array, filter and address mode against the model.
#include "tests/soft/textures/forms.h"
#include "tests/soft/textures/texture_test.h"

#include <cmath>

namespace lathe::test {
namespace {

class Forms : public TextureTest, public testing::WithParamInterface<Form> {};

INSTANTIATE_TEST_SUITE_P(Textures, Forms, testing::ValuesIn(kForms),
                         [](const auto& form) { return std::string{form.param.name}; });

// Places with ten bits of fraction, none of them at an edge of rounding: floats hold them exactly,
// divided by the sizes, too, so that the model may ask for the same weights.
std::vector<Float4> places(const Form& form, bool normalized) {
    std::vector<Float4> at;
    for (int i = 0; i < 600; ++i) {
        auto coordinate = [&](std::size_t size, int step) {
            const int n = static_cast<int>(std::max<std::size_t>(size, 1));
            const int in_1024ths = (i * step) % (n * 5 * 1024) - n * 2 * 1024;
            const float x = static_cast<float>(in_1024ths / 4 * 4 + 1) / 1024;
            return normalized ? x / static_cast<float>(n) : x;
        };
        at.push_back({coordinate(form.size[0], 3331), coordinate(form.size[1], 1777),
                      coordinate(form.size[2], 977), static_cast<float>(i % 5)});
    }
    return at;
}

TEST_P(Forms, EveryModeAgreesWithTheGuide) {
    const Form& form = GetParam();
    const std::size_t w = form.size[0], h = std::max<std::size_t>(form.size[1], 1),
                      d = std::max<std::size_t>(form.size[2], 1);
    std::vector<float> data(w * h * d * 4);
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = static_cast<float>(i * i % 251) - 100.0f;
    CUarray a = array(descriptor(form.size, CU_AD_FORMAT_FLOAT, 4, form.flags));
    upload(a, data.data());
    for (bool normalized : {false, true})
        for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
            for (CUaddress_mode mode : {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP,
                                        CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER}) {
                SCOPED_TRACE(testing::Message() << "normalized " << normalized << " filter "
                                                << filter << " mode " << mode);
                CUDA_TEXTURE_DESC desc = how(filter, normalized, mode);
                for (float& b : desc.borderColor) b = 7.5f;
                CUtexObject t = texture(of(a), desc);
                const auto at = places(form, normalized);
                const auto got = read(t, form.kind, at);
                int wrong = 0;
                for (std::size_t i = 0; i < at.size(); ++i) {
                    const int layer = std::min(static_cast<int>(at[i].w), static_cast<int>(d) - 1);
                    Model model;
                    model.axes = form.axes;
                    model.size = {static_cast<int>(w), static_cast<int>(h), static_cast<int>(d)};
                    model.address = {mode, mode, mode};
                    model.filter = filter;
                    model.normalized = normalized;
                    model.border = 7.5;
                    for (int c = 0; c < 4; ++c) {
                        model.texel = [&](int x, int y, int z) {
                            const auto slice = static_cast<std::size_t>(form.flags ? layer : z);
                            const auto row = slice * h + static_cast<std::size_t>(y);
                            return data[(row * w + static_cast<std::size_t>(x)) * 4 +
                                        static_cast<std::size_t>(c)];
                        };
                        const double expected = model.read({at[i].x, at[i].y, at[i].z});
                        if (std::fabs(got[i][c] - expected) > 1e-4 && ++wrong < 4)
                            ADD_FAILURE()
                                << got[i][c] << " instead of " << expected << " at " << at[i].x
                                << ", " << at[i].y << ", " << at[i].z << " layer " << at[i].w;
                    }
                }
                EXPECT_EQ(wrong, 0);
                CHECK_CU(cuTexObjectDestroy(t));
            }
    CHECK_CU(cuArrayDestroy(a));
}

class Reads : public TextureTest {};

// Different modes on the three axes.
TEST_F(Reads, EachAxisHasItsMode) {
    std::vector<float> data(8 * 4 * 2 * 4);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
    CUarray a = array(descriptor({8, 4, 2}, CU_AD_FORMAT_FLOAT, 4));
    upload(a, data.data());
    CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_POINT, true);
    desc.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
    desc.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
    desc.addressMode[2] = CU_TR_ADDRESS_MODE_BORDER;
    const auto got = read(texture(of(a), desc), Read::d3,
                          {{1.0625f, 1.125f, 0.25f}, {-0.0625f, -0.125f, 0.75f}, {0, 0, 1.25f}});
    EXPECT_EQ(got[0].x, ((0 * 4 + 3) * 8 + 0) * 4);
    EXPECT_EQ(got[1].x, ((1 * 4 + 0) * 8 + 7) * 4);
    EXPECT_EQ(got[2].x, 0);
}

// Numbers that are none and those beyond any texture are read somewhere, without a crash.
TEST_F(Reads, PlacesFarOutside) {
    std::vector<float> data(16 * 8 * 4, 3.0f);
    CUarray a = array(descriptor({16, 8, 0}, CU_AD_FORMAT_FLOAT, 4));
    upload(a, data.data());
    const float inf = INFINITY;
    for (CUaddress_mode mode : {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP,
                                CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER})
        for (bool normalized : {false, true})
            for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR}) {
                const auto got =
                    read(texture(of(a), how(filter, normalized, mode)), Read::d2,
                         {{inf, 0}, {-inf, inf}, {NAN, NAN}, {3e38f, -3e38f}, {1e10f, 1e-40f}});
                for (const Float4& v : got) EXPECT_TRUE(v.x >= 0 && v.x <= 3) << v.x;
            }
}

// Memory that is gone is a fault of the kernel that reads it; an array lives as long as its
// texture.
TEST_F(Reads, MemoryThatIsGone) {
    CUdeviceptr p = 0;
    CHECK_CU(cuMemAlloc(&p, 1 << 16));
    CUDA_RESOURCE_DESC linear{}, pitched{};
    linear.resType = CU_RESOURCE_TYPE_LINEAR;
    linear.res.linear = {p, CU_AD_FORMAT_FLOAT, 4, 1 << 16};
    pitched.resType = CU_RESOURCE_TYPE_PITCH2D;
    pitched.res.pitch2D = {p, CU_AD_FORMAT_FLOAT, 4, 64, 64, 1024};
    const CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_LINEAR, false);
    CUtexObject from_linear = texture(linear, desc), from_pitched = texture(pitched, desc);
    CHECK_CU(cuMemFree(p));
    CUfunction f = kernel(R"(extern "C" __global__ void k(cudaTextureObject_t a,
            cudaTextureObject_t b, int linear, float4* out) {
        const int i = threadIdx.x;
        out[i] = linear ? tex1Dfetch<float4>(a, i) : tex2D<float4>(b, i, i);
    })");
    Buffer<Float4> out{64};
    for (int is_linear : {0, 1}) {
        CHECK_CU(launch(f, shape(1, 64), from_linear, from_pitched, is_linear, out.get()));
        EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
        EXPECT_EQ(last_fault().line, 4u);
    }
    CUarray a = array(descriptor({4, 0, 0}, CU_AD_FORMAT_FLOAT, 4));
    upload(a, std::vector<float>(16, 2.5f).data());
    CUtexObject t = texture(of(a), desc);
    CHECK_CU(cuArrayDestroy(a));
    EXPECT_EQ(read(t, Read::d1, {{1, 0}})[0].x, 2.5f);
}

// An instruction of another shape than its texture reads something of it, without a crash.
TEST_F(Reads, InstructionsOfAnotherShape) {
    for (const Form& form : kForms) {
        const std::size_t texels = form.size[0] * std::max<std::size_t>(form.size[1], 1) *
                                   std::max<std::size_t>(form.size[2], 1);
        std::vector<float> data(texels * 4, 2.0f);
        CUarray a = array(descriptor(form.size, CU_AD_FORMAT_FLOAT, 4, form.flags));
        upload(a, data.data());
        CUtexObject t = texture(of(a), how(CU_TR_FILTER_MODE_LINEAR, true));
        for (int kind = 0; kind < 7; ++kind)
            for (const Float4& v : read(t, static_cast<Read>(kind), places(form, true)))
                ASSERT_NEAR(v.x, 2.0f, 1e-5) << form.name << " read by " << kind;
    }
}

} // namespace
} // namespace lathe::test
