// SPDX-License-Identifier: MIT
// Mipmapped arrays: levels asked for, biased, clamped, blended, found from slopes, seen by views.
#include "tests/soft/textures/texture_test.h"

#include <cmath>

namespace lathe::test {
namespace {

class Mipmaps : public TextureTest {
protected:
    static constexpr int kWidth = 32, kHeight = 16, kLevels = 6;

    // Texels differ within a level, so that blending of texels and of levels shows.
    static double value(int level, int x, int y) { return level * 100 + x * 2 + y * 3 % 7; }

    CUmipmappedArray make(unsigned flags = 0, std::size_t depth = 0) {
        const CUDA_ARRAY3D_DESCRIPTOR d =
            descriptor({kWidth, kHeight, depth}, CU_AD_FORMAT_FLOAT, 4, flags);
        CUmipmappedArray m = nullptr;
        EXPECT_EQ(cuMipmappedArrayCreate(&m, &d, 100), CUDA_SUCCESS);
        for (int level = 0; level < kLevels; ++level) {
            CUarray a = nullptr;
            EXPECT_EQ(cuMipmappedArrayGetLevel(&a, m, static_cast<unsigned>(level)), CUDA_SUCCESS);
            std::vector<float> data;
            for (std::size_t z = 0; z < std::max<std::size_t>(depth, 1); ++z)
                for (int y = 0; y < size(kHeight, level); ++y)
                    for (int x = 0; x < size(kWidth, level); ++x)
                        for (int c = 0; c < 4; ++c)
                            data.push_back(static_cast<float>(value(level, x, y) +
                                                              static_cast<double>(z) * 1000));
            upload(a, data.data());
        }
        return m;
    }

    static int size(int n, int level) { return std::max(n >> level, 1); }

    static double model(double x, double y, double lod, CUfilter_mode filter, CUfilter_mode mip,
                        int first = 0, int last = kLevels - 1) {
        auto at_level = [&](int level) {
            Model m;
            m.size = {size(kWidth, level), size(kHeight, level), 1};
            m.filter = filter;
            m.normalized = true;
            m.texel = [&](int i, int j, int) { return value(level, i, j); };
            return m.read({x, y, 0});
        };
        lod = std::min(std::max(lod, 0.0), static_cast<double>(last - first));
        if (mip == CU_TR_FILTER_MODE_POINT)
            return at_level(first + static_cast<int>(std::floor(lod + 0.5)));
        const int whole = static_cast<int>(std::floor(lod));
        const double f = fraction_of_8_bits(lod - whole);
        const double lower = at_level(first + whole);
        return f == 0 ? lower : (1 - f) * lower + f * at_level(std::min(first + whole + 1, last));
    }

