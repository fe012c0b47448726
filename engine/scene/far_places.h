// SPDX-License-Identifier: MIT
// Places far from the world's origin, for what counts in float32; private to engine/scene. They
// count from an origin of their own, near what the camera sees: float32 has digits enough for the
// rest, since what is far from there is far from the eye, too.
#pragma once

#include "gpu/array/array.h"

#include <glm/vec3.hpp>

#include <optional>

namespace lathe {

/// What is looked at: a place, and how far from it things are about.
struct Region {
    glm::dvec3 middle;
    double reach;
};

/// `kept` as long as float32 has digits enough for the region from there; else a place near its
/// middle, on a grid as coarse as its reach.
glm::dvec3 origin_near(const Region& region, const glm::dvec3& kept = {0, 0, 0});

/// Around some of (…, 2 to 4) float64, evenly taken; nothing where none of them is finite. Blocks.
std::optional<Region> region_of_some(const gpu::Array& positions);

/// to = float32(positions - origin), both (…, 2 to 4), float64 and float32 in C order; a fourth
/// component stays. In the order of the legacy default stream.
void subtract_origin(const gpu::Array& positions, const glm::dvec3& origin, const gpu::Array& to);

} // namespace lathe
