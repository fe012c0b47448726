// SPDX-License-Identifier: MIT
// Instructions of PTX beyond plain reads: gathers, offsets, half results, queries, formatted
// stores, reductions, residency, and every texture and surface function of CUDA's headers.
#include "tests/soft/textures/texture_test.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace lathe::test {
namespace {

class Instructions : public TextureTest {
protected:
    static constexpr int kWidth = 16, kHeight = 8;

    static float value(int x, int y, int c) { return static_cast<float>(y * 100 + x * 4 + c); }
    static int wrapped(int i, int n) { return std::min(std::max(i, 0), n - 1); }

    CUarray grid(unsigned layers = 0) {
        std::vector<float> data;
        for (unsigned z = 0; z < std::max(layers, 1u); ++z)
            for (int y = 0; y < kHeight; ++y)
                for (int x = 0; x < kWidth; ++x)
                    for (int c = 0; c < 4; ++c)
                        data.push_back(value(x, y, c) + static_cast<float>(z) * 1000);
        CUarray a = array(descriptor({kWidth, kHeight, layers}, CU_AD_FORMAT_FLOAT, 4,
                                     layers ? CUDA_ARRAY3D_LAYERED : 0));
        upload(a, data.data());
        return a;
    }
};

TEST_F(Instructions, GathersOfEachComponent) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(cudaTextureObject_t t, float4* o) {
        const float x = threadIdx.x * 0.9f - 1, y = threadIdx.x * 0.4f;
        o[threadIdx.x * 4 + 0] = tex2Dgather<float4>(t, x, y, 0);
        o[threadIdx.x * 4 + 1] = tex2Dgather<float4>(t, x, y, 1);
        o[threadIdx.x * 4 + 2] = tex2Dgather<float4>(t, x, y, 2);
        o[threadIdx.x * 4 + 3] = tex2Dgather<float4>(t, x, y, 3);
    })");
    CUtexObject t = texture(of(grid()), how(CU_TR_FILTER_MODE_LINEAR, false));
    Buffer<Float4> out{20 * 4};
    CHECK_CU(launch(f, shape(1, 20), t, out.get()));
    const auto got = out.read();
    for (int i = 0; i < 20; ++i) {
        const float fx = static_cast<float>(i) * 0.9f - 1, fy = static_cast<float>(i) * 0.4f;
        const int x = static_cast<int>(std::floor(fx - 0.5f)),
                  y = static_cast<int>(std::floor(fy - 0.5f));
        const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 4; ++k)
                EXPECT_EQ(
                    got[static_cast<std::size_t>(i * 4 + c)][k],
                    value(wrapped(x + order[k][0], kWidth), wrapped(y + order[k][1], kHeight), c));
    }
}

TEST_F(Instructions, OffsetsInTexels) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(cudaTextureObject_t t, float4* o) {
        float4 v;
        asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {3, -2};"
            : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(5.5f), "f"(4.5f));
        o[0] = v;
        asm volatile("tex.a2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}], {-1, 1};"
            : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(5.5f), "f"(4.5f), "r"(2));
        o[1] = v;
        asm volatile("tex.level.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7, {1, 0};"
            : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
            : "l"(t), "f"(5.5f), "f"(4.5f), "f"(0.0f));
        o[2] = v;
        asm volatile("tld4.g.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {2, 2};"
            : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(5.0f), "f"(4.0f));
        o[3] = v;
        asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}], {-3, 1};"
            : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "r"(5), "r"(4));
        o[4] = v;
    })");
    CUtexObject t = texture(of(grid(3)), how(CU_TR_FILTER_MODE_POINT, false));
    Buffer<Float4> out{5};
    CHECK_CU(launch(f, shape(1, 1), t, out.get()));
    const auto got = out.read();
    EXPECT_EQ(got[0].x, value(8, 2, 0));
    EXPECT_EQ(got[1].x, value(4, 5, 0) + 2000);
    EXPECT_EQ(got[2].x, value(6, 4, 0));
    EXPECT_EQ(got[3].w, value(6, 5, 1));
    EXPECT_EQ(got[3].y, value(7, 6, 1));
    EXPECT_EQ(got[4].y, value(2, 5, 1));
}

