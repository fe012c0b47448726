// SPDX-License-Identifier: MIT
// A box with sides along the axes.
#pragma once

#include <glm/vec3.hpp>

namespace lathe {

/// World units.
struct Box {
    glm::vec3 low, high;

    glm::vec3 middle() const { return 0.5f * (low + high); }
    glm::vec3 size() const { return high - low; }
    bool operator==(const Box&) const = default;
};

} // namespace lathe
