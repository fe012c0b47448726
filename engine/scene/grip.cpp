// SPDX-License-Identifier: MIT
#include "engine/scene/grip.h"

#include <glm/geometric.hpp>

#include <cmath>

namespace lathe {

namespace {

constexpr double kAlong = 1e-6; ///< squared sine of an angle at which lines count as parallel

} // namespace

glm::dvec3 on_plane(const SightLine& line, const glm::dvec3& at, const glm::dvec3& towards) {
    const double slope = glm::dot(line.direction, towards);
    if (std::abs(slope) < 1e-9) return at;
    return line.origin + line.direction * (glm::dot(at - line.origin, towards) / slope);
}

glm::dvec3 nearest_on_axes(const SightLine& line, const glm::dvec3& at) {
    const glm::dvec3 between = line.origin - at;
    const double along_line = glm::dot(line.direction, between);
    glm::dvec3 places{0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        const double cosine = line.direction[axis], sine2 = 1 - cosine * cosine;
        if (sine2 > kAlong) places[axis] = (between[axis] - cosine * along_line) / sine2;
    }
    return places;
}

} // namespace lathe
