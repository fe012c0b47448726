// SPDX-License-Identifier: MIT
// Texture and surface references: .texref and .surfref variables of PTX bound by the host.
#include "tests/soft/textures/texture_test.h"

// cuda.h calls them deprecated, which they are.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace lathe::test {
namespace {

const char* kPtx = R"(.version 7.5
.target sm_75
.address_size 64
.global .texref image;
.global .texref other;
.global .surfref canvas;
.global .u32 number = 5;
.visible .entry by_name(.param .u64 out, .param .f32 x, .param .f32 y) {
    .reg .f32 %f<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.f32 %f1, [x];
    ld.param.f32 %f2, [y];
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [image, {%f1, %f2}];
    st.global.v4.f32 [%rd1], {%f3, %f4, %f5, %f6};
    ret;
}
.visible .entry by_address(.param .u64 out, .param .f32 x, .param .f32 y) {
    .reg .f32 %f<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.f32 %f1, [x];
    ld.param.f32 %f2, [y];
    mov.u64 %rd2, image;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd2, {%f1, %f2}];
    st.global.v4.f32 [%rd1], {%f3, %f4, %f5, %f6};
    ret;
}
.visible .entry by_level(.param .u64 out, .param .f32 x, .param .f32 y) {
    .reg .f32 %f<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.f32 %f1, [x];
    ld.param.f32 %f2, [y];
    tex.level.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [image, {%f1, %f1}], %f2;
    st.global.v4.f32 [%rd1], {%f3, %f4, %f5, %f6};
    ret;
}
.visible .entry by_index(.param .u64 out, .param .s32 i) {
    .reg .f32 %f<8>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.s32 %r1, [i];
    tex.1d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [image, {%r1}];
    st.global.v4.f32 [%rd1], {%f3, %f4, %f5, %f6};
    ret;
}
.visible .entry paint(.param .s32 x, .param .s32 y, .param .f32 v) {
    .reg .f32 %f<2>;
    .reg .b32 %r<4>;
    ld.param.s32 %r1, [x];
    ld.param.s32 %r2, [y];
    ld.param.f32 %f1, [v];
    sust.b.2d.b32.trap [canvas, {%r1, %r2}], {%f1};
    ret;
})";

class References : public TextureTest {
protected:
    void SetUp() override {
        TextureTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        CHECK_CU(cuModuleLoadData(&module_, kPtx));
        CHECK_CU(cuModuleGetTexRef(&image_, module_, "image"));
    }
    void TearDown() override {
        if (module_) cuModuleUnload(module_);
        TextureTest::TearDown();
    }

    template <class... Args> Float4 value(const char* kernel, Args... at) {
        Buffer<Float4> out{1};
        EXPECT_EQ(launch(function(module_, kernel), shape(1, 1), out.get(), at...), CUDA_SUCCESS);
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
        return out.read()[0];
    }

    CUmodule module_ = nullptr;
    CUtexref image_ = nullptr;
};