TEST_F(Instructions, HalfResults) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(cudaTextureObject_t t, uint2* o) {
        unsigned a, b;
        asm volatile("tex.2d.v2.f16x2.f32 {%0, %1}, [%2, {%3, %4}];"
            : "=r"(a), "=r"(b) : "l"(t), "f"(1.5f), "f"(0.5f));
        o[0] = make_uint2(a, b);
        unsigned short h[4];
        asm volatile("tex.2d.v4.f16.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
            : "=h"(h[0]), "=h"(h[1]), "=h"(h[2]), "=h"(h[3]) : "l"(t), "f"(1.5f), "f"(0.5f));
        o[1] = make_uint2(h[0] | h[1] << 16, h[2] | h[3] << 16);
    })");
    CUtexObject t = texture(of(grid()), how(CU_TR_FILTER_MODE_POINT, false));
    Buffer<std::array<unsigned, 2>> out{2};
    CHECK_CU(launch(f, shape(1, 1), t, out.get()));
    for (const auto& pair : out.read()) { // 4, 5, 6, 7
        EXPECT_EQ(pair[0], 0x45004400u);
        EXPECT_EQ(pair[1], 0x47004600u);
    }
}

TEST_F(Instructions, Queries) {
    const char* names[] = {"txq.width",
                           "txq.height",
                           "txq.depth",
                           "txq.array_size",
                           "txq.num_mipmap_levels",
                           "txq.channel_data_type",
                           "txq.channel_order",
                           "txq.normalized_coords",
                           "txq.filter_mode",
                           "txq.addr_mode_0",
                           "txq.addr_mode_1",
                           "txq.addr_mode_2"};
    std::string body;
    for (const char* name : names)
        body += fmt::format("asm(\"{}.b32 %0, [%1];\" : \"=r\"(*o++) : \"l\"(t));\n", name);
    for (const char* name : {"width", "height", "channel_order", "array_size", "memory_layout"})
        body += fmt::format("asm(\"suq.{}.b32 %0, [%1];\" : \"=r\"(*o++) : \"l\"(s));\n", name);
    body += "asm(\"txq.level.width.b32 %0, [%1], 2;\" : \"=r\"(*o++) : \"l\"(t));\n";
    for (const char* object : {"t", "s"})
        for (const char* type : {"texref", "surfref", "samplerref"})
            body += fmt::format("asm(\"{{.reg .pred p; istypep.{} p, %1; selp.u32 %0, 1, 0, p;}}\""
                                " : \"=r\"(*o++) : \"l\"({}));\n",
                                type, object);
    CUfunction f = kernel("extern \"C\" __global__ void k(cudaTextureObject_t t, "
                          "cudaSurfaceObject_t s, unsigned* o) {\n" +
                          body + "}");
    const CUDA_ARRAY3D_DESCRIPTOR d = descriptor({24, 12, 5}, CU_AD_FORMAT_SIGNED_INT16, 2,
                                                 CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST);
    CUmipmappedArray m = nullptr;
    CHECK_CU(cuMipmappedArrayCreate(&m, &d, 4));
    CUarray level = nullptr;
    CHECK_CU(cuMipmappedArrayGetLevel(&level, m, 1));
    CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_LINEAR, true);
    desc.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
    desc.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
    desc.addressMode[2] = CU_TR_ADDRESS_MODE_BORDER;
    Buffer<unsigned> out{24};
    CHECK_CU(launch(f, shape(1, 1), texture(of(m), desc), surface(level), out.get()));
    // The depth of layers is how many there are, as on an H200.
    const std::vector<unsigned> expected{24, 12, 5,      5, 4, 0x10d1, 0x10b2,
                                         1,  1,  0,      1, 4, // the texture
                                         12, 6,  0x10b2, 5, 0, // the surface: the second level
                                         6,  1,  0,      0, 0, 1,      0};
    EXPECT_EQ(out.read(), expected);
}

