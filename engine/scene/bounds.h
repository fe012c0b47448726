// SPDX-License-Identifier: MIT
// The box around what is drawn.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/drawn.h"

#include <glm/common.hpp>
#include <glm/vec3.hpp>

#include <optional>
#include <span>

namespace lathe {

/// Sides along the axes; world units.
struct Box {
    glm::vec3 low, high;

    glm::vec3 middle() const { return 0.5f * (low + high); }
    glm::vec3 size() const { return high - low; }
};

/// Around points with the radii of spheres, lines and texts in space or the plane; positions that
/// are not finite lie nowhere. Nothing where nothing has a place. Kernels look at the arrays, in
/// the order of the legacy default stream; waits for them.
std::optional<Box> bounds_of(std::span<const Drawn* const> things);

} // namespace lathe
