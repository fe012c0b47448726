// SPDX-License-Identifier: MIT
// Texture and surface objects against a host model written independently of the device's code.
#include "tests/soft/rt/driver_test.h"

#include <cmath>

namespace lathe::test {
namespace {

constexpr int kWidth = 13, kHeight = 7;

struct Setting {
    CUaddress_mode address;
    CUfilter_mode filter;
    bool normalized;
};

int addressed(int i, int n, CUaddress_mode mode) { // -1: border
    switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP: return ((i % n) + n) % n;
    case CU_TR_ADDRESS_MODE_CLAMP: return std::min(std::max(i, 0), n - 1);
    case CU_TR_ADDRESS_MODE_MIRROR: {
        int r = ((i % (2 * n)) + 2 * n) % (2 * n);
        return r < n ? r : 2 * n - 1 - r;
    }
    default: return i < 0 || i >= n ? -1 : i;
    }
}

// The CUDA guide's formulas, weights of 8 fractional bits.
template <class Texel>
double model(const Setting& s, double x, double y, double border, Texel texel) {
    if (s.normalized) {
        x *= kWidth;
        y *= kHeight;
    }
    auto read = [&](int i, int j) {
        int a = addressed(i, kWidth, s.address), b = addressed(j, kHeight, s.address);
        return a < 0 || b < 0 ? border : texel(a, b);
    };
    if (s.filter == CU_TR_FILTER_MODE_POINT)
        return read(static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)));
    double xb = x - 0.5, yb = y - 0.5;
    int i = static_cast<int>(std::floor(xb)), j = static_cast<int>(std::floor(yb));
    double a = std::floor((xb - i) * 256 + 0.5) / 256, b = std::floor((yb - j) * 256 + 0.5) / 256;
    return (1 - a) * (1 - b) * read(i, j) + a * (1 - b) * read(i + 1, j) +
           (1 - a) * b * read(i, j + 1) + a * b * read(i + 1, j + 1);
}

class Textures : public DriverTest {
protected:
    CUarray array(CUarray_format format, unsigned channels, unsigned flags = 0) {
        CUDA_ARRAY3D_DESCRIPTOR d{};
        d.Width = kWidth;
        d.Height = kHeight;
        d.Format = format;
        d.NumChannels = channels;
        d.Flags = flags;
        CUarray a = nullptr;
        EXPECT_EQ(cuArray3DCreate(&a, &d), CUDA_SUCCESS) << latheSoftGetLastErrorText();
        return a;
    }

    void upload(CUarray a, const void* from, std::size_t row_bytes) {
        CUDA_MEMCPY2D c{};
        c.srcMemoryType = CU_MEMORYTYPE_HOST;
        c.srcHost = from;
        c.srcPitch = row_bytes;
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        c.dstArray = a;
        c.WidthInBytes = row_bytes;
        c.Height = kHeight;
        EXPECT_EQ(cuMemcpy2D(&c), CUDA_SUCCESS) << latheSoftGetLastErrorText();
    }

    static CUDA_RESOURCE_DESC of_array(CUarray a) {
        CUDA_RESOURCE_DESC r{};
        r.resType = CU_RESOURCE_TYPE_ARRAY;
        r.res.array.hArray = a;
        return r;
    }

    CUtexObject texture(const CUDA_RESOURCE_DESC& r, const Setting& s, unsigned flags = 0,
                        float border = 0) {
        CUDA_TEXTURE_DESC d{};
        for (auto& mode : d.addressMode) mode = s.address;
        d.filterMode = s.filter;
        d.flags = flags | (s.normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0);
        for (float& b : d.borderColor) b = border;
        CUtexObject t = 0;
        EXPECT_EQ(cuTexObjectCreate(&t, &r, &d, nullptr), CUDA_SUCCESS)
            << latheSoftGetLastErrorText();
        return t;
    }
};

const char* kSample = R"(template <class T> __device__ void put(float4* o, T v);
    template <> __device__ void put(float4* o, float v) { *o = make_float4(v, 0, 0, 0); }
    template <> __device__ void put(float4* o, float4 v) { *o = v; }
    extern "C" __global__ void one(cudaTextureObject_t t, const float2* at, float4* out) {
        int i = threadIdx.x + blockIdx.x * blockDim.x;
        put(&out[i], tex2D<float>(t, at[i].x, at[i].y));
    }
    extern "C" __global__ void four(cudaTextureObject_t t, const float2* at, float4* out) {
        int i = threadIdx.x + blockIdx.x * blockDim.x;
        put(&out[i], tex2D<float4>(t, at[i].x, at[i].y));
    })";

