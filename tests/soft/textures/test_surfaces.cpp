// SPDX-License-Identifier: MIT
// Surfaces of every shape: loads and stores of every width, boundary modes, levels of mipmaps.
#include "tests/soft/textures/texture_test.h"

#include <fmt/format.h>

namespace lathe::test {
namespace {

class Surfaces : public TextureTest {
protected:
    // Kernels `put` and `get` over an array of 6 x 6 x 6 at most, of one type and shape.
    static std::string source(const char* type, const char* shape, const char* place) {
        return fmt::format(R"(
            typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned uint;
            extern "C" __global__ void put(cudaSurfaceObject_t s, const {0}* from, int w, int h) {{
                int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
                surf{1}write(from[(z * h + y) * w + x], s, {2});
            }}
            extern "C" __global__ void get(cudaSurfaceObject_t s, {0}* to, int w, int h) {{
                int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
                to[(z * h + y) * w + x] = surf{1}read<{0}>(s, {2});
            }})",
                           type, shape,
                           fmt::format(fmt::runtime(place),
                                       fmt::arg("x", fmt::format("x * (int)sizeof({})", type))));
    }
};

struct Case {
    const char *shape, *place;
    std::array<std::size_t, 3> size;
    unsigned flags;
};
const Case kShapes[] = {
    {"1D", "{x}", {6, 0, 0}, 0},
    {"2D", "{x}, y", {6, 5, 0}, 0},
    {"3D", "{x}, y, z", {6, 5, 4}, 0},
    {"1DLayered", "{x}, z", {6, 0, 3}, CUDA_ARRAY3D_LAYERED},
    {"2DLayered", "{x}, y, z", {6, 5, 3}, CUDA_ARRAY3D_LAYERED},
    {"Cubemap", "{x}, y, z", {6, 6, 6}, CUDA_ARRAY3D_CUBEMAP},
    {"CubemapLayered", "{x}, y, z", {3, 3, 12}, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED},
};
struct Texel {
    const char* type;
    CUarray_format format;
    unsigned channels, bytes;
};
const Texel kTexels[] = {
    {"uchar", CU_AD_FORMAT_UNSIGNED_INT8, 1, 1},  {"char2", CU_AD_FORMAT_SIGNED_INT8, 2, 2},
    {"uchar4", CU_AD_FORMAT_UNSIGNED_INT8, 4, 4}, {"short", CU_AD_FORMAT_SIGNED_INT16, 1, 2},
    {"ushort4", CU_AD_FORMAT_HALF, 4, 8},         {"uint2", CU_AD_FORMAT_UNSIGNED_INT32, 2, 8},
    {"float4", CU_AD_FORMAT_FLOAT, 4, 16},        {"longlong2", CU_AD_FORMAT_SIGNED_INT32, 4, 16},
};

TEST_F(Surfaces, EveryShapeAndWidth) {
    for (std::size_t k = 0; k < std::max(std::size(kShapes), std::size(kTexels)); ++k) {
        // Each shape and each width, though not all pairs of them: a compile each.
        const Case& form = kShapes[k % std::size(kShapes)];
        const Texel& texel = kTexels[k % std::size(kTexels)];
        SCOPED_TRACE(testing::Message() << form.shape << " of " << texel.type);
        CUmodule m = load(source(texel.type, form.shape, form.place), {});
        const unsigned w = static_cast<unsigned>(form.size[0]),
                       h = static_cast<unsigned>(std::max<std::size_t>(form.size[1], 1)),
                       d = static_cast<unsigned>(std::max<std::size_t>(form.size[2], 1));
        CUarray a = array(descriptor(form.size, texel.format, texel.channels,
                                     form.flags | CUDA_ARRAY3D_SURFACE_LDST));
        CUsurfObject s = surface(a);
        std::vector<unsigned char> bytes(std::size_t{w} * h * d * texel.bytes);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<unsigned char>(i * 7 + i / 256);
        Buffer<unsigned char> from{bytes}, to{bytes.size()};
        const Shape all{{1, 1, 1}, {w, h, d}};
        CHECK_CU(launch(function(m, "put"), all, s, from.get(), w, h));
        std::vector<unsigned char> seen(bytes.size());
        download(seen.data(), a);
        EXPECT_EQ(seen, bytes);
        CHECK_CU(launch(function(m, "get"), all, s, to.get(), w, h));
        EXPECT_EQ(to.read(), bytes);
        CHECK_CU(cuSurfObjectDestroy(s));
        CHECK_CU(cuArrayDestroy(a));
    }
}

// Outside: zero reads 0 and drops stores, clamp takes the nearest texel, trap ends the launch.
TEST_F(Surfaces, BoundaryModes) {
    CUmodule m = load(R"(
        template <class F> __device__ void each(F f) {
            f(-4, 0, 0); f(16, 1, 1); f(4, -1, 0); f(4, 3, 0); f(4, 0, -1); f(4, 0, 2); f(8, 2, 1);
        }
        extern "C" __global__ void zeros(cudaSurfaceObject_t s, int* out) {
            each([&](int x, int y, int z) {
                *out++ = surf3Dread<int>(s, x, y, z, cudaBoundaryModeZero);
                if (x != 8) surf3Dwrite(-1, s, x, y, z, cudaBoundaryModeZero);
            });
        }
        extern "C" __global__ void clamps(cudaSurfaceObject_t s, int* out) {
            each([&](int x, int y, int z) {
                *out++ = surf3Dread<int>(s, x, y, z, cudaBoundaryModeClamp);
                surf3Dwrite(-x - 100 * y - 1000 * z, s, x, y, z, cudaBoundaryModeClamp);
            });
        }
        extern "C" __global__ void traps(cudaSurfaceObject_t s, int x, int y, int z) {
            surf3Dwrite(1, s, x, y, z, cudaBoundaryModeTrap);
        })");
    CUarray a =
        array(descriptor({4, 3, 2}, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST));
    std::vector<int> data(24);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i) + 1;
    upload(a, data.data());
    CUsurfObject s = surface(a);
    Buffer<int> out{7};
    CHECK_CU(launch(function(m, "zeros"), shape(1, 1), s, out.get()));
    EXPECT_EQ(out.read(), (std::vector<int>{0, 0, 0, 0, 0, 0, data[12 + 8 + 2]}));
    std::vector<int> after(24);
    download(after.data(), a);
    EXPECT_EQ(after, data);