// Formatted stores count texels and turn words into channels.
TEST_F(Instructions, FormattedStores) {
    CUmodule m = load(R"(
        extern "C" __global__ void four(cudaSurfaceObject_t s, int x, float a, float b, float c,
                                        float d) {
            asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};"
                :: "l"(s), "r"(x), "r"(1), "f"(a), "f"(b), "f"(c), "f"(d));
        }
        extern "C" __global__ void one(cudaSurfaceObject_t s, int x, int v) {
            asm volatile("sust.p.2d.b32.zero [%0, {%1, %2}], {%3};"
                :: "l"(s), "r"(x), "r"(1), "r"(v));
        })");
    auto stored = [&](CUarray_format format, unsigned channels, auto&& put) {
        CUarray a = array(descriptor({4, 2, 0}, format, channels, CUDA_ARRAY3D_SURFACE_LDST));
        std::vector<unsigned char> bytes(8 * 16, 0xee);
        upload(a, bytes.data());
        put(surface(a));
        download(bytes.data(), a);
        const std::size_t texel = texel_bytes(descriptor({4, 2, 0}, format, channels));
        return std::vector<unsigned char>(bytes.begin() + static_cast<std::ptrdiff_t>(7 * texel),
                                          bytes.begin() + static_cast<std::ptrdiff_t>(8 * texel));
    };
    auto four = [&](CUsurfObject s) {
        CHECK_CU(launch(function(m, "four"), shape(1, 1), s, 3, 1.0f, -0.5f, 2.0f, 0.25f));
    };
    auto one = [&](int v) {
        return [&, v](CUsurfObject s) {
            CHECK_CU(launch(function(m, "one"), shape(1, 1), s, 3, v));
            CHECK_CU(launch(function(m, "one"), shape(1, 1), s, 4, v)); // outside: dropped
        };
    };
    using Bytes = std::vector<unsigned char>;
    EXPECT_EQ(stored(CU_AD_FORMAT_HALF, 4, four),
              (Bytes{0x00, 0x3c, 0x00, 0xb8, 0x00, 0x40, 0x00, 0x34}));
    EXPECT_EQ(stored(CU_AD_FORMAT_UNORM_INT8X4, 4, four), (Bytes{255, 0, 255, 64}));
    EXPECT_EQ(stored(CU_AD_FORMAT_SNORM_INT8X4, 4, four), (Bytes{127, 0xc0, 127, 32}));
    EXPECT_EQ(stored(CU_AD_FORMAT_UNSIGNED_INT8, 1, one(70)), Bytes{70});
    EXPECT_EQ(stored(CU_AD_FORMAT_UNSIGNED_INT8, 1, one(300)), Bytes{255});
    EXPECT_EQ(stored(CU_AD_FORMAT_SIGNED_INT8, 2, one(-300)), (Bytes{0x80, 0xee}));
    EXPECT_EQ(stored(CU_AD_FORMAT_SIGNED_INT32, 1, one(-2)), (Bytes{0xfe, 0xff, 0xff, 0xff}));
}

TEST_F(Instructions, ReductionsOfSurfaces) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(cudaSurfaceObject_t s) {
        const int i = threadIdx.x;
        asm volatile("sured.b.add.2d.u32.trap [%0, {0, 0}], %1;" :: "l"(s), "r"(i));
        asm volatile("sured.b.min.2d.s32.trap [%0, {4, 0}], %1;" :: "l"(s), "r"(-i));
        asm volatile("sured.b.max.2d.u32.trap [%0, {8, 0}], %1;" :: "l"(s), "r"(-i));
        asm volatile("sured.b.or.2d.b32.clamp [%0, {900, 0}], %1;" :: "l"(s), "r"(1 << (i & 31)));
        asm volatile("sured.p.add.2d.b32.zero [%0, {1, 1}], %1;" :: "l"(s), "r"(2));
        asm volatile("sured.p.add.2d.b32.zero [%0, {4, 1}], %1;" :: "l"(s), "r"(2));
        asm volatile("sured.b.add.2d.u64.trap [%0, {8, 1}], %1;" :: "l"(s), "l"(1ll << 31));
    })");
    CUarray a =
        array(descriptor({4, 2, 0}, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST));
    std::vector<int> data(8, 0);
    upload(a, data.data());
    CHECK_CU(launch(f, shape(4, 64), surface(a)));
    download(data.data(), a);
    EXPECT_EQ(data, (std::vector<int>{4 * 2016, -63, -1, -1, 0, 512, 0, 128}));
}