struct F2 {
    float x, y;
};
struct F4 {
    float x, y, z, w;
};

std::vector<F2> places(bool normalized) {
    std::vector<F2> at;
    for (int i = 0; i < 512; ++i) {
        float x = -10.03f + static_cast<float>(i % 37) * 0.91f,
              y = -6 + static_cast<float>(i) * 0.043f;
        at.push_back(normalized ? F2{x / kWidth, y / kHeight} : F2{x, y});
    }
    return at;
}

const std::vector<Setting> kSettings = {
    {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, false},
    {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, false},
    {CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_LINEAR, false},
    {CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT, true},
    {CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_LINEAR, true},
    {CU_TR_ADDRESS_MODE_MIRROR, CU_TR_FILTER_MODE_LINEAR, true},
    {CU_TR_ADDRESS_MODE_MIRROR, CU_TR_FILTER_MODE_POINT, true},
    {CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, true},
};

TEST_F(Textures, OneFloatInEveryMode) {
    CUfunction f = function(load(kSample), "one");
    std::vector<float> texels(kWidth * kHeight);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i * i % 101);
    CUarray a = array(CU_AD_FORMAT_FLOAT, 1);
    upload(a, texels.data(), kWidth * 4);
    for (const Setting& s : kSettings) {
        auto at = places(s.normalized);
        Buffer<F2> d{at};
        Buffer<F4> out{at.size()};
        CUtexObject t = texture(of_array(a), s, 0, 5.0f);
        CHECK_CU(launch(f, shape(4, 128), t, d.get(), out.get()));
        auto r = out.read();
        int different = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            double expected = model(s, at[i].x, at[i].y, 5.0,
                                    [&](int x, int y) { return texels[y * kWidth + x]; });
            // The model works in double: at a rounding edge a weight may differ by 1/256.
            if (std::fabs(r[i].x - expected) > 1e-3) ++different;
            EXPECT_NEAR(r[i].x, expected, s.filter == CU_TR_FILTER_MODE_POINT ? 101 : 1.0);
        }
        EXPECT_LE(different, 6) << "mode " << s.address << " filter " << s.filter;
        CHECK_CU(cuTexObjectDestroy(t));
    }
    CHECK_CU(cuArrayDestroy(a));
}

TEST_F(Textures, FourBytesAsNormalisedFloats) {
    CUfunction f = function(load(kSample), "four");
    std::vector<unsigned char> texels(kWidth * kHeight * 4);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<unsigned char>(i * 37);
    CUarray a = array(CU_AD_FORMAT_UNSIGNED_INT8, 4);
    upload(a, texels.data(), kWidth * 4);
    Setting s{CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, true};
    auto at = places(true);
    Buffer<F2> d{at};
    Buffer<F4> out{at.size()};
    CUtexObject t = texture(of_array(a), s);
    CHECK_CU(launch(f, shape(4, 128), t, d.get(), out.get()));
    auto r = out.read();
    for (std::size_t i = 0; i < at.size(); ++i)
        for (int c = 0; c < 4; ++c) {
            double expected = model(s, at[i].x, at[i].y, 0, [&](int x, int y) {
                return texels[(y * kWidth + x) * 4 + c] / 255.0;
            });
            EXPECT_NEAR((&r[i].x)[c], expected, 0.005);
        }
}