    const int places[7][3] = {{-4, 0, 0}, {16, 1, 1}, {4, -1, 0}, {4, 3, 0},
                              {4, 0, -1}, {4, 0, 2},  {8, 2, 1}};
    std::vector<int> expected;
    for (const auto& p : places) {
        const auto x = static_cast<std::size_t>(std::clamp(p[0], 0, 12) / 4);
        const auto y = static_cast<std::size_t>(std::clamp(p[1], 0, 2));
        const auto z = static_cast<std::size_t>(std::clamp(p[2], 0, 1));
        int& texel = data[(z * 3 + y) * 4 + x];
        expected.push_back(texel);
        texel = -p[0] - 100 * p[1] - 1000 * p[2];
    }
    CHECK_CU(launch(function(m, "clamps"), shape(1, 1), s, out.get()));
    EXPECT_EQ(out.read(), expected);
    download(after.data(), a);
    EXPECT_EQ(after, data);

    CUfunction traps = function(m, "traps");
    CHECK_CU(launch(traps, shape(1, 1), s, 12, 2, 1));
    CHECK_CU(cuCtxSynchronize());
    for (const auto& p : places) {
        if (p[0] == 8) continue;
        CHECK_CU(launch(traps, shape(1, 1), s, p[0], p[1], p[2]));
        EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
        EXPECT_EQ(last_fault().line, 18u);
    }
}

TEST_F(Surfaces, LevelsOfMipmaps) {
    CUfunction fill = kernel(R"(extern "C" __global__ void k(cudaSurfaceObject_t s, float v) {
        surf2Dwrite(v, s, threadIdx.x * 4, threadIdx.y);
    })");
    const CUDA_ARRAY3D_DESCRIPTOR d =
        descriptor({8, 8, 0}, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
    CUmipmappedArray m = nullptr;
    CHECK_CU(cuMipmappedArrayCreate(&m, &d, 4));
    for (unsigned level = 0; level < 4; ++level) {
        CUarray a = nullptr;
        CHECK_CU(cuMipmappedArrayGetLevel(&a, m, level));
        CHECK_CU(launch(fill, Shape{{1, 1, 1}, {8u >> level, 8u >> level, 1}}, surface(a),
                        static_cast<float>(level) + 0.5f));
    }
    CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_LINEAR, true);
    desc.maxMipmapLevelClamp = 3;
    const auto got = read(texture(of(m), desc), Read::d2,
                          {{0.3f, 0.4f}, {0.3f, 0.4f}, {0.3f, 0.4f}, {0.3f, 0.4f}}, {0, 1, 2, 3});
    for (int level = 0; level < 4; ++level)
        EXPECT_NEAR(got[static_cast<std::size_t>(level)].x, level + 0.5, 1e-6);
    CHECK_CU(cuMipmappedArrayDestroy(m));
}

} // namespace
} // namespace lathe::test
