// SPDX-License-Identifier: MIT
// shaders/light.glsl in other words: two lights and a sky, adding up linearly.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace lathe::test {

inline std::array<double, 3> unit(const std::array<double, 3>& v) {
    const double length = std::hypot(v[0], v[1], v[2]);
    return {v[0] / length, v[1] / length, v[2] / length};
}

/// What a colour is multiplied with; `normal` has length 1, x right, y up, z towards the viewer.
inline double lambert(const std::array<double, 3>& normal) {
    const auto along = [&](const std::array<double, 3>& light) {
        const std::array<double, 3> to = unit(light);
        return std::max(normal[0] * to[0] + normal[1] * to[1] + normal[2] * to[2], 0.0);
    };
    const double light = 0.86 * along({-0.45, 0.55, 0.9}) + 0.12 * along({0.8, -0.1, 0.5}) + 0.096 +
                         0.064 * normal[1];
    return std::pow(std::min(light, 1.0), 1 / 2.2);
}

} // namespace lathe::test
