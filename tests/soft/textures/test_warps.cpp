// SPDX-License-Identifier: MIT
// 2D reads of warps are one call with code of its own for common textures: the same bits as those
// of single threads, for all lanes, some, and lanes with textures of their own.
#include "tests/soft/textures/texture_test.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace lathe::test {
namespace {

/// LATHE_SOFT_MODE while it lives; modules loaded then keep the mode.
class Mode {
public:
    explicit Mode(const char* mode) {
        if (const char* before = std::getenv("LATHE_SOFT_MODE")) before_ = before;
        setenv("LATHE_SOFT_MODE", mode, 1);
    }
    ~Mode() {
        if (before_) setenv("LATHE_SOFT_MODE", before_->c_str(), 1);
        else unsetenv("LATHE_SOFT_MODE");
    }
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;

private:
    std::optional<std::string> before_;
};

struct Place {
    float x, y;
};

std::vector<Place> places(bool normalized) {
    std::vector<Place> at;
    unsigned state = 7;
    auto number = [&] {
        state = state * 1664525 + 1013904223;
        return static_cast<float>(state >> 8) / 16777216.0f * 60 - 20;
    };
    const float odd[] = {0.0f, -0.0f, 0.5f, INFINITY, -INFINITY, NAN, 1e10f, -1e30f, 1e-40f, 9e6f};
    for (float x : odd)
        for (float y : odd) at.push_back({x, y});
    while (at.size() < 2000) at.push_back({number(), number()});
    if (normalized)
        for (Place& p : at) p.x /= 13, p.y /= 7;
    return at;
}

const char* kSource = R"(
    extern "C" __global__ void all(const cudaTextureObject_t* t, const float2* at, uint4* out) {
        const int i = threadIdx.x + blockIdx.x * blockDim.x;
        const float4 v = tex2D<float4>(t[0], at[i].x, at[i].y);
        out[i] = make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z),
                            __float_as_uint(v.w));
    }
    extern "C" __global__ void some(const cudaTextureObject_t* t, const float2* at, uint4* out) {
        const int i = threadIdx.x + blockIdx.x * blockDim.x;
        float4 v = make_float4(1, 2, 3, 4);
        for (int k = 0; k < i % 5; ++k)
            if ((i + k) % 3) v = tex2D<float4>(t[0], at[i].x + v.x, at[i].y + k);
        out[i] = make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z),
                            __float_as_uint(v.w));
    }
    extern "C" __global__ void own(const cudaTextureObject_t* t, const float2* at, uint4* out) {
        const int i = threadIdx.x + blockIdx.x * blockDim.x;
        const float4 v = tex2D<float4>(t[i * 7 % 3], at[i].x, at[i].y);
        out[i] = make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z),
                            __float_as_uint(v.w));
    })";

class Warps : public TextureTest {
protected:
    CUarray filled(CUarray_format format, unsigned channels) {
        const CUDA_ARRAY3D_DESCRIPTOR d = descriptor({13, 7, 0}, format, channels);
        std::vector<unsigned char> bytes(13 * 7 * texel_bytes(d));
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<unsigned char>(i * 89 % 251);
        if (format == CU_AD_FORMAT_FLOAT) {
            for (std::size_t i = 0; i < bytes.size(); i += 4) {
                const auto k = static_cast<float>(i % 97);
                const float v = i % 100 == 8 ? INFINITY : i % 100 == 24 ? NAN : k / 7 - 5;
                std::memcpy(&bytes[i], &v, 4);
            }
        }
        CUarray a = array(d);
        upload(a, bytes.data());
        return a;
    }
};

// Bits, with any NaN for any other.
unsigned comparable(unsigned bits) {
    return std::isnan(std::bit_cast<float>(bits)) ? 0x7fc00000u : bits;
}

