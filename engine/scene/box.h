// SPDX-License-Identifier: MIT
#pragma once

#include <glm/vec3.hpp>

namespace lathe {

/// Sides along the axes; world units.
struct Box {
    glm::vec3 low, high;

    glm::vec3 middle() const { return 0.5f * (low + high); }
    glm::vec3 size() const { return high - low; }
};

} // namespace lathe