TEST_F(Instructions, TexturesAreResident) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(cudaTextureObject_t t, float* o) {
        bool there = false;
        o[0] = tex2D<float4>(t, 3.5f, 2.5f, &there).z;
        o[1] = there;
    })");
    Buffer<float> out{2};
    CUtexObject t = texture(of(grid()), how(CU_TR_FILTER_MODE_POINT, false));
    CHECK_CU(launch(f, shape(1, 1), t, out.get()));
    EXPECT_EQ(out.read(), (std::vector<float>{value(3, 2, 2), 1}));
}

// What has no meaning here is refused with its line when it is compiled.
TEST_F(Instructions, Refusals) {
    for (const char* instruction :
         {"tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, %rd1, {%f0, %f1}];",
          "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, {%f0, %f1}], %f2;",
          "tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd0, {%r0, %r1, %r2, %r3}];",
          "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, {%f0}];",
          "tld4.r.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, {%f0, %f1, %f2, %f3}];",
          "sust.p.2d.v2.b64.trap [%rd0, {%r0, %r1}], {%rd0, %rd1};",
          "sured.b.xor.2d.b32.trap [%rd0, {%r0, %r1}], %r2;", "txq.colour.b32 %r0, [%rd0];"}) {
        const std::string text = fmt::format(R"(.version 7.5
            .target sm_75
            .address_size 64
            .visible .entry k() {{
                .reg .f32 %f<8>;
                .reg .b32 %r<8>;
                .reg .b64 %rd<8>;
                {}
                ret;
            }})",
                                             instruction);
        CUmodule m = nullptr;
        EXPECT_EQ(cuModuleLoadData(&m, text.c_str()), CUDA_ERROR_INVALID_PTX) << instruction;
        EXPECT_NE(std::string{latheSoftGetLastErrorText()}.find("8"), std::string::npos)
            << latheSoftGetLastErrorText();
    }
}

