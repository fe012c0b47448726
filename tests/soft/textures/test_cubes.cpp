// SPDX-License-Identifier: MIT
// Cube maps and layers of them: faces and places after the guide's table, seams.
#include "tests/soft/textures/texture_test.h"

#include <cmath>
#include <limits>

namespace lathe::test {
namespace {

constexpr int kEdge = 8;

double value(int cube, int face, int x, int y) {
    return cube * 10000 + face * 1000 + y * 37 % 29 + x * x % 23;
}

std::vector<float> cube_data(int cubes) {
    std::vector<float> data;
    for (int layer = 0; layer < cubes * 6; ++layer)
        for (int y = 0; y < kEdge; ++y)
            for (int x = 0; x < kEdge; ++x)
                for (int c = 0; c < 4; ++c)
                    data.push_back(static_cast<float>(value(layer / 6, layer % 6, x, y) + c));
    return data;
}

// Directions over all faces, away from edges between texels' weights.
std::vector<Float4> directions(bool to_edges) {
    std::vector<Float4> at;
    for (int face = 0; face < 6; ++face)
        for (int i = 0; i < 80; ++i) {
            const double inner = to_edges ? 0 : 1.0 / kEdge;
            auto place = [&](int k) {
                return inner + (1 - 2 * inner) * (std::fmod(k * 0.37, 1.0) * 0.998 + 0.001);
            };
            const auto p = point_on_face({face, place(i + 1), place(3 * i + 2)});
            const double length = 0.5 + i % 4; // any length means the same
            at.push_back({static_cast<float>(p[0] * length), static_cast<float>(p[1] * length),
                          static_cast<float>(p[2] * length), static_cast<float>(i % 3)});
        }
    return at;
}

/// The texel beyond an edge, found by nearness: of all texels of other faces the one whose centre
/// is nearest to the middle of the edge that the two share.
double across(int cube, int face, int x, int y) {
    const auto edge = point_on_face({face,
                                     x < 0        ? 0.0
                                     : x >= kEdge ? 1.0
                                                  : (x + 0.5) / kEdge,
                                     y < 0        ? 0.0
                                     : y >= kEdge ? 1.0
                                                  : (y + 0.5) / kEdge});
    double nearest = std::numeric_limits<double>::max(), found = 0;
    for (int other = 0; other < 6; ++other)
        for (int j = 0; j < kEdge && other != face; ++j)
            for (int i = 0; i < kEdge; ++i) {
                const auto p = point_on_face({other, (i + 0.5) / kEdge, (j + 0.5) / kEdge});
                double distance = 0;
                for (int a = 0; a < 3; ++a) distance += (p[a] - edge[a]) * (p[a] - edge[a]);
                if (distance < nearest) nearest = distance, found = value(cube, other, i, j);
            }
    return found;
}

double seamless(int cube, int face, int x, int y) {
    const bool out_x = x < 0 || x >= kEdge, out_y = y < 0 || y >= kEdge;
    const int in_x = std::min(std::max(x, 0), kEdge - 1),
              in_y = std::min(std::max(y, 0), kEdge - 1);
    if (out_x && out_y)
        return (value(cube, face, in_x, in_y) + across(cube, face, x, in_y) +
                across(cube, face, in_x, y)) /
               3;
    return out_x || out_y ? across(cube, face, x, y) : value(cube, face, x, y);
}

class Cubes : public TextureTest {
protected:
    void expect_reads(CUarray a, Read kind, CUfilter_mode filter, bool seams, int cubes) {
        CUDA_TEXTURE_DESC desc = how(filter, true);
        if (seams) desc.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
        CUtexObject t = texture(of(a), desc);
        const auto at = directions(true);
        const auto got = read(t, kind, at);
        int wrong = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const FacePlace p = face_place(at[i].x, at[i].y, at[i].z);
            const int cube =
                kind == Read::cubes ? std::min(static_cast<int>(at[i].w), cubes - 1) : 0;
            // Outside of the face the model asks for texels only where there are seams.
            Model model;
            model.size = {kEdge + 2, kEdge + 2, 1};
            model.filter = filter;
            model.texel = [&](int x, int y, int) {
                x -= 1, y -= 1;
                if (seams && filter == CU_TR_FILTER_MODE_LINEAR)
                    return seamless(cube, p.face, x, y);
                return value(cube, p.face, std::min(std::max(x, 0), kEdge - 1),
                             std::min(std::max(y, 0), kEdge - 1));
            };
            const double expected = model.read({p.s * kEdge + 1, p.t * kEdge + 1, 0});
            // A weight may be rounded otherwise in single precision: by 1/256 of a difference,
            // which across a seam is up to thousands.
            if (std::fabs(got[i].x - expected) > (filter ? 1e-2 : 0) && ++wrong < 8)
                ADD_FAILURE() << got[i].x << " instead of " << expected << ", face " << p.face
                              << " at " << p.s * kEdge << ", " << p.t * kEdge;
            EXPECT_NEAR(got[i].y, got[i].x + 1, 0.01);
        }
        EXPECT_EQ(wrong, 0);
    }
};

TEST_F(Cubes, EveryFace) {
    CUarray a = array(descriptor({kEdge, kEdge, 6}, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_CUBEMAP));
    upload(a, cube_data(1).data());
    for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
        for (bool seams : {false, true}) expect_reads(a, Read::cube, filter, seams, 1);
}

TEST_F(Cubes, LayersOfCubes) {
    CUarray a = array(descriptor({kEdge, kEdge, 12}, CU_AD_FORMAT_FLOAT, 4,
                                 CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED));
    upload(a, cube_data(2).data());
    for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
        expect_reads(a, Read::cubes, filter, false, 2);
}

// Without a direction there is no place, but also no crash.
TEST_F(Cubes, NoDirection) {
    CUarray a = array(descriptor({kEdge, kEdge, 6}, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_CUBEMAP));
    upload(a, cube_data(1).data());
    CUtexObject t = texture(of(a), how(CU_TR_FILTER_MODE_LINEAR, true));
    for (const Float4& v : read(t, Read::cube, {{0, 0, 0}, {NAN, NAN, NAN}, {INFINITY, 1, 1}}))
        EXPECT_GE(v.x, 0);
}

// Slopes of a direction become slopes on the face it meets.
TEST_F(Cubes, LevelsOfSlopes) {
    CUDA_ARRAY3D_DESCRIPTOR d =
        descriptor({64, 64, 6}, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_CUBEMAP);
    CUmipmappedArray m = nullptr;
    CHECK_CU(cuMipmappedArrayCreate(&m, &d, 7));
    for (unsigned level = 0; level < 7; ++level) {
        CUarray a = nullptr;
        CHECK_CU(cuMipmappedArrayGetLevel(&a, m, level));
        std::vector<float> data((64u >> level) * (64u >> level) * 24, static_cast<float>(level));
        upload(a, data.data());
    }
    CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_LINEAR, true);
    desc.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    desc.maxMipmapLevelClamp = 10;
    CUtexObject t = texture(of(m), desc);
    std::vector<Float4> at, slopes;
    std::vector<double> expected;
    for (int face = 0; face < 6; ++face)
        for (int i = 0; i < 20; ++i) {
            const FacePlace p{face, 0.2 + 0.03 * i, 0.9 - 0.035 * i};
            // A step on the face, and the same step of the direction: their levels agree.
            const double ds = (i % 4 + 1) / 64.0, dt = (i % 3) / 64.0;
            const auto a = point_on_face(p), b = point_on_face({face, p.s + ds, p.t + dt});
            const double length = 1 + i % 3;
            at.push_back({static_cast<float>(a[0] * length), static_cast<float>(a[1] * length),
                          static_cast<float>(a[2] * length)});
            slopes.push_back({static_cast<float>((b[0] - a[0]) * length),
                              static_cast<float>((b[1] - a[1]) * length),
                              static_cast<float>((b[2] - a[2]) * length)});
            slopes.push_back({});
            expected.push_back(std::log2(footprint({64 * ds, 64 * dt}, {0, 0})));
        }
    const auto got = read(t, Read::cube, at, {}, slopes);
    for (std::size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(got[i].x, expected[i], 1.5 / 256);
    CHECK_CU(cuMipmappedArrayDestroy(m));
}

} // namespace
} // namespace lathe::test
