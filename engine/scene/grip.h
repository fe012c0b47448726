// SPDX-License-Identifier: MIT
// An element of a thing that the mouse has hold of.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/picking.h"

#include <glm/vec3.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lathe {

struct Grip {
    std::string item;                ///< name of the thing
    std::vector<std::int64_t> index; ///< as that of Picked
    /// Of the element when it was taken: a point's or an arrow's own, else where the mouse took it.
    glm::dvec3 position;
    /// Where the mouse wants it: moved from there parallel to the screen.
    glm::dvec3 target;
    /// Where the mouse wants it on the lines through `position` along x, y and z, each by itself.
    glm::dvec3 along;

    bool operator==(const Grip&) const = default;
};

/// The place behind `line` on the plane through `at` that `towards` is perpendicular to; `at` where
/// the line misses it.
LATHE_API glm::dvec3 on_plane(const SightLine& line, const glm::dvec3& at,
                              const glm::dvec3& towards);

/// How far from `at` along the x, y and z axis the line passes nearest to that axis; 0 where it
/// runs along it.
LATHE_API glm::dvec3 nearest_on_axes(const SightLine& line, const glm::dvec3& at);

} // namespace lathe