TEST_F(References, ArraysBySettings) {
    std::vector<unsigned char> data(8 * 4 * 4);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 2);
    CUarray a = array(descriptor({8, 4, 0}, CU_AD_FORMAT_UNSIGNED_INT8, 4));
    upload(a, data.data());
    CHECK_CU(cuTexRefSetArray(image_, a, CU_TRSA_OVERRIDE_FORMAT));
    auto texel = [&](int x, int y) {
        return static_cast<float>(data[static_cast<std::size_t>((y * 8 + x) * 4)]) / 255;
    };
    EXPECT_FLOAT_EQ(value("by_name", 2.5f, 1.5f).x, texel(2, 1));
    EXPECT_FLOAT_EQ(value("by_address", 2.5f, 1.5f).x, texel(2, 1));
    EXPECT_FLOAT_EQ(value("by_name", 20.0f, 1.5f).x, texel(7, 1));
    CHECK_CU(cuTexRefSetFilterMode(image_, CU_TR_FILTER_MODE_LINEAR));
    EXPECT_FLOAT_EQ(value("by_name", 3.0f, 1.5f).x, (texel(2, 1) + texel(3, 1)) / 2);
    CHECK_CU(cuTexRefSetFlags(image_, CU_TRSF_NORMALIZED_COORDINATES));
    CHECK_CU(cuTexRefSetAddressMode(image_, 0, CU_TR_ADDRESS_MODE_WRAP));
    EXPECT_FLOAT_EQ(value("by_address", 1.0f + 1.5f / 8, 1.5f / 4).x, texel(1, 1));
    CHECK_CU(cuTexRefSetAddressMode(image_, 0, CU_TR_ADDRESS_MODE_BORDER));
    float colour[4] = {9, 8, 7, 6}, got_colour[4] = {};
    CHECK_CU(cuTexRefSetBorderColor(image_, colour));
    EXPECT_EQ(value("by_name", 2.0f, 0.5f).y, 8);

    CUarray got = nullptr;
    CUaddress_mode mode{};
    CUfilter_mode filter{};
    CUarray_format format{};
    unsigned flags = 0;
    int channels = 0;
    CHECK_CU(cuTexRefGetArray(&got, image_));
    EXPECT_EQ(got, a);
    CHECK_CU(cuTexRefGetAddressMode(&mode, image_, 0));
    EXPECT_EQ(mode, CU_TR_ADDRESS_MODE_BORDER);
    CHECK_CU(cuTexRefGetFilterMode(&filter, image_));
    EXPECT_EQ(filter, CU_TR_FILTER_MODE_LINEAR);
    CHECK_CU(cuTexRefGetFlags(&flags, image_));
    EXPECT_EQ(flags, static_cast<unsigned>(CU_TRSF_NORMALIZED_COORDINATES));
    CHECK_CU(cuTexRefGetFormat(&format, &channels, image_));
    EXPECT_EQ(format, CU_AD_FORMAT_UNSIGNED_INT8);
    EXPECT_EQ(channels, 4);
    CHECK_CU(cuTexRefGetBorderColor(got_colour, image_));
    EXPECT_EQ(got_colour[3], 6);
    CUdeviceptr p = 0;
    EXPECT_EQ(cuTexRefGetAddress(&p, image_), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuTexRefSetArray(image_, a, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuTexRefSetAddressMode(image_, 3, CU_TR_ADDRESS_MODE_WRAP), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuTexRefSetFlags(image_, 0x100), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(References, LinearAndPitchedMemory) {
    std::vector<float> values(64);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    Buffer<float> memory{values};
    std::size_t offset = 99;
    CHECK_CU(cuTexRefSetFormat(image_, CU_AD_FORMAT_FLOAT, 2));
    CHECK_CU(cuTexRefSetAddress(&offset, image_, memory.get(), 256));
    EXPECT_EQ(offset, 0u);
    EXPECT_EQ(value("by_index", 5).y, 11);
    EXPECT_EQ(value("by_index", 32).y, 0);
    CUdeviceptr p = 0;
    CHECK_CU(cuTexRefGetAddress(&p, image_));
    EXPECT_EQ(p, memory.get());
    EXPECT_EQ(cuTexRefSetAddress(nullptr, image_, memory.get(), 257), CUDA_ERROR_INVALID_VALUE);

    CUDA_ARRAY_DESCRIPTOR d{};
    d.Width = 8;
    d.Height = 4;
    d.Format = CU_AD_FORMAT_FLOAT;
    d.NumChannels = 1;
    CHECK_CU(cuTexRefSetAddress2D(image_, &d, memory.get(), 64)); // every other row of 8
    EXPECT_EQ(value("by_name", 3.5f, 2.5f).x, 2 * 16 + 3);
    EXPECT_EQ(cuTexRefSetAddress2D(image_, &d, memory.get(), 40), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(References, MipmappedArrays) {
    const CUDA_ARRAY3D_DESCRIPTOR d = descriptor({8, 8, 0}, CU_AD_FORMAT_FLOAT, 4);
    CUmipmappedArray m = nullptr, got = nullptr;
    CHECK_CU(cuMipmappedArrayCreate(&m, &d, 4));
    for (unsigned level = 0; level < 4; ++level) {
        CUarray a = nullptr;
        CHECK_CU(cuMipmappedArrayGetLevel(&a, m, level));
        upload(a, std::vector<float>(256, static_cast<float>(level)).data());
    }
    CHECK_CU(cuTexRefSetMipmappedArray(image_, m, CU_TRSA_OVERRIDE_FORMAT));
    CHECK_CU(cuTexRefSetFlags(image_, CU_TRSF_NORMALIZED_COORDINATES)); // in any order
    CHECK_CU(cuTexRefSetMipmapLevelClamp(image_, 0, 2.5f));
    CHECK_CU(cuTexRefSetMipmapFilterMode(image_, CU_TR_FILTER_MODE_LINEAR));
    CHECK_CU(cuTexRefSetMipmapLevelBias(image_, 0.5f));
    CHECK_CU(cuTexRefSetMaxAnisotropy(image_, 99));
    EXPECT_EQ(value("by_level", 0.5f, 1.0f).x, 1.5f);
    EXPECT_EQ(value("by_level", 0.5f, 9.0f).x, 2.5f);
    float least = -1, greatest = -1, bias = 0;
    int anisotropy = 0;
    CUfilter_mode filter{};
    CHECK_CU(cuTexRefGetMipmapLevelClamp(&least, &greatest, image_));
    EXPECT_EQ(greatest, 2.5f);
    CHECK_CU(cuTexRefGetMipmapLevelBias(&bias, image_));
    EXPECT_EQ(bias, 0.5f);
    CHECK_CU(cuTexRefGetMaxAnisotropy(&anisotropy, image_));
    EXPECT_EQ(anisotropy, 16);
    CHECK_CU(cuTexRefGetMipmapFilterMode(&filter, image_));
    EXPECT_EQ(filter, CU_TR_FILTER_MODE_LINEAR);
    CHECK_CU(cuTexRefGetMipmappedArray(&got, image_));
    EXPECT_EQ(got, m);
    CUarray none = nullptr;
    EXPECT_EQ(cuTexRefGetArray(&none, image_), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(References, UnboundOnesAreFaults) {
    Buffer<Float4> out{1};
    for (const char* kernel : {"by_name", "by_address"}) {
        CHECK_CU(launch(function(module_, kernel), shape(1, 1), out.get(), 0.5f, 0.5f));
        EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    }
}

TEST_F(References, NamesAndLifetimes) {
    CUtexref again = nullptr, other = nullptr;
    CUsurfref canvas = nullptr;
    CHECK_CU(cuModuleGetTexRef(&again, module_, "image"));
    EXPECT_EQ(again, image_);
    CHECK_CU(cuModuleGetTexRef(&other, module_, "other"));
    EXPECT_NE(other, image_);
    EXPECT_EQ(cuModuleGetTexRef(&again, module_, "number"), CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(cuModuleGetTexRef(&again, module_, "canvas"), CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(cuModuleGetTexRef(&again, module_, "nothing"), CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(cuModuleGetSurfRef(&canvas, module_, "image"), CUDA_ERROR_NOT_FOUND);
    CHECK_CU(cuModuleGetSurfRef(&canvas, module_, "canvas"));
    CHECK_CU(cuParamSetTexRef(function(module_, "by_name"), CU_PARAM_TR_DEFAULT, image_));
    EXPECT_EQ(cuParamSetTexRef(function(module_, "by_name"), 1, image_), CUDA_ERROR_INVALID_VALUE);

    CUtexref own = nullptr;
    CHECK_CU(cuTexRefCreate(&own));
    CHECK_CU(cuTexRefSetFormat(own, CU_AD_FORMAT_HALF, 4));
    CHECK_CU(cuTexRefDestroy(own));
    EXPECT_EQ(cuTexRefSetFormat(own, CU_AD_FORMAT_HALF, 4), CUDA_ERROR_INVALID_HANDLE);
    CHECK_CU(cuModuleUnload(module_));
    module_ = nullptr;
    unsigned flags = 0;
    CUarray a = nullptr;
    EXPECT_EQ(cuTexRefGetFlags(&flags, image_), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuSurfRefGetArray(&a, canvas), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(References, Surfaces) {
    CUsurfref canvas = nullptr;
    CHECK_CU(cuModuleGetSurfRef(&canvas, module_, "canvas"));
    CUarray a = array(descriptor({4, 2, 0}, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST));
    CUarray plain = array(descriptor({4, 2, 0}, CU_AD_FORMAT_FLOAT, 1)), got = nullptr;
    EXPECT_EQ(cuSurfRefGetArray(&got, canvas), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuSurfRefSetArray(canvas, plain, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuSurfRefSetArray(canvas, a, 0));
    CHECK_CU(cuSurfRefGetArray(&got, canvas));
    EXPECT_EQ(got, a);
    CHECK_CU(launch(function(module_, "paint"), shape(1, 1), 8, 1, 2.5f));
    CHECK_CU(cuCtxSynchronize());
    std::vector<float> data(8);
    download(data.data(), a);
    EXPECT_EQ(data[6], 2.5f);
}

} // namespace
} // namespace lathe::test