TEST_F(Textures, PitchedAndLinearMemory) {
    CUmodule m = load(R"(extern "C" __global__ void pitched(cudaTextureObject_t t, float* o) {
            o[threadIdx.x] = tex2D<float>(t, threadIdx.x % 4 + 0.5f, threadIdx.x / 4 + 0.5f);
        }
        extern "C" __global__ void linear(cudaTextureObject_t t, int* o) {
            o[threadIdx.x] = tex1Dfetch<int>(t, (int)threadIdx.x - 2);
        })");
    CUdeviceptr p = 0;
    std::size_t pitch = 0;
    CHECK_CU(cuMemAllocPitch(&p, &pitch, 16, 3, 4));
    for (unsigned y = 0; y < 3; ++y)
        for (unsigned x = 0; x < 4; ++x) {
            float v = static_cast<float>(y * 10 + x);
            CHECK_CU(cuMemcpyHtoD(p + y * pitch + x * 4, &v, 4));
        }
    CUDA_RESOURCE_DESC r{};
    r.resType = CU_RESOURCE_TYPE_PITCH2D;
    r.res.pitch2D = {p, CU_AD_FORMAT_FLOAT, 1, 4, 3, pitch};
    Setting point{CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, false};
    Buffer<float> out{12};
    CHECK_CU(launch(function(m, "pitched"), shape(1, 12), texture(r, point), out.get()));
    auto values = out.read();
    for (int i = 0; i < 12; ++i) EXPECT_EQ(values[i], (i / 4) * 10 + i % 4);
    CHECK_CU(cuMemFree(p));

    Buffer<int> data{std::vector<int>{1, 2, 3, 4}}, read{8};
    r = {};
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    r.res.linear = {data.get(), CU_AD_FORMAT_SIGNED_INT32, 1, 16};
    CHECK_CU(launch(function(m, "linear"), shape(1, 8), texture(r, point), read.get()));
    EXPECT_EQ(read.read(), (std::vector<int>{0, 0, 1, 2, 3, 4, 0, 0}));
}

TEST_F(Textures, SurfacesReadAndWrite) {
    CUmodule m = load(R"(extern "C" __global__ void fill(cudaSurfaceObject_t s) {
            int x = threadIdx.x, y = threadIdx.y;
            surf2Dwrite(make_uchar4(x, y, x + y, 255), s, x * 4, y);
        }
        extern "C" __global__ void invert(cudaSurfaceObject_t s) {
            int x = threadIdx.x, y = threadIdx.y;
            uchar4 v = surf2Dread<uchar4>(s, x * 4, y);
            surf2Dwrite(make_uchar4(255 - v.x, 255 - v.y, v.z, v.w), s, x * 4, y);
        }
        extern "C" __global__ void outside(cudaSurfaceObject_t s, int mode, unsigned* o) {
            if (mode == 0) surf2Dwrite(1u, s, 13 * 4, 0, cudaBoundaryModeTrap);
            if (mode == 1) surf2Dwrite(7u, s, 999, 999, cudaBoundaryModeClamp);
            if (mode == 2) *o = surf2Dread<unsigned>(s, -4, 0, cudaBoundaryModeZero);
        })");
    CUarray a = array(CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_RESOURCE_DESC r = of_array(a);
    CUsurfObject s = 0;
    CHECK_CU(cuSurfObjectCreate(&s, &r));
    Shape whole{{1, 1, 1}, {kWidth, kHeight, 1}};
    CHECK_CU(launch(function(m, "fill"), whole, s));
    CHECK_CU(launch(function(m, "invert"), whole, s));
    unsigned char texel[4] = {};
    CUDA_MEMCPY2D c{};
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = a;
    c.srcXInBytes = 5 * 4;
    c.srcY = 3;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = texel;
    c.WidthInBytes = 4;
    c.Height = 1;
    CHECK_CU(cuMemcpy2D(&c));
    EXPECT_EQ(texel[0], 250);
    EXPECT_EQ(texel[1], 252);
    EXPECT_EQ(texel[2], 8);
    EXPECT_EQ(texel[3], 255);

    Buffer<unsigned> o{std::vector<unsigned>{9}};
    CHECK_CU(launch(function(m, "outside"), shape(1, 1), s, 2, o.get()));
    EXPECT_EQ(o.read()[0], 0u);
    CHECK_CU(launch(function(m, "outside"), shape(1, 1), s, 1, o.get()));
    c.srcXInBytes = 12 * 4;
    c.srcY = 6;
    CHECK_CU(cuMemcpy2D(&c));
    EXPECT_EQ(texel[0], 7);
    CHECK_CU(launch(function(m, "outside"), shape(1, 1), s, 0, o.get()));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(last_fault().line, 11u);
    CHECK_CU(cuSurfObjectDestroy(s));
    CHECK_CU(launch(function(m, "fill"), whole, s)); // a dead handle is a fault, not a crash
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuSurfObjectDestroy(s), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
} // namespace lathe::test