    static std::vector<Float4> places(std::size_t count) {
        std::vector<Float4> at;
        for (std::size_t i = 0; i < count; ++i)
            at.push_back({static_cast<float>(i * 1111 % 32768 / 4 * 4 + 1) / 32768,
                          static_cast<float>(i * 733 % 16384 / 4 * 4 + 1) / 16384});
        return at;
    }
};

TEST_F(Mipmaps, LevelsByNumber) {
    CUmipmappedArray m = make();
    std::vector<float> levels;
    for (int i = 0; i < 200; ++i) levels.push_back(-1.0f + static_cast<float>(i * 97 % 1024) / 128);
    const auto at = places(levels.size());
    for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
        for (CUfilter_mode mip : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
            for (float bias : {0.0f, -0.75f, 1.5f}) {
                CUDA_TEXTURE_DESC desc = how(filter, true);
                desc.mipmapFilterMode = mip;
                desc.mipmapLevelBias = bias;
                desc.minMipmapLevelClamp = 0.25f;
                desc.maxMipmapLevelClamp = 4.5f;
                desc.maxAnisotropy = 16;
                const auto got = read(texture(of(m), desc), Read::d2, at, levels);
                for (std::size_t i = 0; i < at.size(); ++i) {
                    const double lod = std::min(std::max(levels[i] + bias, 0.25f), 4.5f);
                    ASSERT_NEAR(got[i].x, model(at[i].x, at[i].y, lod, filter, mip), 2e-4)
                        << "level " << levels[i] << " bias " << bias << " mip " << mip;
                }
            }
    CHECK_CU(cuMipmappedArrayDestroy(m));
}

// The description's clamps are zero where nobody set them: only the largest level is read.
TEST_F(Mipmaps, WithoutClampsOnlyTheFirst) {
    CUmipmappedArray m = make();
    CUtexObject t = texture(of(m), how(CU_TR_FILTER_MODE_POINT, true));
    EXPECT_LT(read(t, Read::d2, {{0.5f, 0.5f}}, {3.0f})[0].x, 100);
    EXPECT_LT(read(t, Read::d2, {{0.5f, 0.5f}})[0].x, 100);
}

TEST_F(Mipmaps, LevelsBySlopes) {
    CUmipmappedArray m = make();
    CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_LINEAR, true);
    desc.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    desc.maxMipmapLevelClamp = 100;
    std::vector<Float4> slopes;
    const auto at = places(200);
    for (std::size_t i = 0; i < at.size(); ++i) {
        auto slope = [&](std::size_t k) { return static_cast<float>(k * 31 % 97) / 388 - 0.1f; };
        slopes.push_back({slope(i), slope(i + 7)});
        slopes.push_back({slope(3 * i + 1), slope(5 * i)});
    }
    const auto got = read(texture(of(m), desc), Read::d2, at, {}, slopes);
    for (std::size_t i = 0; i < at.size(); ++i) {
        const Float4 &dx = slopes[2 * i], &dy = slopes[2 * i + 1];
        const double lod =
            std::log2(footprint({dx.x * kWidth, dx.y * kHeight}, {dy.x * kWidth, dy.y * kHeight}));
        // The level has 8 bits of fraction; a hundred and more lie between levels.
        ASSERT_NEAR(
            got[i].x,
            model(at[i].x, at[i].y, lod, CU_TR_FILTER_MODE_LINEAR, CU_TR_FILTER_MODE_LINEAR), 0.7);
    }
}

TEST_F(Mipmaps, ViewsSeeSomeLevels) {
    CUmipmappedArray m = make();
    CUDA_RESOURCE_VIEW_DESC view{};
    view.format = CU_RES_VIEW_FORMAT_FLOAT_4X32;
    view.width = kWidth;
    view.height = kHeight;
    view.firstMipmapLevel = 2;
    view.lastMipmapLevel = 4;
    CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_POINT, true);
    desc.maxMipmapLevelClamp = 100;
    CUtexObject t = texture(of(m), desc, &view);
    const std::vector<float> levels{-1, 0, 1, 1.4f, 1.6f, 2, 9};
    const auto at = places(levels.size());
    const auto got = read(t, Read::d2, at, levels);
    for (std::size_t i = 0; i < at.size(); ++i)
        EXPECT_EQ(got[i].x, model(at[i].x, at[i].y, levels[i], CU_TR_FILTER_MODE_POINT,
                                  CU_TR_FILTER_MODE_POINT, 2, 4));
}

TEST_F(Mipmaps, LayersAndDepth) {
    CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_POINT, true);
    desc.maxMipmapLevelClamp = 100;
    CUmipmappedArray layers = make(CUDA_ARRAY3D_LAYERED, 3);
    CUDA_RESOURCE_VIEW_DESC view{};
    view.width = kWidth;
    view.height = kHeight;
    view.depth = 3;
    view.firstLayer = 1;
    view.lastLayer = 2;
    view.lastMipmapLevel = 5;
    for (float layer : {0.0f, 1.0f, 2.0f, 7.0f}) {
        const auto got =
            read(texture(of(layers), desc), Read::layers2, {{0.3f, 0.6f, 0, layer}}, {2.0f});
        EXPECT_EQ(got[0].x, value(2, 2, 2) + std::min(layer, 2.0f) * 1000);
        const auto seen =
            read(texture(of(layers), desc, &view), Read::layers2, {{0.3f, 0.6f, 0, layer}}, {2.0f});
        EXPECT_EQ(seen[0].x, value(2, 2, 2) + std::min(layer + 1, 2.0f) * 1000);
    }
    // Depth halves, layers do not.
    CUDA_ARRAY3D_DESCRIPTOR d = descriptor({8, 8, 8}, CU_AD_FORMAT_FLOAT, 1), got{};
    CUmipmappedArray volume = nullptr;
    CHECK_CU(cuMipmappedArrayCreate(&volume, &d, 4));
    CUarray a = nullptr;
    CHECK_CU(cuMipmappedArrayGetLevel(&a, volume, 2));
    CHECK_CU(cuArray3DGetDescriptor(&got, a));
    EXPECT_EQ(got.Width, 2u);
    EXPECT_EQ(got.Depth, 2u);
    CHECK_CU(cuMipmappedArrayGetLevel(&a, layers, 3));
    CHECK_CU(cuArray3DGetDescriptor(&got, a));
    EXPECT_EQ(got.Width, 4u);
    EXPECT_EQ(got.Height, 2u);
    EXPECT_EQ(got.Depth, 3u);
}

} // namespace
} // namespace lathe::test
