// SPDX-License-Identifier: MIT
// Descriptions that make no sense get the code that the driver documents.
#include "tests/soft/textures/texture_test.h"

namespace lathe::test {
namespace {

class Descriptions : public TextureTest {
protected:
    CUresult array_of(Size size, CUarray_format format, unsigned channels, unsigned flags) {
        const CUDA_ARRAY3D_DESCRIPTOR d = descriptor(size, format, channels, flags);
        CUarray a = nullptr;
        const CUresult result = cuArray3DCreate(&a, &d);
        if (result == CUDA_SUCCESS) cuArrayDestroy(a);
        CUmipmappedArray m = nullptr;
        EXPECT_EQ(cuMipmappedArrayCreate(&m, &d, 3), result);
        if (result == CUDA_SUCCESS) cuMipmappedArrayDestroy(m);
        return result;
    }
    CUresult texture_of(const CUDA_RESOURCE_DESC& r, const CUDA_TEXTURE_DESC& d,
                        const CUDA_RESOURCE_VIEW_DESC* view = nullptr) {
        CUtexObject t = 0;
        const CUresult result = cuTexObjectCreate(&t, &r, &d, view);
        if (result == CUDA_SUCCESS) cuTexObjectDestroy(t);
        return result;
    }
};

constexpr CUarray_format kFloat = CU_AD_FORMAT_FLOAT;
constexpr unsigned kLayered = CUDA_ARRAY3D_LAYERED, kCube = CUDA_ARRAY3D_CUBEMAP;

TEST_F(Descriptions, OfArrays) {
    EXPECT_EQ(array_of({8, 8, 0}, kFloat, 1, 0), CUDA_SUCCESS);
    struct {
        Size size;
        unsigned channels, flags;
    } const wrong[] = {
        {{0, 0, 0}, 1, 0},
        {{8, 0, 8}, 1, 0},
        {{131073, 0, 0}, 1, 0},
        {{8, 65537, 0}, 1, 0},
        {{16385, 8, 8}, 1, 0},
        {{8, 8, 0}, 3, 0},
        {{8, 8, 0}, 0, 0},
        {{8, 8, 0}, 1, kLayered},
        {{8, 8, 2049}, 1, kLayered},
        {{8, 7, 6}, 1, kCube},
        {{8, 8, 5}, 1, kCube},
        {{8, 8, 12}, 1, kCube},
        {{8, 8, 7}, 1, kCube | kLayered},
        {{8, 8, 0}, 1, kCube},
        {{8, 8, 0}, 1, 0x1000},
        {{8, 8, 8}, 1, CUDA_ARRAY3D_TEXTURE_GATHER},
    };
    for (const auto& w : wrong)
        EXPECT_EQ(array_of(w.size, kFloat, w.channels, w.flags), CUDA_ERROR_INVALID_VALUE)
            << w.size[0] << " x " << w.size[1] << " x " << w.size[2] << " flags " << w.flags;
    EXPECT_EQ(array_of({8, 8, 0}, static_cast<CUarray_format>(4), 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(array_of({8, 8, 0}, static_cast<CUarray_format>(-1), 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(array_of({8, 8, 0}, CU_AD_FORMAT_BC1_UNORM, 4, 0), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(array_of({8, 8, 0}, CU_AD_FORMAT_NV12, 1, 0), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(array_of({8, 8, 0}, kFloat, 1, CUDA_ARRAY3D_SPARSE), CUDA_ERROR_NOT_SUPPORTED);
}

// What the device says of sizes is what holds: one more is refused.
TEST_F(Descriptions, SizesBeyondTheAttributes) {
    auto most = [](CUdevice_attribute attribute) {
        int value = 0;
        EXPECT_EQ(cuDeviceGetAttribute(&value, attribute, 0), CUDA_SUCCESS);
        EXPECT_GT(value, 0) << attribute;
        return static_cast<std::size_t>(value);
    };
#define MOST(name) most(CU_DEVICE_ATTRIBUTE_MAXIMUM_##name)
    const struct {
        Size size;
        unsigned flags;
    } beyond[] = {
        {{MOST(TEXTURE1D_WIDTH) + 1, 0, 0}, 0},
        {{MOST(SURFACE1D_WIDTH) + 1, 0, 0}, CUDA_ARRAY3D_SURFACE_LDST},
        {{MOST(TEXTURE1D_LAYERED_WIDTH) + 1, 0, 1}, kLayered},
        {{1, 0, MOST(TEXTURE1D_LAYERED_LAYERS) + 1}, kLayered},
        {{MOST(TEXTURE2D_WIDTH) + 1, 1, 0}, 0},
        {{1, MOST(TEXTURE2D_HEIGHT) + 1, 0}, 0},
        {{MOST(TEXTURE2D_GATHER_WIDTH) + 1, 1, 0}, CUDA_ARRAY3D_TEXTURE_GATHER},
        {{1, MOST(TEXTURE2D_GATHER_HEIGHT) + 1, 0}, CUDA_ARRAY3D_TEXTURE_GATHER},
        {{MOST(TEXTURE2D_LAYERED_WIDTH) + 1, 1, 1}, kLayered},
        {{1, MOST(TEXTURE2D_LAYERED_HEIGHT) + 1, 1}, kLayered},
        {{1, 1, MOST(TEXTURE2D_LAYERED_LAYERS) + 1}, kLayered},
        {{MOST(TEXTURE3D_WIDTH) + 1, 1, 1}, 0},
        {{1, MOST(TEXTURE3D_HEIGHT) + 1, 1}, 0},
        {{1, 1, MOST(TEXTURE3D_DEPTH_ALTERNATE) + 1}, 0},
        {{MOST(TEXTURE3D_WIDTH_ALTERNATE) + 1, 1, MOST(TEXTURE3D_DEPTH) + 1}, 0},
        {{MOST(TEXTURECUBEMAP_WIDTH) + 1, MOST(TEXTURECUBEMAP_WIDTH) + 1, 6}, kCube},
        {{6, 6, MOST(TEXTURECUBEMAP_LAYERED_LAYERS) + 6}, kCube | kLayered},
    };
    for (const auto& each : beyond)
        EXPECT_EQ(array_of(each.size, CU_AD_FORMAT_UNSIGNED_INT8, 1, each.flags),
                  CUDA_ERROR_INVALID_VALUE)
            << each.size[0] << " x " << each.size[1] << " x " << each.size[2];
    EXPECT_EQ(array_of({1, 1, MOST(TEXTURE3D_DEPTH_ALTERNATE)}, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0),
              CUDA_SUCCESS);
    const CUDA_ARRAY3D_DESCRIPTOR d =
        descriptor({MOST(TEXTURE2D_MIPMAPPED_WIDTH) + 1, 1, 0}, CU_AD_FORMAT_UNSIGNED_INT8, 1);
    CUmipmappedArray m = nullptr;
    EXPECT_EQ(cuMipmappedArrayCreate(&m, &d, 1), CUDA_ERROR_INVALID_VALUE);
#undef MOST
}

TEST_F(Descriptions, OfTextures) {
    CUarray a = array(descriptor({8, 8, 0}, CU_AD_FORMAT_UNSIGNED_INT8, 4));
    const CUDA_TEXTURE_DESC good = how(CU_TR_FILTER_MODE_LINEAR, true);
    EXPECT_EQ(texture_of(of(a), good), CUDA_SUCCESS);
    CUDA_TEXTURE_DESC d = good;
    d.addressMode[1] = static_cast<CUaddress_mode>(4);
    EXPECT_EQ(texture_of(of(a), d), CUDA_ERROR_INVALID_VALUE);
    d = good;
    d.filterMode = static_cast<CUfilter_mode>(2);
    EXPECT_EQ(texture_of(of(a), d), CUDA_ERROR_INVALID_VALUE);
    d = good;
    d.mipmapFilterMode = static_cast<CUfilter_mode>(-1);
    EXPECT_EQ(texture_of(of(a), d), CUDA_ERROR_INVALID_VALUE);
    d = good;
    d.flags |= 0x100;
    EXPECT_EQ(texture_of(of(a), d), CUDA_ERROR_INVALID_VALUE);
    d = good;
    d.flags |= CU_TRSF_READ_AS_INTEGER; // integers are not filtered
    EXPECT_EQ(texture_of(of(a), d), CUDA_ERROR_INVALID_VALUE);
    d = good;
    d.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
    EXPECT_EQ(texture_of(of(a), d), CUDA_ERROR_INVALID_VALUE);
    CUDA_RESOURCE_DESC r = of(a);
    r.flags = 1;
    EXPECT_EQ(texture_of(r, good), CUDA_ERROR_INVALID_VALUE);
    r = of(a);
    r.resType = static_cast<CUresourcetype>(9);
    EXPECT_EQ(texture_of(r, good), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(texture_of(of(static_cast<CUarray>(nullptr)), good), CUDA_ERROR_INVALID_HANDLE);

    const CUDA_ARRAY3D_DESCRIPTOR mipmapped = descriptor({8, 8, 0}, kFloat, 1);
    CUmipmappedArray m = nullptr;
    CHECK_CU(cuMipmappedArrayCreate(&m, &mipmapped, 3));
    EXPECT_EQ(texture_of(of(m), good), CUDA_SUCCESS);
    EXPECT_EQ(texture_of(of(m), how(CU_TR_FILTER_MODE_POINT, false)), CUDA_ERROR_INVALID_VALUE);
    CUsurfObject s = 0;
    r = of(m);
    EXPECT_EQ(cuSurfObjectCreate(&s, &r), CUDA_ERROR_INVALID_VALUE);
    r = of(a); // made without the flag for surfaces
    EXPECT_EQ(cuSurfObjectCreate(&s, &r), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Descriptions, OfLinearMemory) {
    Buffer<float> memory{1024};
    CUDA_RESOURCE_DESC good{};
    good.resType = CU_RESOURCE_TYPE_LINEAR;
    good.res.linear = {memory.get(), kFloat, 1, 4096};
    const CUDA_TEXTURE_DESC d = how(CU_TR_FILTER_MODE_POINT, false);
    EXPECT_EQ(texture_of(good, d), CUDA_SUCCESS);
    CUDA_RESOURCE_VIEW_DESC view{};
    view.width = 1024;
    EXPECT_EQ(texture_of(good, d, &view), CUDA_ERROR_INVALID_VALUE);
    CUDA_RESOURCE_DESC r = good;
    r.res.linear.sizeInBytes = 4097;
    EXPECT_EQ(texture_of(r, d), CUDA_ERROR_INVALID_VALUE);
    r.res.linear.sizeInBytes = 3;
    EXPECT_EQ(texture_of(r, d), CUDA_ERROR_INVALID_VALUE);
    r = good;
    r.res.linear.numChannels = 3;
    EXPECT_EQ(texture_of(r, d), CUDA_ERROR_INVALID_VALUE);
    good = {};
    good.resType = CU_RESOURCE_TYPE_PITCH2D;
    good.res.pitch2D = {memory.get(), kFloat, 1, 30, 32, 128};
    EXPECT_EQ(texture_of(good, d), CUDA_SUCCESS);
    for (std::size_t pitch : {std::size_t{100}, std::size_t{96}, std::size_t{4194304}}) {
        r = good;
        r.res.pitch2D.pitchInBytes = pitch;
        EXPECT_EQ(texture_of(r, d), CUDA_ERROR_INVALID_VALUE) << pitch;
    }
    r = good;
    r.res.pitch2D.height = 33;
    EXPECT_EQ(texture_of(r, d), CUDA_ERROR_INVALID_VALUE);
    r.res.pitch2D.height = 0;
    EXPECT_EQ(texture_of(r, d), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Descriptions, OfViews) {
    CUarray a = array(descriptor({8, 4, 3}, CU_AD_FORMAT_UNSIGNED_INT32, 2, kLayered));
    const CUDA_TEXTURE_DESC d = how(CU_TR_FILTER_MODE_POINT, true);
    CUDA_RESOURCE_VIEW_DESC good{};
    good.format = CU_RES_VIEW_FORMAT_FLOAT_2X32;
    good.width = 8;
    good.height = 4;
    good.depth = 3;
    good.lastLayer = 2;
    EXPECT_EQ(texture_of(of(a), d, &good), CUDA_SUCCESS);
    auto with = [&](auto&& change) {
        CUDA_RESOURCE_VIEW_DESC view = good;
        change(view);
        return texture_of(of(a), d, &view);
    };
    EXPECT_EQ(with([](auto& v) { v.width = 7; }), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(with([](auto& v) { v.height = 0; }), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(with([](auto& v) { v.depth = 2; }), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(with([](auto& v) { v.lastMipmapLevel = 1; }), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(with([](auto& v) { v.lastLayer = 3; }), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(with([](auto& v) { v.firstLayer = 3; }), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(with([](auto& v) { v.format = CU_RES_VIEW_FORMAT_UINT_4X32; }),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(with([](auto& v) { v.format = static_cast<CUresourceViewFormat>(77); }),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(with([](auto& v) { v.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1; }),
              CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(Descriptions, OfObjectsComeBack) {
    CUarray a = array(descriptor({8, 4, 0}, kFloat, 1, CUDA_ARRAY3D_SURFACE_LDST));
    CUDA_TEXTURE_DESC d = how(CU_TR_FILTER_MODE_LINEAR, true, CU_TR_ADDRESS_MODE_MIRROR), got{};
    d.maxAnisotropy = 8;
    d.mipmapLevelBias = 0.5f;
    CUDA_RESOURCE_VIEW_DESC view{}, got_view{};
    view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
    view.width = 8;
    view.height = 4;
    CUtexObject plain = texture(of(a), d), seen = texture(of(a), d, &view);
    CHECK_CU(cuTexObjectGetTextureDesc(&got, plain));
    EXPECT_EQ(got.addressMode[2], CU_TR_ADDRESS_MODE_MIRROR);
    EXPECT_EQ(got.maxAnisotropy, 8u);
    EXPECT_EQ(got.mipmapLevelBias, 0.5f);
    EXPECT_EQ(cuTexObjectGetResourceViewDesc(&got_view, plain), CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuTexObjectGetResourceViewDesc(&got_view, seen));
    EXPECT_EQ(got_view.width, 8u);
    CUDA_RESOURCE_DESC r{};
    CHECK_CU(cuTexObjectGetResourceDesc(&r, plain));
    EXPECT_EQ(r.res.array.hArray, a);
    r = {};
    CHECK_CU(cuSurfObjectGetResourceDesc(&r, surface(a)));
    EXPECT_EQ(r.res.array.hArray, a);
}

} // namespace
} // namespace lathe::test
