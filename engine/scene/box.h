// SPDX-License-Identifier: MIT
// A box with sides along the axes.
#pragma once

#include <glm/vec3.hpp>

namespace lathe {

/// World units.
struct Box {
    glm::dvec3 low, high;

    glm::dvec3 middle() const { return 0.5 * (low + high); }
    glm::dvec3 size() const { return high - low; }
    bool operator==(const Box&) const = default;
};

} // namespace lathe