TEST_F(Warps, SameBitsAsSingleThreads) {
    CUmodule modules[2] = {};
    for (int k = 0; k < 2; ++k) {
        const Mode mode{k ? "warp" : "scalar"};
        modules[k] = load(kSource, {});
    }
    const CUarray arrays[] = {filled(CU_AD_FORMAT_FLOAT, 1), filled(CU_AD_FORMAT_FLOAT, 4),
                              filled(CU_AD_FORMAT_UNSIGNED_INT8, 4),
                              filled(CU_AD_FORMAT_HALF, 2)}; // the last one is not common
    for (bool normalized : {false, true}) {
        const Buffer<Place> at{places(normalized)};
        for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
            for (CUaddress_mode address : {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP,
                                           CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER})
                for (std::size_t first = 0; first < std::size(arrays); ++first) {
                    std::vector<CUtexObject> objects;
                    for (std::size_t k = 0; k < std::size(arrays); ++k)
                        objects.push_back(texture(of(arrays[(first + k) % std::size(arrays)]),
                                                  how(filter, normalized, address)));
                    const Buffer<CUtexObject> handles{objects};
                    for (const char* name : {"all", "some", "own"}) {
                        std::vector<std::array<unsigned, 4>> results[2];
                        for (int k = 0; k < 2; ++k) {
                            const Buffer<std::array<unsigned, 4>> out{at.count()};
                            CHECK_CU(launch(function(modules[k], name), shape(20, 100),
                                            handles.get(), at.get(), out.get()));
                            ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
                            results[k] = out.read();
                        }
                        for (std::size_t i = 0; i < at.count(); ++i)
                            for (std::size_t c = 0; c < 4; ++c)
                                ASSERT_EQ(comparable(results[0][i][c]),
                                          comparable(results[1][i][c]))
                                    << name << ' ' << i << '.' << c << " normalized " << normalized
                                    << " filter " << filter << " mode " << address << " array "
                                    << first;
                    }
                    for (CUtexObject t : objects) CHECK_CU(cuTexObjectDestroy(t));
                }
    }
}

// The thread that a fault names is one that read.
TEST_F(Warps, DeadHandles) {
    const Mode mode{"warp"};
    CUfunction f = kernel(R"(extern "C" __global__ void k(const cudaTextureObject_t* t, float* o) {
        const int i = threadIdx.x;
        if (i >= 5)
            o[i] = tex2D<float>(t[i], i, i);
    })");
    CUtexObject good =
        texture(of(filled(CU_AD_FORMAT_FLOAT, 1)), how(CU_TR_FILTER_MODE_POINT, false));
    std::vector<CUtexObject> objects(32, good);
    objects[0] = objects[23] = 99;
    const Buffer<CUtexObject> handles{objects};
    const Buffer<float> out{32};
    CHECK_CU(launch(f, shape(1, 32), handles.get(), out.get()));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(last_fault().thread[0], 23u);
    EXPECT_EQ(last_fault().line, 4u);
}