// Every function of texture_indirect_functions.h and surface_indirect_functions.h, compiled by
// NVRTC, loaded and run on a texture that is right for some of them.
TEST_F(Instructions, EveryFunctionOfTheHeaders) {
    const char* text = R"(
        template <class T> __device__ void reads(cudaTextureObject_t t, T* o, float x, float y,
                                                 float z, int i) {
            const float2 a2 = make_float2(x, y), b2 = make_float2(y, x);
            const float4 a4 = make_float4(x, y, z, 0), b4 = make_float4(z, y, x, 0);
            bool there = false;
            *o++ = tex1Dfetch<T>(t, i);
            *o++ = tex1D<T>(t, x);
            *o++ = tex2D<T>(t, x, y);
            *o++ = tex3D<T>(t, x, y, z);
            *o++ = tex1DLayered<T>(t, x, i);
            *o++ = tex2DLayered<T>(t, x, y, i);
            *o++ = texCubemap<T>(t, x, y, z);
            *o++ = texCubemapLayered<T>(t, x, y, z, i);
            *o++ = tex1DLod<T>(t, x, z);
            *o++ = tex2DLod<T>(t, x, y, z);
            *o++ = tex3DLod<T>(t, x, y, z, x);
            *o++ = tex1DLayeredLod<T>(t, x, i, z);
            *o++ = tex2DLayeredLod<T>(t, x, y, i, z);
            *o++ = texCubemapLod<T>(t, x, y, z, x);
            *o++ = texCubemapLayeredLod<T>(t, x, y, z, i, x);
            *o++ = tex1DGrad<T>(t, x, y, z);
            *o++ = tex2DGrad<T>(t, x, y, a2, b2);
            *o++ = tex3DGrad<T>(t, x, y, z, a4, b4);
            *o++ = tex1DLayeredGrad<T>(t, x, i, y, z);
            *o++ = tex2DLayeredGrad<T>(t, x, y, i, a2, b2);
            *o++ = texCubemapGrad<T>(t, x, y, z, a4, b4);
            *o++ = texCubemapLayeredGrad<T>(t, x, y, z, i, a4, b4);
        #define IF_THERE(read) *o++ = read; if (!there) return;
            IF_THERE(tex2D<T>(t, x, y, &there))
            IF_THERE(tex3D<T>(t, x, y, z, &there))
            IF_THERE(tex2DLayered<T>(t, x, y, i, &there))
            IF_THERE(tex2DLod<T>(t, x, y, z, &there))
            IF_THERE(tex3DLod<T>(t, x, y, z, x, &there))
            IF_THERE(tex2DLayeredLod<T>(t, x, y, i, z, &there))
            IF_THERE(tex2DGrad<T>(t, x, y, a2, b2, &there))
            IF_THERE(tex3DGrad<T>(t, x, y, z, a4, b4, &there))
            IF_THERE(tex2DLayeredGrad<T>(t, x, y, i, a2, b2, &there))
        }
        template <class T> __device__ void gathers(cudaTextureObject_t t, T* o, float x, float y) {
            bool there = false;
            *o++ = tex2Dgather<T>(t, x, y, 0);
            *o++ = tex2Dgather<T>(t, x, y, 1);
            *o++ = tex2Dgather<T>(t, x, y, 2);
            *o++ = tex2Dgather<T>(t, x, y, 3);
            IF_THERE(tex2Dgather<T>(t, x, y, &there, 3))
        }
        template <class T> __device__ void surfaces(cudaSurfaceObject_t s, T* o, int x, int y,
                                                    int z) {
        #define ACCESSES(mode) \
            *o++ = surf1Dread<T>(s, x, mode); surf1Dwrite(*o, s, x, mode); \
            *o++ = surf2Dread<T>(s, x, y, mode); surf2Dwrite(*o, s, x, y, mode); \
            *o++ = surf3Dread<T>(s, x, y, z, mode); surf3Dwrite(*o, s, x, y, z, mode); \
            *o++ = surf1DLayeredread<T>(s, x, z, mode); surf1DLayeredwrite(*o, s, x, z, mode); \
            *o++ = surf2DLayeredread<T>(s, x, y, z, mode); \
            surf2DLayeredwrite(*o, s, x, y, z, mode); \
            *o++ = surfCubemapread<T>(s, x, y, z, mode); surfCubemapwrite(*o, s, x, y, z, mode); \
            *o++ = surfCubemapLayeredread<T>(s, x, y, z, mode); \
            surfCubemapLayeredwrite(*o, s, x, y, z, mode);
            ACCESSES(cudaBoundaryModeTrap)
            ACCESSES(cudaBoundaryModeClamp)
            ACCESSES(cudaBoundaryModeZero)
        }
        #define ALL(T) \
            extern "C" __global__ void T##_reads(cudaTextureObject_t t, T* o) { \
                reads<T>(t, o, 0.5f, 0.25f, 0.75f, 0); } \
            extern "C" __global__ void T##_surfaces(cudaSurfaceObject_t s, T* o) { \
                surfaces<T>(s, o, 0, 0, 0); }
        #define GATHERS(T) extern "C" __global__ void T##_gathers(cudaTextureObject_t t, T* o) { \
            gathers<T>(t, o, 0.5f, 0.25f); }
        ALL(float4) ALL(uchar1) ALL(short2) ALL(int) GATHERS(float4) GATHERS(char4))";
    CUmodule m = load(text, {});
    CUarray a = array(descriptor({8, 8, 6}, CU_AD_FORMAT_FLOAT, 4,
                                 CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_SURFACE_LDST));
    std::vector<float> ones(8 * 8 * 6 * 4, 1.0f);
    upload(a, ones.data());
    CUtexObject t = texture(of(a), how(CU_TR_FILTER_MODE_LINEAR, true));
    CUsurfObject s = surface(a);
    for (const char* type : {"float4", "uchar1", "short2", "int"}) {
        Buffer<Float4> out{64};
        CHECK_CU(
            launch(function(m, fmt::format("{}_reads", type).c_str()), shape(1, 1), t, out.get()));
        ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
        if (std::string{type} == "float4") {
            const auto got = out.read();
            for (std::size_t i = 0; i < 31; ++i) EXPECT_NEAR(got[i].w, 1.0f, 1e-6) << i;
        }
        CHECK_CU(launch(function(m, fmt::format("{}_surfaces", type).c_str()), shape(1, 1), s,
                        out.get()));
        ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
    }
    Buffer<Float4> out{8};
    for (const char* name : {"float4_gathers", "char4_gathers"})
        CHECK_CU(launch(function(m, name), shape(1, 1), t, out.get()));
    CHECK_CU(cuCtxSynchronize());
}

} // namespace
} // namespace lathe::test
