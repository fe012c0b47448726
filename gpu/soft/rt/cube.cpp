// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/cube.h"

#include <algorithm>
#include <cmath>

namespace lathe::soft {

namespace {

/// A face's coordinates: s and t are components of the direction with a sign, m is the major one.
struct Face {
    int s, t, m;
    float s_sign, t_sign, m_sign;
};
constexpr Face kFaces[6] = {
    {2, 1, 0, -1, -1, 1}, {2, 1, 0, 1, -1, -1}, {0, 2, 1, 1, 1, 1},
    {0, 2, 1, 1, -1, -1}, {0, 1, 2, 1, -1, 1},  {0, 1, 2, -1, -1, -1},
};

template <class T> std::uint32_t face_of(const T d[3]) {
    T x = std::fabs(d[0]), y = std::fabs(d[1]), z = std::fabs(d[2]);
    // Of equal ones z is before y, and y before x, as on GPUs.
    if (z >= x && z >= y) return d[2] >= 0 ? 4 : 5;
    if (y >= x) return d[1] >= 0 ? 2 : 3;
    return d[0] >= 0 ? 0 : 1;
}

template <class T> std::uint32_t project(const T d[3], T place[2]) {
    const std::uint32_t face = face_of(d);
    const Face& f = kFaces[face];
    const T m = std::fabs(d[f.m]);
    place[0] = (static_cast<T>(f.s_sign) * d[f.s] / m + 1) / 2;
    place[1] = (static_cast<T>(f.t_sign) * d[f.t] / m + 1) / 2;
    return face;
}

} // namespace

std::uint32_t cube_face(const float d[3], float place[2]) { return project(d, place); }

void cube_slope(const float d[3], const float slope[3], float place_slope[2]) {
    const Face& f = kFaces[face_of(d)];
    const float m = std::fabs(d[f.m]), dm = f.m_sign * slope[f.m];
    // The quotient rule for s / m and t / m.
    place_slope[0] = 0.5f * f.s_sign * (slope[f.s] * m - d[f.s] * dm) / (m * m);
    place_slope[1] = 0.5f * f.t_sign * (slope[f.t] * m - d[f.t] * dm) / (m * m);
}

CubeTexel across_edge(const CubeTexel& outside, std::int32_t size) {
    const Face& f = kFaces[outside.face];
    const double n = size; // of 16384 texels an edge, floats would miss the right one
    double d[3], place[2];
    d[f.s] = f.s_sign * (2 * outside.x + 1 - n) / n;
    d[f.t] = f.t_sign * (2 * outside.y + 1 - n) / n;
    d[f.m] = f.m_sign;
    const std::uint32_t face = project(d, place);
    auto texel = [&](double p) {
        return std::clamp(static_cast<std::int32_t>(std::floor(p * n)), 0, size - 1);
    };
    return {face, texel(place[0]), texel(place[1])};
}

} // namespace lathe::soft