// Surface accesses by warps: all widths, lanes off, lanes outside, surfaces of their own.
TEST_F(Warps, SurfacesAsBySingleThreads) {
    const char* source = R"(
        template <class T> __device__ T make(int v);
        template <> __device__ unsigned char make(int v) { return v; }
        template <> __device__ short2 make(int v) { return make_short2(v, -v); }
        template <> __device__ uchar4 make(int v) { return make_uchar4(v, v + 1, v + 2, v + 3); }
        template <> __device__ float4 make(int v) { return make_float4(v, v + .5f, -v, 0); }
        template <> __device__ longlong2 make(int v) { return make_longlong2(v, -v); }
        template <class T, cudaSurfaceBoundaryMode mode>
        __device__ void go(const cudaSurfaceObject_t* s, int a, int b) {
            const int x = threadIdx.x - 2, y = blockIdx.x + 1;
            if (x % 5 == 3) return;
            T old = surf2Dread<T>(s[a], (x + 3) * (int)sizeof(T), y - 1, mode);
            surf2Dwrite(old, s[b], x * (int)sizeof(T), y, mode);
            if (y % 2)
                surf2Dwrite(make<T>(x * 7 + y), s[2 + (x & 1)], x * (int)sizeof(T), y + 20, mode);
        }
        #define KERNEL(name, T) \
            extern "C" __global__ void name##_zero(const cudaSurfaceObject_t* s) { \
                go<T, cudaBoundaryModeZero>(s, 0, 1); } \
            extern "C" __global__ void name##_clamp(const cudaSurfaceObject_t* s) { \
                go<T, cudaBoundaryModeClamp>(s, 0, 1); }
        KERNEL(b1, unsigned char) KERNEL(s2, short2) KERNEL(b4, uchar4) KERNEL(f4, float4)
        KERNEL(l2, longlong2))";
    CUmodule modules[2] = {};
    for (int k = 0; k < 2; ++k) {
        const Mode mode{k ? "warp" : "scalar"};
        modules[k] = load(source, {});
    }
    struct {
        const char* name;
        CUarray_format format;
        unsigned channels;
    } const cases[] = {{"b1", CU_AD_FORMAT_UNSIGNED_INT8, 1},
                       {"s2", CU_AD_FORMAT_SIGNED_INT16, 2},
                       {"b4", CU_AD_FORMAT_UNSIGNED_INT8, 4},
                       {"f4", CU_AD_FORMAT_FLOAT, 4},
                       {"l2", CU_AD_FORMAT_FLOAT, 4}};
    for (const auto& each : cases)
        for (const char* boundary : {"_zero", "_clamp"}) {
            std::vector<unsigned char> results[2][4];
            for (int k = 0; k < 2; ++k) {
                const CUDA_ARRAY3D_DESCRIPTOR d =
                    descriptor({37, 41, 0}, each.format, each.channels, CUDA_ARRAY3D_SURFACE_LDST);
                CUarray arrays[4] = {array(d), array(d), array(d), array(d)};
                std::vector<CUsurfObject> objects;
                for (CUarray a : arrays) {
                    std::vector<unsigned char> bytes(37 * 41 * texel_bytes(d));
                    for (std::size_t i = 0; i < bytes.size(); ++i)
                        bytes[i] = static_cast<unsigned char>(i * 31 + 5);
                    upload(a, bytes.data());
                    objects.push_back(surface(a));
                }
                const Buffer<CUsurfObject> handles{objects};
                // Clamped stores meet at the edges: in one block the last thread wins.
                CUfunction f = function(modules[k], (std::string{each.name} + boundary).c_str());
                const bool clamps = boundary[1] == 'c';
                CHECK_CU(launch(f, shape(clamps ? 1 : 41, 50), handles.get()));
                ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
                for (int a = 0; a < 4; ++a) {
                    results[k][a].resize(37 * 41 * texel_bytes(d));
                    download(results[k][a].data(), arrays[a]);
                    CHECK_CU(cuSurfObjectDestroy(objects[static_cast<std::size_t>(a)]));
                    CHECK_CU(cuArrayDestroy(arrays[a]));
                }
            }
            for (int a = 0; a < 4; ++a)
                EXPECT_EQ(results[0][a], results[1][a]) << each.name << boundary << ' ' << a;
        }
}

TEST_F(Warps, TrapsNameTheirThread) {
    const Mode mode{"warp"};
    CUfunction f = kernel(R"(extern "C" __global__ void k(cudaSurfaceObject_t s) {
        const int i = threadIdx.x + threadIdx.y * 32;
        if (i > 3)
            surf2Dwrite(1.0f, s, i == 55 ? -4 : 0, 0);
    })");
    CUarray a = array(descriptor({4, 2, 0}, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST));
    CHECK_CU(launch(f, Shape{{1, 1, 1}, {32, 2, 1}}, surface(a)));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(last_fault().thread[0], 23u);
    EXPECT_EQ(last_fault().thread[1], 1u);
    EXPECT_EQ(last_fault().line, 4u);
}

} // namespace
} // namespace lathe::test
